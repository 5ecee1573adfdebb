//! Forced-forward demand of a window, along time for one speed and along the speed for one window.

use super::speed::{Excess, Speed};
use crate::budget::Spent;
use crate::gedf::descent::Divisor;
use crate::{Budget, Task, Ticks};

/// The tasks, none with C > D or D > T, and the processors.
pub(super) struct Forced<'a> {
    tasks: Vec<(&'a Task, Divisor)>,
    processors: u32,
}

/// One task's part of a window: whole jobs, and a last one that is `early` ticks short of its deadline.
#[derive(Clone, Copy)]
struct Part {
    whole: u64,
    cost: Ticks,
    early: Ticks,
}

impl<'a> Forced<'a> {
    pub fn of(tasks: &'a [Task], processors: u32) -> Self {
        Self { tasks: tasks.iter().map(|task| (task, Divisor::new(task.period))).collect(), processors }
    }

    pub fn processors(&self) -> u32 {
        self.processors
    }

    fn parts(&self, window: Ticks) -> impl Iterator<Item = Part> {
        self.tasks.iter().map(move |(task, period)| {
            let (jobs, rest) = period.divide(window);
            Part { whole: jobs * task.cost, cost: task.cost, early: task.deadline.saturating_sub(rest) }
        })
    }

    /// Sum of all ff_i, scaled by the speed's denominator.
    pub fn work(&self, window: Ticks, speed: Speed, budget: &mut Budget) -> Result<u128, Spent> {
        budget.spend(self.tasks.len() as u64)?;
        Ok(self.parts(window).map(|part| part.work(speed)).sum())
    }

    /// By how much the demand of `window`, which does not fit, exceeds the capacity at `speed`.
    pub fn excess(&self, window: Ticks, speed: Speed, budget: &mut Budget) -> Result<Excess, Spent> {
        let work = self.work(window, speed, budget)?;
        let capacity = speed.capacity(self.processors).per_tick * u128::from(window);
        let rising = i128::from(self.processors - 1) * i128::from(window);
        let falling = |wanted: fn(i128) -> bool| -> i128 {
            let falls = self.parts(window).filter(|part| wanted(part.forced(speed)));
            falls.map(|part| i128::from(part.early)).sum()
        };
        Ok(Excess {
            work: work - capacity,
            slope_below: rising - falling(|forced| forced >= 0),
            slope_above: rising - falling(|forced| forced > 0),
        })
    }
}

impl Part {
    /// C - (D-r) sigma, scaled by sigma's denominator: what the last job must have done; may be below zero.
    fn forced(self, speed: Speed) -> i128 {
        i128::from(self.cost) * i128::from(speed.denominator) - i128::from(self.early) * i128::from(speed.numerator)
    }

    fn work(self, speed: Speed) -> u128 {
        u128::from(self.whole) * u128::from(speed.denominator) + self.forced(speed).max(0).unsigned_abs()
    }
}
