//! So many jobs at a distance, and the same again a window after the first.

use prazo_core::time::Duration;

/// From the job before `job` to it: as soon as `jobs` in any `within`, each `distance` behind the other, allow.
pub(super) fn distance(job: u64, jobs: u64, within: Duration, distance: Duration) -> Duration {
    let span = Duration::from_ns(distance.as_ns() * (jobs - 1));
    if job.is_multiple_of(jobs) { within - span } else { distance }
}
