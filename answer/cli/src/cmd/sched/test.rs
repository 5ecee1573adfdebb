//! `prazo sched test`: does the set meet its deadlines, which test decides, and by what margin?

use super::ask::Asked;
use super::{batch, certify, exit_of, granted, partition, worse};
use crate::exit::{self, Exit, Failure};
use crate::flags::sched::Asking;
use crate::{out, paper};
use prazo_analysis::linux;
use prazo_analysis::question::{Answer, Method, Policy, Question, answer, edge, lateness};
use prazo_core::ratio::Ratio;
use prazo_report::schedulability::answered::{self, SensitivityRow, TardinessRow};
use prazo_report::schedulability::{Answered, Dossier};
use prazo_scenario::read;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Does the set meet its deadlines?
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test scenarios/*.toml                    every set that comes along, with its expected outcome
  prazo sched test tasks.toml -m 4 --clusters 2,2      clustered EDF
  prazo sched test tasks.json -m 2 --overheads rt.toml what remains once the platform has taken its share
  prazo sched test tasks.toml --sensitivity            what to change, and how far the set is from the edge
  prazo sched test --batch sets.jsonl --all-tests      JSON Lines in, JSON Lines out

Exit status: 0 proven, 1 disproven, 3 unknown; of several files the worst; 2 if one was refused.
Of a batch: 0 each record was answered, whatever its verdict; 2 at least one was refused.")]
pub struct Args {
    /// Task sets: TOML, CSV, or rt-app's JSON
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    asking: Asking,
    /// Find out how far the set is from the edge, and what would have to change
    #[arg(long)]
    sensitivity: bool,
    /// Write what is needed to re-check the verdict without trusting it (`prazo sched verify`)
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Answer many sets: JSON Lines in, JSON Lines out; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "certificate", "sensitivity"])]
    batch: Option<PathBuf>,
    /// Print JSON: an array with one object for each file
    #[arg(long)]
    json: bool,
}

/// One file's answer, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Tested {
    /// The answer.
    #[serde(flatten)]
    pub answered: Answered,
    /// The scenario's name.
    pub name: String,
    /// Names of the tasks, in the order of every index here.
    pub tasks: Vec<String>,
    /// Nanoseconds of one tick; null for a set without a unit.
    pub ns_per_tick: Option<u64>,
    /// What SCHED_DEADLINE would say; null without a unit, or under fixed priorities.
    pub linux: Option<Admitted>,
    /// How far from the edge; null unless asked for.
    pub sensitivity: Option<SensitivityRow>,
    /// What had to be assumed, and what a reader should know.
    pub remarks: Vec<String>,
}

/// What Linux's admission control would say.
#[derive(Serialize, JsonSchema)]
pub struct Admitted {
    /// True if it would let the tasks in.
    pub admitted: bool,
    /// The tasks that it would refuse, in the order in which they ask.
    pub refused: Vec<Refused>,
}

/// A refused task.
#[derive(Serialize, JsonSchema)]
pub struct Refused {
    /// Its index.
    pub task: usize,
    /// Why.
    pub reason: String,
}

impl Args {
    /// Answers each file, or the batch.
    pub fn run(self) -> Result<Exit, Failure> {
        if let Some(file) = &self.batch {
            return batch::run(file, &self.asking);
        }
        self.check()?;
        let (mut exit, mut refused) = (Exit::Pass, None);
        let mut documents = Vec::new();
        for file in &self.files {
            match self.of_file(file, &mut documents) {
                Ok(one) => exit = worse(exit, one),
                // The other files are answered all the same; each refusal has its line, the last one at the end.
                Err(failure) => {
                    if let Some(earlier) = refused.replace(failure) {
                        exit::report(Err(earlier));
                    }
                }
            }
        }
        if self.json && (refused.is_none() || !documents.is_empty()) {
            out::json(&documents)?;
        }
        refused.map_or(Ok(exit), Err)
    }

    /// Refuses flags that do not go together.
    fn check(&self) -> Result<(), Failure> {
        if self.certificate.is_some() && self.files.len() > 1 {
            return Err(Failure::usage("--certificate: one set has one certificate; name a single file"));
        }
        if self.certificate.is_some() && self.asking.inflate_once {
            return Err(Failure::usage(
                "--certificate: certificates charge each queue by its tasks; leave out --inflate-once",
            ));
        }
        Ok(())
    }

    /// Answers one file: on the terminal, or as one more of `documents`.
    fn of_file(&self, file: &Path, documents: &mut Vec<Tested>) -> Result<Exit, Failure> {
        let scenario = read::file(file).map_err(Failure::usage)?;
        let asked = Asked::new(scenario, &self.asking)?;
        let dossier = self.dossier(file.display().to_string(), &asked)?;
        if let Some(to) = &self.certificate {
            certify::write(&dossier, to)?;
        }
        if self.json {
            documents.push(tested(&dossier, &asked, &self.asking.method()));
        } else {
            paper::print_schedulability(&dossier)?;
        }
        Ok(exit_of(dossier.answer.verdict))
    }

    fn dossier<'a>(&self, title: String, asked: &'a Asked) -> Result<Dossier<'a>, Failure> {
        let (question, method) = (asked.answerable()?, self.asking.method());
        let answered = answer(&question, &method).map_err(Failure::usage)?;
        granted::check_verdict(&asked.scenario, answered.verdict)?;
        let partitioned =
            asked.partitioned().map(|other| answer(&other, &method)).transpose().map_err(Failure::usage)?;
        let is_edf = matches!(question.policy, Policy::Edf);
        let ns_per_tick = asked.scenario.unit.map(prazo_scenario::Unit::ns);
        Ok(Dossier {
            title,
            notes: notes(asked),
            names: asked.scenario.tasks.iter().map(|task| task.name.clone()).collect(),
            ns_per_tick,
            lateness: is_edf.then(|| lateness(&question, &answered)),
            linux: ns_per_tick.filter(|_| is_edf).and_then(|ns| admission(&question, &answered, ns)),
            edge: if self.sensitivity { edge(&question, &method) } else { None },
            question,
            answer: answered,
            partitioned,
        })
    }
}

/// The scenario's own words: where it is from, what to note, what is expected.
fn notes(asked: &Asked) -> Vec<String> {
    let scenario = &asked.scenario;
    let words =
        [scenario.origin.clone(), scenario.note.clone(), scenario.expect.as_ref().and_then(|all| all.why.clone())];
    words.into_iter().flatten().chain(asked.answer_remarks()).collect()
}

fn tested(dossier: &Dossier<'_>, asked: &Asked, method: &Method) -> Tested {
    let rows = match (&dossier.partitioned, asked.partitioned()) {
        (Some(packed), Some(question)) => partition::rows(&question, packed, method),
        _ => partition::rows(&dossier.question, &dossier.answer, method),
    };
    let mut answered = Answered::new(dossier.title.clone().into(), &dossier.question, &dossier.answer, rows);
    answered.tardiness = dossier.lateness.as_ref().map(TardinessRow::from);
    let admitted = |one: &linux::Admission| Admitted {
        admitted: one.admitted,
        refused: one
            .refused
            .iter()
            .map(|(task, refusal)| Refused { task: *task, reason: refusal.to_string() })
            .collect(),
    };
    Tested {
        answered,
        name: asked.scenario.name.clone(),
        tasks: dossier.names.clone(),
        ns_per_tick: dossier.ns_per_tick,
        linux: dossier.linux.as_ref().map(admitted),
        sensitivity: dossier.edge.as_ref().map(|edge| SensitivityRow::new(edge, dossier.tasks())),
        remarks: asked.answer_remarks(),
    }
}

/// What the kernel would say of the tasks, asking one after the other in root domains like the shape's queues.
fn admission(question: &Question<'_>, answered: &Answer, ns_per_tick: u64) -> Option<linux::Admission> {
    let domains = answered::sizes(question.shape);
    let assignment = answered.packings.iter().find(|packed| packed.proven).map(|packed| &packed.assignment);
    let domain = |task: usize| assignment.and_then(|bins| bins[task]).unwrap_or(0) as usize;
    let reservation = |(index, task)| linux::Reservation::of(task, Ratio::whole(ns_per_tick), domain(index));
    let reservations: Vec<_> = question.tasks.iter().enumerate().map(reservation).collect::<Option<_>>()?;
    let placed = domains.len() == 1 || assignment.is_some();
    placed.then(|| linux::admission(&reservations, &domains, &linux::Limits::default()))
}
