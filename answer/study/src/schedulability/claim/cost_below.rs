//! "These cost less than those": every lower line lies below every upper one, whatever the number of threads.

use super::{Evidence, Judge};
use crate::claim::{Finding, Judgement};
use crate::edge::{self, CellName};
use crate::evidence::Undecidable;
use crate::schedulability::cost::Statistic;
use serde::Deserialize;

/// `cost-below = { lower, upper }`, by their maxima.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostBelow {
    #[serde(deserialize_with = "edge::cells")]
    lower: Vec<CellName>,
    #[serde(deserialize_with = "edge::cells")]
    upper: Vec<CellName>,
}

impl Judge for CostBelow {
    fn lines(&self) -> Vec<&CellName> {
        self.lower.iter().chain(&self.upper).collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let pairs = self.lower.iter().flat_map(|lower| self.upper.iter().map(move |upper| (lower, upper)));
        let closest: Vec<Closest> =
            pairs.map(|(lower, upper)| Closest::of(lower, upper, evidence)).collect::<Result<_, _>>()?;
        let worst = closest.iter().min_by(|a, b| a.distance().total_cmp(&b.distance()));
        let worst = worst.ok_or_else(|| Undecidable("no line is named".into()))?;
        Ok(Finding { holds: worst.distance() > 0.0, evidence: worst.to_string() })
    }
}

/// Where a lower line comes closest to an upper one, or is furthest above it.
struct Closest {
    text: String,
    threads: u64,
    lower: f64,
    upper: f64,
}

impl Closest {
    /// How far the upper line is above the lower one.
    fn distance(&self) -> f64 {
        self.upper - self.lower
    }

    fn of(lower: &CellName, upper: &CellName, evidence: &Evidence) -> Result<Self, Undecidable> {
        let (low, high) = (evidence.amounts(lower, Statistic::Max)?, evidence.amounts(upper, Statistic::Max)?);
        let partner = |threads: u64| high.iter().find(|(other, _)| *other == threads).map(|(_, amount)| *amount);
        let both = low.iter().filter_map(|(threads, amount)| Some((*threads, *amount, partner(*threads)?)));
        let closest = both.min_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)));
        let absent = || Undecidable(format!("{} and {} have no number of threads in common", lower.id, upper.id));
        let (threads, lower_us, upper_us) = closest.ok_or_else(absent)?;
        Ok(Self { text: format!("{} under {}", lower.id, upper.id), threads, lower: lower_us, upper: upper_us })
    }
}

impl std::fmt::Display for Closest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: closest at {} threads, {:.3} us and {:.3} us", self.text, self.threads, self.lower, self.upper)
    }
}
