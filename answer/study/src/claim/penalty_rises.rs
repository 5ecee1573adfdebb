//! "Each costs more than the one before": penalties along an order of platforms.

use super::workloads::{compared, penalty};
use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `penalty-rises = { cells, workloads }`: no penalty is below that of the cell named before it, and the last is above the first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyRises {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(default)]
    workloads: Vec<Name>,
}

impl Judge for PenaltyRises {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn workloads(&self) -> &[Name] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let setting = compared(&self.cells(), &self.workloads, evidence)?;
        let penalties = setting.platforms.iter().map(penalty).collect::<Result<Vec<_>, _>>()?;
        let told = setting
            .platforms
            .iter()
            .zip(&penalties)
            .map(|(platform, penalty)| format!("{} {penalty:.4}", platform.cell));
        let evidence = format!("penalties: {}", told.collect::<Vec<_>>().join(", "));
        Ok(ClaimFinding { holds: penalties.is_sorted() && penalties.first() < penalties.last(), evidence })
    }

    fn contradiction(&self) -> Option<&'static str> {
        (self.cells.len() < 2).then_some("name at least two cells, in the order in which the penalty should rise")
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}
