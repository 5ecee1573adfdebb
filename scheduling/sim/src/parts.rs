//! Parts of a job in which others wait: those that are not preempted, and critical sections under the protocol of the set's locks.
//!
//! A job's longest non-preemptive part stands at its beginning, the part that ends it at its end, its critical sections between, by
//! the number of the resource. While a job is inside a part, a job that is released and whose level is not above the part's
//! ceiling is withheld from its queue, and with it all that are less urgent than one withheld: when the part ends, the
//! most urgent ones join. Nobody is above the ceiling of a part that is not preempted. Under priority inheritance and the priority
//! ceiling protocol, sections withhold nobody: a job waits where it begins its own section (`simulation/holding.rs`). So it does for a
//! resource that several processors share (`simulation/sharing.rs`).

use prazo_core::behaviour::{Behaviour, Behaviours, Locking};
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
    /// What the job holds in it; `None` if it is not preempted instead.
    pub resource: Option<u32>,
    /// True if jobs of all processors wait for it in one queue.
    pub is_shared: bool,
}

/// The parts of all tasks, and their levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// By task; empty if no task has any.
    pub of_tasks: Vec<Vec<Part>>,
    /// By task, the lower the higher; as long as `of_tasks`.
    pub levels: Vec<u64>,
    /// The protocol of all locks.
    pub locking: Locking,
}

impl Parts {
    /// Those of `tasks` on these clusters with these levels; `length` makes a duration of ticks, `executions` says how long jobs run.
    pub(crate) fn of(
        tasks: &[Task],
        behaviours: Behaviours<'_>,
        places: &[u32],
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
        // Under MSRP a resource of one processor is under SRP there.
        let is_shared = |resource: u32| match behaviours.locking {
            Locking::Fmlp | Locking::Mpcp => true,
            Locking::Msrp => {
                let uses = |behaviour: &Behaviour<'_>| behaviour.sections.iter().any(|one| one.resource == resource);
                let mut homes = behaviours.iter().zip(places).filter(|(one, _)| uses(one)).map(|(_, place)| place);
                let first = homes.next();
                homes.any(|place| Some(place) != first)
            }
            Locking::Srp | Locking::Pcp | Locking::Pip => false,
        };
        let of = |(index, behaviour): (usize, Behaviour<'_>)| {
            let execution = executions[index];
            let lengths = behaviour.non_preemptive;
            let cut = |ticks: u64| if ticks >= tasks[index].cost { execution } else { length(ticks).min(execution) };
            let (longest, last) = (cut(lengths.longest), cut(lengths.last));
            let begins_last = execution - last;
            let mut at = longest.min(if last.is_zero() { execution } else { begins_last });
            let whole = |from, to| Part { from, to, ceiling: 0, resource: None, is_shared: false };
            let mut parts = vec![whole(Duration::ZERO, at)];
            let mut sections = behaviour.sections.to_vec();
            sections.sort_by_key(|section| section.resource);
            for section in sections {
                let (resource, ceiling) = (section.resource, ceiling(section.resource));
                for _ in 0..section.requests {
                    let to = (at + length(section.length)).min(begins_last);
                    let is_shared = is_shared(resource);
                    parts.push(Part { from: at, to, ceiling, resource: Some(resource), is_shared });
                    at = to;
                }
            }
            parts.push(whole(begins_last, execution));
            parts.retain(|part| part.from < part.to);
            parts
        };
        Self { of_tasks: behaviours.iter().enumerate().map(of).collect(), levels, locking: behaviours.locking }
    }

    /// True if no task has any.
    pub fn is_empty(&self) -> bool {
        self.of_tasks.is_empty()
    }

    /// True if jobs wait for locks where their own sections begin.
    pub fn has_locks(&self) -> bool {
        let waits = matches!(self.locking, Locking::Pcp | Locking::Pip);
        waits && self.of_tasks.iter().flatten().any(|part| part.resource.is_some())
    }

    /// True if jobs wait for locks of other processors.
    pub fn has_shared(&self) -> bool {
        self.of_tasks.iter().flatten().any(|part| part.is_shared)
    }
}
