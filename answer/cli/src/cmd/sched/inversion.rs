//! `prazo sched inversion`: papers/003's priority inversion on Linux, on prazo's kernel and in the simulator, with and without inheritance.
//!
//! Three tasks and a lock on one processor: the least urgent holds for 20 ms what the most urgent wants from 10 ms on; one between
//! them executes meanwhile, for as long as is asked. Three nested tasks and two locks show what inheritance costs in switches.

mod chart;
mod claims;
mod document;
mod own_kernel;
mod sets;

pub use document::Inverted;

use crate::cmd::files as run_files;
use crate::cmd::measure::default_file;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::{in_guest, out};
use document::Row;
use own_kernel::{OwnKernel, Ran};
use prazo_core::cpu::Cpu;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::{StopFlag, tasks};
use prazo_run::Run;
use prazo_run::jobs::{SetPlan, SetRun};
use prazo_study::task_sets::TaskSetsRequest;
use sets::Setting;
use std::path::{Path, PathBuf};

/// Three tasks and a lock, with and without priority inheritance.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched inversion                                        here, under SCHED_FIFO on one processor
  prazo sched inversion --platform lab:rt-full --gantt charts  in counted time, with a chart of each
  prazo sched inversion --middle 40ms,400ms --json

prazo's kernel runs the same where its image is: `cargo xtask kernel build --shape single-edf` builds it, PRAZO_KERNEL names one.

Exit status: 0 on every system that ran, inheritance bounds the wait and takes the paper's four switches more, 1 not so on one,
4 Linux could not run it.")]
pub struct Args {
    /// What the task between the two executes
    #[arg(long, value_name = "TIMES", value_delimiter = ',', default_values = ["40ms", "80ms", "160ms"])]
    middle: Vec<Duration>,
    /// A folder for charts: what was observed, what prazo's kernel did, and what was simulated
    #[arg(long, value_name = "FOLDER")]
    gantt: Option<PathBuf>,
    #[command(flatten)]
    guest: GuestFlags,
    /// The run file [default: prazo-results/inversion-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs every setting, and holds what was seen against the paper.
    pub fn run(self) -> Result<Exit, Failure> {
        if self.middle.is_empty() {
            return Err(Failure::usage("--middle: name at least one time, as in 40ms"));
        }
        let file = self.out.clone().unwrap_or_else(|| default_file("inversion"));
        run_files::make_parent(&file)?;
        let settings = Setting::all(&self.middle);
        let run = self.linux(&settings, &file)?;
        let kernel = OwnKernel::find();
        let rows = self.rows(&settings, &run, &kernel)?;
        let document = Inverted::new(rows, &run, &file, kernel.as_ref().ok());
        if self.json {
            out::json(&document)?;
        } else {
            out::text(&document.text())?;
        }
        Ok(if document.holds() { Exit::Pass } else { Exit::Fail })
    }

    /// Every setting under SCHED_FIFO, on one processor of this machine or in a guest.
    fn linux(&self, settings: &[Setting], file: &Path) -> Result<Run, Failure> {
        let plans = |cpu: u32| settings.iter().map(|setting| setting.plan(cpu)).collect::<Vec<SetPlan>>();
        let Some(platform) = self.guest.platform()? else {
            let allowed = Topology::read(&Root::system()).map_err(Failure::world)?.allowed;
            return here(plans(allowed.iter().last().map_or(0, Cpu::number)), file);
        };
        in_guest::run_task_sets(&TaskSetsRequest {
            machine: in_guest::machine(&platform, None, 1)?,
            platform,
            plans: plans(0),
            seed: 1,
            file,
            name: run_files::name_of(file),
            command: crate::cmd::command_line(),
            limit: self.guest.limit,
        })
    }

    /// Each setting on each system, with its charts. prazo's kernel is booted now.
    fn rows(&self, settings: &[Setting], run: &Run, kernel: &Result<OwnKernel, String>) -> Result<Vec<Row>, Failure> {
        let row = |(setting, set): (&Setting, &SetRun)| {
            let events = ran(kernel, setting)?;
            let events = events.as_deref();
            self.gantt.as_deref().map_or(Ok(()), |folder| chart::write(folder, setting, set, events.ok()))?;
            Ok(Row::new(setting, set, events))
        };
        settings.iter().zip(&run.sets).map(row).collect()
    }
}

/// What prazo's kernel did; a boot that fails is a failure of the command, one that cannot be is a reason in its row.
fn ran(kernel: &Result<OwnKernel, String>, setting: &Setting) -> Result<Ran, Failure> {
    if StopFlag::on_interrupt().map_err(Failure::world)?.is_set() {
        return Err(Failure::world("interrupted before prazo's kernel had run every setting"));
    }
    let failed = |why: String| Failure::world(format!("prazo's kernel did not run {}: {why}", setting.name));
    kernel.as_ref().map_or_else(|why| Ok(Err(why.clone())), |kernel| kernel.run(setting).map_err(failed))
}

fn here(plans: Vec<SetPlan>, file: &Path) -> Result<Run, Failure> {
    let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
    let (name, command) = (run_files::name_of(file), crate::cmd::command_line());
    let run = tasks::execute(&tasks::Request { plans, file, name, command }, &Root::system(), stop);
    let run = run.map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })?;
    match run.sets.iter().find_map(|set| set.refused.clone()) {
        Some(why) => Err(Failure::world(why)),
        None => Ok(run),
    }
}
