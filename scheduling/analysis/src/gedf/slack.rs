//! Rounds in which tasks help each other: the slack that one is known to have shrinks what it can ask of the others'
//! windows.
//!
//! BCLI and RTA differ only in how they bound one task. Both are monotone: more slack of the others never lowers a
//! task's own. So slacks rise from 0 towards the least fixed point, which decides, and they can also fall towards the
//! greatest one from the most there can be, s = D - C. What rises stays below what falls. So a task that fails even
//! with the slacks on their way down fails in every round, and the set is given up at once: no verdict changes, and the
//! sets that fail become cheap.

use super::condition::{Decision, Tightest};
use super::divisor::Divisor;
use crate::budget::Spent;
use crate::{Margin, Quantity, Task, TaskSet, Ticks};

/// A task with what is divided by again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub cost: Ticks,
    pub deadline: Ticks,
    pub period: Divisor,
}

impl Member {
    /// The members of `tasks`, in their order.
    pub(super) fn all(tasks: TaskSet<'_>) -> Vec<Self> {
        let member = |task: &Task| Self { cost: task.cost, deadline: task.deadline, period: Divisor::new(task.period) };
        tasks.iter().map(member).collect()
    }

    /// w_i = floor(D_k/T_i) C_i + min(C_i, max(0, (D_k mod T_i) - s_i)): the most work within a `window` D_k that ends
    /// at a deadline of this task; at most D_k, since C <= T.
    #[inline]
    pub(super) fn work_within(&self, window: Ticks, slack: Ticks) -> Ticks {
        let (jobs, rest) = self.period.divide(window);
        jobs * self.cost + least(self.cost, positive(rest as i64 - slack as i64))
    }
}

/// max(0, x). Where jobs end is as good as random, so that a branch would be mispredicted half of the time.
#[inline]
pub(super) fn positive(x: i64) -> Ticks {
    (x & !(x >> 63)) as Ticks
}

/// The smaller of two times below 2^63, without a branch.
#[inline]
pub(super) fn least(a: Ticks, b: Ticks) -> Ticks {
    let beyond = b as i64 - a as i64;
    (a as i64 + (beyond & (beyond >> 63))) as Ticks
}

/// A bound of one task's response time, given the slacks of the others; above its deadline if it could not be bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub response_time: u128,
    pub deadline: Ticks,
}

impl Bound {
    fn slack(self) -> Option<Ticks> {
        u128::from(self.deadline).checked_sub(self.response_time).map(|slack| slack as Ticks)
    }

    fn margin(self) -> Margin {
        Margin { demand: self.response_time as f64, capacity: self.deadline as f64, of: Quantity::ResponseTime }
    }
}

/// Asks `bound` for every task, with the slacks known so far, for at most `rounds` rounds.
///
/// Holds as soon as every task's bound is within its deadline in one round; fails when no slack grows any more. Where a set
/// `may_be_hopeless`, that is looked at after the first failure; a set that is proven in the end is not.
pub(super) fn iterate(
    members: &[Member],
    rounds: u64,
    may_be_hopeless: impl Fn() -> bool,
    mut bound: impl FnMut(usize, &[Ticks]) -> Result<Bound, Spent>,
) -> Result<Decision, Spent> {
    let mut slacks = vec![0; members.len()];
    let mut first_failure = None;
    for _ in 0..rounds {
        let mut round = Round::default();
        for index in 0..members.len() {
            let bounded = bound(index, &slacks)?;
            slacks[index] = round.record(index, slacks[index], bounded);
            if first_failure.is_none() && round.failure.is_some() {
                first_failure = round.failure;
                if may_be_hopeless() && is_hopeless(members, &mut bound)? {
                    return Ok(Decision::fails(index, bounded.margin()));
                }
            }
        }
        if round.failure.is_none() {
            return Ok(round.tightest.holds());
        }
        if !round.grew {
            break;
        }
        first_failure = round.failure;
    }
    let (task, margin) = first_failure.expect("there is at least one round, and it did not hold");
    Ok(Decision::fails(task, margin))
}

/// So many times slacks are lowered over all tasks before the rise goes on; sets that fail mostly do so in the first
/// two.
const FALLS: u32 = 2;

/// True if some task fails with more slack of the others than they can have. Late deadlines first: they lose most.
fn is_hopeless(
    members: &[Member],
    bound: &mut impl FnMut(usize, &[Ticks]) -> Result<Bound, Spent>,
) -> Result<bool, Spent> {
    let mut most: Vec<Ticks> = members.iter().map(|member| member.deadline - member.cost).collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(members[*index].deadline));
    for _ in 0..FALLS {
        for index in &order {
            match bound(*index, &most)?.slack() {
                Some(slack) => most[*index] = most[*index].min(slack),
                None => return Ok(true),
            }
        }
    }
    Ok(false)
}

/// What one round has seen.
#[derive(Default)]
struct Round {
    tightest: Tightest,
    failure: Option<(usize, Margin)>,
    grew: bool,
}

impl Round {
    /// Takes note of a bound; answers the task's slack from now on.
    fn record(&mut self, index: usize, known: Ticks, bound: Bound) -> Ticks {
        match bound.slack() {
            Some(slack) => {
                self.tightest.see(index, bound.margin());
                self.grew |= slack > known;
                slack.max(known)
            }
            None => {
                self.failure.get_or_insert((index, bound.margin()));
                known
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_branches_the_numbers_are_the_same() {
        let times = [0, 1, 2, 5, 1 << 20, (1 << 48) - 1, 1 << 48, (1 << 62) + 1];
        for a in times {
            for b in times {
                assert_eq!(least(a, b), a.min(b));
                assert_eq!(positive(a as i64 - b as i64), a.saturating_sub(b));
            }
        }
    }
}
