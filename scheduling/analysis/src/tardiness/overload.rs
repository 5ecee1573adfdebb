//! Tardiness above U = m, watched as it grows.
//!
//! Vitor 2013 section II-B says that global EDF bounds tardiness even where total utilization exceeds the number of
//! processors. It does not: in each hyperperiod H more than m H of work arrives, m H at most is served, and what is left
//! makes later jobs later. The cited result (Leontyev and Anderson, RTSS 2007) assumes U <= m.

use crate::disproof::global_edf::EarliestDeadline;
use crate::disproof::schedule::{Schedule, ScheduleEvent};
use crate::{Budget, TaskSet, Ticks};
use std::ops::ControlFlow;

/// The largest tardiness under global EDF among the jobs that end in each stretch of `length` ticks of the synchronous
/// schedule, for so many stretches; shorter where the budget was spent, or where the schedule repeats and all is known.
pub fn tardiness_by_stretch(
    tasks: TaskSet<'_>,
    processors: u32,
    length: Ticks,
    stretches: usize,
    budget: &mut Budget,
) -> Vec<Ticks> {
    let mut largest: Vec<Ticks> = Vec::new();
    let horizon = length.saturating_mul(stretches as u64);
    let schedule = Schedule { rank: EarliestDeadline(tasks), processors };
    schedule.observe(tasks, horizon, budget, |seen| {
        if let ScheduleEvent::Completed { job, completion } = seen {
            let stretch = (completion.saturating_sub(1) / length) as usize;
            largest.resize(largest.len().max(stretch + 1), 0);
            largest[stretch] = largest[stretch].max(completion.saturating_sub(job.deadline));
        }
        ControlFlow::Continue(())
    });
    largest
}
