//! When a hunt ends: after a number of boots, or after a time that guests measured.

use prazo_core::time::Duration;
use std::str::FromStr;

/// More boots than anybody waits for.
const BOOTS_MAX: u64 = 1_000_000;

/// When a hunt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After so many boots.
    Boots(u64),
    /// After so much time of the guests' measurements.
    Measured(Duration),
}

impl Budget {
    /// How many boots that is, at least one.
    pub(super) fn boots(self, length: Duration) -> usize {
        let boots = match self {
            Self::Boots(boots) => boots,
            Self::Measured(time) => time.as_ns().checked_div(length.as_ns()).unwrap_or(1),
        };
        boots.clamp(1, BOOTS_MAX) as usize
    }
}

/// `24` boots, or `60s` of measuring.
impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("'{text}' is neither a number of boots, such as 24, nor a time, such as 60s");
        match text.parse::<u64>() {
            Ok(boots @ 1..) => Ok(Self::Boots(boots)),
            Ok(0) => Err(wrong()),
            Err(_) => match text.parse::<Duration>() {
                Ok(time) if !time.is_zero() => Ok(Self::Measured(time)),
                _ => Err(wrong()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_boots_and_a_time_is_divided_by_that_of_a_boot() {
        let boots = |text: &str| text.parse::<Budget>().map(|budget| budget.boots(Duration::from_s(2)));
        assert_eq!([boots("24"), boots("60s"), boots("1s")], [Ok(24), Ok(30), Ok(1)]);
        for text in ["0", "0s", "many", "-3", ""] {
            assert!(boots(text).unwrap_err().contains("60s"), "{text}");
        }
    }
}
