//! The methods that are scored, by name: two sets of gates, each with block maxima and with peaks over a threshold.

mod blocks;
mod chronovise;
mod ours;

use super::answer::{Extrapolated, Gate, Refused};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A way to extrapolate a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Peaks over a threshold with our gates, and an interval by profile likelihood.
    OursPeaks,
    /// Block maxima with our gates, and an interval by profile likelihood.
    OursMaxima,
    /// Peaks over a threshold as chronovise does it.
    ChronovisePeaks,
    /// Block maxima as chronovise does it.
    ChronoviseMaxima,
}

impl Method {
    /// Every method.
    pub const VALUES: [Self; 4] = [Self::OursPeaks, Self::OursMaxima, Self::ChronovisePeaks, Self::ChronoviseMaxima];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OursPeaks => "ours, peaks",
            Self::OursMaxima => "ours, maxima",
            Self::ChronovisePeaks => "chronovise, peaks",
            Self::ChronoviseMaxima => "chronovise, maxima",
        })
    }
}

/// Fewer samples than this are refused by every method.
const SAMPLES_MIN: usize = 1_000;

/// The latency that the share `p` of activations exceeds, from consecutive samples of one series in their order, in nanoseconds. The same
/// samples have the same answer.
///
/// # Errors
/// A gate refuses the samples; the refusal names it.
///
/// # Panics
/// `p` is not between 0 and 1.
pub fn extrapolate(method: Method, latencies_ns: &[i64], p: f64) -> Result<Extrapolated, Refused> {
    assert!(p > 0.0 && p < 1.0, "an exceedance probability is between 0 and 1");
    if latencies_ns.len() < SAMPLES_MIN {
        return Err(Gate::Count.refuses(format!("{} samples; at least {SAMPLES_MIN} are needed", latencies_ns.len())));
    }
    match method {
        Method::OursPeaks => ours::peaks(latencies_ns, p),
        Method::OursMaxima => ours::maxima(latencies_ns, p),
        Method::ChronovisePeaks => chronovise::peaks(latencies_ns, p),
        Method::ChronoviseMaxima => chronovise::maxima(latencies_ns, p),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
