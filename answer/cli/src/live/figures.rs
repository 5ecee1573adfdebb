//! The figures that line and screen show, as texts.

use prazo_core::time::Duration;
use prazo_probe::Progress;

/// Time left of what is planned.
pub(super) fn time_left(progress: &Progress) -> Duration {
    Duration::from_ns(progress.total.as_ns().saturating_sub(progress.elapsed.as_ns()))
}

/// Share done, between 0 and 1.
pub(super) fn share_done(progress: &Progress) -> f64 {
    if progress.total.is_zero() {
        return 0.0;
    }
    (progress.elapsed.as_s_f64() / progress.total.as_s_f64()).clamp(0.0, 1.0)
}

/// A latency in microseconds with one decimal, or a dash.
pub(super) fn us(ns: Option<i64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3))
}

#[cfg(test)]
mod tests {
    use super::us;

    #[test]
    fn what_was_not_seen_is_a_dash() {
        assert_eq!(us(None), "-");
        assert_eq!(us(Some(12_345)), "12.3");
    }
}
