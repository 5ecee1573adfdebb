//! Search from the lowest priority up: whoever meets its deadline below all others may stay there.
//!
//! With an exact response-time test this finds an order whenever there is one, for every kind of deadline and with jitter
//! (Audsley, University of York YCS 164, 1991; Tindell, Burns, Wellings, Real-Time Systems 6, 1994): the test of a task
//! depends on who goes before it, not on their order, and never gets worse when one of them goes behind.

use super::PriorityOrder;
use crate::answer::Response;
use crate::budget::Spent;
use crate::uniprocessor::fixed_priority::response_time::response;
use crate::{Budget, TaskSet};
use prazo_core::task::Task;

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// Under this order every task meets its deadline.
    Order(PriorityOrder),
    /// No fixed order serves the set: none of these tasks can be the least urgent of them.
    None(Vec<usize>),
}

/// An order under which every task meets its deadline on one processor, below `interrupts`, if there is one.
pub fn audsley(tasks: TaskSet<'_>, interrupts: &[Task], budget: &mut Budget) -> Result<Assigned, Spent> {
    // Longest window first: for D <= T without jitter the first guess is always right, and deadline-monotonic comes out.
    let window = |index: usize| tasks[index].deadline.saturating_sub(tasks[index].jitter);
    let mut above = PriorityOrder::by_key(tasks.len(), window).0;
    let mut order = Vec::with_capacity(tasks.len());
    while !above.is_empty() {
        match least_urgent(&tasks, &above, interrupts, budget)? {
            Some(place) => order.push(above.remove(place)),
            None => return Ok(Assigned::None(above)),
        }
    }
    order.reverse();
    Ok(Assigned::Order(PriorityOrder(order)))
}

/// The place in `above` of a task that meets its deadline below all the others there and below `interrupts`.
fn least_urgent(
    tasks: &[Task],
    above: &[usize],
    interrupts: &[Task],
    budget: &mut Budget,
) -> Result<Option<usize>, Spent> {
    for place in (0..above.len()).rev() {
        let others = above.iter().filter(|index| **index != above[place]).map(|index| tasks[*index]);
        let higher: Vec<Task> = interrupts.iter().copied().chain(others).collect();
        if let Response::Within(_) = response(&tasks[above[place]], &higher, budget)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}
