//! The present moment, as names of files and reports have it.

use prazo_run::calendar::Date;
use std::time::{SystemTime, UNIX_EPOCH};

/// `20261121-063000`, in universal time: sorts by age.
pub fn stamp() -> String {
    let ([year, month, day], [hour, minute, second]) = now();
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

/// The present moment for a report, in universal time: `2026-11-21 06:30 UTC`.
pub fn made_at() -> String {
    let ([year, month, day], [hour, minute, _]) = now();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

fn now() -> ([i64; 3], [u64; 3]) {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let Date { year, month, day } = Date::of_days((seconds / 86_400) as i64);
    let clock = seconds % 86_400;
    ([year, month, day], [clock / 3_600, clock / 60 % 60, clock % 60])
}
