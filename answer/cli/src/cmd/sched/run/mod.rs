//! `prazo sched run`: the tasks of a scenario as threads of Linux, job by job, beside what is proven and what is simulated.

mod batch;
mod bounds;
mod document;
mod files;
mod placed;
mod plan;
pub(super) mod shape;

pub use batch::RunLine;
pub use document::{RunSet, text};
pub use placed::Placed;

use super::ask::Asked;
use super::lines;
use super::simulate::Files;
use super::simulate::flags::{Flags, LateFlag, OffsetsFlag};
use super::simulate::flags::{arrivals, distribution};
use super::simulate::run::{self as simulated, Ran};
use crate::cmd::files as run_files;
use crate::cmd::measure::default_file;
use crate::exit::{Exit, Failure};
use crate::flags::cpus::CpuOrder;
use crate::flags::guest::GuestFlags;
use crate::{in_guest, out};
use batch::Batch;
use plan::{How, Source};
use prazo_core::cpu::{CPUS_MAX, Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::{StopFlag, tasks};
use prazo_run::Run;
use prazo_run::jobs::{Reservation, SetPlan};
use prazo_scenario::{NamedTask, Scenario, read};
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

Jobs execute processor time by CLOCK_THREAD_CPUTIME_ID, as much as their scenario says, what waking and stamping cost them included;
what is left of a short job (--spare) stands under the caveat `work-left-out`.

Exit status: 0 no deadline missed, 1 at least one, 3 interrupted before one was, 4 the system would not run the set;
of a batch 0 each record was answered, 2 at least one was refused.")]
pub struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT")]
    processors: Option<u32>,
    /// global-edf, partitioned-edf, clustered-edf:2,2, rm (partitioned), global-rm; -dm and -fp for other priorities [default: the scenario's]
    #[arg(long, short, value_name = "SHAPE")]
    shape: Option<String>,
    /// Processors to use, in the order in which clusters take them [default: those that this process may use]
    #[arg(long, value_name = "LIST", conflicts_with_all = ["platform", "kernel"])]
    cpus: Option<CpuOrder>,
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
    /// How finely work goes on, and preemptions within a job are seen [default: 5us, in a guest 500us]
    #[arg(long, value_name = "TIME")]
    step: Option<Duration>,
    /// What each job leaves of its execution for waking up and its last step [default: what empty jobs take; in a
    /// guest, whose processors take turns, 5ms]
    #[arg(long, value_name = "TIME")]
    spare: Option<Duration>,
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
    /// Run many sets, one after the other: records as `prazo sched simulate --batch` takes them, JSON Lines out; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "gantt", "trace", "csv", "shape", "processors", "overheads", "json"])]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        let flags = self.flags()?;
        flags.check()?;
        match (&self.batch, &self.file) {
            (Some(batch), _) => self.run_batch(batch, &flags),
            (None, Some(file)) => self.run_one(file, &flags),
            (None, None) => Err(Failure::usage("name a task set, or --batch FILE")),
        }
    }

    fn run_one(&self, scenario_file: &Path, flags: &Flags) -> Result<Exit, Failure> {
        let (document, shape) = self.observed_set(scenario_file, flags)?;
        if self.json {
            out::json(&document)?;
        } else {
            out::text_line(&document::text(&document, &shape))?;
        }
        Ok(match document.misses {
            0 if document.interrupted => Exit::Inconclusive,
            0 => Exit::Pass,
            _ => Exit::Fail,
        })
    }

    /// What is seen of the set, and the shape in words.
    fn observed_set(&self, scenario_file: &Path, flags: &Flags) -> Result<(RunSet, String), Failure> {
        let scenario = read::file(scenario_file).map_err(Failure::usage)?;
        let asked = Asked::new(scenario.clone(), &flags.asking())?;
        let ran = simulated::run(scenario, flags)?;
        let bounds = bounds::of(&asked, ran.ns_per_tick)?;
        let stage = self.stage()?;
        let plan = plan::of(&source(&asked.scenario, &ran), &self.how(&stage))?;
        let (file, run) = self.carried_out(stage, vec![plan])?;
        let set = run.sets.first().ok_or_else(|| Failure::world("the run was ended before the set was run"))?;
        files::write(&self.schedule, set, &format!("{}, {}", set.plan.dispatch.name(), ran.shape()))?;
        let names = document::Files { scenario: scenario_file.display().to_string(), run: file.display().to_string() };
        Ok((RunSet::new(names, &run, set, &ran, &bounds), ran.shape()))
    }

    /// All in one run file, in a guest in one boot.
    fn run_batch(&self, batch: &Path, flags: &Flags) -> Result<Exit, Failure> {
        let stage = self.stage()?;
        let batch = Batch::read(batch, flags, &self.how(&stage))?;
        let (refused, total, plans) = (batch.refused(), batch.count(), batch.plans());
        // Where no record can be run there is nothing to measure and no run file to write.
        let sets = if plans.is_empty() { Vec::new() } else { self.carried_out(stage, plans)?.1.sets };
        let print = |line: &RunLine| out::text_line(&serde_json::to_string(line).map_err(Failure::world)?);
        batch.answers(&sets).iter().try_for_each(print)?;
        lines::ending(refused, total)
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
    fn stage(&self) -> Result<Stage, Failure> {
        match self.guest.platform()? {
            Some(platform) => Ok(Stage::Guest(Box::new(platform))),
            None => Ok(Stage::Here(Topology::read(&Root::system()).map_err(Failure::world)?.allowed)),
        }
    }

    fn how(&self, stage: &Stage) -> How {
        let cpus = match (stage, &self.cpus) {
            (Stage::Here(_), Some(order)) => order.0.iter().copied().map(Cpu::number).collect(),
            (Stage::Here(allowed), None) => allowed.iter().map(Cpu::number).collect(),
            // Its machine is made to have as many as it takes.
            (Stage::Guest(_), _) => (0..CPUS_MAX as u32).collect(),
        };
        let takes_turns = matches!(stage, Stage::Guest(_));
        let step = self.step.unwrap_or(if takes_turns { Duration::from_us(500) } else { Duration::from_us(5) });
        let spare = self.spare.or(takes_turns.then_some(Duration::from_ms(5)));
        How {
            length_ns: self.duration.as_ns(),
            step_ns: step.as_ns().max(1),
            spare_ns: spare.map(Duration::as_ns),
            cpus,
        }
    }

    /// The run, and its file.
    fn carried_out(&self, stage: Stage, plans: Vec<SetPlan>) -> Result<(PathBuf, Run), Failure> {
        let file = self.out.clone().unwrap_or_else(|| default_file("tasks"));
        run_files::make_parent(&file)?;
        let run = match stage {
            Stage::Here(_) => here(plans, &file)?,
            Stage::Guest(platform) => self.in_guest(*platform, plans, &file)?,
        };
        Ok((file, run))
    }

    fn in_guest(&self, platform: Platform, plans: Vec<SetPlan>, file: &Path) -> Result<Run, Failure> {
        let cpus = |plan: &SetPlan| plan.clusters.iter().map(Vec::len).sum::<usize>() as u32;
        let most = plans.iter().map(cpus).max().unwrap_or(1);
        in_guest::run_task_sets(&TaskSetsRequest {
            machine: in_guest::machine(&platform, self.machine.as_deref(), most)?,
            platform,
            plans,
            seed: self.seed,
            file,
            name: run_files::name_of(file),
            command: crate::cmd::command_line(),
            limit: self.guest.limit,
        })
    }
}

/// Where sets are run.
enum Stage {
    /// On these processors of this machine.
    Here(CpuSet),
    /// In a guest of the lab.
    Guest(Box<Platform>),
}

fn source<'a>(scenario: &Scenario, ran: &'a Ran) -> Source<'a> {
    let tasks = scenario.tasks.iter().zip(&ran.model.tasks);
    let reservation = |(named, model): (&NamedTask, _)| match named.conduct.server {
        // A server's deadline is a period of the server later.
        Some(server) => {
            let period_ns = server.period * ran.ns_per_tick;
            Reservation { budget_ns: server.budget * ran.ns_per_tick, deadline_ns: period_ns, period_ns }
        }
        None => plan::reservation(named.task.cost * ran.ns_per_tick, model),
    };
    Source {
        name: scenario.name.clone(),
        names: ran.names.clone(),
        reservations: tasks.map(reservation).collect(),
        model: &ran.model,
        clusters: &ran.clusters,
        places: &ran.places,
    }
}

fn here(plans: Vec<SetPlan>, file: &Path) -> Result<Run, Failure> {
    let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
    let (name, command) = (run_files::name_of(file), crate::cmd::command_line());
    let request = tasks::Request { plans, file, name, command };
    tasks::execute(&request, &Root::system(), stop)
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
}
