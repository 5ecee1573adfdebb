//! One task set, or many, run as threads: here or in a guest, into one run file.

use super::batch::{Batch, RunLine};
use super::bounds;
use super::document::{FileNames, RunSet};
use super::files;
use super::plan::{self, Execution, Source};
use crate::error::Error;
use crate::files::{default_run_file, name_of};
use crate::guest::{self, GuestOptions};
use crate::output::make_parent;
use crate::progress::{Progress, Stop};
use crate::sched::grants::Grants;
use crate::sched::json_lines::BatchCount;
use crate::sched::options::{SchedulerOptions, TaskSet};
use crate::sched::question::PosedQuestion;
use crate::sched::simulate::{self, ScheduleFiles, SimulatedRun, SimulationOptions};
use prazo_core::cpu::{CPUS_MAX, Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::tasks;
use prazo_run::Run;
use prazo_run::jobs::{Reservation, SetPlan};
use prazo_scenario::{NamedTask, Scenario};
use prazo_sim::Variation;
use prazo_study::task_sets::TaskSetsRequest;
use prazo_verdict::Outcome;
use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Which set is run how, and where its schedule goes.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// Where, for how long and how it is run.
    pub options: RunOptions,
    /// Where the observed schedule goes.
    pub schedule: ScheduleFiles,
}

/// Where, for how long and how sets are run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How the scheduler differs from what the scenario says.
    pub scheduler: SchedulerOptions,
    /// Arrivals, execution times, and the seed of all that is drawn.
    pub variation: Variation,
    /// How long jobs are released.
    pub duration: Duration,
    /// How finely work goes on, and preemptions within a job are seen; by default 5 µs, in a guest 500 µs.
    pub step: Option<Duration>,
    /// What each job leaves of its execution for waking up and its last step; by default what empty jobs take, in a guest 5 ms.
    pub reserve: Option<Duration>,
    /// Where.
    pub stage: Stage,
    /// The run file; by default a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// The command that repeats it, which the run file keeps.
    pub command: String,
}

/// Where sets are run.
#[derive(Clone, Debug)]
pub enum Stage {
    /// On this machine.
    Here {
        /// The processors in the order in which clusters take them; by default those that this process may use.
        cpus: Option<Vec<Cpu>>,
    },
    /// In a guest of the lab.
    Guest {
        /// Which platform.
        options: GuestOptions,
        /// The virtual machine; by default one of the lab's with as many processors as the set is for.
        machine: Option<String>,
    },
}

/// What was seen; displays as the lines that a person reads.
pub struct RunAnswer {
    /// What scripts read.
    pub document: RunSet,
    /// Who shares a queue, in words.
    pub shape: String,
}

impl RunAnswer {
    /// Fail where a deadline was missed; inconclusive where the run was ended before one was.
    pub fn outcome(&self) -> Outcome {
        match self.document.misses {
            0 if self.document.interrupted => Outcome::Inconclusive,
            0 => Outcome::Pass,
            _ => Outcome::Fail,
        }
    }
}

impl fmt::Display for RunAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.document.text(&self.shape))
    }
}

/// Runs the set.
pub fn run(request: &RunRequest, progress: &mut dyn Progress) -> Result<RunAnswer, Error> {
    let (options, simulation) = (&request.options, request.options.simulation());
    simulation.check()?;
    let scenario = request.tasks.read().map_err(Error::refused)?;
    let posed = PosedQuestion::new(scenario.clone(), &options.scheduler)?;
    posed.check_plain()?;
    let ground = options.ground()?;
    let execution = options.execution(&ground);
    // The caller's wish to stop is of the run itself, whose schedule is shown even so.
    let never = Stop::new().map_err(Error::failed)?;
    let simulated = simulate::run(scenario, &simulation, &ground.grants(&execution.cpus), never)?;
    let bounds = bounds::of(&posed, &simulated.places, simulated.ns_per_tick)?;
    let plan = plan::of(&source(&posed.scenario, &simulated), &execution)?;
    request.schedule.check(Duration::from_ns(plan.length_ns))?;
    let (file, run) = options.carry_out(ground, vec![plan], progress)?;
    let set = run.sets.first().ok_or_else(|| Error::failed("the run was interrupted before the set ran"))?;
    let shape = simulated.shape();
    files::write(&request.schedule, set, &format!("{}, {shape}", set.plan.dispatch.name()))?;
    let names = FileNames { scenario: request.tasks.title(), run: file.display().to_string() };
    Ok(RunAnswer { document: RunSet::new(names, &run, set, &simulated, &bounds), shape })
}

/// Runs the set of each line of `records`, one after the other, in one run file, and in a guest in one boot; where no record
/// can be run there is nothing to measure and no run file.
pub fn run_batch(
    records: &mut dyn BufRead,
    options: &RunOptions,
    progress: &mut dyn Progress,
) -> Result<(Vec<RunLine>, BatchCount), Error> {
    let simulation = options.simulation();
    simulation.check()?;
    let ground = options.ground()?;
    let execution = options.execution(&ground);
    let batch = Batch::read(records, &simulation, &ground.grants(&execution.cpus), &execution)?;
    let (count, plans) = (batch.count(), batch.plans());
    let sets = if plans.is_empty() { Vec::new() } else { options.carry_out(ground, plans, progress)?.1.sets };
    Ok((batch.answers(&sets), count))
}

/// What there is to run on.
enum Ground {
    /// These processors of this machine.
    Here(CpuSet),
    /// A guest of the lab.
    Guest(Box<Platform>),
}

impl Ground {
    /// What its kernel grants on these processors.
    fn grants(&self, cpus: &[u32]) -> Grants {
        match self {
            Self::Here(_) => Grants::of_machine(&Root::system(), cpus.iter().copied().filter_map(Cpu::new).collect()),
            Self::Guest(platform) => Grants::of_guest(platform),
        }
    }
}

impl RunOptions {
    /// The same as the simulator is asked.
    fn simulation(&self) -> SimulationOptions {
        SimulationOptions {
            scheduler: self.scheduler.clone(),
            duration: Some(self.duration),
            variation: self.variation,
            ..SimulationOptions::default()
        }
    }

    fn ground(&self) -> Result<Ground, Error> {
        if let Stage::Guest { options, .. } = &self.stage
            && let Some(platform) = options.resolve()?
        {
            return Ok(Ground::Guest(Box::new(platform)));
        }
        Ok(Ground::Here(Topology::read(&Root::system()).map_err(Error::failed)?.allowed))
    }

    fn execution(&self, ground: &Ground) -> Execution {
        let cpus = match (ground, &self.stage) {
            (Ground::Here(_), Stage::Here { cpus: Some(order) }) => order.iter().copied().map(Cpu::number).collect(),
            // Not a deployment's default: these threads are this process's own, and run only where it may.
            (Ground::Here(allowed), _) => allowed.iter().map(Cpu::number).collect(),
            // Its machine is made to have as many as it takes.
            (Ground::Guest(_), _) => (0..CPUS_MAX as u32).collect(),
        };
        let takes_turns = matches!(ground, Ground::Guest(_));
        let step = self.step.unwrap_or(if takes_turns { Duration::from_us(500) } else { Duration::from_us(5) });
        let reserve = self.reserve.or(takes_turns.then_some(Duration::from_ms(5)));
        Execution {
            length_ns: self.duration.as_ns(),
            step_ns: step.as_ns().max(1),
            spare_ns: reserve.map(Duration::as_ns),
            cpus,
        }
    }

    /// The run, and its file.
    fn carry_out(
        &self,
        ground: Ground,
        plans: Vec<SetPlan>,
        progress: &mut dyn Progress,
    ) -> Result<(PathBuf, Run), Error> {
        let file = self.file.clone().unwrap_or_else(|| default_run_file("tasks"));
        make_parent(&file)?;
        let run = match ground {
            Ground::Here(_) => run_here(plans, &file, &self.command, progress)?,
            Ground::Guest(platform) => self.in_guest(*platform, plans, &file, progress)?,
        };
        Ok((file, run))
    }

    fn in_guest(
        &self,
        platform: Platform,
        plans: Vec<SetPlan>,
        file: &Path,
        progress: &mut dyn Progress,
    ) -> Result<Run, Error> {
        let Stage::Guest { options, machine } = &self.stage else { unreachable!("only a guest has a platform") };
        let cpus = |plan: &SetPlan| plan.clusters.iter().map(Vec::len).sum::<usize>() as u32;
        let most = plans.iter().map(cpus).max().unwrap_or(1);
        let request = TaskSetsRequest {
            machine: guest::machine(&platform, machine.as_deref(), most)?,
            platform,
            plans,
            seed: self.variation.seed,
            file,
            name: name_of(file),
            command: self.command.clone(),
            limit: options.timeout,
        };
        guest::run_task_sets(&request, progress)
    }
}

/// Runs plans on this machine.
pub(crate) fn run_here(
    plans: Vec<SetPlan>,
    file: &Path,
    command: &str,
    progress: &mut dyn Progress,
) -> Result<Run, Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let request = tasks::Request { plans, file, name: name_of(file), command: command.to_owned() };
    tasks::execute(&request, &Root::system(), &stop)
        .map_err(|error| if error.is_usage() { Error::refused(error) } else { Error::failed(error) })
}

fn source<'a>(scenario: &Scenario, simulated: &'a SimulatedRun) -> Source<'a> {
    let tasks = scenario.tasks.iter().zip(&simulated.model.tasks);
    let reservation = |(named, model): (&NamedTask, _)| match named.conduct.server {
        // A server's deadline is a period of the server later.
        Some(server) => {
            let period_ns = server.period * simulated.ns_per_tick;
            Reservation { budget_ns: server.budget * simulated.ns_per_tick, deadline_ns: period_ns, period_ns }
        }
        None => plan::reservation(named.task.cost * simulated.ns_per_tick, model),
    };
    Source {
        name: scenario.name.clone(),
        names: simulated.names.clone(),
        reservations: tasks.map(reservation).collect(),
        model: &simulated.model,
        clusters: &simulated.clusters,
        places: &simulated.places,
    }
}
