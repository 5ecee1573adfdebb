//! BAK: how much the others' work of earlier windows can still be carried into the window of a job that misses.
//!
//! For every k, with lambda = C_k/min(D_k, T_k): sum over all i (k too) of min(1, beta_i) <= m (1 - lambda) + lambda,
//! where beta_i = u_i (1 + max(0, T_i - D_i)/D_k), and (C_i - lambda T_i)/D_k more if lambda < u_i. Baker, RTSS 2003,
//! and TPDS 16(8) 2005. With the maximum and with min(D_k, T_k) in lambda it also holds for D > T; the tools that lack
//! them accept sets that miss (docs/schedulability-tests.md).
//!
//! Holds for arrivals at any real instant: the proof bounds shares of a real interval and knows no tick.
//!
//! Everything is multiplied by D_k. Sums are bounded on both sides in units of 2^-60 ticks; where the bounds cannot
//! tell, whole parts are added as integers and what is left is compared exactly.

use super::condition::{Decision, Reach, Tightest, ask};
use super::test::Test;
use crate::budget::Spent;
use crate::exact::compare_sum;
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// BAK for any deadlines.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask(Test::Bak, Reach::Arbitrary, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    budget.spend(tasks.len() as u64)?;
    let carriers: Vec<Carrier> = tasks.iter().map(Carrier::of).collect();
    let mut tightest = Tightest::default();
    for (index, task) in tasks.iter().enumerate() {
        budget.spend(tasks.len() as u64)?;
        let problem = Problem::of(task, processors);
        let demand = carriers.iter().map(|carrier| problem.term(carrier)).sum();
        let margin = problem.margin(demand);
        let error = problem.error(tasks);
        if !problem.decide(demand, error).unwrap_or_else(|| problem.decide_exactly(tasks)) {
            return Ok(Decision::fails(index, margin));
        }
        tightest.see(index, margin);
    }
    Ok(tightest.holds())
}

/// Bits behind the point: 2^16 terms of at most 2^48 ticks each leave 64, and four are spare.
const POINT: u32 = 60;

/// What task i brings along into any window, rounded down.
struct Carrier {
    task: Task,
    /// u_i, in 2^-60.
    share: u64,
    /// u_i max(0, T_i - D_i), in 2^-60 ticks.
    before: u128,
}

impl Carrier {
    fn of(task: &Task) -> Self {
        let share = (u128::from(task.cost) << POINT) / u128::from(task.period);
        let room = task.period.saturating_sub(task.deadline);
        let carried = u128::from(task.cost) * u128::from(room);
        let (whole, rest) = (carried / u128::from(task.period), carried % u128::from(task.period));
        let before = (whole << POINT) + (rest << POINT) / u128::from(task.period);
        Self { task: *task, share: share as u64, before }
    }
}

/// The condition on task k, times D_k.
struct Problem {
    /// Task k.
    task: Task,
    processors: u32,
    /// lambda rounded up, in 2^-60.
    lambda: u64,
    /// D_k (m (1 - lambda) + lambda) rounded down, in 2^-60 ticks; as much as there are numbers if it is beyond them.
    capacity: u128,
}

impl Problem {
    fn of(task: &Task, processors: u32) -> Self {
        let (window, deadline) = (u128::from(task.window()), u128::from(task.deadline));
        let lambda = (u128::from(task.cost) << POINT).div_ceil(window) as u64;
        let idle = idle_share_over_window(task, processors);
        // In two parts, so that no product leaves 128 bits.
        let part = idle % window * deadline;
        let whole = idle / window * deadline + part / window;
        let rest = ((part % window) << POINT) / window;
        let capacity = if whole < 1 << (127 - POINT) { (whole << POINT) + rest } else { u128::MAX };
        Self { task: *task, processors, lambda, capacity }
    }

    /// min(D_k, beta_i D_k), in 2^-60 ticks; at most D_k + T_i + 2 units too little.
    #[inline]
    fn term(&self, carrier: &Carrier) -> u128 {
        let deadline = u128::from(self.task.deadline);
        let mut work = u128::from(carrier.share) * deadline + carrier.before;
        if self.is_below(&carrier.task) {
            let kept = u128::from(self.lambda) * u128::from(carrier.task.period);
            work += (u128::from(carrier.task.cost) << POINT).saturating_sub(kept);
        }
        work.min(deadline << POINT)
    }

    /// lambda < u_i.
    #[inline]
    fn is_below(&self, task: &Task) -> bool {
        u128::from(self.task.cost) * u128::from(task.period) < u128::from(task.cost) * u128::from(self.task.window())
    }

    /// By how much the sum of all terms may be too little, in 2^-60 ticks.
    fn error(&self, tasks: TaskSet<'_>) -> u128 {
        tasks.iter().map(|task| u128::from(self.task.deadline) + u128::from(task.period) + 2).sum()
    }

    /// Whether the demand, known up to `error`, is at most the capacity, known up to one; `None` if that cannot tell.
    fn decide(&self, demand: u128, error: u128) -> Option<bool> {
        if demand + error <= self.capacity {
            Some(true)
        } else if demand > self.capacity.saturating_add(1) {
            Some(false)
        } else {
            None
        }
    }

    fn decide_exactly(&self, tasks: TaskSet<'_>) -> bool {
        let exact: Vec<ExactTerm> = tasks.iter().map(|task| self.exact_term(task)).collect();
        let window = u128::from(self.task.window());
        let whole: u128 = exact.iter().map(|term| term.whole).sum();
        let over_window: u128 = exact.iter().map(|term| u128::from(term.over_window)).sum();
        // Beyond 128 bits the capacity is larger than any sum of 2^16 terms.
        let Some(capacity) = idle_share_over_window(&self.task, self.processors).checked_mul(self.task.deadline.into())
        else {
            return true;
        };
        let Some(left) = capacity.checked_sub(whole * window + over_window) else { return false };
        let left = Ratio::new(left, window).expect("a window is at least one tick");
        compare_sum(exact.iter().map(|term| term.over_period), left) != Ordering::Greater
    }

    /// The same term without rounding.
    fn exact_term(&self, task: &Task) -> ExactTerm {
        let (deadline, window) = (u128::from(self.task.deadline), u128::from(self.task.window()));
        let (cost, period) = (u128::from(task.cost), u128::from(task.period));
        let carried = cost * (deadline + u128::from(task.period.saturating_sub(task.deadline)));
        let excess = (cost * window).saturating_sub(u128::from(self.task.cost) * period);
        let (whole, over_period, over_window) = (carried / period + excess / window, carried % period, excess % window);
        let fractions_reach_one = over_period * window + over_window * period >= period * window;
        if whole >= deadline || whole + 1 == deadline && fractions_reach_one {
            return ExactTerm { whole: deadline, over_period: (0, 1), over_window: 0 };
        }
        ExactTerm { whole, over_period: (over_period as u64, task.period), over_window: over_window as u64 }
    }

    fn margin(&self, demand: u128) -> Margin {
        let ticks = |amount: u128| amount as f64 / (1u64 << POINT) as f64;
        let of = Quantity::Work { window: self.task.deadline };
        Margin { demand: ticks(demand), capacity: ticks(self.capacity), of }
    }
}

/// min(D_k, beta_i D_k) = whole + a fraction of T_i + a part of min(D_k, T_k).
struct ExactTerm {
    whole: u128,
    over_period: (u64, u64),
    over_window: Ticks,
}

/// (m (1 - lambda) + lambda) min(D, T) = m (min(D, T) - C) + C, for task k.
fn idle_share_over_window(task: &Task, processors: u32) -> u128 {
    u128::from(processors) * u128::from(task.window() - task.cost) + u128::from(task.cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The condition on the second task: what the bounds say, and what exact arithmetic says.
    fn second(tasks: &[Task]) -> (Option<bool>, bool) {
        let tasks = TaskSet::new(tasks).unwrap();
        let problem = Problem::of(&tasks[1], 2);
        let demand = tasks.iter().map(|task| problem.term(&Carrier::of(task))).sum();
        (problem.decide(demand, problem.error(tasks)), problem.decide_exactly(tasks))
    }

    #[test]
    fn an_excess_of_two_to_the_minus_96_is_seen() {
        // For p = q + 2 both odd: (p-1)/2p + (q+1)/2q + (q-1)/2q is 1/pq more than 2 - (q+1)/2q.
        let (p, q): (Ticks, Ticks) = ((1 << 48) - 1, (1 << 48) - 3);
        let second_and_third = [Task::implicit(q.div_ceil(2), q), Task::implicit(q / 2, q)];
        let with = |first| second(&[Task::implicit(first, p), second_and_third[0], second_and_third[1]]);
        assert_eq!(with(p / 2), (None, false));
        assert_eq!(with(p / 2 - 1), (Some(true), true));
        assert_eq!(with(p / 2 + 1), (Some(false), false));
    }

    #[test]
    fn equality_holds() {
        let third = Task::implicit(1, 3);
        assert_eq!(second(&[third; 5]), (None, true));
        assert_eq!(second(&[third; 6]), (Some(false), false));
    }
}
