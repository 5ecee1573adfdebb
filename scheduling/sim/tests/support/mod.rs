//! Random requests, and what the slow, obvious simulator makes of them.
#![allow(dead_code)]

pub(crate) mod sets;

use prazo_core::time::Duration;
use prazo_oracle::machine::{self, Machine, MachineCluster, MachineJob, MachineTask};
use prazo_sim::arrival::JobArrival;
use prazo_sim::model::{SimulatedCluster, SimulatedTask};
use prazo_sim::{Model, Policy};

/// The seed of every ordinary run, or the one that `PRAZO_SEED` asks for; printed, so that a failure can be repeated.
pub(crate) fn seed(test: &str, ordinary: u64) -> u64 {
    prazo_oracle::random::seed(test, ordinary)
}

/// How many random sets to look at: `PRAZO_SETS`, or 10^4.
pub(crate) fn sets() -> u64 {
    prazo_oracle::random::sets(10_000) as u64
}

/// The same machine in the oracle's words, with the jobs that arrive until `horizon`.
pub(crate) fn machine(model: &Model, horizon: u64) -> Machine {
    Machine {
        tasks: model.tasks.iter().map(|task| machine_task(task, horizon)).collect(),
        clusters: model.clusters.iter().map(machine_cluster).collect(),
        policy: match &model.policy {
            Policy::EarliestDeadlineFirst => machine::Policy::EarliestDeadlineFirst,
            Policy::RateMonotonic => machine::Policy::RateMonotonic,
            Policy::DeadlineMonotonic => machine::Policy::DeadlineMonotonic,
            Policy::FixedPriority(ranks) => machine::Policy::FixedPriority(ranks.clone()),
            Policy::FirstComeFirstServed => machine::Policy::FirstComeFirstServed,
            Policy::RoundRobin { quantum } => machine::Policy::RoundRobin { quantum: quantum.as_ns() },
        },
        overrun: model.overrun,
        tick_period: model.tick_period.map(Duration::as_ns),
        has_interrupt_processor: model.has_interrupt_processor,
    }
}

fn machine_task(task: &SimulatedTask, horizon: u64) -> MachineTask {
    let places = std::iter::successors(Some(task.pattern.first()), |place| Some(task.pattern.after(*place)));
    let job = |place: JobArrival| MachineJob {
        arrival: place.arrival.as_ns(),
        release: place.release.as_ns(),
        execution: task.execution.of_job(place.job).as_ns(),
    };
    MachineTask {
        jobs: places.take_while(|place| place.arrival.as_ns() <= horizon).map(job).collect(),
        is_delayed: task.pattern.is_delayed(),
        period: task.pattern.period.as_ns(),
        deadline: task.relative_deadline.as_ns(),
        server: task.server.map(|server| (server.budget().as_ns(), server.period().as_ns())),
        cluster: task.cluster as usize,
        initial_load: task.charges.initial_load.as_ns(),
        reload: task.charges.reload.as_ns(),
    }
}

fn machine_cluster(cluster: &SimulatedCluster) -> MachineCluster {
    MachineCluster {
        cpus: cluster.cpus as usize,
        release: cluster.charges.release.as_ns(),
        dispatch: cluster.charges.dispatch.as_ns(),
        ipi: cluster.charges.ipi.as_ns(),
        tick: cluster.charges.tick.as_ns(),
    }
}
