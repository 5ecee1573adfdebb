//! "Programs pay there what the paper says": a measured penalty against a stated one.

use super::workloads::{compared, each_penalty, penalty};
use super::{Finding, Judge, Judgement};
use crate::edge::{self, CellName};
use crate::evidence::Evidence;
use serde::Deserialize;

/// `penalty-as-stated = { stated, cell, of, workloads, within }`: the penalty of `cell`, the best among it and each of `of`, differs from the
/// stated one by at most the share `within` of that.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyAsStated {
    stated: CellName,
    cell: CellName,
    #[serde(deserialize_with = "edge::cells")]
    of: Vec<CellName>,
    #[serde(default)]
    workloads: Vec<CellName>,
    #[serde(deserialize_with = "edge::not_negative")]
    within: f64,
}

impl PenaltyAsStated {
    /// Those that were measured.
    fn compared(&self) -> Vec<&CellName> {
        std::iter::once(&self.cell).chain(&self.of).collect()
    }
}

impl Judge for PenaltyAsStated {
    fn cells(&self) -> Vec<&CellName> {
        self.compared().into_iter().chain([&self.stated]).collect()
    }

    fn workloads(&self) -> &[CellName] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let stated = evidence.stated_penalty(&self.stated)?;
        let setting = compared(&self.compared(), &self.workloads, evidence)?;
        let own = &setting.platforms[0];
        let penalty = penalty(own)?;
        let evidence = format!(
            "{} states {stated:.3}; penalty of {}: {penalty:.3} ({})",
            self.stated.id,
            self.cell.id,
            each_penalty(own)
        );
        Ok(Finding { holds: (penalty - stated).abs() <= self.within * stated, evidence })
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}
