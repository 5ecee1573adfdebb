//! An observed range: the smallest and the largest of several values, which is not an interval.

use crate::microseconds::us;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The smallest and the largest of several values: an observed range, not an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ends {
    /// The smallest value.
    pub low_ns: f64,
    /// The largest value.
    pub high_ns: f64,
}

impl Ends {
    /// Of values; `None` where one is missing, or all.
    pub fn of(values: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        let low_ns = values.iter().copied().reduce(f64::min)?;
        let high_ns = values.iter().copied().reduce(f64::max)?;
        Some(Self { low_ns, high_ns })
    }

    /// How far apart they are.
    pub fn width(self) -> f64 {
        self.high_ns - self.low_ns
    }
}

/// `26.500 µs`, or `26.500 µs to 27.100 µs`.
impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} µs", us(self.low_ns))?;
        if self.width() > 0.0 { write!(f, " to {} µs", us(self.high_ns)) } else { Ok(()) }
    }
}
