//! Sporadic arrivals: at least the minimum apart, and by chance up to a given time more.

use crate::random::Draws;

/// The distance from the job before to job number `job`.
pub fn distance_ns(minimum_ns: u64, extra_ns_max: u64, draws: Draws, job: u64) -> u64 {
    minimum_ns.saturating_add(draws.up_to(job, extra_ns_max))
}
