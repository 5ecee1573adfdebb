//! Two execution times: the bound and, by chance, more than that.

use crate::model::LONGEST;
use crate::random::Draws;
use prazo_core::time::Duration;

/// What job number `job` needs.
pub(super) fn of_job(bound: Duration, rare_thousandths: u32, one_in: u32, draws: Draws, job: u64) -> Duration {
    let is_rare = draws.up_to(job, u64::from(one_in.max(1)) - 1) == 0;
    let rare_ns = (u128::from(bound.as_ns()) * u128::from(rare_thousandths)).div_ceil(1_000);
    let rare = Duration::from_ns(rare_ns.min(LONGEST.as_ns().into()) as u64);
    if is_rare { bound.max(rare) } else { bound }
}
