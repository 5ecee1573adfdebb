//! Execution times spread evenly between a share of the bound and the bound.

use super::share;
use crate::random::Draws;
use prazo_core::time::Duration;

/// What job number `job` needs.
pub(super) fn of_job(bound: Duration, least_thousandths: u32, draws: Draws, job: u64) -> Duration {
    let least = share(bound, least_thousandths);
    least + draws.within(job, bound - least)
}
