//! What holds for the admitted threads of one root domain, whatever the kernel's admission says.

use crate::exact::compare_sum;
use crate::{Finding, TaskSet};
use prazo_core::ratio::Ratio;

/// What can be relied on.
#[derive(Clone, Debug, PartialEq)]
pub enum Guarantee {
    /// Every deadline, by this proof.
    Deadlines(Finding),
    /// No job is later than a bound: the domain is not overloaded, and no thread asks for more than a processor.
    BoundedTardiness,
    /// Nothing: delays may grow for as long as the threads run.
    Nothing,
}

/// What holds for `tasks` on the `processors` of one root domain, given what a test of EDF there has found.
///
/// Bounded tardiness is Devi and Anderson's (RTSS 2005): U <= m and every u <= 1.
pub fn guarantee(tasks: TaskSet<'_>, processors: u32, finding: Finding) -> Guarantee {
    let utilizations = tasks.iter().map(|task| (task.cost, task.period));
    if finding.is_proven() {
        Guarantee::Deadlines(finding)
    } else if tasks.iter().all(|task| task.cost <= task.period)
        && compare_sum(utilizations, Ratio::whole(u64::from(processors))).is_le()
    {
        Guarantee::BoundedTardiness
    } else {
        Guarantee::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use crate::linux::{Limits, Reservation, admission};
    use crate::uniprocessor::edf;
    use prazo_core::task::Task;

    /// What one processor of Linux says of `tasks` in milliseconds, and what holds there.
    fn both(tasks: &[Task]) -> (bool, Guarantee) {
        let ns_per_tick = Ratio::whole(1_000_000);
        let reservations: Vec<_> = tasks.iter().map(|task| Reservation::of(task, ns_per_tick, 0).unwrap()).collect();
        let set = TaskSet::new(tasks).unwrap();
        let finding = edf::test(set, &mut Budget::unlimited());
        (admission(&reservations, &[1], &Limits::default()).admitted, guarantee(set, 1, finding))
    }

    #[test]
    fn admission_and_guarantee_differ_both_ways() {
        let (admitted, holds) = both(&[Task::implicit(4, 10), Task::implicit(5, 10)]);
        assert!(admitted && matches!(holds, Guarantee::Deadlines(_)));
        let (admitted, holds) = both(&[Task::implicit(5, 10), Task::implicit(5, 10)]);
        assert!(!admitted && matches!(holds, Guarantee::Deadlines(_)), "5 per cent are kept for others");
        let (admitted, holds) = both(&[Task::new(4, 10, 4), Task::new(4, 10, 5)]);
        assert_eq!((admitted, holds), (true, Guarantee::BoundedTardiness));
        let (admitted, holds) = both(&[Task::implicit(6, 10), Task::implicit(5, 10)]);
        assert_eq!((admitted, holds), (false, Guarantee::Nothing));
    }
}
