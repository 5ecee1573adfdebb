//! `prazo sched`: does a task set meet its deadlines on this platform, and which test says so?

mod advise;
mod batch;
mod curve;
mod deploy;
mod executors;
mod experiment;
mod inversion;
mod partition;
mod run;
mod simulate;
mod test;
mod verify;
mod watch;

use crate::exit::{Exit, Failure};

/// Analyse, simulate, run and deploy task sets
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test examples/crane.toml -m 2 --shape partitioned
  prazo sched simulate examples/crane.toml --shape global
  prazo sched run examples/crane.toml --shape rm -m 1
  prazo sched deploy examples/crane.toml --shape rm --pid drives=812 --dry-run
  prazo sched experiment epos-2013             Vitor 2013, figure 7")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Check whether task sets meet their deadlines
    Test(test::Args),
    /// Find the smallest changes that make a task set provable
    Advise(advise::Args),
    /// Assign tasks to processors or clusters by packing heuristics
    Partition(partition::Args),
    /// Simulate a task set: response times, misses, a chart of the schedule
    Simulate(Box<simulate::Args>),
    /// Run a task set as Linux threads, and compare with bounds and simulation
    Run(Box<run::Args>),
    /// Measure priority inversion, with and without priority inheritance
    Inversion(inversion::Args),
    /// Measure acceptance ratios of generated task sets
    Experiment(experiment::Args),
    /// Deploy a task set: assign processors, policies and priorities to processes
    Deploy(Box<deploy::Args>),
    /// Watch the deployed tasks, job by job
    Watch(watch::Args),
    /// Undo what `deploy` changed, even after a crash
    Undeploy(deploy::Undeploy),
    /// Extract observed arrival curves from a run file
    Curve(curve::Args),
    /// Bound the latency of callbacks and chains on ROS 2 executors
    Executors(executors::Args),
    /// Check a certificate independently of the analysis
    Verify(verify::Args),
}

impl Args {
    /// Does what was asked.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::Test(args) => args.run(),
            Action::Advise(args) => args.run(),
            Action::Partition(args) => args.run(),
            Action::Simulate(args) => args.run(),
            Action::Run(args) => args.run(),
            Action::Inversion(args) => args.run(),
            Action::Experiment(args) => args.run(),
            Action::Deploy(args) => args.run(),
            Action::Watch(args) => args.run(),
            Action::Undeploy(args) => args.run(),
            Action::Curve(args) => args.run(),
            Action::Executors(args) => args.run(),
            Action::Verify(args) => args.run(),
        }
    }
}
