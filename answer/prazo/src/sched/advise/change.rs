//! The changes that are tried, each a task set of its own: another scheduler, other priorities, other times, more processors.

use prazo_analysis::{Task, Ticks};
use prazo_scenario::{JobRanking, Priorities, Scenario};

/// What kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Another policy or other clusters, on the same processors.
    Scheduler,
    /// Another order of fixed priorities.
    Priorities,
    /// Longer periods, within the tolerance.
    Periods,
    /// Smaller costs.
    Costs,
    /// More processors.
    Processors,
    /// Another budget, rate or delay of the supply.
    Supply,
}

prazo_core::words!(ChangeKind:
    Scheduler => "scheduler",
    Priorities => "priorities",
    Periods => "periods",
    Costs => "costs",
    Processors => "processors",
    Supply => "supply",
);

/// A change in words, with the set that it makes.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub kind: ChangeKind,
    pub text: String,
    pub scenario: Scenario,
}

/// Orders of priorities beyond the usual ones that are tried.
const ORDERS_MAX: usize = 120;

/// Every policy with every way to share the processors, except the one that is asked about.
pub(super) fn schedulers(base: &Scenario) -> Vec<Change> {
    let processors = base.processors.unwrap_or(1);
    let halves = (processors >= 4 && processors.is_multiple_of(2)).then(|| vec![processors / 2; 2]);
    let shapes = [Some(None), (processors > 1).then(|| Some(vec![1; processors as usize])), halves.map(Some)];
    let policies = [
        (JobRanking::Edf, "EDF"),
        (JobRanking::FixedPriority(Priorities::DeadlineMonotonic), "deadline-monotonic priorities"),
        (JobRanking::FixedPriority(Priorities::Audsley), "priorities from Audsley's search"),
    ];
    let mut changes = Vec::new();
    for shape in shapes.into_iter().flatten() {
        for (policy, name) in policies {
            // Audsley's search is for one processor.
            let searches = policy == JobRanking::FixedPriority(Priorities::Audsley);
            if searches && (processors > 1 && shape.is_none() || shape.iter().flatten().any(|size| *size > 1)) {
                continue;
            }
            let mut scenario = base.clone();
            (scenario.clusters, scenario.policy) = (shape.clone(), Some(policy));
            scenario.tasks.iter_mut().for_each(|task| (task.cluster, task.affinity) = (None, None));
            if (&scenario.clusters, scenario.policy) == (&base.clusters, base.policy) {
                continue;
            }
            let shared = match &shape {
                _ if processors == 1 => String::new(),
                None => ", one queue for all processors".to_owned(),
                Some(sizes) if sizes.iter().all(|size| *size == 1) => ", a queue for each processor".to_owned(),
                Some(sizes) => format!(", clusters of {} processors", sizes[0]),
            };
            let text = format!("Schedule by {name}{shared}");
            changes.push(Change { kind: ChangeKind::Scheduler, text, scenario });
        }
    }
    // What keeps the policy comes first.
    changes.sort_by_key(|change| change.scenario.policy != base.policy);
    changes
}

/// Orders of fixed priorities, where the set has such on one queue; the usual ones, then all of a small set.
pub(super) fn orders(base: &Scenario) -> impl Iterator<Item = Change> + '_ {
    let one_queue = base.clusters.as_ref().is_none_or(|sizes| sizes.len() == 1);
    let applies = one_queue && matches!(base.policy, Some(JobRanking::FixedPriority(_))) && base.tasks.len() > 1;
    let by = |key: fn(&Task) -> Ticks| {
        let mut order: Vec<usize> = (0..base.tasks.len()).collect();
        order.sort_by_key(|&task| key(&base.tasks[task].task));
        order
    };
    let usual = [
        by(|task| task.deadline),
        by(|task| task.period),
        by(|task| task.deadline.saturating_sub(task.cost)),
        by(|task| task.period.saturating_sub(task.cost)),
    ];
    let all = permutations(base.tasks.len()).take(ORDERS_MAX);
    usual.into_iter().chain(all).filter(move |_| applies).map(move |order| {
        let mut scenario = base.clone();
        scenario.policy = Some(JobRanking::FixedPriority(Priorities::Given));
        for (rank, &task) in order.iter().enumerate() {
            scenario.tasks[task].priority = Some(rank as u32);
        }
        let names: Vec<String> = order.iter().map(|&task| format!("'{}'", base.tasks[task].name)).collect();
        let text = format!("Give priorities in this order, the most urgent first: {}", names.join(", "));
        Change { kind: ChangeKind::Priorities, text, scenario }
    })
}

/// All orders of `count` things; none beyond six.
fn permutations(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let orders: usize = if count <= 6 { (1..=count).product() } else { 0 };
    let of = move |mut number: usize| {
        let mut left: Vec<usize> = (0..count).collect();
        let mut order = Vec::with_capacity(count);
        for size in (1..=count).rev() {
            order.push(left.remove(number % size));
            number /= size;
        }
        order
    };
    (0..orders).map(of)
}

/// The set with `processors`: one queue, or one for each; `None` for other clusters.
pub(super) fn processors(base: &Scenario, processors: u32) -> Option<Change> {
    let clusters = match &base.clusters {
        None => None,
        Some(sizes) if sizes.len() == 1 => Some(vec![processors]),
        Some(sizes) if sizes.iter().all(|size| *size == 1) => Some(vec![1; processors as usize]),
        Some(_) => return None,
    };
    let mut scenario = Scenario { processors: Some(processors), clusters, ..base.clone() };
    scenario.tasks.iter_mut().for_each(|task| (task.cluster, task.affinity) = (None, None));
    let more = processors - base.processors.unwrap_or(1);
    let text =
        format!("Use {}", prazo_core::text::counted(processors.into(), "processor")) + &format!(" ({more} more)");
    Some(Change { kind: ChangeKind::Processors, text, scenario })
}

/// The set with these times, which differ from the base's.
pub(super) fn with_tasks(base: &Scenario, tasks: &[Task], kind: ChangeKind, text: String) -> Change {
    let mut scenario = base.clone();
    scenario.tasks.iter_mut().zip(tasks).for_each(|(named, task)| named.task = *task);
    Change { kind, text, scenario }
}

/// The task with another period; a deadline at the period's end moves with it.
pub(super) fn with_period(task: &Task, period: Ticks) -> Task {
    let deadline = if task.deadline == task.period { period } else { task.deadline };
    Task { period, deadline, ..*task }
}

/// Each period that is a task's own, rounded up to the shortest one times a power of two; `None` where one would grow by more than
/// `percent`, or none grows.
pub(super) fn harmonic(tasks: &[Task], is_own: &[bool], percent: u32) -> Option<Vec<Task>> {
    let shortest = tasks.iter().map(|task| task.period).min()?;
    let grown = |(task, is_own): (&Task, &bool)| {
        if !is_own {
            return Some(*task);
        }
        let mut period = shortest;
        while period < task.period {
            period = period.checked_mul(2)?;
        }
        (period <= longest(task.period, percent)).then(|| with_period(task, period))
    };
    let grown: Vec<Task> = tasks.iter().zip(is_own).map(grown).collect::<Option<_>>()?;
    (grown != tasks).then_some(grown)
}

/// The longest period that is within the tolerance.
pub(super) fn longest(period: Ticks, percent: u32) -> Ticks {
    let grown = u128::from(period) * u128::from(100 + percent) / 100;
    Ticks::try_from(grown).unwrap_or(Ticks::MAX).min(prazo_core::task::TICKS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_all_different() {
        let mut all: Vec<Vec<usize>> = permutations(4).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
        assert_eq!(permutations(9).count(), 0);
        assert_eq!(permutations(100).count(), 0, "100! is larger than any number here");
    }

    #[test]
    fn periods_are_harmonized_only_within_the_tolerance() {
        let tasks = [Task::implicit(1, 10), Task::implicit(1, 19), Task::new(1, 38, 20)];
        let grown = harmonic(&tasks, &[true; 3], 10).unwrap();
        assert_eq!(grown, [Task::implicit(1, 10), Task::implicit(1, 20), Task::new(1, 40, 20)]);
        assert_eq!(harmonic(&tasks, &[true; 3], 5), None);
        assert_eq!(harmonic(&grown, &[true; 3], 5), None);
        assert_eq!(harmonic(&tasks, &[true, false, true], 10).unwrap()[1], tasks[1], "it follows from a burst");
    }
}
