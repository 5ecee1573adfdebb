//! How a study's TOML writes values that have types inside: durations with their unit, processor lists, cell names.

use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_stats::level::Level;
use serde::de::{Deserialize, Deserializer, Error};
use std::fmt::Display;
use std::str::FromStr;

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// `"1ms"`; a bare number is refused, so that no unit is ever guessed.
pub(crate) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parsed(deserializer)
}

/// `"1ms"` where the key may be absent (with `#[serde(default)]`).
pub(crate) fn maybe_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    parsed(deserializer).map(Some)
}

/// `"0-3,5"`, or `"all"` for those of the machine that measures.
pub(crate) fn cpus<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CpuSet>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "all" { Ok(None) } else { text.parse().map(Some).map_err(D::Error::custom) }
}

/// A share between 0 and 1, both excluded.
pub(crate) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    inside(f64::deserialize(deserializer)?)
}

/// The `q` of a quantile, between 0 and 1, both excluded.
pub(crate) fn quantile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
    level(f64::deserialize(deserializer)?)
}

/// Several of them, at least one.
pub(crate) fn quantiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Level>, D::Error> {
    let all = Vec::<f64>::deserialize(deserializer)?;
    if all.is_empty() {
        return Err(D::Error::custom("no quantile is given; write a list such as [0.5, 0.99]"));
    }
    all.into_iter().map(level).collect()
}

fn level<E: Error>(q: f64) -> Result<Level, E> {
    inside(q).map(|q| Level::from_f64(q).expect("it lies between 0 and 1"))
}

fn inside<E: Error>(q: f64) -> Result<f64, E> {
    let outside = || E::custom(format_args!("expected a number above 0 and below 1, such as 0.999, got {q}"));
    (q > 0.0 && q < 1.0).then_some(q).ok_or_else(outside)
}
