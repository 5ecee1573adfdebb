//! A cluster of the scheduler core, whatever its criterion and its capacity.
//!
//! Criterion and capacity are types in core, so that a kernel pays for neither. A simulator learns them at run time, so
//! here is one call through a table for each step, and the choice of the smallest capacity that suffices. For small
//! clusters under EDF, which most runs have, the event loop is compiled without that call: it takes a tenth off their time.

use crate::model::{Model, Policy, SimulatedCluster};
use prazo_core::cpu::Cpu;
use prazo_core::criterion::{
    Criterion, DeadlineMonotonic, EarliestDeadlineFirst, FirstComeFirstServed, FixedPriority, RateMonotonic, RoundRobin,
};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::rank::Rank;
use prazo_core::scheduler::{Cluster, Decision};
use prazo_core::time::Instant;

/// The most tasks that one simulated cluster may have.
pub(crate) const TASKS_MAX: usize = 4_096;
/// The most processors that one simulated cluster may have.
pub(crate) const CPUS_MAX: u32 = 64;

/// What the simulator asks of a cluster: changes without a decision, then decisions until it is settled.
pub(crate) trait Ready {
    /// A cluster whose members have these parameters, ranked by `policy`.
    fn new(policy: &Policy, place: &SimulatedCluster, members: &[Parameters]) -> Self
    where
        Self: Sized;
    /// A job of `task` is ready.
    fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant);
    /// The job of `task` has ended.
    fn finish(&mut self, task: TaskIndex);
    /// The server of `task` has postponed the deadline that its job ranks by.
    fn postpone(&mut self, task: TaskIndex, absolute_deadline: Instant);
    /// The job of `task` runs at `rank`, unless it is more urgent by itself; `None` takes back what was lent.
    fn lend(&mut self, task: TaskIndex, rank: Option<Rank>);
    /// The quantum of the job on `cpu` has ended.
    fn yield_now(&mut self, cpu: Cpu, now: Instant) -> Decision;
    /// The next decision; none once it answers to stay.
    fn settle(&mut self) -> Decision;
}

/// What most runs simulate. The event loop is compiled for it.
pub(crate) type UsualCluster = Cluster<EarliestDeadlineFirst, USUAL_TASKS, USUAL_CPUS>;

/// How many tasks and processors a cluster has at most to be one.
const USUAL_TASKS: usize = 32;
const USUAL_CPUS: usize = 8;

/// True if each cluster of `model` can be a [`UsualCluster`].
pub(crate) fn are_usual(model: &Model) -> bool {
    let is_small = |cluster: usize| {
        model.members(cluster).len() <= USUAL_TASKS && model.clusters[cluster].cpus as usize <= USUAL_CPUS
    };
    model.policy == Policy::EarliestDeadlineFirst && (0..model.clusters.len()).all(is_small)
}

impl<C: Criterion + Default, const TASKS: usize, const HEADS: usize> Ready for Cluster<C, TASKS, HEADS> {
    fn new(_: &Policy, place: &SimulatedCluster, members: &[Parameters]) -> Self {
        filled(place, members)
    }

    #[inline(always)]
    fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant) {
        Cluster::enqueue(self, task, job, now);
    }

    #[inline(always)]
    fn finish(&mut self, task: TaskIndex) {
        Cluster::finish(self, task);
    }

    fn postpone(&mut self, task: TaskIndex, absolute_deadline: Instant) {
        Cluster::postpone(self, task, absolute_deadline);
    }

    fn lend(&mut self, task: TaskIndex, rank: Option<Rank>) {
        Cluster::inherit_quietly(self, task, rank);
    }

    fn yield_now(&mut self, cpu: Cpu, now: Instant) -> Decision {
        Cluster::yield_now(self, cpu, now)
    }

    #[inline(always)]
    fn settle(&mut self) -> Decision {
        Cluster::settle(self)
    }
}

impl Ready for Box<dyn Ready> {
    fn new(policy: &Policy, place: &SimulatedCluster, members: &[Parameters]) -> Self {
        match policy {
            Policy::EarliestDeadlineFirst => sized::<EarliestDeadlineFirst>(place, members),
            Policy::RateMonotonic => sized::<RateMonotonic>(place, members),
            Policy::DeadlineMonotonic => sized::<DeadlineMonotonic>(place, members),
            Policy::FixedPriority(_) => sized::<FixedPriority>(place, members),
            Policy::FirstComeFirstServed => sized::<FirstComeFirstServed>(place, members),
            Policy::RoundRobin { .. } => sized::<RoundRobin>(place, members),
        }
    }

    fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant) {
        (**self).enqueue(task, job, now);
    }

    fn finish(&mut self, task: TaskIndex) {
        (**self).finish(task);
    }

    fn postpone(&mut self, task: TaskIndex, absolute_deadline: Instant) {
        (**self).postpone(task, absolute_deadline);
    }

    fn lend(&mut self, task: TaskIndex, rank: Option<Rank>) {
        (**self).lend(task, rank);
    }

    fn yield_now(&mut self, cpu: Cpu, now: Instant) -> Decision {
        (**self).yield_now(cpu, now)
    }

    fn settle(&mut self) -> Decision {
        (**self).settle()
    }
}

fn sized<C: Criterion + Default + 'static>(place: &SimulatedCluster, members: &[Parameters]) -> Box<dyn Ready> {
    match (members.len(), place.cpus as usize) {
        (..=USUAL_TASKS, ..=USUAL_CPUS) => Box::new(filled::<C, USUAL_TASKS, USUAL_CPUS>(place, members)),
        (..=256, ..=64) => Box::new(filled::<C, 256, 64>(place, members)),
        _ => Box::new(filled::<C, TASKS_MAX, 64>(place, members)),
    }
}

fn filled<C: Criterion + Default, const TASKS: usize, const HEADS: usize>(
    place: &SimulatedCluster,
    members: &[Parameters],
) -> Cluster<C, TASKS, HEADS> {
    let first_cpu = Cpu::LOWEST.plus(place.first_cpu as usize);
    let mut cluster = Cluster::new(C::default(), first_cpu, place.cpus as usize, members.len());
    for (index, parameters) in members.iter().enumerate() {
        cluster.admit(TaskIndex::new(index).expect("a cluster has at most TASKS_MAX members"), *parameters);
    }
    cluster
}
