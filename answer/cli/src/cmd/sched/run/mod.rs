//! `prazo sched run`: the tasks of a scenario as threads of Linux, job by job, beside what is proven and what is simulated.

mod bounds;
mod document;
mod files;
mod plan;
pub(super) mod shape;

pub use document::RunSet;

use super::ask::Asked;
use super::simulate::Files;
use super::simulate::flags::{Flags, LateFlag, OffsetsFlag};
use super::simulate::flags::{arrivals, distribution};
use super::simulate::run::{self as simulated, Ran};
use crate::cmd::files as run_files;
use crate::cmd::measure::default_file;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::{in_guest, out};
use plan::How;
use prazo_core::cpu::Cpu;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::{StopFlag, tasks};
use prazo_run::Run;
use prazo_run::jobs::SetPlan;
use prazo_scenario::{Scenario, read};
use prazo_sim::execution::Distribution;
use prazo_sim::model::Arrivals;
use prazo_study::task_sets::TaskSetsRequest;
use std::path::{Path, PathBuf};

/// The tasks of a scenario as threads of Linux.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched run tasks.toml --shape global-edf -D 10s          under SCHED_DEADLINE on all processors
  prazo sched run tasks.toml --shape rm -m 1 --gantt seen.html  one processor, fixed priorities, the schedule as it was
  prazo sched run workload.json --json                          rt-app's input; jobs, misses, overruns, migrations
  prazo sched run tasks.toml -m 4 --platform lab:standard-full  in a virtual machine that repeats itself

Jobs execute processor time by CLOCK_THREAD_CPUTIME_ID, as much as their scenario says, what waking and stamping cost them included.

Exit status: 0 no deadline missed, 1 at least one, 4 the system would not run the set.")]
pub struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT")]
    processors: Option<u32>,
    /// global-edf, partitioned-edf, clustered-edf:2,2, rm (partitioned), global-rm; -dm and -fp for other priorities [default: the scenario's]
    #[arg(long, short, value_name = "SHAPE")]
    shape: Option<String>,
    /// How long jobs are released
    #[arg(long, short = 'D', value_name = "TIME", default_value = "10s")]
    duration: Duration,
    /// Seed of all that is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// When the first jobs arrive
    #[arg(long, default_value = "synchronous")]
    offsets: OffsetsFlag,
    /// Later arrivals: periodic, or sporadic=0.5 for up to half a period more each time
    #[arg(long, value_name = "HOW", default_value = "periodic", value_parser = arrivals)]
    arrivals: Arrivals,
    /// Execution times: bound, uniform=0.5, bimodal=0.3 or overrun=1.5, as the simulator has them
    #[arg(long, value_name = "HOW", default_value = "bound", value_parser = distribution)]
    execution: Distribution,
    /// Table of the platform's overheads (TOML), charged by analysis and simulator, or `none`
    #[arg(long, value_name = "FILE")]
    overheads: Option<PathBuf>,
    /// How finely work goes on, and preemptions within a job are seen
    #[arg(long, value_name = "TIME", default_value = "5us")]
    step: Duration,
    #[command(flatten)]
    schedule: Files,
    #[command(flatten)]
    guest: GuestFlags,
    /// The virtual machine [default: linux-4, or linux-8 for more, with as many processors as the set is for]
    #[arg(long, value_name = "MACHINE", requires = "platform")]
    machine: Option<String>,
    /// The run file [default: prazo-results/tasks-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        let scenario = read::file(&self.file).map_err(Failure::usage)?;
        let flags = self.flags()?;
        flags.check()?;
        let asked = Asked::new(scenario.clone(), &flags.asking())?;
        let ran = simulated::run(scenario, &flags)?;
        let bounds = bounds::of(&asked, ran.ns_per_tick)?;
        let file = self.out.clone().unwrap_or_else(|| default_file("tasks"));
        run_files::make_parent(&file)?;
        let run = self.observed(&asked.scenario, &ran, &file)?;
        let set = run.sets.first().ok_or_else(|| Failure::world("the run was ended before the set was run"))?;
        files::write(&self.schedule, set, &format!("{}, {}", set.plan.dispatch.name(), ran.shape()))?;
        let names = document::Files { scenario: self.file.display().to_string(), run: file.display().to_string() };
        let document = RunSet::new(names, &run, set, &ran, &bounds);
        if self.json {
            out::json(&document)?;
        } else {
            out::text_line(&document::text(&document, &ran.shape()))?;
        }
        Ok(if document.misses == 0 { Exit::Pass } else { Exit::Fail })
    }

    /// The same as the simulator is asked.
    fn flags(&self) -> Result<Flags, Failure> {
        let scheduler = self.shape.as_deref().map(shape::read).transpose()?.unwrap_or_default();
        Ok(Flags {
            processors: self.processors,
            shape: scheduler.shape,
            policy: scheduler.rank,
            quantum: Duration::from_ms(1),
            overheads: self.overheads.clone(),
            horizon: Some(self.duration),
            seed: self.seed,
            offsets: self.offsets,
            arrivals: self.arrivals,
            execution: self.execution,
            late: LateFlag::Continue,
        })
    }

    /// Here or in a guest.
    fn observed(&self, scenario: &Scenario, ran: &Ran, file: &Path) -> Result<Run, Failure> {
        let how = |cpus| How { length_ns: self.duration.as_ns(), step_ns: self.step.as_ns().max(1), cpus };
        if let Some(platform) = self.guest.platform()? {
            let count: u32 = ran.clusters.iter().sum();
            let plan = plan::of(scenario, ran, &how((0..count).collect()))?;
            let request = TaskSetsRequest {
                machine: in_guest::machine(&platform, self.machine.as_deref(), count)?,
                platform,
                plans: vec![plan],
                seed: self.seed,
                file,
                name: run_files::name_of(file),
                command: crate::cmd::command_line(),
                limit: self.guest.limit,
            };
            return in_guest::run_task_sets(&request);
        }
        let allowed = Topology::read(&Root::system()).map_err(Failure::world)?.allowed;
        here(plan::of(scenario, ran, &how(allowed.iter().map(Cpu::number).collect()))?, file)
    }
}

fn here(plan: SetPlan, file: &Path) -> Result<Run, Failure> {
    let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
    let (name, command) = (run_files::name_of(file), crate::cmd::command_line());
    let request = tasks::Request { plans: vec![plan], file, name, command };
    tasks::execute(&request, &Root::system(), stop)
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
}
