//! The kernel's account of what it has promised to deadline threads.
//!
//! A deadline thread's bandwidth is given back some time after it has ended, at the latest after a period. Newer kernels (seen: Debian's
//! 6.12.95, and 6.18) rebuild the scheduling domains whenever `sched_rt_runtime_us` or `sched_rt_period_us` is read. They then count
//! the bandwidth anew, without threads that have ended. If one of these gives its bandwidth back after that, the account is too
//! low. The kernel then admits too much; below zero, it refuses all deadline threads until a program reads the file again.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Files whose reading makes such a kernel count anew. Others just answer.
const COUNTED_ANEW_BY: [&str; 2] = ["/proc/sys/kernel/sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_period_us"];
/// How long a refused thread waits until others have given their bandwidth back.
const PATIENCE: Duration = Duration::from_millis(50);
/// Longer periods are not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The longest period of this process's deadline threads since [`wait_before_reading`], in ns.
static LONGEST_PERIOD_NS: AtomicU64 = AtomicU64::new(0);

/// Remembers the period of a thread that was admitted.
pub(crate) fn was_granted(period_ns: u64) {
    LONGEST_PERIOD_NS.fetch_max(period_ns, Relaxed);
}

/// Call it before a file of this machine is read. If reading `path` has the kernel count anew, it waits until deadline threads of this
/// process that have ended have given their bandwidth back: for their longest period, at most a second. Else it returns at once.
pub fn wait_before_reading(path: &Path) {
    if COUNTED_ANEW_BY.iter().any(|file| Path::new(file) == path) {
        let longest = Duration::from_nanos(LONGEST_PERIOD_NS.swap(0, Relaxed));
        if !longest.is_zero() {
            std::thread::sleep(longest.min(LONGEST_WAIT));
        }
    }
}

/// Has the kernel count the bandwidth anew, after a refusal that may be its mistake. The periods of other processes' threads are
/// unknown: where one has ended within the last 50 ms, the account may be wrong again.
pub(crate) fn count_anew() {
    let longest = Duration::from_nanos(LONGEST_PERIOD_NS.load(Relaxed));
    std::thread::sleep(longest.clamp(PATIENCE, LONGEST_WAIT));
    // Without the file nothing is counted anew, and the thread is refused again.
    let _ = std::fs::read(COUNTED_ANEW_BY[0]);
}
