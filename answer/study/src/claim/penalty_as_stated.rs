//! "Programs pay there what the paper says": a measured penalty against a stated one.

use super::workloads::{compared, each_penalty, penalty};
use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `penalty-as-stated = { stated, cell, of, workloads, within }`: the penalty of `cell`, the best among it and each of `of`, differs from the
/// stated one by at most the share `within` of that.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyAsStated {
    stated: Name,
    cell: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    of: Vec<Name>,
    #[serde(default)]
    workloads: Vec<Name>,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    within: f64,
}

impl PenaltyAsStated {
    /// Those that were measured.
    fn compared(&self) -> Vec<&Name> {
        std::iter::once(&self.cell).chain(&self.of).collect()
    }
}

impl Judge for PenaltyAsStated {
    fn cells(&self) -> Vec<&Name> {
        self.compared().into_iter().chain([&self.stated]).collect()
    }

    fn workloads(&self) -> &[Name] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let stated = evidence.stated_penalty(&self.stated)?;
        let setting = compared(&self.compared(), &self.workloads, evidence)?;
        let own = &setting.platforms[0];
        let penalty = penalty(own)?;
        let evidence = format!(
            "{} states a penalty of {stated:.3}; measured penalty of {}: {penalty:.3} ({})",
            self.stated.id,
            self.cell.id,
            each_penalty(own)
        );
        Ok(ClaimFinding { holds: (penalty - stated).abs() <= self.within * stated, evidence })
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}
