//! One sporadic or periodic task, as analysis, checker and simulator see it.
//!
//! Analysis has no unit: a task's integers are ticks of whatever clock its task set was written in, and every answer comes
//! back in the same ticks. A reader that knows the unit keeps it beside the tasks.

/// Whole units of time of a task set's own clock.
pub type Ticks = u64;

/// The longest time a task may name: 2^48 ticks, 3.2 days in nanoseconds and 8.9 years in microseconds.
///
/// Up to here a product of two times fits into 96 bits, and the sum of 2^32 such products into 128.
pub const TICKS_MAX: Ticks = 1 << 48;

/// A recurrent source of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// C: upper bound of the processor time one job needs.
    pub cost: Ticks,
    /// T: distance of two arrivals, exact for a periodic and at least for a sporadic task.
    pub period: Ticks,
    /// D: relative deadline, counted from the arrival.
    pub deadline: Ticks,
    /// J: the release follows the arrival by at most this.
    pub jitter: Ticks,
    /// Memory that a job touches and must fetch again after a preemption, in KiB.
    pub working_set_kib: u64,
}

impl Task {
    /// A task whose deadline is `deadline`, without jitter and without a working set.
    pub const fn new(cost: Ticks, period: Ticks, deadline: Ticks) -> Self {
        Self { cost, period, deadline, jitter: 0, working_set_kib: 0 }
    }

    /// A task whose deadline is its period.
    pub const fn implicit(cost: Ticks, period: Ticks) -> Self {
        Self::new(cost, period, period)
    }

    /// min(D, T): the window that a job has for itself when it must end before its successor arrives.
    pub const fn window(&self) -> Ticks {
        if self.deadline < self.period { self.deadline } else { self.period }
    }
}

/// How the deadlines of a task set relate to its periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeadlineKind {
    /// D = T for every task.
    Implicit,
    /// D <= T for every task.
    Constrained,
    /// D > T for at least one task.
    Arbitrary,
}

impl DeadlineKind {
    /// The kind of `tasks`; an empty set is implicit.
    pub fn of(tasks: &[Task]) -> Self {
        tasks
            .iter()
            .map(|task| match task.deadline.cmp(&task.period) {
                core::cmp::Ordering::Equal => Self::Implicit,
                core::cmp::Ordering::Less => Self::Constrained,
                core::cmp::Ordering::Greater => Self::Arbitrary,
            })
            .max()
            .unwrap_or(Self::Implicit)
    }
}
