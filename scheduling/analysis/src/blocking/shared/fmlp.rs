//! FIFO semaphores whose holders run in the order of their requests: the partitioned FMLP+.
//!
//! Of all requests that are not done, the earliest is first in its resource's queue, and so holds it; it is the most urgent one on its
//! processor, and so runs. A request is therefore done after at most one request of each other task, made before: a task has one that is not
//! done, and all that come later let it pass. Only requests that are linked with it, by resources and processors, can delay it:
//!
//! ```text
//! one request   sum over the other tasks j of the same component of the longest section of j
//! ```
//!
//! A component has the resources that tasks of its processors use, and the processors whose tasks use its resources. Beside that
//! a job waits for less urgent ones of its processor, see `begun_by_others`. No deadline or arrival is used, so all of it holds under EDF
//! too, and for bursts. Brandenburg, dissertation, 2011, chapter 6 (suspension-aware, O(n)); the papers have finer bounds.

use super::placed::{Placed, Waits};

pub(super) fn waits(placed: &Placed<'_>) -> Vec<Waits> {
    let component = components(placed);
    let one = |task: usize| {
        let linked = (0..placed.tasks.len()).filter(|&other| other != task && component[other] == component[task]);
        let (near, far): (Vec<usize>, Vec<usize>) =
            linked.partition(|&other| placed.places[other] == placed.places[task]);
        let each_request =
            |others: &[usize]| placed.requests(task) * others.iter().map(|&other| placed.longest(other)).sum::<u128>();
        Waits { remote: each_request(&far), local: each_request(&near) + placed.begun_by_others(task) }
    };
    (0..placed.tasks.len()).map(one).collect()
}

/// By task: the least task of its component.
fn components(placed: &Placed<'_>) -> Vec<usize> {
    let mut component: Vec<usize> = (0..placed.tasks.len()).collect();
    let are_linked = |one: usize, other: usize| {
        let uses = placed.sections(one).iter();
        placed.places[one] == placed.places[other] || uses.clone().any(|of| placed.held(other, of.resource) > 0)
    };
    // Each round hands the least number on to the neighbours; there are no more rounds than tasks.
    loop {
        let next: Vec<usize> = (0..component.len())
            .map(|one| {
                let linked = (0..component.len()).filter(|&other| other == one || are_linked(one, other));
                linked.map(|other| component[other]).min().unwrap_or(one)
            })
            .collect();
        if next == component {
            return component;
        }
        component = next;
    }
}
