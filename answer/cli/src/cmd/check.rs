//! `prazo check`: is this machine fit for real-time work?

use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo_core::cpu::CpuSet;
use prazo_platform::readiness::{self, CheckOutcome, CheckResult, Scenario};
use prazo_platform::root::Root;
use prazo_report::Evidence;
use std::path::PathBuf;

/// Is this machine fit for real-time work?
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo check                       this machine
  prazo check --cpus 2-3 --network  as seen by a networked task on processors 2 and 3
  prazo check --root /tmp/board     a copied /proc and /sys tree of another machine

Exit status: 0 nothing found, 1 a fatal or high finding, 3 something fatal or high is unknown.")]
pub(super) struct Args {
    /// Processors meant for real-time work
    #[arg(long, short, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// The task polls instead of sleeping
    #[arg(long)]
    busy_poll: bool,
    /// The task is woken by network traffic
    #[arg(long)]
    network: bool,
    /// A folder with a copied /proc, /sys, /boot ... instead of this machine
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Show also what is as it should be
    #[arg(long, short)]
    all: bool,
    /// Print an array of the checks
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs every check.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let root = self.root.as_ref().map_or_else(Root::system, Root::at);
        let scenario = Scenario { rt_cpus: self.cpus, busy_poll: self.busy_poll, network: self.network };
        let results = readiness::check(&root, &scenario);
        if self.json {
            out::json(&results)?;
        } else {
            self.print(&results)?;
        }
        Ok(exit(&results))
    }

    /// Prints what is not as it should be or could not be found out; with --all everything.
    fn print(&self, results: &[CheckResult]) -> Result<(), Failure> {
        let matters =
            |result: &&CheckResult| self.all || matches!(result.outcome, CheckOutcome::Finding | CheckOutcome::Unknown);
        let readiness = results.iter().filter(matters).cloned().collect();
        paper::print(&Evidence { readiness, ..Evidence::default() })?;
        out::text_line(&tally(results))
    }
}

/// "77 checks: 20 ok, 12 findings, 5 unknown, 40 not applicable".
fn tally(results: &[CheckResult]) -> String {
    let count = |outcome| results.iter().filter(|result| result.outcome == outcome).count();
    format!(
        "{} checks: {} ok, {} findings, {} unknown, {} not applicable here",
        results.len(),
        count(CheckOutcome::Ok),
        count(CheckOutcome::Finding),
        count(CheckOutcome::Unknown),
        count(CheckOutcome::NotApplicable)
    )
}

fn exit(results: &[CheckResult]) -> Exit {
    let weighs = |result: &&CheckResult| result.severity >= prazo_run::Severity::High;
    let any = |outcome| results.iter().filter(weighs).any(|result| result.outcome == outcome);
    if any(CheckOutcome::Finding) {
        Exit::Fail
    } else if any(CheckOutcome::Unknown) {
        Exit::Inconclusive
    } else {
        Exit::Pass
    }
}
