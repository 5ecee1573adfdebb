//! A cluster of the scheduler core, whatever its criterion and its capacity.
//!
//! Criterion and capacity are types in core, so that a kernel pays for neither. A simulator learns them at run time, so
//! here is one call through a table for each step, and the choice of the smallest capacity that suffices.

use crate::model::{Policy, SimulatedCluster};
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

impl<C: Criterion, const TASKS: usize, const HEADS: usize> Ready for Cluster<C, TASKS, HEADS> {
    fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant) {
        Cluster::enqueue(self, task, job, now);
    }

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

    fn settle(&mut self) -> Decision {
        Cluster::settle(self)
    }
}

/// A cluster whose members have these parameters, ranked by `policy`.
pub(crate) fn cluster(policy: &Policy, place: &SimulatedCluster, members: &[Parameters]) -> Box<dyn Ready> {
    match policy {
        Policy::EarliestDeadlineFirst => sized(EarliestDeadlineFirst, place, members),
        Policy::RateMonotonic => sized(RateMonotonic, place, members),
        Policy::DeadlineMonotonic => sized(DeadlineMonotonic, place, members),
        Policy::FixedPriority(_) => sized(FixedPriority, place, members),
        Policy::FirstComeFirstServed => sized(FirstComeFirstServed, place, members),
        Policy::RoundRobin { .. } => sized(RoundRobin, place, members),
    }
}

fn sized<C: Criterion + 'static>(criterion: C, place: &SimulatedCluster, members: &[Parameters]) -> Box<dyn Ready> {
    match (members.len(), place.cpus) {
        (..=32, ..=8) => filled::<C, 32, 8>(criterion, place, members),
        (..=256, ..=64) => filled::<C, 256, 64>(criterion, place, members),
        _ => filled::<C, TASKS_MAX, 64>(criterion, place, members),
    }
}

fn filled<C: Criterion + 'static, const TASKS: usize, const HEADS: usize>(
    criterion: C,
    place: &SimulatedCluster,
    members: &[Parameters],
) -> Box<dyn Ready> {
    let first_cpu = Cpu::LOWEST.plus(place.first_cpu as usize);
    let mut cluster =
        Box::new(Cluster::<C, TASKS, HEADS>::new(criterion, first_cpu, place.cpus as usize, members.len()));
    for (index, parameters) in members.iter().enumerate() {
        cluster.admit(TaskIndex::new(index).expect("a cluster has at most TASKS_MAX members"), *parameters);
    }
    cluster
}
