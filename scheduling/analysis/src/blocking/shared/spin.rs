//! Spin locks, first come first served, of jobs that are not preempted from the request until they give back: MSRP.
//!
//! While a job spins or holds, nobody else runs on its processor. So each processor has one request at most at any time, and each other
//! one is in front of a given request once at most. Whoever holds runs, for the length of its section and no longer:
//!
//! ```text
//! spin(q, p) = sum over the processors k != p of the longest section of q on k
//! ```
//!
//! Gai, Lipari, Di Natale, RTSS 2001. A job spins once for each request; who is released meanwhile waits for the whole of one request,
//! spinning included, as for a part that is not preempted. Resources that one processor alone uses are under SRP there, and neither
//! spinning nor holding a shared one lets anybody in between.

use super::placed::{Placed, Waits};

pub(super) fn waits(placed: &Placed<'_>) -> Vec<Waits> {
    let one = |task: usize| {
        let requests = placed.sections(task).iter();
        let spun = requests.map(|section| u128::from(section.requests) * of(placed, task, section.resource));
        Waits { remote: spun.sum(), local: 0 }
    };
    (0..placed.tasks.len()).map(one).collect()
}

/// How long one request of `task` for `resource` spins.
pub(super) fn of(placed: &Placed<'_>, task: usize, resource: u32) -> u128 {
    let mut longest: Vec<(u32, u128)> = Vec::new();
    for (other, &place) in placed.places.iter().enumerate().filter(|(_, place)| **place != placed.places[task]) {
        let held = placed.held(other, resource);
        match longest.iter_mut().find(|(known, _)| *known == place) {
            Some((_, most)) => *most = held.max(*most),
            None => longest.push((place, held)),
        }
    }
    longest.into_iter().map(|(_, held)| held).sum()
}
