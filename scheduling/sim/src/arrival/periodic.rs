//! Periodic arrivals: every job exactly one period after the one before.

use prazo_core::time::Duration;

/// The distance to the next arrival.
pub(super) fn distance(period: Duration) -> Duration {
    period
}
