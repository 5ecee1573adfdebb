//! Execution times spread evenly between a share of the bound and the bound.

use super::share;
use crate::random::Draws;

/// What job number `job` needs.
pub fn of_job(bound_ns: u64, least_thousandths: u32, draws: Draws, job: u64) -> u64 {
    let least_ns = share(bound_ns, least_thousandths);
    least_ns + draws.up_to(job, bound_ns - least_ns)
}
