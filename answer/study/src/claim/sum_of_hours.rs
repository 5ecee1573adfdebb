//! "The measurement took": the cells together lasted a number of hours, reckoned from their activations.
//!
//! An activation on a grid stands for one period. A relative sleep begins when the last one ended, so there each activation
//! stands for the period and its own lateness.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::figure::Figures;
use prazo_core::text::counted;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

const NS_PER_HOUR: f64 = 3.6e12;

/// `sum-of-hours = { cells, hours, within }`; `within` is in hours too.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SumOfHours {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    hours: f64,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    within: f64,
}

impl Judge for SumOfHours {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let all = evidence.all(&self.cells)?;
        let served: u64 = all.iter().map(|(_, figures)| figures.served).sum();
        let hours: f64 = all.iter().map(|(cell, figures)| hours(cell, figures)).sum::<Result<f64, _>>()?;
        let evidence =
            format!("{} in {hours:.2} h ({})", counted(served, "activation"), counted(all.len() as u64, "cell"));
        Ok(ClaimFinding { holds: (hours - self.hours).abs() <= self.within, evidence })
    }

    fn takes_all_runs(&self) -> bool {
        true
    }
}

fn hours(cell: &str, figures: &Figures) -> Result<f64, Undecidable> {
    let period =
        figures.period.ok_or_else(|| Undecidable(format!("the source does not state the period of {cell}")))?;
    let lateness = figures.latencies.mean_range().filter(|_| figures.relative_sleep).map_or(0.0, |mean| mean.low_ns);
    Ok(figures.served as f64 * (period.as_ns() as f64 + lateness) / NS_PER_HOUR)
}
