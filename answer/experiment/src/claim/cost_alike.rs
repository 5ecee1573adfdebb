//! "They cost the same": at every number of threads the largest of some lines is hardly more than the smallest.

use super::amount::{Amount, Pair, all_keep};
use super::{Evidence, Judge};
use crate::overhead_figures::Statistic;
use prazo_verdict::claim::{Judgement, Name, document};
use serde::Deserialize;

/// `cost-alike = { lines, within, of }`; `of` is the maximum where it is not said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostAlike {
    #[serde(deserialize_with = "document::names")]
    lines: Vec<Name>,
    /// How many times the smallest the largest may be.
    #[serde(deserialize_with = "document::not_negative")]
    within: f64,
    #[serde(default)]
    of: Statistic,
}

impl Judge for CostAlike {
    fn lines(&self) -> Vec<&Name> {
        self.lines.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let mut amounts: Vec<Amount> = vec![];
        for line in &self.lines {
            amounts.extend(evidence.amounts(line, self.of)?);
        }
        let beside = |one: &Amount| {
            let others = amounts.iter().filter(|other| other.threads == one.threads);
            others.map(|other| (one.clone(), other.clone())).collect::<Vec<Pair>>()
        };
        let pairs: Vec<Pair> = amounts.iter().flat_map(beside).collect();
        let tell = |(largest, smallest): &Pair| {
            format!(
                "{}: the decisive pair is {} with {smallest} and {} with {largest}",
                self.of, smallest.line, largest.line
            )
        };
        all_keep(pairs, self.of, |(one, other)| one.us <= self.within * other.us, tell)
    }
}
