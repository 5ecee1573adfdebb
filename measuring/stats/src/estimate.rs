//! Order statistics with their intervals: the one place where a quantile gets its 95 % CI.

use crate::blocks::Unit;
use crate::bootstrap::{self, Resampler};
use crate::distribution::{Bracket, Distribution};
use crate::level::{Level, VALUES_ABOVE_MIN};
use prazo_core::text::counted;
use prazo_core::time::Offset;
use std::fmt;

/// A quantile that enough values support.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The order statistic.
    pub value: Bracket,
    /// What the samples' own variation allows it to be.
    pub variation: Variation,
}

/// What is known of how far an order statistic may be from that of a longer run.
#[derive(Clone, Debug, PartialEq)]
pub enum Variation {
    /// The 95 % CI.
    Interval {
        /// Its ends; the upper one is `None` where it lies beyond the histogram's bound.
        ends: Bracket,
        /// How it was made; one sentence.
        method: String,
    },
    /// The run is too short for an interval: the smallest and the largest value that one of its blocks has.
    Range {
        /// The two values; the upper one is `None` where it lies beyond the histogram's bound.
        ends: Bracket,
        /// How many blocks.
        blocks: usize,
        /// Why there is no interval.
        why: String,
    },
    /// Nothing is known, and why.
    Unknown(String),
}

/// Fewer blocks than this have no range to speak of.
const BLOCKS_MIN: usize = 6;

/// Too few values lie above a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooFew {
    /// The level that was asked for.
    pub level: Level,
    /// How many values there are.
    pub count: u64,
}

impl Estimate {
    /// The smallest and the largest value that it may have; without an interval and a range, the value itself.
    pub fn ends_ns(&self) -> (i64, i64) {
        let unlimited = |bracket: Bracket| bracket.at_most_ns.unwrap_or(i64::MAX);
        let (low, high) = (self.value.at_least_ns, unlimited(self.value));
        match &self.variation {
            Variation::Interval { ends, .. } | Variation::Range { ends, .. } => {
                (low.min(ends.at_least_ns), high.max(unlimited(*ends)))
            }
            Variation::Unknown(_) => (low, high),
        }
    }

    /// The 95 % CI, widened to hold the value; `None` where there is none, or the value is known as a lower bound only.
    pub fn interval_ns(&self) -> Option<(i64, i64)> {
        let value = self.value.exact()?;
        match &self.variation {
            Variation::Interval { ends, .. } => Some((ends.at_least_ns.min(value), ends.at_most_ns?.max(value))),
            Variation::Range { .. } | Variation::Unknown(_) => None,
        }
    }

    /// How the interval was made, or why there is none.
    pub fn reason(&self) -> &str {
        match &self.variation {
            _ if self.value.exact().is_none() => "the quantile is only a lower bound, because some values are unknown",
            Variation::Interval { ends, .. } if ends.at_most_ns.is_none() => {
                "the upper end of the 95 % interval lies beyond the histogram's bound"
            }
            Variation::Interval { method, .. } => method,
            Variation::Range { why, .. } | Variation::Unknown(why) => why,
        }
    }
}

/// The order statistics of `levels` in `distribution`, with intervals from the blocks, or why there are no blocks.
pub(crate) fn estimates(
    distribution: &Distribution,
    units: Result<&[Unit], &str>,
    levels: &[Level],
) -> Vec<Result<Estimate, TooFew>> {
    let count = distribution.count();
    let supported: Vec<Level> = levels.iter().copied().filter(|level| level.is_supported_by(count)).collect();
    let mut variations = variations(units, &supported).into_iter();
    let estimate = |level: &Level| match distribution.supported_quantile(*level) {
        Some(value) => Ok(Estimate { value, variation: variations.next().expect("one for each supported level") }),
        None => Err(TooFew { level: *level, count }),
    };
    levels.iter().map(estimate).collect()
}

fn variations(units: Result<&[Unit], &str>, levels: &[Level]) -> Vec<Variation> {
    let units = match units {
        Err(why) => return vec![Variation::Unknown(why.into()); levels.len()],
        Ok(units) => units,
    };
    match Resampler::new(units) {
        Ok(resampler) => bootstrap::intervals(&resampler, levels)
            .into_iter()
            .map(|ends| Variation::Interval { ends, method: resampler.method() })
            .collect(),
        Err(why) if units.len() < BLOCKS_MIN => vec![Variation::Unknown(why); levels.len()],
        Err(why) => levels
            .iter()
            .map(|level| Variation::Range {
                ends: bootstrap::range(units, *level),
                blocks: units.len(),
                why: why.clone(),
            })
            .collect(),
    }
}

/// `29us`, `29us (95 % CI 28us to 31us)`, `29us (28us to 31us over 20 blocks)`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        let (low, high) = self.ends_ns();
        let high = || match high {
            i64::MAX => "beyond the histogram".to_owned(),
            high => Offset::from_ns(high).to_string(),
        };
        match &self.variation {
            Variation::Interval { .. } => write!(f, " (95 % CI {} to {})", Offset::from_ns(low), high()),
            Variation::Range { blocks, .. } => {
                write!(f, " ({} to {} over {blocks} blocks)", Offset::from_ns(low), high())
            }
            Variation::Unknown(_) => Ok(()),
        }
    }
}

impl fmt::Display for TooFew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "quantile {} has {} of {} above it; {VALUES_ABOVE_MIN} are needed to report this quantile",
            self.level,
            self.level.values_above(self.count),
            counted(self.count, "sample")
        )
    }
}
