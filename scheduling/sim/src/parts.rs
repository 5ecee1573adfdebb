//! Parts of a job in which others wait: those that are not preempted, and critical sections under the stack resource policy.
//!
//! A job's longest non-preemptive part stands at its beginning, the part that ends it at its end, its critical sections between, by
//! the number of the resource. While a job is inside a part, a job that is released and whose level is not above the part's
//! ceiling is withheld from its queue, and with it all that are less urgent than one withheld: when the part ends, the
//! most urgent ones join. Nobody is above the ceiling of a part that is not preempted.

use prazo_core::behaviour::{Behaviour, Behaviours};
use prazo_core::task::Task;
use prazo_core::time::Duration;

/// One part of each job of a task, by what the job has executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub from: Duration,
    /// Where it ends.
    pub to: Duration,
    /// Levels below this one may start; the lower, the higher.
    pub ceiling: u64,
}

/// The parts of all tasks, and their levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// By task; empty if no task has any.
    pub of_tasks: Vec<Vec<Part>>,
    /// By task, the lower the higher; as long as `of_tasks`.
    pub levels: Vec<u64>,
}

impl Parts {
    /// Those of `tasks` with these levels; `length` makes a duration of ticks, `executions` says how long jobs run.
    pub(crate) fn of(
        tasks: &[Task],
        behaviours: Behaviours<'_>,
        levels: Vec<u64>,
        executions: &[Duration],
        length: impl Fn(u64) -> Duration,
    ) -> Self {
        if behaviours.iter().all(|one| one.non_preemptive.longest == 0 && one.sections.is_empty()) {
            return Self::default();
        }
        let ceiling = |resource: u32| {
            let uses = |behaviour: Behaviour<'_>| behaviour.sections.iter().any(|one| one.resource == resource);
            let users = levels.iter().zip(behaviours.iter()).filter(|(_, behaviour)| uses(*behaviour));
            users.map(|(level, _)| *level).min().unwrap_or(u64::MAX)
        };
        let of = |(index, behaviour): (usize, Behaviour<'_>)| {
            let execution = executions[index];
            let lengths = behaviour.non_preemptive;
            let cut = |ticks: u64| if ticks >= tasks[index].cost { execution } else { length(ticks).min(execution) };
            let (longest, last) = (cut(lengths.longest), cut(lengths.last));
            let begins_last = execution - last;
            let mut at = longest.min(if last.is_zero() { execution } else { begins_last });
            let mut parts = vec![Part { from: Duration::ZERO, to: at, ceiling: 0 }];
            let mut sections = behaviour.sections.to_vec();
            sections.sort_by_key(|section| section.resource);
            for section in sections {
                let to = (at + length(section.length)).min(begins_last);
                parts.push(Part { from: at, to, ceiling: ceiling(section.resource) });
                at = to;
            }
            parts.push(Part { from: begins_last, to: execution, ceiling: 0 });
            parts.retain(|part| part.from < part.to);
            parts
        };
        Self { of_tasks: behaviours.iter().enumerate().map(of).collect(), levels }
    }

    /// True if no task has any.
    pub fn is_empty(&self) -> bool {
        self.of_tasks.is_empty()
    }
}
