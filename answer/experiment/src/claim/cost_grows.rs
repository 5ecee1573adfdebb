//! "It grows with the number of threads": the last amount of a line is clearly more than an earlier one.

use super::amount::{Pair, all_keep};
use super::{Evidence, Judge};
use crate::overhead_figures::Statistic;
use prazo_core::text::counted;
use prazo_verdict::claim::{Judgement, Name, Undecidable, document};
use serde::Deserialize;

/// `cost-grows = { line, from, by, of }`; `of` is the maximum where it is not said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostGrows {
    line: Name,
    /// The number of threads from which on it grows.
    from: u64,
    /// How many times as much it is at the end, at least.
    #[serde(deserialize_with = "document::not_negative")]
    by: f64,
    #[serde(default)]
    of: Statistic,
}

impl Judge for CostGrows {
    fn lines(&self) -> Vec<&Name> {
        vec![&self.line]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let amounts = evidence.amounts(&self.line, self.of)?;
        let first = amounts.iter().find(|amount| amount.threads == self.from);
        let absent = || Undecidable(format!("line {} has no point at {}", self.line.id, counted(self.from, "thread")));
        let pair = (first.ok_or_else(absent)?.clone(), amounts[amounts.len() - 1].clone());
        let tell = |(first, last): &Pair| format!("{}, {}: from {first} to {last}", last.line, self.of);
        all_keep(vec![pair], self.of, |(first, last)| last.us >= self.by * first.us, tell)
    }
}
