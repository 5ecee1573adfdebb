//! By how much all costs may grow together, or must shrink together, in steps of a thousandth.
//!
//! Scaled costs are rounded up, so that no rounding makes a set look easier. Read the other way round the factor is a
//! speed: 1.250 says that processors of 1/1.250 of the speed would do, by these tests.

use super::AskTasks;
use super::search::{Boundary, Range, largest};
use crate::{Task, TaskSet, Ticks};
use prazo_core::ratio::Ratio;

/// A factor in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(pub u64);

impl Thousandths {
    /// Times one.
    pub const ONE: Self = Self(1_000);

    /// `value` times the factor, rounded up; at most the longest time that 64 bits hold.
    pub fn scale_up(self, value: Ticks) -> Ticks {
        let product = u128::from(value) * u128::from(self.0);
        Ticks::try_from(product.div_ceil(1_000)).unwrap_or(Ticks::MAX)
    }

    /// The factor as a fraction.
    pub fn ratio(self) -> Ratio {
        Ratio::new(self.0.into(), 1_000).unwrap_or_default()
    }
}

/// The largest factor, in thousandths, at which `ask` proves the tasks with all costs multiplied by it and rounded up.
///
/// The range ends where some cost would exceed min(D, T): no test can prove more. `None` if a thousandth does so already.
pub fn largest_cost_factor(tasks: TaskSet<'_>, ask: AskTasks<'_>) -> Option<Boundary> {
    let last = tasks.iter().map(largest_factor).min().filter(|last| *last > 0)?;
    let range = Range { first: 1, last, start: Thousandths::ONE.0.min(last) };
    let mut scaled = tasks.to_vec();
    Some(largest(range, &mut |thousandths| {
        for (task, scaled) in tasks.iter().zip(&mut scaled) {
            scaled.cost = Thousandths(thousandths).scale_up(task.cost);
        }
        ask(&scaled)
    }))
}

/// The largest factor with which the rounded cost stays within min(D, T).
fn largest_factor(task: &Task) -> u64 {
    // At most 2^48 * 1000.
    task.window() * 1_000 / task.cost
}
