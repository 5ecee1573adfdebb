//! Sporadic arrivals: at least the minimum apart, and by chance up to a given time more.

use crate::random::Draws;
use prazo_core::time::Duration;

/// The distance from the job before to job number `job`.
pub(super) fn distance(minimum: Duration, extra_max: Duration, draws: Draws, job: u64) -> Duration {
    minimum.saturating_add(draws.within(job, extra_max))
}
