//! "It is so many times the other": one statistic of one quantity, of one cell against others.
//!
//! Ranges over seeds decide: held where even the nearest ends are so far apart, not held where even the farthest are not.

use super::{ClaimFinding, Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::statistic::{Known, Statistic};
use prazo_run::run::Quantity;
use prazo_verdict::claim::counts::Counts;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `statistic-ratio = { quantity, statistic, a, b, at_least, at_most }`: that of `a` is so many times that of each of `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticRatio {
    quantity: Quantity,
    statistic: Statistic,
    a: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    b: Vec<Name>,
    #[serde(default, deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_least: f64,
    #[serde(default = "no_limit", deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_most: f64,
}

impl Judge for StatisticRatio {
    fn cells(&self) -> Vec<&Name> {
        std::iter::once(&self.a).chain(&self.b).collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let a = evidence.known(&self.a, self.quantity, self.statistic)?;
        let one = |cell: &Name| {
            let b = evidence.known(cell, self.quantity, self.statistic)?;
            let details = format!("{}: {b}, ratio {}", cell.id, range(&a, &b));
            let overlap = || Undecidable(format!("over the runs, the ratio lies on both sides of a limit: {details}"));
            let holds = self.one(&a, cell, &b)?.ok_or_else(overlap)?;
            Ok((holds, details))
        };
        let head = format!("{} of {}: {a}", self.statistic.of_quantity(self.quantity), self.a.id);
        each_of(self.b.iter().map(one))
            .map(|found| ClaimFinding { evidence: format!("{head}; {}", found.evidence), ..found })
            .map_err(|Undecidable(why)| Undecidable(format!("{why}; {head}")))
    }

    fn contradiction(&self) -> Option<&'static str> {
        let is_bounded = self.at_least > 0.0 || self.at_most < f64::MAX;
        (!is_bounded || self.at_least > self.at_most)
            .then_some("give at_least, at_most or both; at_least must not exceed at_most")
    }

    fn takes_all_runs(&self) -> bool {
        true
    }
}

impl StatisticRatio {
    /// Whether it holds against one other cell; `None` where the runs differ about it.
    fn one(&self, a: &Known, cell: &Name, b: &Known) -> Result<Option<bool>, Undecidable> {
        if b.low <= 0.0 {
            return Err(Undecidable(format!("{}: {b} is not above 0, so no ratio to it can be computed", cell.id)));
        }
        let (least, most) = (a.low / b.high, a.high / b.low);
        let answer = match () {
            () if least >= self.at_least && most <= self.at_most => Some(true),
            () if most < self.at_least || least > self.at_most => Some(false),
            () => None,
        };
        let says_more = if answer == Some(true) { self.at_least > 0.0 } else { least > self.at_most };
        let says_less = if answer == Some(true) { self.at_most < f64::MAX } else { most < self.at_least };
        match (self.statistic, a.count.zip(b.count)) {
            (Statistic::Max, Some((of, against))) => {
                let counts = Counts { of, against };
                let is_fair = (!says_more || counts.allow_more()) && (!says_less || counts.allow_less());
                is_fair.then_some(answer).ok_or_else(|| unfair(a, b, &cell.id))
            }
            _ => Ok(answer),
        }
    }
}

/// An answer about maxima that the counts alone could have brought about.
fn unfair(a: &Known, b: &Known, cell: &str) -> Undecidable {
    Undecidable(format!("{a} against {b} of {cell}: the sample counts differ too much to compare maxima"))
}

fn range(a: &Known, b: &Known) -> String {
    let (least, most) = (a.low / b.high, a.high / b.low);
    if most > least { format!("{least:.2} to {most:.2}") } else { format!("{least:.2}") }
}

fn no_limit() -> f64 {
    f64::MAX
}
