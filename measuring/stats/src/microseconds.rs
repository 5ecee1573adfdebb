//! Nanoseconds as people read them.

use prazo_core::text::grouped;

/// Nanoseconds as microseconds with three decimals, and their thousands apart: `1,234.567`.
pub fn us(value: f64) -> String {
    let (sign, ns) = (if value <= -0.5 { "-" } else { "" }, value.abs().round() as u64);
    format!("{sign}{}.{:03}", grouped(ns / 1_000), ns % 1_000)
}
