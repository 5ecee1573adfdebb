//! Two execution times: the bound and, by chance, more than that.

use crate::model::NS_MAX;
use crate::random::Draws;

/// What job number `job` needs.
pub fn of_job(bound_ns: u64, rare_thousandths: u32, one_in: u32, draws: Draws, job: u64) -> u64 {
    let is_rare = draws.up_to(job, u64::from(one_in.max(1)) - 1) == 0;
    let rare_ns = (u128::from(bound_ns) * u128::from(rare_thousandths)).div_ceil(1_000).min(NS_MAX.into());
    if is_rare { bound_ns.max(rare_ns as u64) } else { bound_ns }
}
