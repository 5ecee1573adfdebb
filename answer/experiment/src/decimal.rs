//! Numbers of an experiment's TOML, kept exactly as they were written: `0.1` is one tenth, not the nearest binary fraction.

use prazo_core::ratio::Ratio;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// An exact decimal; in TOML `0.1`, `2` or `"1/3"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(pub Ratio);

struct Exactly;

impl Visitor<'_> for Exactly {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of at least 0, such as 0.1 or \"1/3\"")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Decimal, E> {
        self.visit_str(&value.to_string())
    }

    /// The shortest decimal that means this float is the one that was written, up to fifteen digits.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Decimal, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
        text.parse().map(Decimal).map_err(|why| E::custom(format!("'{text}' is not allowed here: {why}")))
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Exactly)
    }
}

/// The shortest decimal for `ratio`, or its fraction where there is none of up to twelve digits.
pub fn text(ratio: Ratio) -> String {
    for digits in 0..=12u32 {
        let Some(scaled) = ratio.checked_mul(Ratio::whole(10u64.pow(digits))) else { break };
        if scaled.denominator() == 1 {
            return with_point(scaled.numerator(), digits as usize);
        }
    }
    ratio.to_string()
}

fn with_point(number: u128, digits: usize) -> String {
    let padded = format!("{number:0>width$}", width = digits + 1);
    let (whole, behind) = padded.split_at(padded.len() - digits);
    if behind.is_empty() { whole.to_owned() } else { format!("{whole}.{behind}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Line {
        x: Decimal,
    }

    fn read(text: &str) -> Result<Ratio, String> {
        toml::from_str::<Line>(text).map(|line| line.x.0).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_written_is_what_is_meant() {
        assert_eq!(read("x = 0.1"), Ok(Ratio::new(1, 10).unwrap()));
        assert_eq!(read("x = 29.56"), Ok(Ratio::new(2956, 100).unwrap()));
        assert_eq!(read("x = 8"), Ok(Ratio::whole(8)));
        assert_eq!(read("x = '1/3'"), Ok(Ratio::new(1, 3).unwrap()));
        assert!(read("x = -1").unwrap_err().contains("'-1' is not allowed here: the number cannot be below zero"));
        assert!(read("x = nan").is_err() && read("x = inf").is_err() && read("x = true").is_err());
    }

    #[test]
    fn decimals_are_shown_as_decimals() {
        let shown = |text: &str| super::text(text.parse().unwrap());
        assert_eq!(["7.9", "2.0", "0.05", "1/3", "0"].map(shown), ["7.9", "2", "0.05", "1/3", "0"]);
    }
}
