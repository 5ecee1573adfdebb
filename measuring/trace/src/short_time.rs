//! How a cause says a time: short, since a reader compares it with its neighbours.

use prazo_core::text::grouped;

/// Whole microseconds from ten on, tenths below.
pub(crate) fn short_time(ns: u64) -> String {
    match ns {
        ..10_000 => format!("{:.1} µs", ns as f64 / 1e3),
        _ => format!("{} µs", grouped((ns + 500) / 1_000)),
    }
}
