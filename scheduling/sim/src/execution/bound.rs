//! Every job needs its bound.

use prazo_core::time::Duration;

/// What any job needs.
pub(super) fn of_job(bound: Duration) -> Duration {
    bound
}
