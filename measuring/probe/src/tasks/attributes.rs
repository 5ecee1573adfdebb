//! The policy of a task's thread: set by the thread itself, read back, and never silently another one.
//!
//! Under SCHED_DEADLINE the kernel is asked for a signal when the budget is used up, and not to hand the policy on to children, which
//! it otherwise answers by refusing to make any.

use super::error::TasksError;
use super::refusal;
use prazo_engine::policy::told;
use prazo_run::jobs::{Dispatch, Reservation, SetPlan, TaskPlan};
use prazo_sys::scheduling;

const SCHED_DEADLINE: u32 = 6;
const RESET_ON_FORK: u64 = 0x01;
const TELL_OVERRUNS: u64 = 0x04;

/// What the kernel refuses.
const NOTHING: Reservation = Reservation { budget_ns: 0, deadline_ns: 0, period_ns: 0 };

/// The kernel's attributes for a task.
pub fn of(dispatch: Dispatch, task: &TaskPlan) -> libc::sched_attr {
    let mut attributes = scheduling::no_attributes();
    attributes.sched_flags = RESET_ON_FORK;
    match dispatch {
        Dispatch::Fifo => {
            attributes.sched_policy = libc::SCHED_FIFO as u32;
            attributes.sched_priority = task.priority.unwrap_or(1).into();
        }
        Dispatch::Deadline => {
            attributes.sched_policy = SCHED_DEADLINE;
            attributes.sched_flags |= TELL_OVERRUNS;
            let Reservation { budget_ns, deadline_ns, period_ns } = task.reservation.unwrap_or(NOTHING);
            attributes.sched_runtime = budget_ns;
            attributes.sched_deadline = deadline_ns;
            attributes.sched_period = period_ns;
        }
    }
    attributes
}

/// Gives the calling thread the policy of `task`.
pub fn set(plan: &SetPlan, task: &TaskPlan) -> Result<(), TasksError> {
    let asked = of(plan.dispatch, task);
    scheduling::set_attributes(&asked).map_err(|source| TasksError::Refused {
        policy: plan.dispatch.name(),
        task: task.name.clone(),
        asked: told(&asked),
        reasons: refusal::reasons(plan, task, source.raw_os_error().unwrap_or(0)),
        source,
    })?;
    let effective = scheduling::attributes().map_err(|source| TasksError::system("reading the policy back", source))?;
    if told(&effective) != told(&asked) || effective.sched_flags & asked.sched_flags != asked.sched_flags {
        let (asked, effective) = (told(&asked), told(&effective));
        return Err(TasksError::NotEffective { task: task.name.clone(), asked, effective });
    }
    Ok(())
}
