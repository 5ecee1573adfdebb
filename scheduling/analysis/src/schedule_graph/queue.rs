//! What a schedule graph is asked about, and what it says of its size and states.

use crate::hyperperiod::hyperperiod;
use crate::reach::Ranking;
use crate::{TaskSet, TimeModel};
use prazo_core::behaviour::Phase;

/// The longest hyperperiod and the latest first arrival, in ticks: instants and their halves stay far below 2^63.
const TICKS_MAX: u64 = 1 << 56;

/// Non-preemptive tasks on one clock, and the processors that share their queue.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicQueue<'a> {
    /// The tasks; under [`Ranking::AsOrdered`] the most urgent first.
    pub tasks: TaskSet<'a>,
    /// First arrival and best case of each.
    pub phases: &'a [Phase],
    /// How many jobs run at once.
    pub processors: u32,
    /// Who goes first.
    pub ranking: Ranking,
    /// At which instants jobs may be released and end.
    pub time: TimeModel,
}

/// Which of two jobs of equal deadline goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// Either.
    Any,
    /// The one of the lower index.
    ByIndex,
}

/// Why the graph does not speak of these tasks; `None` if it does.
pub fn uncovered(queue: PeriodicQueue<'_>) -> Option<&'static str> {
    let late = |phase: &Phase| phase.offset > TICKS_MAX;
    let exceeds = |(phase, task): (&Phase, &crate::Task)| phase.best_case > task.cost;
    let follows = |task: &crate::Task| task.deadline > task.period;
    let reasons = [
        (queue.phases.len() != queue.tasks.len(), "each task needs an offset"),
        (queue.phases.iter().zip(queue.tasks.iter()).any(exceeds), "a task's best_case is above its cost"),
        (
            queue.phases.iter().any(late) || hyperperiod(&queue.tasks).is_none_or(|all| all > TICKS_MAX),
            "the hyperperiod or an offset is above 2^56 ticks; use periods with a smaller common multiple, smaller offsets or a coarser unit",
        ),
        (
            queue.processors > 1 && queue.tasks.iter().any(follows),
            "on several processors the schedule graph needs D <= T",
        ),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// How large the graph of a set is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States.
    pub states: usize,
    /// Edges, several of which may lead to one state.
    pub edges: usize,
}

/// A state of a graph without a late job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedState {
    /// How many jobs of each task have started.
    pub started: Vec<u32>,
    /// The first and the last cell in which the first, second, ... processor becomes free: 2x is the instant x, 2x + 1 all between x and x + 1.
    pub free: Vec<(i64, i64)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    /// The hyperperiod's own limit cannot be met exactly: no period is divisible by 2^56.
    #[test]
    fn an_offset_of_exactly_the_limit_is_covered() {
        let tasks = [Task::implicit(1, 2)];
        let of = |offset| {
            let phases = [Phase { offset, best_case: 1 }];
            let (ranking, time) = (Ranking::Edf, TimeModel::Continuous);
            uncovered(PeriodicQueue {
                tasks: TaskSet::new(&tasks).unwrap(),
                phases: &phases,
                processors: 1,
                ranking,
                time,
            })
        };
        assert_eq!(of(TICKS_MAX), None);
        assert!(of(TICKS_MAX + 1).is_some());
    }
}
