//! Who shares processors: what each task's thread enters before it asks for its policy.
//!
//! The kernel lets a deadline thread in only where it may run on its whole root domain, so that a cluster must be one. Fixed priorities
//! need no more than an affinity.

use super::error::TasksError;
use crate::timer::sys::scheduling;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_platform::root::Root;
use prazo_platform::root_domain::RootDomain;
use prazo_platform::tunable::Journal;
use prazo_run::jobs::{Dispatch, SetPlan, TaskPlan};

/// How the clusters of a set are parted.
#[derive(Debug)]
pub enum Place {
    /// The one cluster is all there is.
    Whole,
    /// By the affinity of each thread.
    Affinities(Vec<CpuSet>),
    /// One processor is a root domain of its own.
    Domain(RootDomain, CpuSet),
}

impl Place {
    /// Parts the clusters of `plan`, on a machine whose processors are `usable`.
    pub fn make(plan: &SetPlan, root: &Root, usable: &CpuSet) -> Result<Self, TasksError> {
        let clusters = sets(plan);
        match (plan.dispatch, clusters.as_slice()) {
            (_, [all]) if all == usable => Ok(Self::Whole),
            (Dispatch::Fifo, _) => Ok(Self::Affinities(clusters)),
            (Dispatch::Deadline, [one]) if one.count() == 1 => domain(plan, root, one.first()),
            (Dispatch::Deadline, _) => Err(refused(
                plan,
                &"only all usable processors as one cluster, or one processor alone, can be run under SCHED_DEADLINE so far",
            )),
        }
    }

    /// Brings the calling thread where `task` belongs.
    pub fn enter(&self, plan: &SetPlan, task: &TaskPlan) -> Result<(), TasksError> {
        let affinity = |cpus: &CpuSet| {
            scheduling::set_affinity(cpus).map_err(|source| TasksError::system("setting a task's affinity", source))
        };
        match self {
            Self::Whole => affinity(&sets(plan)[task.cluster as usize]),
            Self::Affinities(clusters) => affinity(&clusters[task.cluster as usize]),
            Self::Domain(domain, cpus) => {
                domain.enter().map_err(|error| refused(plan, &error))?;
                affinity(cpus)
            }
        }
    }

    /// Takes everything apart; deadline threads must have ended.
    pub fn release(self) {
        if let Self::Domain(domain, _) = self {
            drop(domain.release());
        }
    }
}

/// The processors of each cluster; none is empty, as was checked.
fn sets(plan: &SetPlan) -> Vec<CpuSet> {
    plan.clusters.iter().filter_map(|cpus| CpuSet::from_cpus(cpus.iter().copied().filter_map(Cpu::new))).collect()
}

fn domain(plan: &SetPlan, root: &Root, cpu: Cpu) -> Result<Place, TasksError> {
    let journal = Journal::open(root).map_err(|error| refused(plan, &error))?;
    let domain = RootDomain::make(&journal, cpu).map_err(|error| refused(plan, &error))?;
    Ok(Place::Domain(domain, CpuSet::only(cpu)))
}

fn refused(plan: &SetPlan, why: &dyn std::fmt::Display) -> TasksError {
    TasksError::Place { set: plan.name.clone(), why: why.to_string() }
}
