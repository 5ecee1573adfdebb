//! "Programs pay so much there": the penalty of one platform against the best of those compared.

use super::workloads::{compared, each_penalty, penalty};
use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `penalty-between = { cell, of, workloads, at_least, at_most }`: the geometric mean of T_exec / T_best_exec over the workloads (all, unless
/// named), the best among `cell` and each of `of`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyBetween {
    cell: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    of: Vec<Name>,
    #[serde(default)]
    workloads: Vec<Name>,
    #[serde(default, deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_least: f64,
    #[serde(default = "no_limit", deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_most: f64,
}

impl Judge for PenaltyBetween {
    fn cells(&self) -> Vec<&Name> {
        std::iter::once(&self.cell).chain(&self.of).collect()
    }

    fn workloads(&self) -> &[Name] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let setting = compared(&self.cells(), &self.workloads, evidence)?;
        let own = &setting.platforms[0];
        let penalty = penalty(own)?;
        let evidence = format!("penalty of {}: {penalty:.3} ({})", self.cell.id, each_penalty(own));
        Ok(ClaimFinding { holds: (self.at_least..=self.at_most).contains(&penalty), evidence })
    }

    fn contradiction(&self) -> Option<&'static str> {
        let is_bounded = self.at_least > 0.0 || self.at_most < f64::MAX;
        (!is_bounded || self.at_least > self.at_most)
            .then_some("give at_least, at_most or both; at_least must not exceed at_most")
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}

fn no_limit() -> f64 {
    f64::MAX
}
