//! `prazo sched`: does a task set meet its deadlines on this platform, and which test says so?

mod deploy;
mod experiment;
mod inversion;
mod partition;
mod run;
mod simulate;
mod test;
mod verify;
mod watch;

use crate::exit::{Exit, Failure};
use prazo::sched::BatchCount;
use prazo_core::verdict::Verdict;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Schedulability: a task set in, a verdict with its reason out.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test scenarios/dhall-effect.toml             which tests prove it, and by what margin
  prazo sched test tasks.csv -m 4 --clusters 2,2    four processors in two clusters
  prazo sched partition tasks.toml -m 4             where each task runs, by each heuristic
  prazo sched simulate scenarios/dhall-effect.toml  what happens when they run, and who misses
  prazo sched run tasks.toml --shape global-edf     what happens when Linux runs them, beside bounds and simulation
  prazo sched deploy tasks.toml -c partitioned --pid arm=812 --pid eye=813
  prazo sched experiment studies/epos-2013.toml     acceptance over utilization, as in Vitor 2013 figure 7")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Does the set meet its deadlines? Which test decides, and by what margin
    Test(test::Args),
    /// Where each task runs, by each packing heuristic
    Partition(partition::Args),
    /// What happens when the tasks run: response times, misses, a chart of the schedule
    Simulate(Box<simulate::Args>),
    /// What happens when Linux runs the tasks as threads: misses, overruns, migrations, beside bounds and simulation
    Run(Box<run::Args>),
    /// Three tasks and a lock, with and without priority inheritance, on Linux and in the simulator
    Inversion(inversion::Args),
    /// Acceptance ratios of generated task sets, resumable
    Experiment(experiment::Args),
    /// Put tasks where the analysis says, with the policies that it says
    Deploy(Box<deploy::Args>),
    /// Look at what is deployed, job by job, beside what is proven
    Watch(watch::Args),
    /// Put back what `deploy` changed, also after a crash
    Undeploy(deploy::Undeploy),
    /// Re-check a certificate without the analysis that wrote it
    Verify(verify::Args),
}

impl Args {
    /// Does what was asked.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::Test(args) => args.run(),
            Action::Partition(args) => args.run(),
            Action::Simulate(args) => args.run(),
            Action::Run(args) => args.run(),
            Action::Inversion(args) => args.run(),
            Action::Experiment(args) => args.run(),
            Action::Deploy(args) => args.run(),
            Action::Watch(args) => args.run(),
            Action::Undeploy(args) => args.run(),
            Action::Verify(args) => args.run(),
        }
    }
}

/// What a verdict means for the command's status.
fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Proven => Exit::Pass,
        Verdict::Disproven => Exit::Fail,
        Verdict::Unknown => Exit::Inconclusive,
    }
}

/// The records of a batch; `-` is standard input.
fn records(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let unread = |error| {
        let name = file.display();
        Failure::usage(format!("--batch {name}: {error}; name a file of JSON Lines, or - for standard input"))
    };
    Ok(Box::new(BufReader::new(File::open(file).map_err(unread)?)))
}

/// How a batch ends whose answers have all been written.
fn ending(BatchCount { records, refused }: BatchCount) -> Result<Exit, Failure> {
    match refused {
        0 => Ok(Exit::Pass),
        _ => Err(Failure::usage(format!(
            "--batch: {refused} of {records} records were refused; `error` in the answer to each says what to correct"
        ))),
    }
}

/// The worst of two ends: fail, inconclusive, pass.
fn worse(one: Exit, other: Exit) -> Exit {
    match (one, other) {
        (Exit::Fail, _) | (_, Exit::Fail) => Exit::Fail,
        (Exit::Inconclusive, _) | (_, Exit::Inconclusive) => Exit::Inconclusive,
        _ => Exit::Pass,
    }
}
