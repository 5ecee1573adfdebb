//! `prazo sched executors`: do the chains of callbacks on ROS 2 executors keep their deadlines?

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, ExecutorsRequest};
use prazo_analysis::question::Method;
use std::path::PathBuf;

/// Bound the latency of callbacks and chains on ROS 2 executors
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched executors scenarios/executors/move-base.toml

Exit status: 0 proven, 1 disproven, 3 unknown: the worst over all chains.")]
pub(super) struct Args {
    /// Executors, callbacks and chains: a TOML file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Work limit of all bounds together: the number of terms that they may evaluate
    #[arg(long, value_name = "TERMS", default_value_t = Method::BUDGET)]
    budget: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Reads, bounds and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let tested = sched::executors(&ExecutorsRequest { file: self.file, budget: self.budget })?;
        out::answer(self.json, &tested)?;
        Ok(Exit::from(tested.outcome()))
    }
}
