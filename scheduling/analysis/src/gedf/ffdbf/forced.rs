//! Forced-forward demand of a window, along time for one speed and along the speed for one window.

use super::speed::{Excess, Speed};
use crate::gedf::descent::Window;
use crate::gedf::divisor::Divisor;
use crate::{Task, Ticks};

/// Tasks with C <= D <= T, and the processors they share.
pub(super) struct Forced<'a> {
    pub tasks: &'a [Task],
    pub processors: u32,
    periods: Vec<Divisor>,
}

/// One task's part of a window: whole jobs, and a last one that is `early` ticks short of its deadline.
#[derive(Clone, Copy)]
struct Part {
    whole: u64,
    cost: Ticks,
    early: Ticks,
}

impl<'a> Forced<'a> {
    pub(super) fn of(tasks: &'a [Task], processors: u32) -> Self {
        Self { tasks, processors, periods: tasks.iter().map(|task| Divisor::new(task.period)).collect() }
    }

    /// Sum of all ff_i, scaled by the speed's denominator.
    pub(super) fn work(&self, window: Ticks, speed: Speed) -> u128 {
        self.parts(window).map(|part| part.work(speed)).sum()
    }

    /// By how much what `window` was asked at `speed` exceeds the capacity, and how that changes along the speed.
    ///
    /// The capacity falls by (m-1) t for a unit of speed, and each started job's part by D - r as long as there is any.
    pub(super) fn excess(&self, window: Window, speed: Speed) -> Excess {
        let capacity = speed.capacity(self.processors).per_tick * u128::from(window.length);
        let rising = i128::from(self.processors - 1) * i128::from(window.length);
        let (mut falling_below, mut falling_above) = (0, 0);
        for part in self.parts(window.length) {
            falling_below += if part.forced(speed) >= 0 { i128::from(part.early) } else { 0 };
            falling_above += if part.forced(speed) > 0 { i128::from(part.early) } else { 0 };
        }
        Excess {
            work: window.demand.work - capacity,
            slope_below: rising - falling_below,
            slope_above: rising - falling_above,
        }
    }

    fn parts(&self, window: Ticks) -> impl Iterator<Item = Part> {
        self.tasks.iter().zip(&self.periods).map(move |(task, period)| {
            let (jobs, rest) = period.divide(window);
            Part { whole: jobs * task.cost, cost: task.cost, early: task.deadline.saturating_sub(rest) }
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
