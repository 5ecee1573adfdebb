//! Priorities of the measured threads: set before the first trigger, read back, and part of the result.

use super::error::InterruptError;
use super::sys;

/// Puts a thread under SCHED_FIFO and reads back what it got.
pub(super) fn set(who: &'static str, pid: i32, priority: u8) -> Result<u8, InterruptError> {
    let refused = |source| InterruptError::Priority { who, pid, priority, source };
    sys::set_fifo(pid, priority).map_err(refused)?;
    match sys::real_time_priority(pid).map_err(refused)? {
        Some(effective) if effective == priority => Ok(effective),
        effective => Err(InterruptError::PriorityNotEffective { who, pid, priority, effective }),
    }
}

/// The priority that a thread has.
pub(super) fn of(who: &'static str, pid: i32) -> Result<Option<u8>, InterruptError> {
    sys::real_time_priority(pid).map_err(|source| InterruptError::PriorityUnread { who, pid, source })
}
