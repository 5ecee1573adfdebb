//! RM-US[m/(3m-2)]: U <= m^2/(3m-2), when tasks above that share of a processor go first.
//!
//! Rate-monotonic alone can miss at a utilization of barely more than one processor (Dhall's effect): a heavy task behind
//! light ones. Here tasks with u > m/(3m-2) go first, in any order, and the others rate-monotonically. Andersson, Baruah,
//! Jonsson, RTSS 2001, theorem 5; D >= T, without jitter. It is for m >= 2: the formula would grant a whole processor to
//! m = 1, which no fixed order can keep.
//!
//! Holds for arrivals at any real instant: the proof compares rates of work and knows no tick.

use super::System;
use crate::exact::compare_sum;
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Margin, Quantity};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;

const NAME: &str = super::Test::RmUs.name();

/// The order that the bound is for: tasks with u > m/(3m-2) first, then by period; ties by index.
pub fn order(tasks: &[Task], processors: u32) -> PriorityOrder {
    PriorityOrder::by_key(
        tasks.len(),
        |index| if is_heavy(&tasks[index], processors) { 0 } else { tasks[index].period },
    )
}

/// Proven if U <= m^2/(3m-2) and the order is the one that this is for.
pub(super) fn test(system: System<'_>, budget: &mut Budget) -> Finding {
    if let Some(why) = not_for(system) {
        return Finding::not_applicable(NAME, why);
    }
    let System { tasks, processors, .. } = system;
    let work = tasks.len() as u64;
    if budget.spend(work).is_err() {
        return Finding::budget_spent(NAME, work);
    }
    let m = u128::from(processors);
    let bound = Ratio::new(m * m, 3 * m - 2).expect("3m - 2 is not zero");
    let fits = compare_sum(tasks.iter().map(|task| (task.cost, task.period)), bound).is_le();
    let demand = tasks.iter().map(|task| task.cost as f64 / task.period as f64).sum();
    let margin = Some(Margin { demand, capacity: bound.to_f64(), of: Quantity::Utilization });
    // A task with u > 1 alone may hide in a sum below m.
    if fits && tasks.iter().all(|task| task.cost <= task.period) {
        Finding::proven(NAME, None, margin, work)
    } else {
        Finding::does_not_hold(NAME, None, margin, work)
    }
}

/// Why the bound does not speak of `system`.
fn not_for(System { tasks, order, processors, .. }: System<'_>) -> Option<&'static str> {
    if processors < 2 {
        Some("this bound needs at least two processors; on one processor, the response-time test is exact")
    } else if tasks.iter().any(|task| task.deadline < task.period) {
        Some("this bound needs D >= T for every task")
    } else if !has_heavy_first(&tasks, order, processors) {
        Some(
            "this bound needs the highest priorities for tasks with utilization above m/(3m-2), and rate-monotonic order for the others",
        )
    } else {
        None
    }
}

fn has_heavy_first(tasks: &[Task], order: &PriorityOrder, processors: u32) -> bool {
    let light: Vec<&Task> =
        order.indices().iter().map(|index| &tasks[*index]).skip_while(|task| is_heavy(task, processors)).collect();
    light.is_sorted_by_key(|task| task.period) && !light.iter().any(|task| is_heavy(task, processors))
}

/// u > m/(3m-2).
fn is_heavy(task: &Task, processors: u32) -> bool {
    let m = u128::from(processors);
    u128::from(task.cost) * (3 * m - 2) > m * u128::from(task.period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uniprocessor::priority::rate_monotonic;
    use crate::{TaskSet, TimeModel};

    #[test]
    fn dhalls_heavy_task_goes_first() {
        // Two light tasks arrive together with one that needs almost a whole processor; m = 2, U = 0.93, bound 1.
        let tasks = [Task::implicit(1, 10), Task::implicit(1, 10), Task::implicit(8, 11)];
        assert_eq!(order(&tasks, 2).indices(), [2, 0, 1]);
        let system =
            |order| System { tasks: TaskSet::new(&tasks).unwrap(), order, processors: 2, time: TimeModel::Continuous };
        let (first, behind) = (order(&tasks, 2), rate_monotonic(&tasks));
        assert!(test(system(&first), &mut Budget::unlimited()).is_proven());
        assert!(!test(system(&behind), &mut Budget::unlimited()).is_proven());
    }

    #[test]
    fn one_processor_is_not_granted_whole() {
        // U = 0.96; the task of 12 misses under the only order that the bound could mean.
        let tasks = [Task::implicit(1, 6), Task::implicit(3, 8), Task::implicit(5, 12)];
        let order = order(&tasks, 1);
        let system =
            System { tasks: TaskSet::new(&tasks).unwrap(), order: &order, processors: 1, time: TimeModel::Continuous };
        assert!(!test(system, &mut Budget::unlimited()).is_proven());
    }

    #[test]
    fn the_bound_is_met_exactly_and_not_exceeded() {
        let at = [Task::implicit(1, 2), Task::implicit(1, 2)];
        let above = [at[0], Task::implicit((1 << 40) + 1, 2 << 40)];
        for (tasks, proven) in [(at, true), (above, false)] {
            let order = order(&tasks, 2);
            let system = System {
                tasks: TaskSet::new(&tasks).unwrap(),
                order: &order,
                processors: 2,
                time: TimeModel::Continuous,
            };
            assert_eq!(test(system, &mut Budget::unlimited()).is_proven(), proven);
        }
    }
}
