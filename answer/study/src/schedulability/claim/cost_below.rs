//! "These cost less than those": every lower line lies below every upper one, whatever the number of threads.

use super::amount::{Pair, all_keep};
use super::{Evidence, Judge};
use crate::claim::Judgement;
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
        let lines = self.lower.iter().flat_map(|lower| self.upper.iter().map(move |upper| (lower, upper)));
        let pairs: Vec<Vec<Pair>> =
            lines.map(|(lower, upper)| common(lower, upper, evidence)).collect::<Result<_, _>>()?;
        let tell =
            |(lower, upper): &Pair| format!("closest are {} with {lower} and {} with {upper}", lower.line, upper.line);
        all_keep(pairs.concat(), Statistic::Max, |(lower, upper)| lower.us < upper.us, tell)
    }
}

/// The amounts of two lines at the numbers of threads that both have.
fn common(lower: &CellName, upper: &CellName, evidence: &Evidence) -> Result<Vec<Pair>, Undecidable> {
    let (low, high) = (evidence.amounts(lower, Statistic::Max)?, evidence.amounts(upper, Statistic::Max)?);
    let partner = |threads: u64| high.iter().find(|other| other.threads == threads).cloned();
    let pairs: Vec<Pair> =
        low.into_iter().filter_map(|amount| partner(amount.threads).map(|other| (amount, other))).collect();
    let absent = || Undecidable(format!("{} and {} have no number of threads in common", lower.id, upper.id));
    if pairs.is_empty() { Err(absent()) } else { Ok(pairs) }
}
