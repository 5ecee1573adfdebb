//! The policy of a task's thread: set by the thread itself, read back, and never silently another one.
//!
//! Under SCHED_DEADLINE the kernel is asked for a signal when the budget is used up, and not to hand the policy on to children, which
//! it otherwise answers by refusing to make any.

use super::error::TasksError;
use super::refusal;
use prazo_run::jobs::{Dispatch, Reservation, SetPlan, TaskPlan};
use prazo_sys::scheduling::{self, RESET_ON_FORK, SCHED_DEADLINE, SCHED_FIFO, SchedAttr, TELL_OVERRUNS};

/// What the kernel refuses.
const NOTHING: Reservation = Reservation { budget_ns: 0, deadline_ns: 0, period_ns: 0 };

/// The kernel's attributes for a task.
pub(super) fn of(dispatch: Dispatch, task: &TaskPlan) -> SchedAttr {
    let none = SchedAttr { flags: RESET_ON_FORK, ..SchedAttr::default() };
    match dispatch {
        Dispatch::Fifo => SchedAttr { policy: SCHED_FIFO, priority: task.priority.unwrap_or(1).into(), ..none },
        Dispatch::Deadline => {
            let Reservation { budget_ns, deadline_ns, period_ns } = task.reservation.unwrap_or(NOTHING);
            let flags = RESET_ON_FORK | TELL_OVERRUNS;
            SchedAttr { policy: SCHED_DEADLINE, flags, runtime_ns: budget_ns, deadline_ns, period_ns, ..none }
        }
    }
}

/// Gives the calling thread the policy of `task`.
pub(super) fn set(plan: &SetPlan, task: &TaskPlan) -> Result<(), TasksError> {
    let requested = of(plan.dispatch, task);
    scheduling::set_attributes(&requested).map_err(|source| TasksError::Refused {
        policy: plan.dispatch.name(),
        task: task.name.clone(),
        requested: requested.in_a_record(),
        reasons: refusal::reasons(plan, task, source.raw_os_error().unwrap_or(0)),
        source,
    })?;
    let effective = scheduling::attributes()
        .map_err(|source| TasksError::system("reading back the policy of a task's thread", source))?;
    if effective.in_a_record() != requested.in_a_record() || effective.flags & requested.flags != requested.flags {
        let (requested, effective) = (requested.in_a_record(), effective.in_a_record());
        return Err(TasksError::NotEffective { task: task.name.clone(), requested, effective });
    }
    Ok(())
}
