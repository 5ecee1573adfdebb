//! "These cost less than those": every lower line lies below every upper one, whatever the number of threads.

use super::amount::{Pair, all_keep};
use super::{Evidence, Judge};
use crate::overhead_figures::Statistic;
use prazo_verdict::claim::{Judgement, Name, Undecidable, document};
use serde::Deserialize;

/// `cost-below = { lower, upper }`, by their maxima.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostBelow {
    #[serde(deserialize_with = "document::names")]
    lower: Vec<Name>,
    #[serde(deserialize_with = "document::names")]
    upper: Vec<Name>,
}

impl Judge for CostBelow {
    fn lines(&self) -> Vec<&Name> {
        self.lower.iter().chain(&self.upper).collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let lines = self.lower.iter().flat_map(|lower| self.upper.iter().map(move |upper| (lower, upper)));
        let pairs: Vec<Vec<Pair>> =
            lines.map(|(lower, upper)| common(lower, upper, evidence)).collect::<Result<_, _>>()?;
        let tell = |(lower, upper): &Pair| {
            format!("the decisive pair is {} with {lower} and {} with {upper}", lower.line, upper.line)
        };
        all_keep(pairs.concat(), Statistic::Max, |(lower, upper)| lower.us < upper.us, tell)
    }
}

/// The amounts of two lines at the numbers of threads that both have.
fn common(lower: &Name, upper: &Name, evidence: &Evidence) -> Result<Vec<Pair>, Undecidable> {
    let (low, high) = (evidence.amounts(lower, Statistic::Max)?, evidence.amounts(upper, Statistic::Max)?);
    let partner = |threads: u64| high.iter().find(|other| other.threads == threads).cloned();
    let pairs: Vec<Pair> =
        low.into_iter().filter_map(|amount| partner(amount.threads).map(|other| (amount, other))).collect();
    let absent =
        || Undecidable(format!("{} and {} were not measured with the same number of threads", lower.id, upper.id));
    if pairs.is_empty() { Err(absent()) } else { Ok(pairs) }
}
