//! U <= 1: necessary for every set, and for one whose deadlines are not before the next arrival all that there is to ask.
//!
//! Liu, Layland, JACM 20(1), 1973, theorem 7, for D = T. For D - J >= T the same holds, since then the demand of a window
//! t is at most t U; U > 1 is too much for every set, if only in the long run.

use super::window_after_release;
use crate::exact::{Fraction, compare_sum};
use crate::{Budget, Finding, Margin, Quantity, TaskSet};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use std::cmp::Ordering;

const NAME: &str = "utilization";

/// Proven if U <= 1 and D - J >= T for every task; Disproven if U > 1.
pub fn test(tasks: TaskSet<'_>, budget: &mut Budget) -> Finding {
    let work = tasks.len() as u64;
    if budget.spend(work).is_err() {
        return Finding::budget_spent(NAME, work);
    }
    let utilization = Utilization::of(&tasks);
    let margin = Some(utilization.margin());
    if utilization.compare_with_one(&tasks) == Ordering::Greater {
        Finding::overdemand(NAME, None, margin, work)
    } else if tasks.iter().all(|task| window_after_release(task).is_some_and(|window| window >= task.period)) {
        Finding::proven(NAME, None, margin, work)
    } else {
        let why = "this test decides only sets with D - J >= T for every task, or U > 1; QPA decides the others";
        Finding { work, ..Finding::not_applicable(NAME, why) }
    }
}

/// U between two bounds in units of 2^-shift: with 64-bit divisions only, as tight as the longest cost allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Utilization {
    lo: u128,
    hi: u128,
    shift: u32,
}

impl Utilization {
    /// Bounds on the sum of C/T.
    pub(super) fn of(tasks: &[Task]) -> Self {
        // A cost is at most 2^48, so that at least 15 bits stand behind the point; for microseconds it is more than 40.
        let shift = tasks.iter().map(|task| task.cost.leading_zeros()).min().unwrap_or(63).min(63);
        let (mut lo, mut hi) = (0u128, 0u128);
        for task in tasks {
            let (scaled, period) = (task.cost << shift, task.period);
            lo += u128::from(scaled / period);
            hi += u128::from(scaled.div_ceil(period));
        }
        Self { lo, hi, shift }
    }

    /// How U compares with 1, exactly.
    pub(super) fn compare_with_one(self, tasks: &[Task]) -> Ordering {
        if self.hi < self.one() {
            Ordering::Less
        } else if self.lo > self.one() {
            Ordering::Greater
        } else {
            compare_sum(tasks.iter().map(|task| -> Fraction { (task.cost, task.period) }), Ratio::ONE)
        }
    }

    /// 1 in these units.
    pub(super) const fn one(self) -> u128 {
        1 << self.shift
    }

    /// At most 1 - U in these units; zero if the bounds do not separate U from 1.
    pub(super) const fn spare(self) -> u128 {
        self.one().saturating_sub(self.hi)
    }

    /// U against 1, to show.
    pub(super) fn margin(self) -> Margin {
        let demand = (self.lo + self.hi) as f64 / 2.0 / self.one() as f64;
        Margin { demand, capacity: 1.0, of: Quantity::Utilization }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    fn verdict(tasks: &[Task]) -> Verdict {
        test(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).verdict
    }

    #[test]
    fn a_full_processor_is_proven_and_a_hair_more_disproven() {
        let thirds = [Task::implicit(1, 3); 3];
        assert_eq!(verdict(&thirds), Verdict::Proven);
        let hair = [Task::implicit(1, 3), Task::implicit(1, 3), Task::implicit((1 << 40) + 1, 3 << 40)];
        assert_eq!(verdict(&hair), Verdict::Disproven);
    }

    #[test]
    fn jitter_inside_a_long_deadline_is_covered_and_beyond_it_is_not() {
        let task = Task { jitter: 3, ..Task::new(10, 10, 13) };
        assert_eq!(verdict(&[task]), Verdict::Proven);
        assert_eq!(verdict(&[Task { jitter: 4, ..task }]), Verdict::Unknown);
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        let longest = Task::implicit(1 << 48, 1 << 48);
        assert_eq!(verdict(&[longest]), Verdict::Proven);
        assert_eq!(verdict(&[longest, Task::implicit(1, 1 << 48)]), Verdict::Disproven);
    }
}
