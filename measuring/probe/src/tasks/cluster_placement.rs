//! Who shares processors: what each task's thread enters before it asks for its policy.
//!
//! The kernel lets a deadline thread in only where it may run on its whole root domain, so that each cluster is made one. Fixed
//! priorities need no more than an affinity.

use super::error::TasksError;
use prazo_core::cpu::CpuSet;
use prazo_deploy::Partitions;
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, TunableRecord};
use prazo_run::jobs::{Dispatch, SetPlan, TaskPlan};
use prazo_sys::{clock, scheduling};

/// How often, and how far apart, it is looked whether processors are back: a second in all.
const LOOKS: u32 = 100;
const LOOK_NS: u64 = 10_000_000;

/// How the clusters of a set are parted.
#[derive(Debug)]
pub(super) enum ClusterPlacement {
    /// By the affinity of each thread; the one cluster of deadline threads is all there is.
    Affinities(Vec<CpuSet>),
    /// Each is a root domain of its own.
    Parted(Partitions),
}

impl ClusterPlacement {
    /// Parts the clusters of `plan`, on a machine whose processors are `usable`.
    pub(super) fn make(plan: &SetPlan, root: &Root, usable: &CpuSet) -> Result<Self, TasksError> {
        let clusters = sets(plan);
        match (plan.dispatch, clusters.as_slice()) {
            (Dispatch::Fifo, _) => Ok(Self::Affinities(clusters)),
            (Dispatch::Deadline, [all]) if all == usable => Ok(Self::Affinities(clusters)),
            (Dispatch::Deadline, _) => {
                let journal = Journal::open(root).map_err(|error| refused(plan, &error))?;
                Partitions::make(&journal, &clusters).map(Self::Parted).map_err(|error| refused(plan, &error))
            }
        }
    }

    /// Brings the calling thread where `task` belongs.
    pub(super) fn enter(&self, plan: &SetPlan, task: &TaskPlan) -> Result<(), TasksError> {
        let cluster = task.cluster as usize;
        match self {
            Self::Affinities(clusters) => scheduling::set_affinity(&clusters[cluster])
                .map_err(|source| TasksError::system("setting a task's affinity", source)),
            Self::Parted(partitions) => partitions.enter(cluster).map_err(|error| refused(plan, &error)),
        }
    }

    /// Takes everything apart and says what became of it; deadline threads must have ended. The kernel gives processors back a little
    /// later than a group is removed, so those that were `usable` are waited for.
    pub(super) fn release(self, usable: &CpuSet) -> Vec<TunableRecord> {
        let Self::Parted(partitions) = self else { return Vec::new() };
        let changed = partitions.release();
        let are_back = || scheduling::usable_cpus().is_ok_and(|cpus| cpus == *usable);
        for _ in 0..LOOKS {
            if are_back() {
                break;
            }
            clock::sleep_until(clock::monotonic_ns() + LOOK_NS);
        }
        changed
    }
}

/// The processors of each cluster; none is empty, as was checked.
fn sets(plan: &SetPlan) -> Vec<CpuSet> {
    (0..plan.clusters.len()).filter_map(|cluster| plan.cpus(cluster)).collect()
}

fn refused(plan: &SetPlan, why: &dyn std::fmt::Display) -> TasksError {
    TasksError::Place { set: plan.name.clone(), why: why.to_string() }
}
