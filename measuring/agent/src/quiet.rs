//! Waits until the guest's own start is over: kernels go on with work of their own for seconds after process 1 has begun.
//!
//! Quiet is a window in which the processors were all but idle. Under counted time idling costs the host nothing.

use std::time::Duration;

/// How long a guest must have been quiet, and how long that may take.
const WINDOW: Duration = Duration::from_millis(500);
const WINDOWS_MAX: u32 = 60;
/// The share of a window that may be busy: one in so many.
const BUSY_ONE_IN: u64 = 50;

/// Processor time since the start, in the kernel's ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    idle: u64,
    all: u64,
}

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
    Some(format!("the guest was still busy {} s after its start", WINDOWS_MAX * WINDOW.as_millis() as u32 / 1_000))
}

/// `None` where the kernel does not say; then nothing can be waited for.
fn now() -> Option<Ticks> {
    std::fs::read_to_string("/proc/stat").ok().as_deref().and_then(parse)
}

/// `cpu  user nice system idle iowait irq softirq steal ...`: idle time is the fourth and the fifth.
fn parse(stat: &str) -> Option<Ticks> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let numbers: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).take(8).collect();
    let idle = numbers.get(3)? + numbers.get(4)?;
    Some(Ticks { idle, all: numbers.iter().sum() })
}

fn is_quiet(before: Ticks, after: Ticks) -> bool {
    let all = after.all.saturating_sub(before.all);
    let busy = all.saturating_sub(after.idle.saturating_sub(before.idle));
    all > 0 && busy * BUSY_ONE_IN <= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_from_the_line_of_all_processors() {
        let stat = "cpu  10 0 20 100 5 1 2 0 7 7\ncpu0 1 2 3 4\n";
        assert_eq!(parse(stat), Some(Ticks { idle: 105, all: 138 }));
        assert_eq!(parse("intr 1"), None);
    }

    #[test]
    fn a_window_with_more_than_a_fiftieth_of_work_is_not_quiet() {
        let at = |idle, all| Ticks { idle, all };
        assert!(is_quiet(at(0, 0), at(49, 50)));
        assert!(!is_quiet(at(0, 0), at(48, 50)));
        assert!(!is_quiet(at(9, 9), at(9, 9)), "a clock that stands says nothing");
    }
}
