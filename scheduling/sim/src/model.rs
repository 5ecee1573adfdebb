//! What is simulated: tasks in nanoseconds, processors in clusters, a policy, a platform; checked once, trusted after.

use crate::arrival::{Distances, Pattern};
use crate::charges::{ClusterCharges, Platform, TaskCharges};
use crate::criticality::Criticality;
use crate::execution::{Distribution, Execution};
use crate::parts::Parts;
use crate::random::{Draws, Purpose};
use crate::ready;
use crate::supply::{SimulatedSupply, SupplyTimes};
use crate::suspension::{SelfSuspension, Suspensions};
use prazo_core::behaviour::{Behaviour, Behaviours, Burst, Locking};
use prazo_core::job;
use prazo_core::overheads::Overheads;
use prazo_core::overrun;
use prazo_core::ratio::Ratio;
use prazo_core::server::Server;
use prazo_core::task::Task;
use prazo_core::time::{Duration, Instant};
use prazo_scenario::curve::DensestArrivals;
use prazo_scenario::{Activation, Conduct, Reservation};
use std::sync::Arc;

/// The longest time that a simulated task, overhead or run may have: 2^61 ns, 73 years. Sums of a few stay within 64 bits.
pub const LONGEST: Duration = Duration::from_ns(1 << 61);

/// Most tasks that wait for locks where their sections begin.
pub(crate) const LOCKING_TASKS_MAX: usize = 64;
/// Most resources of such tasks.
pub(crate) const RESOURCES_MAX: usize = 32;
/// Most requests of one job.
const REQUESTS_MAX: u64 = 1_000;

/// Who ranks jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Earliest absolute deadline first.
    EarliestDeadlineFirst,
    /// Shorter period first.
    RateMonotonic,
    /// Shorter relative deadline first.
    DeadlineMonotonic,
    /// By number, 0 the most urgent; one for each task.
    FixedPriority(Vec<u32>),
    /// In the order of release, never preempting.
    FirstComeFirstServed,
    /// In turn, each for at most a quantum.
    RoundRobin {
        /// How long a job runs before it steps behind the others.
        quantum: Duration,
    },
}

impl Policy {
    /// True if a job that becomes ready takes the processor of a less urgent one at once.
    pub const fn preempts(&self) -> bool {
        match self {
            Self::EarliestDeadlineFirst | Self::RateMonotonic | Self::DeadlineMonotonic | Self::FixedPriority(_) => {
                true
            }
            Self::FirstComeFirstServed | Self::RoundRobin { .. } => false,
        }
    }

    /// How long a job runs at most before it steps behind the others.
    pub const fn quantum(&self) -> Option<Duration> {
        match self {
            Self::RoundRobin { quantum } => Some(*quantum),
            Self::EarliestDeadlineFirst
            | Self::RateMonotonic
            | Self::DeadlineMonotonic
            | Self::FixedPriority(_)
            | Self::FirstComeFirstServed => None,
        }
    }
}

/// When the first jobs arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// All at instant 0.
    #[default]
    Synchronous,
    /// Each at an instant of its first period, as likely as any other.
    Random,
}

prazo_core::words!(Offsets: Synchronous => "synchronous", Random => "random");

/// How jobs arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// Exactly once a period.
    #[default]
    Periodic,
    /// At least a period apart.
    Sporadic {
        /// The longest wait beyond the period, in thousandths of it.
        extra_thousandths: u32,
    },
}

/// What is not said by the tasks: how the run draws what may vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// From which all draws are made.
    pub seed: u64,
    /// First arrivals of tasks that do not state their own.
    pub offsets: Offsets,
    /// Later arrivals.
    pub arrivals: Arrivals,
    /// Execution times.
    pub distribution: Distribution,
    /// Where jobs suspend themselves that may.
    pub suspensions: Suspensions,
    /// When a supply gives its budget.
    pub supply: SupplyTimes,
    /// What becomes of a job whose deadline passes, and of the one after it.
    pub overrun: overrun::OverrunPolicy,
}

/// What is asked of the simulator.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The tasks, in ticks.
    pub tasks: &'a [Task],
    /// What they do beyond their times, one for each task; empty where none does anything else.
    pub conduct: &'a [Conduct],
    /// How they depart from sporadic, independent and preemptable tasks.
    pub behaviours: Behaviours<'a>,
    /// Nanoseconds of one tick.
    pub ns_per_tick: u64,
    /// Processors of each cluster.
    pub clusters: &'a [u32],
    /// The cluster of each task.
    pub places: &'a [u32],
    /// Who ranks jobs.
    pub policy: &'a Policy,
    /// What the platform costs, in ticks.
    pub overheads: Overheads<'a>,
    /// What may vary.
    pub variation: Variation,
}

/// One task as the simulator sees it.
#[derive(Clone, Debug)]
pub struct SimulatedTask {
    /// When its jobs arrive and are released.
    pub pattern: Pattern,
    /// How long they execute.
    pub execution: Execution,
    /// Where they suspend themselves.
    pub suspension: SelfSuspension,
    /// Its costs in both modes, where the set has two criticalities.
    pub criticality: Option<Criticality>,
    /// Its constant-bandwidth server, before the first job.
    pub server: Option<Server>,
    /// D.
    pub relative_deadline: Duration,
    /// Its cluster.
    pub cluster: u32,
    /// What its events cost.
    pub charges: TaskCharges,
}

/// One cluster as the simulator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedCluster {
    /// Number of its first processor.
    pub first_cpu: u32,
    /// How many it has.
    pub cpus: u32,
    /// What its events cost.
    pub charges: ClusterCharges,
}

/// A checked request. Invariant: every task has a cluster, every cluster a processor, and no sum of times overflows.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tasks.
    pub tasks: Vec<SimulatedTask>,
    /// The clusters, whose processors follow each other from 0.
    pub clusters: Vec<SimulatedCluster>,
    /// Who ranks jobs.
    pub policy: Policy,
    /// Parts in which others wait.
    pub parts: Parts,
    /// When the tasks have their processor; `None` if always.
    pub supply: Option<SimulatedSupply>,
    /// True if the set has two criticalities, and so two modes.
    pub is_mixed: bool,
    /// Distance of two ticks.
    pub tick_period: Option<Duration>,
    /// What becomes of a job whose deadline passes, and of the one after it.
    pub overrun: overrun::OverrunPolicy,
    /// By task: who activates its jobs, and after which delay; empty where nobody activates another.
    pub activations: Vec<Option<(usize, Duration)>>,
    /// True if any event costs anything.
    pub is_charged: bool,
    /// True if a processor that is none of these takes the release interrupts.
    pub has_interrupt_processor: bool,
    /// True if nothing was left to chance: all first jobs at 0, periodic, without jitter, each job as long as its bound and
    /// none of them served, aborted or skipped.
    pub is_determined: bool,
}

/// Why a request cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// There is no task.
    #[error("there is no task; give at least one")]
    NoTask,
    /// No cluster, or one without processors or with too many, or more processors than core knows.
    #[error("each cluster needs 1 to 64 processors, and all clusters together at most 1024; change the shape")]
    Processors,
    /// More tasks in one cluster than the simulator has room for.
    #[error("{0} tasks share one queue, but a simulated queue holds at most 4096; use more clusters or fewer tasks")]
    Crowd(u64),
    /// More tasks than core can name.
    #[error("{0} tasks exceed the limit of 32768 for one simulation; simulate fewer tasks")]
    Tasks(usize),
    /// The quantum is zero.
    #[error("a quantum of zero lets no task run; give a quantum above zero")]
    Quantum,
    /// A task names a cluster that does not exist, or not every task names one.
    #[error("task {0} has no cluster; give it one of the shape's clusters")]
    Place(usize),
    /// A time is zero, or above 2^61 ns.
    #[error("a time of task {0} is zero or above 73 years; check the set's unit")]
    Time(usize),
    /// An overhead is above 2^61 ns, or not a number at all.
    #[error("an overhead is above 73 years; check its unit")]
    Overhead,
    /// Servers under a policy that asks no deadlines.
    #[error(
        "task {0} has a server, which is simulated only under earliest deadline first; use this policy, or remove its server"
    )]
    Server(usize),
    /// Parts in which others wait, where the simulator does not know them.
    #[error(
        "non-preemptive parts and critical sections are simulated only under EDF or fixed priorities; choose --shape partitioned, --overheads none, --execution bound and --late continue, and remove all servers"
    )]
    Parts,
    /// Locks that the simulator does not know.
    #[error(
        "locking = \"pip\" and \"pcp\" are simulated only under fixed priorities; choose --policy dm or rm, or locking = \"srp\""
    )]
    Locks,
    /// Such locks, and several queues.
    #[error(
        "locking = \"pip\" and \"pcp\" are simulated only where all tasks share one queue, and there are {0} queues; simulate \
         one processor, or choose locking = \"srp\""
    )]
    LockQueues(usize),
    /// Such locks, and more tasks or resources than the simulator has room for.
    #[error(
        "locking = \"pip\" and \"pcp\" are simulated for at most 64 tasks and 32 resources; simulate fewer, or choose \
         locking = \"srp\""
    )]
    LockCrowd,
    /// The tasks have only a part of their processor, where the simulator does not know that.
    #[error(
        "a supply is simulated only on one processor under EDF or fixed priorities, without servers, non-preemptive parts, critical sections or self-suspension; also choose --overheads none and --late continue, or remove [supply]"
    )]
    Supply,
    /// A supply that cannot be simulated in whole nanoseconds.
    #[error(
        "a time of the supply is too long, or its delay is too short for its rate; state a delay of at least 2 ns + 2 ns / rate"
    )]
    SupplyTimes,
    /// MPCP under EDF.
    #[error(
        "locking = \"mpcp\" is simulated only under fixed priorities; choose --policy dm or rm, or locking = \"msrp\" or \
         \"fmlp+\""
    )]
    Mpcp,
    /// A job makes more requests than are simulated.
    #[error("task {0} requests resources more than 1,000 times per job; reduce the number of requests in `uses`")]
    Requests(usize),
    /// A task suspends itself, where the simulator does not know that.
    #[error(
        "task {0} suspends itself; this is simulated only under EDF or fixed priorities, without servers, non-preemptive parts or critical sections; also choose --overheads none and --late continue, or remove `suspends`"
    )]
    Suspension(usize),
    /// Two criticalities, where the simulator does not know them.
    #[error(
        "mixed criticality is simulated only on one processor under EDF or fixed priorities, without servers, bursts, jitter, non-preemptive parts, critical sections, self-suspension or a supply; also choose --overheads none and --late continue"
    )]
    Criticality,
    /// Activated jobs under a policy or on a platform that does not know them.
    #[error(
        "task {0} is activated by another task; activation is simulated only under EDF or fixed priorities, without mixed criticality; also choose --overheads none and --late continue"
    )]
    Activated(usize),
    /// There is not one conduct for each task.
    #[error("`conduct` has {0} entries; give one entry for each task, or none")]
    Conduct(usize),
    /// There are not as many priorities as tasks.
    #[error("{ranks} priorities were given for {tasks} tasks; give one for each task")]
    Ranks {
        /// How many tasks.
        tasks: usize,
        /// How many priorities.
        ranks: usize,
    },
}

impl SimulationError {
    /// The task that it is about, where it names one.
    pub const fn task(&self) -> Option<usize> {
        match self {
            Self::Place(task)
            | Self::Time(task)
            | Self::Server(task)
            | Self::Suspension(task)
            | Self::Requests(task)
            | Self::Activated(task) => Some(*task),
            _ => None,
        }
    }
}

impl Model {
    /// Checks `request` and converts it to nanoseconds.
    pub fn new(request: &Request<'_>) -> Result<Self, SimulationError> {
        let platform = Platform { overheads: request.overheads, ns_per_tick: request.ns_per_tick };
        check_policy(request)?;
        let clusters = clusters(request, &platform)?;
        let tasks = (0..request.tasks.len()).map(|index| simulated(request, &platform, &clusters, index));
        let tasks: Vec<SimulatedTask> = tasks.collect::<Result<_, _>>()?;
        let parts = parts(request, &tasks, &clusters)?;
        let supply = supply(request, &tasks, &clusters, &parts)?;
        check_suspension(request, &tasks, &clusters, &parts)?;
        check_criticality(request, &tasks, &clusters)?;
        Ok(Self {
            parts,
            supply,
            is_mixed: request.behaviours.is_mixed(),
            activations: Vec::new(),
            is_determined: is_determined(request),
            overrun: request.variation.overrun,
            is_charged: clusters.iter().any(|cluster| cluster.charges != ClusterCharges::default())
                || tasks.iter().any(|task| task.charges != TaskCharges::default()),
            has_interrupt_processor: request.overheads.dedicated_interrupt_processor,
            tick_period: if clusters.iter().any(|cluster| !cluster.charges.tick.is_zero()) {
                platform.tick_period()?
            } else {
                None
            },
            policy: request.policy.clone(),
            clusters,
            tasks,
        })
    }

    /// The same where the jobs of some tasks are released by the ends of others', by task of the set; ticks are so many nanoseconds.
    ///
    /// Job k arrives with job k of the task that activates it.
    pub fn with_activations(
        mut self,
        activations: &[Option<Activation>],
        ns_per_tick: u64,
    ) -> Result<Self, SimulationError> {
        let Some(first) = activations.iter().position(Option::is_some) else { return Ok(self) };
        let knows = !self.is_mixed
            && !self.is_charged
            && self.overrun == overrun::OverrunPolicy::Continue
            && self.policy.preempts();
        if !knows {
            return Err(SimulationError::Activated(first));
        }
        for task in (0..self.tasks.len()).filter(|task| activations[*task].is_some()) {
            let mut head = task;
            while let Some(Activation { by, .. }) = activations[head] {
                head = by;
            }
            let latency = self.tasks[task].pattern.latency;
            let of_head = self.tasks[head].pattern.clone();
            self.tasks[task].pattern = Pattern { is_activated: true, jitter_max: Duration::ZERO, latency, ..of_head };
        }
        let delay = |one: Activation| (one.by, Duration::from_ns(one.hop.saturating_mul(ns_per_tick)));
        self.activations = activations.iter().map(|one| one.map(delay)).collect();
        self.is_determined = false;
        Ok(self)
    }

    /// The same where EDF ranks jobs of high criticality by arrival + factor D in low mode, rounded up to whole nanoseconds.
    #[must_use]
    pub fn with_virtual_deadlines(mut self, factor: Ratio) -> Self {
        if self.policy == Policy::EarliestDeadlineFirst {
            for task in &mut self.tasks {
                let deadline = task.relative_deadline;
                let criticality = task.criticality.as_mut().filter(|one| one.is_high());
                criticality.into_iter().for_each(|one| one.shorten(deadline, factor));
            }
        }
        self
    }

    /// True if jobs only arrive, execute and end, late or not: no criticality, server, quantum, part, lock, suspension, supply, overhead, delayed
    /// release or activation, and no policy for overruns.
    pub fn is_plain(&self) -> bool {
        let is_plain =
            |task: &SimulatedTask| !task.pattern.is_delayed() && task.suspension.is_never() && task.server.is_none();
        let nothing_is_charged = !self.is_charged && self.tick_period.is_none();
        let nothing_is_shared = self.parts.is_empty() && self.supply.is_none() && self.activations.is_empty();
        let nothing_is_shared = nothing_is_shared && !self.is_mixed;
        let jobs_continue = self.overrun == overrun::OverrunPolicy::Continue && self.policy.quantum().is_none();
        nothing_is_charged && nothing_is_shared && jobs_continue && self.tasks.iter().all(is_plain)
    }

    /// How many processors there are.
    pub fn cpus(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.cpus as usize).sum()
    }

    /// The tasks of cluster number `cluster`, in order.
    pub fn members(&self, cluster: usize) -> Vec<usize> {
        (0..self.tasks.len()).filter(|task| self.tasks[*task].cluster as usize == cluster).collect()
    }
}

fn check_policy(request: &Request<'_>) -> Result<(), SimulationError> {
    match request.policy {
        _ if request.tasks.is_empty() => Err(SimulationError::NoTask),
        _ if request.tasks.len() > job::TASKS_MAX => Err(SimulationError::Tasks(request.tasks.len())),
        Policy::RoundRobin { quantum: Duration::ZERO } => Err(SimulationError::Quantum),
        Policy::FixedPriority(ranks) if ranks.len() != request.tasks.len() => {
            Err(SimulationError::Ranks { tasks: request.tasks.len(), ranks: ranks.len() })
        }
        _ => check_conduct(request),
    }
}

fn check_conduct(request: &Request<'_>) -> Result<(), SimulationError> {
    let served = request.conduct.iter().position(|conduct| conduct.server.is_some());
    match served {
        _ if ![0, request.tasks.len()].contains(&request.conduct.len()) => {
            Err(SimulationError::Conduct(request.conduct.len()))
        }
        Some(task) if *request.policy != Policy::EarliestDeadlineFirst => Err(SimulationError::Server(task)),
        _ => Ok(()),
    }
}

fn is_determined(request: &Request<'_>) -> bool {
    let Variation { offsets, arrivals, distribution, overrun, .. } = request.variation;
    overrun == overrun::OverrunPolicy::Continue
        && offsets == Offsets::Synchronous
        && arrivals == Arrivals::Periodic
        && distribution == Distribution::Bound
        && request.behaviours.is_plain()
        && request.tasks.iter().all(|task| task.jitter == 0)
        && request.conduct.iter().all(|conduct| *conduct == Conduct::default())
}

fn clusters(request: &Request<'_>, platform: &Platform<'_>) -> Result<Vec<SimulatedCluster>, SimulationError> {
    let total = request.clusters.iter().try_fold(0u32, |sum, size| sum.checked_add(*size));
    let is_countable = total.is_some_and(|total| (1..=prazo_core::cpu::CPUS_MAX as u32).contains(&total));
    if !is_countable || request.clusters.iter().any(|size| !(1..=ready::CPUS_MAX).contains(size)) {
        return Err(SimulationError::Processors);
    }
    let mut first_cpu = 0;
    let cluster = |(index, cpus): (usize, &u32)| {
        let members = request.places.iter().filter(|place| **place as usize == index).count() as u64;
        if members > ready::TASKS_MAX as u64 {
            return Err(SimulationError::Crowd(members));
        }
        let charges = platform.cluster(members)?;
        first_cpu += cpus;
        Ok(SimulatedCluster { first_cpu: first_cpu - cpus, cpus: *cpus, charges })
    };
    request.clusters.iter().enumerate().map(cluster).collect()
}

fn simulated(
    request: &Request<'_>,
    platform: &Platform<'_>,
    clusters: &[SimulatedCluster],
    index: usize,
) -> Result<SimulatedTask, SimulationError> {
    let task = &request.tasks[index];
    let place = request.places.get(index).copied().ok_or(SimulationError::Place(index))?;
    let cluster = clusters.get(place as usize).ok_or(SimulationError::Place(index))?;
    let length = |ticks: u64| {
        let length = ticks.checked_mul(request.ns_per_tick).map(Duration::from_ns);
        length.filter(|length| *length <= LONGEST).ok_or(SimulationError::Time(index))
    };
    let [cost, period, relative_deadline] = [length(task.cost)?, length(task.period)?, length(task.deadline)?];
    if cost.is_zero() || period.is_zero() || relative_deadline.is_zero() {
        return Err(SimulationError::Time(index));
    }
    let variation = &request.variation;
    let conduct = request.conduct.get(index).copied().unwrap_or_default();
    let pattern = Pattern {
        offset: Instant::EPOCH + conduct.offset.map_or(Ok(offset(variation, index, period)), &length)?,
        jitter_max: length(task.jitter)?,
        latency: cluster.charges.event_latency,
        ..Pattern::new(
            variation.seed,
            index,
            period,
            distances(request, index, period, conduct.max_inter_arrival, length)?,
        )
    };
    let longest = conduct.execution.map_or(Ok(cost), &length)?;
    if longest.is_zero() {
        return Err(SimulationError::Time(index));
    }
    let execution = Execution::new(variation.distribution, longest, variation.seed, index);
    let charges = platform.task(task.working_set_kib)?;
    let suspension = SelfSuspension::new(
        length(request.behaviours.of(index).suspension)?,
        variation.suspensions,
        variation.seed,
        index,
    );
    let server = conduct.server.map(|reservation| server(reservation, length, index)).transpose()?;
    let criticality = if request.behaviours.is_mixed() {
        let cost_high = request.behaviours.of(index).cost_high.map(length).transpose()?;
        Some(Criticality::new(cost, cost_high))
    } else {
        None
    };
    Ok(SimulatedTask {
        pattern,
        execution,
        suspension,
        criticality,
        server,
        relative_deadline,
        cluster: place,
        charges,
    })
}

/// What others wait for. All jobs are as long as their bound there, or the parts would not fit into them.
fn parts(
    request: &Request<'_>,
    tasks: &[SimulatedTask],
    clusters: &[SimulatedCluster],
) -> Result<Parts, SimulationError> {
    let requests = |one: Behaviour<'_>| one.sections.iter().map(|section| u64::from(section.requests)).sum::<u64>();
    if let Some(task) = request.behaviours.iter().position(|one| requests(one) > REQUESTS_MAX) {
        return Err(SimulationError::Requests(task));
    }
    let executions: Vec<Duration> = tasks.iter().map(|task| task.execution.of_job(0)).collect();
    let length = |ticks: u64| Duration::from_ns(ticks.saturating_mul(request.ns_per_tick));
    let parts = Parts::of(
        request.tasks,
        request.behaviours,
        request.places,
        levels(request.tasks, request.policy),
        &executions,
        length,
    );
    let is_simple = is_simple(request, tasks, clusters)
        && clusters.iter().all(|cluster| cluster.cpus == 1)
        && request.variation.distribution == Distribution::Bound;
    match () {
        () if parts.is_empty() => Ok(parts),
        () if !is_simple => Err(SimulationError::Parts),
        () if parts.has_shared() => check_shared(request).map(|()| parts),
        () if parts.has_locks() => check_locks(request, &parts, clusters).map(|()| parts),
        () => Ok(parts),
    }
}

/// True for what departures are simulated with: preemptive policies without overheads and servers, where late jobs continue.
fn is_simple(request: &Request<'_>, tasks: &[SimulatedTask], clusters: &[SimulatedCluster]) -> bool {
    clusters.iter().all(|cluster| cluster.charges == ClusterCharges::default())
        && tasks.iter().all(|task| task.charges == TaskCharges::default() && task.server.is_none())
        && request.variation.overrun == overrun::OverrunPolicy::Continue
        && request.policy.preempts()
}

/// Under MPCP, levels have to be priorities.
fn check_shared(request: &Request<'_>) -> Result<(), SimulationError> {
    let is_mpcp = request.behaviours.locking == Locking::Mpcp;
    if is_mpcp && *request.policy == Policy::EarliestDeadlineFirst { Err(SimulationError::Mpcp) } else { Ok(()) }
}

/// Levels have to be priorities, and nobody may wait for a lock on another processor.
fn check_locks(request: &Request<'_>, parts: &Parts, clusters: &[SimulatedCluster]) -> Result<(), SimulationError> {
    if *request.policy == Policy::EarliestDeadlineFirst {
        return Err(SimulationError::Locks);
    }
    if clusters.len() != 1 {
        return Err(SimulationError::LockQueues(clusters.len()));
    }
    let resources = parts.of_tasks.iter().flatten().filter_map(|part| part.resource);
    let has_room = request.tasks.len() <= LOCKING_TASKS_MAX
        && resources.max().is_none_or(|resource| (resource as usize) < RESOURCES_MAX);
    if has_room { Ok(()) } else { Err(SimulationError::LockCrowd) }
}

fn check_suspension(
    request: &Request<'_>,
    tasks: &[SimulatedTask],
    clusters: &[SimulatedCluster],
    parts: &Parts,
) -> Result<(), SimulationError> {
    match tasks.iter().position(|task| !task.suspension.is_never()) {
        Some(task) if !parts.is_empty() || !is_simple(request, tasks, clusters) => {
            Err(SimulationError::Suspension(task))
        }
        _ => Ok(()),
    }
}

/// Two criticalities alone, on one processor.
fn check_criticality(
    request: &Request<'_>,
    tasks: &[SimulatedTask],
    clusters: &[SimulatedCluster],
) -> Result<(), SimulationError> {
    let is_plain = |behaviour: Behaviour<'_>| Behaviour { cost_high: None, ..behaviour }.is_plain();
    let is_alone = request.behaviours.supply.is_none() && request.behaviours.iter().all(is_plain);
    let is_single = clusters.len() == 1 && clusters.iter().all(|cluster| cluster.cpus == 1);
    let is_punctual = tasks.iter().all(|task| !task.pattern.is_delayed());
    let is_covered = is_alone && is_single && is_punctual && is_simple(request, tasks, clusters);
    if is_covered || !request.behaviours.is_mixed() { Ok(()) } else { Err(SimulationError::Criticality) }
}

/// The part of the processor that the tasks have, unless it is all of it.
fn supply(
    request: &Request<'_>,
    tasks: &[SimulatedTask],
    clusters: &[SimulatedCluster],
    parts: &Parts,
) -> Result<Option<SimulatedSupply>, SimulationError> {
    let Some(supply) = request.behaviours.supply else { return Ok(None) };
    let is_alone = parts.is_empty() && tasks.iter().all(|task| task.suspension.is_never());
    let is_single = clusters.len() == 1 && clusters.iter().all(|cluster| cluster.cpus == 1);
    if !(is_alone && is_single && is_simple(request, tasks, clusters)) {
        return Err(SimulationError::Supply);
    }
    if supply.is_whole() {
        return Ok(None);
    }
    let Variation { supply: times, seed, .. } = request.variation;
    let simulated = SimulatedSupply::new(supply, request.ns_per_tick, LONGEST, times, seed);
    simulated.map(Some).ok_or(SimulationError::SupplyTimes)
}

/// The place of each task among fixed priorities, from 1; under EDF its relative deadline.
fn levels(tasks: &[Task], policy: &Policy) -> Vec<u64> {
    let key = |index: usize| match policy {
        Policy::RateMonotonic => tasks[index].period,
        Policy::FixedPriority(ranks) => ranks[index].into(),
        _ => tasks[index].deadline,
    };
    if matches!(policy, Policy::EarliestDeadlineFirst) {
        return tasks.iter().map(|task| task.deadline).collect();
    }
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&index| (key(index), index));
    let mut levels = vec![0; tasks.len()];
    order.iter().zip(1..).for_each(|(&index, place)| levels[index] = place);
    levels
}

fn server(
    reservation: Reservation,
    length: impl Fn(u64) -> Result<Duration, SimulationError>,
    task: usize,
) -> Result<Server, SimulationError> {
    Server::new(length(reservation.budget)?, length(reservation.period)?).ok_or(SimulationError::Time(task))
}

fn offset(variation: &Variation, task: usize, period: Duration) -> Duration {
    match variation.offsets {
        Offsets::Synchronous => Duration::ZERO,
        Offsets::Random => Draws::new(variation.seed, task, Purpose::Offset).within(0, period - Duration::from_ns(1)),
    }
}

/// How the jobs of a task follow each other: never farther apart than `longest`, nor more than [`LONGEST`] beyond the period.
fn distances(
    request: &Request<'_>,
    index: usize,
    period: Duration,
    longest: Option<u64>,
    length: impl Fn(u64) -> Result<Duration, SimulationError>,
) -> Result<Distances, SimulationError> {
    let extra_max = longest.map_or(LONGEST, |longest| length(longest).unwrap_or(LONGEST).saturating_sub(period));
    Ok(unlimited(request, index, period, length)?.limited_to(extra_max))
}

/// A burst comes as soon as it may, whatever the variation, and so does what a curve allows.
fn unlimited(
    request: &Request<'_>,
    index: usize,
    period: Duration,
    length: impl Fn(u64) -> Result<Duration, SimulationError>,
) -> Result<Distances, SimulationError> {
    let behaviour = request.behaviours.of(index);
    if let Some(curve) = &behaviour.curve {
        let densest = Arc::new(DensestArrivals::of(curve));
        return Ok(Distances::Curve { densest, ns_per_tick: request.ns_per_tick });
    }
    if let Some(Burst { jobs, within, distance }) = behaviour.burst {
        return Ok(Distances::Burst { jobs, within: length(within)?, distance: length(distance)? });
    }
    Ok(match request.variation.arrivals {
        Arrivals::Periodic => Distances::Periodic,
        Arrivals::Sporadic { extra_thousandths } => {
            let extra = u128::from(period.as_ns()) * u128::from(extra_thousandths) / 1_000;
            Distances::Sporadic { extra_max: Duration::from_ns(u64::try_from(extra).unwrap_or(u64::MAX)) }
        }
    })
}
