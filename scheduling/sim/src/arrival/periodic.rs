//! Periodic arrivals: every job exactly one period after the one before.

/// The distance to the next arrival.
pub fn distance_ns(period_ns: u64) -> u64 {
    period_ns
}
