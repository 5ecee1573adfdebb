//! `prazo sched deploy`: from a verdict's assignment to partitions, policies and priorities; reversibly.

use super::{exit_of, worse};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::carriers::CarrierFlags;
use crate::flags::cpus::CpuOrder;
use crate::flags::sched::QuestionFlags;
use crate::out;
use prazo::sched::{self, DeployMode, DeployRequest, SchedulerChoice, SchedulerOptions, UndeployRequest};
use prazo_platform::tunable::Undone;
use std::path::PathBuf;
use std::time::Duration;

/// Put tasks where the analysis says, with the policies that it says.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched deploy robot.toml --shape partitioned-edf --pid arm=812 --pid eye=813 --dry-run
  prazo sched deploy robot.toml --shape clustered-edf:1,3 --command arm='./arm --fast' --command eye=./eye
  prazo sched deploy robot.toml --shape clustered-edf:1,3 --unit arm=arm.service --unit eye=eye.service --systemd units
  prazo sched undeploy                                put everything back, also after a crash

Exit status: 0 every deadline is proven and everything is as asked, 1 disproven (nothing is done without --anyway) or
something differs, 3 not proven: the kernel's admission alone is no proof, 4 the machine refused; then all is as before.")]
pub(super) struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    #[command(flatten)]
    question: QuestionFlags,
    /// In one word who shares processors and who ranks jobs, as for `run`: global-edf, partitioned-edf, clustered-edf:2,2, rm
    #[arg(long, short, value_name = "SHAPE", conflicts_with = "clusters")]
    shape: Option<SchedulerChoice>,
    #[command(flatten)]
    carriers: CarrierFlags,
    /// Processors to use, in this machine's numbers and in the order in which clusters take them [default: the first free ones]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuOrder>,
    /// Only show what would be done, and what would undo it
    #[arg(long)]
    dry_run: bool,
    /// Write units and slices of systemd's into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    systemd: Option<PathBuf>,
    /// Deploy also what is disproven
    #[arg(long)]
    anyway: bool,
    /// Stop and continue a task that sleeps on, since the kernel refuses its deadline until it has run in its cluster; some system
    /// calls end early for that (EINTR)
    #[arg(long)]
    wake: bool,
    /// How long to look where the tasks run, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    look: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Shows, writes or deploys.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = DeployRequest {
            options: self.options(),
            method: self.question.method(),
            tasks: self.file.into(),
            carriers: self.carriers.carriers(),
            cpus: self.cpus.map(|order| order.0),
            mode: match self.systemd {
                Some(folder) => DeployMode::Units(folder),
                None if self.dry_run => DeployMode::Show,
                None => DeployMode::Deploy,
            },
            anyway: self.anyway,
            wake: self.wake,
            look: Duration::from_millis(self.look),
            journal: None,
        };
        let deployment = sched::deploy(&request, &mut Console::default())?;
        match self.json {
            true => out::json(&deployment)?,
            false => out::text(&deployment.text(self.dry_run))?,
        }
        let differs = if deployment.differs.is_empty() { Exit::Pass } else { Exit::Fail };
        Ok(worse(exit_of(deployment.verdict), differs))
    }

    /// What `--shape` says in one word, the other flags say in two.
    fn options(&self) -> SchedulerOptions {
        let mut options = self.question.scheduler();
        if let Some(SchedulerChoice { shape, criterion }) = self.shape.clone() {
            options.clusters = shape;
            options.policy = criterion.or(options.policy);
        }
        options
    }
}

/// `prazo sched undeploy`: put everything back.
#[derive(clap::Args, Debug)]
pub(super) struct Undeploy {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Undeploy {
    /// Undoes what was deployed, and what a deployment that was killed left behind.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let undone = sched::undeploy(&UndeployRequest::default(), &mut Console::default())?;
        if self.json {
            out::json(&undone)?;
        } else {
            undone.iter().try_for_each(|one| out::text_line(&one.to_string()))?;
            out::text_line(&format!("{} changes looked at", undone.len()))?;
        }
        let is_failed = undone.iter().any(|one| matches!(one, Undone::Failed { .. }));
        Ok(if is_failed { Exit::Fail } else { Exit::Pass })
    }
}
