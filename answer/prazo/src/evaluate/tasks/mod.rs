//! Does this task set meet its deadlines on this machine, and under which scheduler?
//!
//! ```text
//! overheads and latency under load ─► schedulers this machine has ─► each judged ─► the roomiest ─► run under load ─► bound beside observed
//! ```

mod document;
mod judged;
mod latency;
mod observed;
mod scheduler;
mod text;

pub use document::{EvaluatedTasks, SchedulerRow};
pub use latency::Latency;

use crate::error::Error;
use crate::evidence::each_once;
use crate::files;
use crate::guest::GuestOptions;
use crate::measure::overheads::{KINDS, MeasuredOverheads, OverheadsRequest, TracedPolicy, measure_overheads};
use crate::output;
use crate::progress::{Progress, Remark};
use crate::sched::{CpuOrder, RunOptions, RunRequest, ScheduleFiles, SchedulerOptions, Stage};
use document::Findings;
use judged::{Chosen, Costs, Judged};
use observed::Observed;
use prazo_core::time::Duration;
use prazo_deploy::partition::Ground;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_run::Caveat;
use prazo_run::run::{LoadRecord, Quantity};
use prazo_run::source::Shape;
use prazo_scenario::{Scenario, overheads, read, write};
use prazo_sim::Variation;
use prazo_stats::overheads::Uncharged;
use scheduler::Scheduler;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How long each of four passes over each number of tasks is at most.
const TRACED_MAX: Duration = Duration::from_ms(2_500);

/// Which task set is evaluated, for how long, and where the results go.
#[derive(Clone, Debug)]
pub struct EvaluateTasksRequest {
    /// The scenario's file.
    pub scenario: PathBuf,
    /// Folder for run files, tables and the placed scenario.
    pub folder: PathBuf,
    /// How long the set runs under load with the chosen scheduler; no step before takes longer.
    pub length: Duration,
    /// The command line that repeats this, as it is recorded in runs.
    pub command: String,
}

/// What this machine costs, by policy.
struct MachineCosts {
    edf: Costs,
    fixed: Costs,
    /// What could not be measured, and is charged nothing.
    uncharged: Vec<Uncharged>,
    /// How late it wakes a thread; why that is not known.
    latency: Result<Latency, Error>,
    /// What disturbed it while overheads were traced.
    loads: Vec<LoadRecord>,
    /// What threatens the validity of all this.
    caveats: Vec<Caveat>,
}

/// Measures what this machine costs, judges the set under each scheduler that it has, and runs it under the roomiest.
///
/// # Errors
/// The scenario cannot be read, or no overhead could be traced. That the latency could not be measured, or the set could not
/// be run, is in the answer.
pub fn evaluate_tasks(request: &EvaluateTasksRequest, progress: &mut dyn Progress) -> Result<EvaluatedTasks, Error> {
    files::make_folder(&request.folder)?;
    let scenario = read::file(&request.scenario).map_err(Error::refused)?;
    let root = Root::system();
    let topology = Topology::read(&root).map_err(Error::failed)?;
    let ground = Ground::read(&root).map_err(Error::failed)?;
    let machine = MachineCosts::measured(&scenario, topology.allowed.count() as u32, request, progress)?;
    let (available, unavailable) = scheduler::of(&topology, &ground);
    let (judged, chosen) = judge_all(&scenario, available, &machine)?;
    let placed =
        chosen.as_ref().map(|chosen| machine.place(&scenario, &judged, chosen, &request.folder)).transpose()?;
    let order = chosen.as_ref().map(|chosen| judged[chosen.index].scheduler.order());
    let observed = placed.as_deref().zip(order.clone()).map(|(file, order)| observe(file, order, request, progress));
    Ok(EvaluatedTasks::new(Findings {
        scenario: &scenario,
        judged: &judged,
        unavailable: &unavailable,
        chosen: chosen.as_ref(),
        placed: placed.as_deref(),
        order: order.filter(|order| !is_usual(order, &ground)),
        overheads: &request.folder,
        machine,
        observed,
    }))
}

/// Every scheduler judged, and the one to deploy; where there is none, each one's distance from the edge.
fn judge_all(
    scenario: &Scenario,
    schedulers: Vec<Scheduler>,
    machine: &MachineCosts,
) -> Result<(Vec<Judged>, Option<Chosen>), Error> {
    let judged = schedulers.into_iter().map(|scheduler| {
        let costs = machine.costs(scheduler.is_edf);
        judged::judge(scenario, scheduler, costs)
    });
    let mut judged = judged.collect::<Result<Vec<Judged>, Error>>()?;
    let chosen = judged::choose(&judged);
    if chosen.is_none() {
        let each = |one: &mut Judged| judged::find_edge(scenario, one, machine.costs(one.scheduler.is_edf));
        judged.iter_mut().try_for_each(each)?;
    }
    Ok((judged, chosen))
}

/// True where the deployer takes the processors in this order unless told otherwise.
fn is_usual(order: &CpuOrder, ground: &Ground) -> bool {
    ground.free == Some(ground.online) && order.0.iter().copied().eq(ground.online.iter().take(order.0.len()))
}

fn observe(
    file: &Path,
    cpus: CpuOrder,
    request: &EvaluateTasksRequest,
    progress: &mut dyn Progress,
) -> Result<Observed, Error> {
    progress.remark(&Remark::Text(format!("running the set for {} under load", request.length)));
    let placed = RunRequest {
        tasks: file.to_owned().into(),
        options: RunOptions {
            scheduler: SchedulerOptions::default(),
            variation: Variation { seed: 1, ..Variation::default() },
            duration: request.length,
            step: None,
            spare: None,
            stage: Stage::Here { cpus: Some(cpus.0) },
            file: Some(request.folder.join("observed.prazo")),
            command: request.command.clone(),
        },
        schedule: ScheduleFiles { gantt: Some(request.folder.join("observed.html")), ..ScheduleFiles::default() },
    };
    observed::observe(&placed, &observed::usual_load(), 1, progress)
}

impl MachineCosts {
    /// Traces as many tasks as the set has, and as a queue of one processor would have, under both policies, while the load runs
    /// under which the set is run later: what disturbs the one disturbs the other. Then how late it wakes a thread, under the same.
    fn measured(
        scenario: &Scenario,
        processors: u32,
        request: &EvaluateTasksRequest,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let all = u32::try_from(scenario.tasks.len()).unwrap_or(u32::MAX).max(1);
        let mut numbers = vec![all.div_ceil(processors), all];
        numbers.dedup();
        let mut trace = |policy| Tables::measured(&traced(scenario, &numbers, policy, request), progress);
        let (tables, loads, of_loads) = observed::under(&observed::usual_load(), 1, || {
            Ok((trace(TracedPolicy::Deadline)?, trace(TracedPolicy::Fifo)?))
        })?;
        let (deadline, fifo) = tables;
        let latency = Latency::measured(scenario, request, progress);
        let of_latency = latency.iter().flat_map(|latency| &latency.caveats);
        let caveats = each_once(deadline.caveats.iter().chain(&fifo.caveats).chain(&of_loads).chain(of_latency));
        let uncharged = uncharged(&deadline, &fifo, processors);
        let (edf, fixed) = (costs(&deadline, scenario)?, costs(&fifo, scenario)?);
        Ok(Self { edf, fixed, uncharged, latency, loads, caveats })
    }

    fn costs(&self, is_edf: bool) -> &Costs {
        if is_edf { &self.edf } else { &self.fixed }
    }

    /// The scenario as it shall be deployed, as a file.
    fn place(&self, scenario: &Scenario, judged: &[Judged], chosen: &Chosen, folder: &Path) -> Result<PathBuf, Error> {
        let one = &judged[chosen.index];
        let placed = judged::placed(scenario, one, self.costs(one.scheduler.is_edf), chosen);
        let file = folder.join(format!("{}.{}.toml", files::name_of(Path::new(&scenario.name)), one.scheduler.name));
        output::replace(&file, write::toml(&placed))?;
        Ok(file)
    }
}

/// The tables of one policy.
struct Tables {
    /// Of the largest samples.
    max: PathBuf,
    /// Of the means.
    mean: PathBuf,
    /// What they cannot charge, each with the reason.
    uncharged: Vec<Uncharged>,
    /// What threatens their validity.
    caveats: Vec<Caveat>,
}

impl Tables {
    fn measured(request: &OverheadsRequest, progress: &mut dyn Progress) -> Result<Self, Error> {
        let MeasuredOverheads { overheads_max, overheads_mean, uncharged, caveats, .. } =
            measure_overheads(request, progress)?;
        let (Some(max), Some(mean)) = (overheads_max, overheads_mean) else {
            return Err(Error::failed("no overhead could be traced, so there is no table"));
        };
        Ok(Self { max, mean, uncharged, caveats })
    }
}

/// What is traced under one policy: so many tasks, and the working sets that the scenario's have.
fn traced(
    scenario: &Scenario,
    numbers: &[u32],
    policy: TracedPolicy,
    request: &EvaluateTasksRequest,
) -> OverheadsRequest {
    OverheadsRequest {
        policy,
        tasks: numbers.to_vec(),
        shape: Shape::Global,
        cpus: None,
        length: TRACED_MAX.min(request.length),
        warm_up: Duration::ZERO,
        seed: 1,
        kinds: KINDS.to_vec(),
        working_sets_kib: working_sets(scenario),
        guest: GuestOptions::default(),
        folder: Some(request.folder.join(policy.name())),
        command: request.command.clone(),
    }
}

/// What either policy's tables lack. One processor interrupts no other.
fn uncharged(deadline: &Tables, fifo: &Tables, processors: u32) -> Vec<Uncharged> {
    let more = fifo.uncharged.iter().filter(|one| !deadline.uncharged.contains(one));
    let all = deadline.uncharged.iter().chain(more);
    all.filter(|one| processors > 1 || one.kind != Quantity::IpiLatency).cloned().collect()
}

/// The working sets of the tasks that have one, ascending, in KiB.
fn working_sets(scenario: &Scenario) -> Vec<u32> {
    let of_tasks = scenario.tasks.iter().filter_map(|task| u32::try_from(task.task.working_set_kib).ok());
    of_tasks.filter(|kib| *kib > 0).collect::<BTreeSet<u32>>().into_iter().collect()
}

fn costs(tables: &Tables, scenario: &Scenario) -> Result<Costs, Error> {
    let table = |file: &Path| {
        let text = std::fs::read_to_string(file).map_err(Error::failed)?;
        overheads::read(&file.display().to_string(), &text, scenario.unit).map_err(Error::failed)
    };
    Ok(Costs { max: table(&tables.max)?, mean: table(&tables.mean)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(lacks: &[Quantity]) -> Tables {
        let uncharged = lacks.iter().map(|kind| Uncharged { kind: *kind, why: "no such point".into() }).collect();
        Tables { max: PathBuf::new(), mean: PathBuf::new(), uncharged, caveats: vec![] }
    }

    #[test]
    fn a_kind_is_lacking_once_and_one_processor_lacks_no_interrupt_to_another() {
        let deadline = tables(&[Quantity::IpiLatency, Quantity::TickOverhead]);
        let fifo = tables(&[Quantity::TickOverhead, Quantity::EventLatency]);
        let kinds = |processors| uncharged(&deadline, &fifo, processors).iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(kinds(1), [Quantity::TickOverhead, Quantity::EventLatency]);
        assert_eq!(kinds(2), [Quantity::IpiLatency, Quantity::TickOverhead, Quantity::EventLatency]);
    }
}
