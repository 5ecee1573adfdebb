//! How a study's TOML writes values that have types inside: durations with their unit, processor lists, cell names.

use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use serde::de::{Deserialize, Deserializer, Error};
use std::fmt::Display;
use std::str::FromStr;

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// `"1ms"`; a bare number is refused, so that no unit is ever guessed.
pub fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parsed(deserializer)
}

/// `"1ms"` where the key may be absent (with `#[serde(default)]`).
pub fn maybe_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    parsed(deserializer).map(Some)
}

/// `"0-3,5"`, or `"all"` for those of the machine that measures.
pub fn cpus<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CpuSet>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "all" { Ok(None) } else { text.parse().map(Some).map_err(D::Error::custom) }
}

/// A share between 0 and 1, both excluded: the `q` of a quantile.
pub fn quantile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    inside(f64::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Several of them, at least one.
pub fn quantiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let all = Vec::<f64>::deserialize(deserializer)?;
    if all.is_empty() {
        return Err(D::Error::custom("no quantile is named; write a list such as [0.5, 0.99]"));
    }
    all.into_iter().map(inside).collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn inside(q: f64) -> Result<f64, String> {
    if q > 0.0 && q < 1.0 { Ok(q) } else { Err(format!("a quantile lies between 0 and 1, as 0.999 does; this is {q}")) }
}

/// A factor, share or number of hours that must not be negative.
pub fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("a number of at least 0 is wanted; this is {value}")))
    }
}

/// The name of a cell as a claim writes it, with its place in the file, so that a wrong one can be pointed at.
#[derive(Clone, Debug)]
pub struct CellName {
    /// The cell's id.
    pub id: String,
    /// Byte offset in the study's text.
    pub at: usize,
}

impl<'de> Deserialize<'de> for CellName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<String>::deserialize(deserializer)?;
        Ok(Self { at: spanned.span().start, id: spanned.into_inner() })
    }
}

/// At least one cell.
pub fn cells<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CellName>, D::Error> {
    let cells = Vec::<CellName>::deserialize(deserializer)?;
    if cells.is_empty() {
        return Err(D::Error::custom("no cell is named; a claim speaks about at least one"));
    }
    Ok(cells)
}
