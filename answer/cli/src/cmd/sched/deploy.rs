//! `prazo sched deploy`: from a verdict's assignment to partitions, policies and priorities; reversibly.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::carriers::CarrierFlags;
use crate::flags::sched::QuestionFlags;
use crate::out;
use prazo::sched::{self, CpuOrder, DeployMode, DeployRequest, UndeployRequest};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Deploy a task set: assign processors, policies and priorities to processes
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched deploy set.toml -s rm --pid arm=812 --pid eye=813 --dry-run
  prazo sched deploy set.toml -s clustered-edf:1,3 --command arm='./arm --fast' \
    --unit eye=eye.service
  prazo sched undeploy                         undo it, even after a crash

Exit status: 0 proven and deployed, 1 disproven (then nothing is deployed without
--allow-disproven) or a setting differs from the request, 3 deployed but not
proven, 4 the machine refused a setting; then no change remains.")]
pub(super) struct Args {
    /// Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    #[command(flatten)]
    question: QuestionFlags,
    #[command(flatten)]
    carriers: CarrierFlags,
    /// Processors to use, for example 0,2,1,3 [default: free ones]
    ///
    /// Clusters take processors in the order of the list. The default is the first free processors.
    #[arg(long, short, help_heading = "Deployment", value_name = "LIST")]
    cpus: Option<CpuOrder>,
    /// Only show the changes and how to undo them
    #[arg(long, help_heading = "Deployment")]
    dry_run: bool,
    /// Write systemd units to this folder; deploy nothing
    #[arg(long, help_heading = "Deployment", value_name = "DIR", conflicts_with = "dry_run")]
    systemd: Option<PathBuf>,
    /// Deploy even if the set is disproven
    #[arg(long, help_heading = "Deployment", hide_short_help = true)]
    allow_disproven: bool,
    /// Send SIGSTOP and SIGCONT to a task that sleeps
    ///
    /// The kernel accepts a task's deadline only after the task has run in its cluster. SIGSTOP and SIGCONT make
    /// some of the task's system calls end early (EINTR).
    #[arg(long, help_heading = "Deployment", hide_short_help = true)]
    wake: bool,
    /// Duration for which prazo observes the tasks' processors after the deployment
    #[arg(long, value_name = "TIME", default_value = "500ms", help_heading = "Deployment", hide_short_help = true)]
    observe: Duration,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Shows, writes or deploys.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = DeployRequest {
            options: self.question.scheduler()?,
            method: self.question.method(),
            tasks: self.file.into(),
            carriers: self.carriers.carriers(),
            cpus: self.cpus.map(|order| order.0),
            mode: match self.systemd {
                Some(folder) => DeployMode::Units(folder),
                None if self.dry_run => DeployMode::Show,
                None => DeployMode::Deploy,
            },
            allow_disproven: self.allow_disproven,
            wake: self.wake,
            observe: std::time::Duration::from_nanos(self.observe.as_ns()),
            journal: None,
        };
        let deployment = sched::deploy(&request, &mut Console::default())?;
        out::answer(self.json, &deployment)?;
        Ok(deployment.outcome().into())
    }
}

/// Undo what `deploy` changed, even after a crash
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
        out::answer(self.json, &undone)?;
        Ok(undone.outcome().into())
    }
}
