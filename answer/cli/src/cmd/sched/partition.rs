//! `prazo sched partition`: where each task runs, by each packing heuristic.

use super::ask::Asked;
use super::exit_of;
use super::granted;
use crate::exit::{Exit, Failure};
use crate::flags::sched::Asking;
use crate::{out, paper};
use prazo_analysis::question::{Answer, Method, Question, answer, bins_needed};
use prazo_report::schedulability::answered::PartitionRow;
use prazo_report::schedulability::{Answered, Dossier};
use prazo_scenario::read;
use std::path::PathBuf;

/// Where each task runs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched partition tasks.toml -m 4                        one queue a processor
  prazo sched partition tasks.toml --clusters 2,2 --all-tests  two clusters, every heuristic
  prazo sched partition tasks.csv --heuristics worst-fit,next-fit --order as-given

Exit status: 0 a packing is proven, 1 there is none, 3 none was found.")]
pub struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    asking: Asking,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Packs and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        let scenario = read::file(&self.file).map_err(Failure::usage)?;
        let asked = Asked::new(scenario, &self.asking)?;
        let question = asked.partitioned().unwrap_or_else(|| asked.question());
        granted::check(&asked.scenario, &question)?;
        let method = Method { all_tests: true, ..self.asking.method() };
        let answered = answer(&question, &method).map_err(Failure::usage)?;
        granted::check_verdict(&asked.scenario, answered.verdict)?;
        let exit = exit_of(answered.verdict);
        if self.json {
            let rows = rows(&question, &answered, &method);
            let title = self.file.display().to_string();
            out::json(&Answered::new(title.into(), &question, &answered, rows))?;
        } else {
            let names = asked.scenario.tasks.iter().map(|task| task.name.clone()).collect();
            paper::print_schedulability(&Dossier {
                title: self.file.display().to_string(),
                notes: asked.answer_remarks(),
                names,
                ns_per_tick: asked.scenario.unit.map(prazo_scenario::Unit::ns),
                question,
                answer: answered,
                partitioned: None,
                lateness: None,
                linux: None,
                edge: None,
            })?;
        }
        Ok(exit)
    }
}

/// The heuristics' packings as scripts read them, each with the bins that it would open on demand.
pub fn rows(question: &Question<'_>, answered: &Answer, method: &Method) -> Vec<PartitionRow> {
    let row = |packed| PartitionRow::new(packed, bins_needed(question, packed, method));
    answered.packings.iter().map(row).collect()
}
