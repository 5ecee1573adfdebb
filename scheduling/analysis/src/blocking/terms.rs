//! How long a job can be blocked by less urgent ones, under each protocol.
//!
//! While jobs at least as urgent as a task's are pending, a less urgent job runs only within a part that it began before: so
//! a busy interval is blocked once, at its beginning (under PIP, once by each less urgent job).
//!
//! - A part that is not preempted, of length q, blocks everybody. One job at most is in such a part.
//! - SRP and PCP: a critical section of resource R blocks those at or below the ceiling of R, the most urgent of the tasks
//!   that use it. One section at most is open whose ceiling reaches a given task, and a part that is not preempted is either in it
//!   or cannot begin before it ends: the longest of all these blocks. Sha, Rajkumar, Lehoczky, IEEE TC 39(9), 1990; Baker,
//!   Real-Time Systems 3(1), 1991, theorem 6.
//! - PIP: each less urgent task blocks with one section at most, and each resource with one at most; of both sums the lesser
//!   (the same paper of 1990, lemmas 3 and 5), and one part that is not preempted beside them.
//!
//! Under EDF with SRP, ceilings are relative deadlines: a section of a task with D_j > t, whose resource somebody with D <= t
//! uses, blocks in an interval of length t. Baruah, RTSS 2006, equation 6.

use super::system::System;
use crate::Ticks;
use prazo_core::behaviour::{Behaviour, CriticalSection, Locking};
use std::collections::HashMap;

/// How long each task can be blocked under fixed priorities; the tasks stand in the order of their urgency.
pub fn fixed_priority(system: &System<'_>) -> Vec<Ticks> {
    (0..system.tasks.len()).map(|task| below(system, task)).collect()
}

fn below(system: &System<'_>, task: usize) -> Ticks {
    let less_urgent = &system.of_tasks[task + 1..];
    let reaches = |section: &&CriticalSection| {
        system.of_tasks[..=task].iter().any(|other| other.sections.iter().any(|one| one.resource == section.resource))
    };
    let part = less_urgent.iter().map(|other| other.non_preemptive.longest).max().unwrap_or(0);
    match system.locking {
        // Of protocols for several processors, `shared` leaves only resources of one processor, under SRP.
        Locking::Srp | Locking::Pcp | Locking::Msrp | Locking::Fmlp | Locking::Mpcp => {
            let sections = less_urgent.iter().flat_map(|other| other.sections).filter(reaches);
            sections.map(|section| section.length).max().unwrap_or(0).max(part)
        }
        Locking::Pip => {
            let longest = |other: &Behaviour<'_>| {
                other.sections.iter().filter(reaches).map(|section| section.length).max().unwrap_or(0)
            };
            let by_task: Ticks = less_urgent.iter().map(longest).fold(0, Ticks::saturating_add);
            let mut of_resources: HashMap<u32, Ticks> = HashMap::new();
            for section in less_urgent.iter().flat_map(|other| other.sections).filter(reaches) {
                let longest = of_resources.entry(section.resource).or_default();
                *longest = section.length.max(*longest);
            }
            let by_resource = of_resources.values().fold(0, |sum: Ticks, length| sum.saturating_add(*length));
            by_task.min(by_resource).saturating_add(part)
        }
    }
}

/// The longest part or section of `blocker`, with D > `length`, that can delay somebody with D <= `length` under EDF with SRP.
pub fn within(system: &System<'_>, blocker: usize, length: u128) -> Ticks {
    if u128::from(system.tasks[blocker].deadline) <= length {
        return 0;
    }
    let is_used = |section: &&CriticalSection| {
        system.tasks.iter().zip(&system.of_tasks).any(|(task, one)| {
            u128::from(task.deadline) <= length && one.sections.iter().any(|used| used.resource == section.resource)
        })
    };
    let behaviour = &system.of_tasks[blocker];
    let sections = behaviour.sections.iter().filter(is_used).map(|section| section.length);
    sections.max().unwrap_or(0).max(behaviour.non_preemptive.longest)
}

/// The longest part, section or suspension of any task.
pub fn longest(system: &System<'_>) -> Ticks {
    let of = |behaviour: &Behaviour<'_>| {
        let sections = behaviour.sections.iter().map(|section| section.length);
        sections.max().unwrap_or(0).max(behaviour.non_preemptive.longest).max(behaviour.suspension)
    };
    system.of_tasks.iter().map(of).max().unwrap_or(0)
}
