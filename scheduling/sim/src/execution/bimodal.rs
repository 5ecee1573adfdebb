//! Two execution times: the usual one and, by chance, the bound.

use super::share;
use crate::random::Draws;
use prazo_core::time::Duration;

/// What job number `job` needs.
pub(super) fn of_job(bound: Duration, usual_thousandths: u32, one_in: u32, draws: Draws, job: u64) -> Duration {
    let is_rare = draws.up_to(job, u64::from(one_in.max(1)) - 1) == 0;
    if is_rare { bound } else { share(bound, usual_thousandths) }
}
