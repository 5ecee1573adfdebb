//! The two answers of an extrapolation: an interval with its conditions, or a refusal that names the gate.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A quantile beyond the samples, with a 95 % interval. It holds only if the conditions do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extrapolated {
    /// The latency in nanoseconds that the share `p` of activations exceeds.
    pub quantile_ns: f64,
    /// Lower end of the 95 % interval, in nanoseconds.
    pub low_ns: f64,
    /// Upper end of the 95 % interval, in nanoseconds; `None` if the samples do not bound it.
    pub high_ns: Option<f64>,
    /// Shape of the law; positive for a heavy tail, negative for one that ends, 0 for an exponential one.
    pub shape: f64,
    /// Number of values that the law was fitted to: peaks over the threshold, or maxima of blocks.
    pub fitted: usize,
    /// What the interval assumes, and how it was computed.
    pub conditions: String,
}

/// No answer, because a gate failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// The gate that failed.
    pub gate: Gate,
    /// What was found, in one sentence.
    pub found: String,
}

/// A condition that is checked before a tail is extrapolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// There are enough samples and enough large values among them.
    Count,
    /// The largest values differ, and the clock resolves their spread.
    Resolution,
    /// The level does not drift or jump.
    Stationarity,
    /// Large values do not come in groups.
    Dependence,
    /// The level does not wander slowly.
    LongMemory,
    /// The fitted law describes the largest values.
    Fit,
    /// The shape lies where the interval is valid.
    Shape,
}

impl Gate {
    /// Every gate, in the order in which tables list them.
    pub const VALUES: [Self; 7] =
        [Self::Count, Self::Resolution, Self::Stationarity, Self::Dependence, Self::LongMemory, Self::Fit, Self::Shape];

    pub(super) fn refuses(self, found: impl Into<String>) -> Refused {
        Refused { gate: self, found: found.into() }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "count",
            Self::Resolution => "resolution",
            Self::Stationarity => "stationarity",
            Self::Dependence => "dependence",
            Self::LongMemory => "long memory",
            Self::Fit => "fit",
            Self::Shape => "shape",
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.gate, self.found)
    }
}

impl std::error::Error for Refused {}
