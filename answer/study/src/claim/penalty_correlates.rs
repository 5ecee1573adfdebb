//! "It goes with the penalty": whether a figure grows where programs pay more, over platforms and workloads.

use super::workloads::compared;
use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use prazo_stats::correlation::{Coefficient, Correlation};
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `penalty-correlates = { cells, figure, by, workloads, at_least }`: the coefficient of penalty and figure, both against the platform that
/// executed least, is at least so much and its interval lies above 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyCorrelates {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    figure: String,
    #[serde(default)]
    by: By,
    #[serde(default)]
    workloads: Vec<Name>,
    #[serde(default, deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_least: f64,
}

/// Whose coefficient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum By {
    /// As Marsal 2013: a straight line.
    #[default]
    Pearson,
    /// Ranks: growth of any shape.
    Spearman,
}

impl Judge for PenaltyCorrelates {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn workloads(&self) -> &[Name] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let setting = compared(&self.cells(), &self.workloads, evidence)?;
        let of = setting.correlations.into_iter().find(|one| one.figure == self.figure);
        let unknown = || {
            Undecidable(format!(
                "there is no figure '{}' to correlate penalties with; choose one such as voluntary_switches",
                self.figure
            ))
        };
        let of = of.ok_or_else(unknown)?;
        let none = |reason: Option<String>| Undecidable(reason.unwrap_or_default());
        let found = of.correlation.ok_or_else(|| none(of.reason))?;
        let details = details(&found);
        let coefficient = self.by.of(&found);
        match (coefficient.low > 0.0, coefficient.high < 0.0) {
            (true, _) => Ok(ClaimFinding { holds: coefficient.value >= self.at_least, evidence: details }),
            (_, true) => Ok(ClaimFinding { holds: false, evidence: details }),
            _ => Err(Undecidable(format!(
                "the coefficient's interval contains 0, so no correlation is shown: {details}"
            ))),
        }
    }

    fn takes_all_runs(&self) -> bool {
        true
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}

impl By {
    const fn of(self, found: &Correlation) -> Coefficient {
        match self {
            Self::Pearson => found.pearson,
            Self::Spearman => found.spearman,
        }
    }
}

fn details(found: &Correlation) -> String {
    let one = |name: &str, of: Coefficient| format!("{name} {:.2} ({:.2} to {:.2})", of.value, of.low, of.high);
    format!("{}, {}, {} pairs", one("Pearson", found.pearson), one("Spearman", found.spearman), found.count)
}
