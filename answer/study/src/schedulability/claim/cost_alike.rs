//! "They cost the same": at every number of threads the largest of some lines is hardly more than the smallest.

use super::{Evidence, Judge};
use crate::claim::{Finding, Judgement};
use crate::edge::{self, CellName};
use crate::schedulability::cost::Statistic;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `cost-alike = { lines, within, of }`; `of` is the maximum where it is not said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostAlike {
    #[serde(deserialize_with = "edge::cells")]
    lines: Vec<CellName>,
    /// How many times the smallest the largest may be.
    #[serde(deserialize_with = "edge::not_negative")]
    within: f64,
    #[serde(default)]
    of: Statistic,
}

impl Judge for CostAlike {
    fn lines(&self) -> Vec<&CellName> {
        self.lines.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let mut ranges: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        for line in &self.lines {
            for (threads, amount) in evidence.amounts(line, self.of)? {
                let range = ranges.entry(threads).or_insert((amount, amount));
                *range = (range.0.min(amount), range.1.max(amount));
            }
        }
        let apart = |range: &(f64, f64)| range.1 / range.0;
        let widest = ranges.iter().max_by(|a, b| apart(a.1).total_cmp(&apart(b.1)));
        let (threads, range) = widest.map_or((0, (0.0, 0.0)), |(threads, range)| (*threads, *range));
        let said = format!("{}: furthest apart at {threads} threads, {:.3} us and {:.3} us", self.of, range.0, range.1);
        Ok(Finding { holds: range.1 <= self.within * range.0, evidence: said })
    }
}
