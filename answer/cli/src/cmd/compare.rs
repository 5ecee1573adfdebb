//! `prazo compare`: two or more runs side by side.

use super::files;
use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::evidence;
use prazo_report::Evidence;
use prazo_run::Run;
use prazo_stats::{Comparison, compare, compare_all};
use std::path::PathBuf;

/// Two or more runs side by side.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo compare standard.prazo rt.prazo
  prazo compare before-*.prazo --with after-*.prazo     repeated runs on each side

The first run (or those before --with) is the reference.")]
pub(super) struct Args {
    /// Runs; the first is the reference
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Repeated runs of the other side; those before are then repeats of the reference
    #[arg(long = "with", value_name = "RUN", num_args = 1..)]
    with: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Compares each other run with the first, or the two sides with each other.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.runs.len() + self.with.len() < 2 {
            return Err(Failure::usage("one run alone has nothing to be compared with; name a second"));
        }
        let (reference, others) = (files::open_all(&self.runs)?, files::open_all(&self.with)?);
        let comparisons = comparisons(&reference, &others);
        if self.json {
            out::json(&comparisons)?;
        } else {
            let runs = reference.into_iter().chain(others).map(|run| evidence::of_run(run, None)).collect();
            let title = "comparison".to_owned();
            paper::print(&Evidence {
                title,
                runs,
                comparisons,
                command: super::command_line(),
                ..Evidence::default()
            })?;
        }
        Ok(Exit::Pass)
    }
}

fn comparisons(reference: &[Run], others: &[Run]) -> Vec<Comparison> {
    let reference: Vec<&Run> = reference.iter().collect();
    if others.is_empty() {
        compare_all(&reference)
    } else {
        compare(&reference, &others.iter().collect::<Vec<_>>()).into_iter().collect()
    }
}
