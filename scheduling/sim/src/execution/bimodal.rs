//! Two execution times: the usual one and, by chance, the bound.

use super::share;
use crate::random::Draws;

/// What job number `job` needs.
pub fn of_job(bound_ns: u64, usual_thousandths: u32, one_in: u32, draws: Draws, job: u64) -> u64 {
    let is_rare = draws.up_to(job, u64::from(one_in.max(1)) - 1) == 0;
    if is_rare { bound_ns } else { share(bound_ns, usual_thousandths) }
}
