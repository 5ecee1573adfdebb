//! The locks of a set, and when a job takes and gives them back: after so much execution, inner sections before outer ones end.

use super::error::TasksError;
use prazo_run::jobs::{LockProtocol, SetPlan, TaskPlan};
use prazo_sys::lock::{Lock, PosixProtocol};

/// As many locks as the set names.
pub(super) fn of(plan: &SetPlan) -> Result<Vec<Lock>, TasksError> {
    let sections = || plan.tasks.iter().flat_map(|task| &task.sections);
    let count = sections().map(|section| section.lock + 1).max().unwrap_or(0);
    let highest = plan.tasks.iter().filter_map(|task| task.priority).max().unwrap_or(1);
    let protocol = match plan.protocol {
        LockProtocol::Plain => PosixProtocol::Plain,
        LockProtocol::Inherit => PosixProtocol::Inherit,
        LockProtocol::Protect => PosixProtocol::Protect(highest.into()),
    };
    let lock = |_| Lock::new(protocol).map_err(|source| TasksError::system("making a lock of the task set", source));
    (0..count).map(lock).collect()
}

/// What a job does after so much execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// After how much.
    pub at_ns: u64,
    /// With which lock.
    pub lock: usize,
    /// It takes it, or gives it back.
    pub takes: bool,
}

/// The points of a job in order: at one instant locks are given back, the later taken first, and then others taken.
pub(super) fn points(task: &TaskPlan) -> Vec<Point> {
    let of_section = |section: &prazo_run::jobs::CriticalSection| {
        let lock = section.lock as usize;
        let point = |at_ns, takes| Point { at_ns, lock, takes };
        [(point(section.from_ns, true), section.from_ns), (point(section.to_ns, false), section.from_ns)]
    };
    let mut points: Vec<(Point, u64)> = task.sections.iter().flat_map(of_section).collect();
    points.sort_by_key(|(point, from_ns)| {
        (point.at_ns, point.takes, if point.takes { *from_ns } else { u64::MAX - from_ns })
    });
    points.into_iter().map(|(point, _)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;
    use prazo_run::jobs::{CriticalSection, Dispatch};

    #[test]
    fn nested_sections_end_inside_out() {
        let mut task = plan(Dispatch::Fifo).tasks.remove(0);
        let section = |lock, from_ns, to_ns| CriticalSection { lock, from_ns, to_ns };
        task.sections = vec![section(0, 1, 9), section(1, 3, 9)];
        let events: Vec<(u64, usize, bool)> =
            points(&task).iter().map(|point| (point.at_ns, point.lock, point.takes)).collect();
        assert_eq!(events, [(1, 0, true), (3, 1, true), (9, 1, false), (9, 0, false)]);
    }
}
