//! Waits until the guest's own start is over: kernels go on with work of their own for seconds after process 1 has begun.
//!
//! Quiet is a window in which the processors were all but idle. Under counted time idling costs the host nothing.

use prazo_platform::proc_stat::{self, ProcessorTicks};
use std::time::Duration;

/// How long a guest must have been quiet, and how long that may take.
const WINDOW: Duration = Duration::from_millis(500);
const WINDOWS_MAX: u32 = 60;
/// The share of a window that may be busy: one in so many.
const BUSY_ONE_IN: u64 = 50;

/// Waits for it; what is to be said where it never came.
pub(crate) fn wait() -> Option<String> {
    let mut before = now()?;
    for _ in 0..WINDOWS_MAX {
        std::thread::sleep(WINDOW);
        let after = now()?;
        if is_quiet(before, after) {
            return None;
        }
        before = after;
    }
    Some(format!(
        "the guest was still busy after prazo had waited {} s for it to become idle",
        WINDOWS_MAX * WINDOW.as_millis() as u32 / 1_000
    ))
}

/// `None` where the kernel does not say; then nothing can be waited for.
fn now() -> Option<ProcessorTicks> {
    std::fs::read_to_string("/proc/stat").ok().as_deref().and_then(proc_stat::of_machine)
}

fn is_quiet(before: ProcessorTicks, after: ProcessorTicks) -> bool {
    let all = after.all.saturating_sub(before.all);
    let busy = all.saturating_sub(after.idle.saturating_sub(before.idle));
    all > 0 && busy * BUSY_ONE_IN <= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_with_more_than_a_fiftieth_of_work_is_not_quiet() {
        let at = |idle, all| ProcessorTicks { idle, stolen: None, all };
        assert!(is_quiet(at(0, 0), at(49, 50)));
        assert!(!is_quiet(at(0, 0), at(48, 50)));
        assert!(!is_quiet(at(9, 9), at(9, 9)), "a clock that stands says nothing");
    }
}
