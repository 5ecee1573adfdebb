//! The tasks of a bin by urgency, as the policy gives it or, for Audsley's, found again.

use super::Charged;
use super::completions::completions;
use super::text::spaced;
use crate::Task;
use crate::partition::Bin;
use crate::question::Priorities;

/// A bin's tasks with their indices, most urgent first.
pub(super) struct Ranked {
    /// Pseudo-tasks above all others.
    pub interrupts: Vec<Task>,
    /// Index and charged task.
    pub tasks: Vec<(usize, Task)>,
}

impl Ranked {
    /// The tasks of `bin` in the order of `priorities`; ties by index.
    pub(super) fn of(priorities: Priorities<'_>, written: &[Task], bin: &Bin, charged: Charged) -> Self {
        let mut tasks: Vec<(usize, Task)> = bin.tasks.iter().copied().zip(charged.tasks).collect();
        match priorities {
            Priorities::RateMonotonic => tasks.sort_by_key(|(index, _)| written[*index].period),
            Priorities::DeadlineMonotonic => tasks.sort_by_key(|(index, _)| written[*index].deadline),
            Priorities::Given(ranks) => tasks.sort_by_key(|(index, _)| ranks[*index]),
            Priorities::Audsley => {
                tasks.sort_by_key(|(_, task)| task.deadline);
                audsley(&mut tasks, &charged.interrupts);
            }
        }
        Self { interrupts: charged.interrupts, tasks }
    }

    /// `order I I ...`.
    pub(super) fn line(&self) -> String {
        format!("order{}\n", spaced(self.tasks.iter().map(|(index, _)| index)))
    }
}

/// All tasks by urgency.
pub(super) fn of_all(priorities: Priorities<'_>, tasks: &[Task]) -> Vec<usize> {
    let all = Bin { processors: 1, tasks: (0..tasks.len()).collect(), inflated: None, finding: None };
    let uncharged = Charged { interrupts: Vec::new(), tasks: tasks.to_vec() };
    Ranked::of(priorities, tasks, &all, uncharged).tasks.into_iter().map(|(index, _)| index).collect()
}

/// Gives the lowest free priority to the last task that meets its deadline there (Audsley 1991); stops where none does.
fn audsley(tasks: &mut [(usize, Task)], interrupts: &[Task]) {
    for lowest in (0..tasks.len()).rev() {
        let meets = |place: &usize| {
            let others = tasks[..=lowest].iter().enumerate().filter(|(other, _)| other != place);
            let urgent: Vec<Task> = interrupts.iter().copied().chain(others.map(|(_, (_, task))| *task)).collect();
            completions(&tasks[*place].1, &urgent).is_some()
        };
        let Some(place) = (0..=lowest).rev().find(meets) else { return };
        tasks[place..=lowest].rotate_left(1);
    }
}
