//! Mixed criticality on one processor: two levels, and two worst-case execution times for each task of high criticality.
//!
//! A set runs in low mode as long as every job ends within the C of its task. When a job has executed for C and has not ended, high mode
//! begins: jobs of low criticality are dropped, those that are pending and those that arrive. Low mode begins again when no job is pending.
//! A set is schedulable if all jobs meet their deadlines in low mode, and those of high criticality in both modes and across each change.
//! Jobs arrive at any real instant. The model is Vestal's (RTSS 2007).
//!
//! ```text
//! tasks + behaviours ─► MixedTask ─┬► amc_rtb: fixed priorities, D <= T ─┬─► Finding
//!                                  └► edf_vd: virtual deadlines, D = T ──┘
//! ```

pub mod amc_rtb;
pub mod edf_vd;

use crate::{SetError, TICKS_MAX, Task, Ticks};
use prazo_core::behaviour::{Behaviour, Behaviours, CriticalityMode};

const ALONE: &str = "mixed criticality is not covered together with non-preemptive parts, critical sections, bursts, self-suspension or a supply";
const JITTER: &str = "mixed criticality is not covered with release jitter";

/// A task with its second execution time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedTask {
    /// Its times; the cost is C(LO).
    pub task: Task,
    /// C(HI) of a task of high criticality; `None` for one of low criticality.
    pub cost_high: Option<Ticks>,
}

impl MixedTask {
    /// `task` with what it does.
    pub fn of(task: &Task, behaviour: &Behaviour<'_>) -> Self {
        Self { task: *task, cost_high: behaviour.cost_high }
    }
}

/// Why no test here covers `tasks`; `None` where nothing stands against it.
pub(crate) fn uncovered(tasks: &[Task], behaviours: &Behaviours<'_>) -> Option<&'static str> {
    match () {
        () if departs_otherwise(behaviours) => Some(ALONE),
        () if tasks.iter().any(|task| task.jitter > 0) => Some(JITTER),
        () => None,
    }
}

/// True if tasks depart from sporadic, independent and preemptable ones by more than their criticality.
pub(crate) fn departs_otherwise(behaviours: &Behaviours<'_>) -> bool {
    let is_plain = |behaviour: Behaviour<'_>| Behaviour { cost_high: None, ..behaviour }.is_plain();
    behaviours.supply.is_some() || !behaviours.iter().all(is_plain)
}

/// The tasks that run in one mode, as tasks with one cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModeTasks {
    /// In low mode all with C(LO), in high mode those of high criticality with C(HI).
    pub tasks: Vec<Task>,
    /// The index of each in the whole set, ascending.
    pub indices: Vec<usize>,
}

impl ModeTasks {
    /// Those of `tasks` that run in `mode`.
    ///
    /// If they miss a deadline as sporadic tasks, the set does. In low mode no job need run longer than its C(LO). In high mode no job of
    /// low criticality need arrive; those of high criticality may all run for C(HI), and under fixed priorities their order is the same in
    /// both modes.
    pub(crate) fn of(tasks: &[Task], behaviours: &Behaviours<'_>, mode: CriticalityMode) -> Self {
        let in_mode = |(index, task): (usize, &Task)| match mode {
            CriticalityMode::Low => Some((*task, index)),
            CriticalityMode::High => Some((Task { cost: behaviours.of(index).cost_high?, ..*task }, index)),
        };
        let (tasks, indices) = tasks.iter().enumerate().filter_map(in_mode).unzip();
        Self { tasks, indices }
    }
}

/// Refuses costs in high mode that no formula here computes with.
pub(crate) fn check(tasks: &[Task], behaviours: &Behaviours<'_>) -> Result<(), SetError> {
    let of = |(task, behaviour): (&Task, Behaviour<'_>)| (task.cost, behaviour.cost_high.unwrap_or(task.cost));
    for (index, (low, high)) in tasks.iter().zip(behaviours.iter()).map(of).enumerate() {
        if high > TICKS_MAX {
            return Err(SetError::TooLong(index, "cost in high mode"));
        }
        if high < low {
            return Err(SetError::HighCost(index));
        }
    }
    Ok(())
}
