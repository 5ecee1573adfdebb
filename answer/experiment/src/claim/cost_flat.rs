//! "It does not depend on the number of threads": the largest amount of a line is hardly more than its smallest.

use super::amount::{Pair, all_keep};
use super::{Evidence, Judge};
use crate::overhead_figures::Statistic;
use prazo_verdict::claim::{Judgement, Name, document};
use serde::Deserialize;

/// `cost-flat = { line, within, of }`; `of` is the maximum where it is not said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostFlat {
    line: Name,
    /// How many times the smallest the largest may be.
    #[serde(deserialize_with = "document::not_negative")]
    within: f64,
    #[serde(default)]
    of: Statistic,
}

impl Judge for CostFlat {
    fn lines(&self) -> Vec<&Name> {
        vec![&self.line]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let amounts = evidence.amounts(&self.line, self.of)?;
        let against_all = |amount| amounts.iter().map(move |other| (Clone::clone(amount), other.clone()));
        let pairs: Vec<Pair> = amounts.iter().flat_map(against_all).collect();
        let tell = |(largest, smallest): &Pair| format!("{}, {}: from {smallest} to {largest}", largest.line, self.of);
        all_keep(pairs, self.of, |(one, other)| one.us <= self.within * other.us, tell)
    }
}
