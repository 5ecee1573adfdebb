//! `prazo check`: is this machine fit for real-time work?

use crate::exit::{Exit, Failure};
use crate::{out, text_report};
use prazo::check::{CheckAnswer, check};
use prazo_core::cpu::CpuSet;
use prazo_platform::readiness::Scenario;
use prazo_report::ReportContent;
use std::path::PathBuf;

/// Check whether this machine is fit for real-time work
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo check                       this machine
  prazo check -c 2-3 --network      a networked task on processors 2 and 3
  prazo check --root /tmp/board     a copied /proc and /sys of another machine

Exit status: 0 no finding of severity fatal or high, 1 at least one, 3 the
outcome of a check of that severity is unknown.")]
pub(crate) struct Args {
    /// Processors for real-time work [default: the isolated ones, else all]
    #[arg(long, short, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Assume a real-time task that polls instead of sleeping
    #[arg(long)]
    busy_poll: bool,
    /// Assume a real-time task that network traffic wakes
    #[arg(long)]
    network: bool,
    /// Folder with a copied /proc, /sys and /boot, to check instead of this machine
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Also show checks without a finding
    #[arg(long, short)]
    all: bool,
    /// Print JSON: an array of the checks
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs every check.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let scenario = Scenario { rt_cpus: self.cpus, busy_poll: self.busy_poll, network: self.network };
        let answer = check(self.root.as_deref(), &scenario)?;
        if self.json {
            out::json(&answer.results)?;
        } else {
            self.print(&answer)?;
        }
        Ok(answer.outcome().into())
    }

    /// Prints what is not as it should be or could not be found out; with --all everything.
    fn print(&self, answer: &CheckAnswer) -> Result<(), Failure> {
        let readiness = if self.all { answer.results.clone() } else { answer.findings().cloned().collect() };
        text_report::print(&ReportContent { readiness, ..ReportContent::default() })?;
        out::text_line(&answer.to_string())
    }
}
