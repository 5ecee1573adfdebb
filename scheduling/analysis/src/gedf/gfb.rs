//! GFB: the sum of all densities stays below what one dense task can leave idle.
//!
//! With delta_i = C_i/min(D_i, T_i): accepted if delta_sum <= m - (m - 1) delta_max. Goossens, Funk, Baruah, Real-Time
//! Systems 25, 2003, for D = T; with densities Bertogna, Cirinei, Lipari, ECRTS 2005, for D <= T.
//!
//! Holds for arrivals at any real instant: the proof compares rates of work and knows no tick.

use super::condition::{Decision, Reach, ask, densest};
use super::test::Test;
use crate::budget::Spent;
use crate::exact::compare_sum;
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// GFB for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask(Test::Gfb, Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    budget.spend(tasks.len() as u64)?;
    let densest = densest(&tasks);
    let capacity = capacity(&tasks[densest], processors);
    let densities = tasks.iter().map(|task| (task.cost, task.window()));
    let holds = compare_sum(densities, capacity) != Ordering::Greater;
    let demand = tasks.iter().map(|task| task.cost as f64 / task.window() as f64).sum();
    let margin = Margin { demand, capacity: capacity.to_f64(), of: Quantity::Density };
    Ok(Decision { holds, task: Some(densest), margin: Some(margin) })
}

/// m - (m - 1) delta for the densest task; at least 1, since its C <= min(D, T).
fn capacity(densest: &Task, processors: u32) -> Ratio {
    let (m, cost, window) = (u128::from(processors), u128::from(densest.cost), u128::from(densest.window()));
    Ratio::new(m * (window - cost) + cost, window).expect("a window is at least one tick")
}
