//! The verdicts over a grid of two parameters of a set: the schedulable region around it.
//!
//! Each point of the grid is a set of its own, asked of the same tests. Nothing is drawn between points: tests need not be monotone.

use super::AskTasks;
use crate::{Task, Ticks, Verdict};
use prazo_core::task::TICKS_MAX;

/// A number of a task that may be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// C.
    Cost,
    /// T, and with it D where both are equal.
    Period,
    /// D.
    Deadline,
    /// J.
    Jitter,
}

/// One axis of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Index of the task.
    pub task: usize,
    /// Which of its numbers.
    pub field: Field,
    /// The numbers that are asked about, ascending, in ticks.
    pub values: Vec<Ticks>,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cost, Self::Period, Self::Deadline, Self::Jitter];

    /// As a task set calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Period => "period",
            Self::Deadline => "deadline",
            Self::Jitter => "jitter",
        }
    }

    /// What the task has.
    pub const fn of(self, task: &Task) -> Ticks {
        match self {
            Self::Cost => task.cost,
            Self::Period => task.period,
            Self::Deadline => task.deadline,
            Self::Jitter => task.jitter,
        }
    }

    /// The task with another number.
    pub fn with(self, task: &Task, value: Ticks) -> Task {
        match self {
            Self::Cost => Task { cost: value, ..*task },
            Self::Period if task.deadline == task.period => Task { period: value, deadline: value, ..*task },
            Self::Period => Task { period: value, ..*task },
            Self::Deadline => Task { deadline: value, ..*task },
            Self::Jitter => Task { jitter: value, ..*task },
        }
    }

    /// What is worth asking about, from the least to the largest number: a cost up to three times its own or min(D, T), a period from
    /// the cost or a third to three times its own, a deadline from the cost to twice its own or the period, a jitter up to what is left of D.
    fn span(self, task: &Task) -> (Ticks, Ticks) {
        let Task { cost, period, deadline, jitter, .. } = *task;
        let thrice = |ticks: Ticks| ticks.saturating_mul(3).min(TICKS_MAX);
        match self {
            Self::Cost => (1, thrice(cost).min(task.window()).max(cost)),
            Self::Period => (cost.max(period / 3).max(1), thrice(period)),
            Self::Deadline => (cost, deadline.saturating_mul(2).max(period).min(TICKS_MAX)),
            Self::Jitter => (0, deadline.saturating_sub(cost).max(jitter)),
        }
    }
}

impl Axis {
    /// At most `count` round numbers at equal distances around what the task has.
    pub fn around(tasks: &[Task], task: usize, field: Field, count: u64) -> Self {
        let (first, last) = field.span(&tasks[task]);
        let step = round_up((last - first).div_ceil(count.max(2) - 1).max(1));
        let values = (first.div_ceil(step)..=last / step).map(|number| number * step).collect();
        Self { task, field, values }
    }
}

/// The least of 1, 2, 5, 10, 20, ... that is not below `step`.
fn round_up(step: Ticks) -> Ticks {
    let powers = std::iter::successors(Some(1), |power: &Ticks| power.checked_mul(10));
    let mut all = powers.flat_map(|power| [1, 2, 5].map(|digit: Ticks| digit.saturating_mul(power)));
    all.find(|round| *round >= step).unwrap_or(step)
}

/// The verdicts of one row: each number of `x`, with `y`'s task at `value`.
pub fn row(tasks: &[Task], x: &Axis, y: &Axis, value: Ticks, ask: AskTasks<'_>) -> Vec<Verdict> {
    let mut changed = tasks.to_vec();
    changed[y.task] = y.field.with(&tasks[y.task], value);
    let base = changed[x.task];
    let verdict = |&value: &Ticks| {
        changed[x.task] = x.field.with(&base, value);
        ask(&changed)
    };
    x.values.iter().map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_lies_around_what_the_task_has() {
        let tasks = [Task::new(20, 100, 80), Task::new(1, 3, 3)];
        let axis = |task, field| Axis::around(&tasks, task, field, 5).values;
        assert_eq!(axis(0, Field::Cost), [20, 40, 60]);
        assert_eq!(axis(0, Field::Period), [100, 200, 300]);
        assert_eq!(axis(0, Field::Deadline), [50, 100, 150]);
        assert_eq!(axis(0, Field::Jitter), [0, 20, 40, 60]);
        assert_eq!(axis(1, Field::Cost), [1, 2, 3], "no tick twice");
        assert_eq!([1, 2, 3, 6, 150_000].map(round_up), [1, 2, 5, 10, 200_000]);
    }

    /// U <= 1 decides under EDF with D = T, and a period takes its deadline along.
    #[test]
    fn each_point_is_a_set_of_its_own() {
        let tasks = [Task::implicit(2, 10), Task::implicit(3, 10)];
        let x = Axis { task: 0, field: Field::Cost, values: vec![1, 5, 6, 8] };
        let y = Axis { task: 1, field: Field::Period, values: vec![6, 10] };
        let mut asked = Vec::new();
        let mut ask = |tasks: &[Task]| {
            asked.push((tasks[0].cost, tasks[1].period, tasks[1].deadline));
            let is_full = tasks.iter().map(|task| task.cost * 60 / task.period).sum::<u64>() <= 60;
            if is_full { Verdict::Proven } else { Verdict::Disproven }
        };
        use Verdict::{Disproven, Proven};
        assert_eq!(row(&tasks, &x, &y, 6, &mut ask), [Proven, Proven, Disproven, Disproven]);
        assert_eq!(row(&tasks, &x, &y, 10, &mut ask), [Proven, Proven, Proven, Disproven]);
        // Both axes may be of one task.
        let y = Axis { task: 0, ..y };
        assert_eq!(row(&tasks, &x, &y, 6, &mut ask), [Proven, Disproven, Disproven, Disproven]);
        assert_eq!((asked[0], asked[7]), ((1, 6, 6), (8, 10, 10)));
    }
}
