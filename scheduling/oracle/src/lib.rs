//! Schedules computed one tick after another, so plainly that they can be believed: what tests hold proofs and engines against.
//!
//! [`arrivals`] makes the jobs of a task set, [`schedule()`] says when each of them ends, [`any_arrival`] tries every pattern of
//! arrivals, [`machine`] runs a platform with all that it takes for itself, [`supplied`] gives tasks only a supply, in
//! [`suspended`] they suspend themselves, in [`mixed`] they have two criticalities, in [`locked`] they share resources across processors, [`chained`] follows data through chains of tasks,
//! [`periodic`] tries all executions of a non-preemptive set on one clock, in [`split`] tasks run in pieces, [`executors`] run callbacks. Nothing here is shared with analysis or simulator: only the words of core (what a task is) are the same, so that
//! an error of theirs cannot be repeated here. It is used by tests alone.
//!
//! ```text
//! tasks ──arrivals──► jobs ──schedule(rank, processors)──► when each ended ──► late? first missed deadline? longest response?
//! ```
#![forbid(unsafe_code)]

pub mod any_arrival;
pub mod arrivals;
pub mod blocked;
pub mod chained;
pub mod executors;
pub mod locked;
pub mod machine;
pub mod mixed;
pub mod periodic;
pub mod random;
mod schedule;
mod set;
pub mod split;
pub mod supplied;
pub mod suspended;

pub use schedule::{Ended, Order, Platform, Schedule, any_miss, first_miss, first_missed_deadline, schedule};
pub use set::{fits, hyperperiod, scaled};

use prazo_core::behaviour::Behaviours;

/// By resource, from 0: the tasks that have a section of it.
pub fn users(behaviours: Behaviours<'_>, tasks: usize, resources: u32) -> Vec<Vec<usize>> {
    let uses = |task: usize, resource| behaviours.of(task).sections.iter().any(|one| one.resource == resource);
    (0..resources).map(|resource| (0..tasks).filter(|task| uses(*task, resource)).collect()).collect()
}

/// One job, before it runs. Instants may be negative: with jitter, a job may have arrived before the schedule begins at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Index of its task.
    pub task: usize,
    /// From when its deadline counts.
    pub arrival: i64,
    /// From when on it may run.
    pub release: i64,
    /// Its absolute deadline.
    pub due: i64,
    /// What it needs.
    pub cost: u64,
}
