//! What platforms cost programs (Marsal 2013): penalty, slowdown, switches, faults and waits of workloads that were executed on
//! each, and the latency that a probe saw meanwhile.
//!
//! ```text
//! runs with workloads ─► figures a seed ─► medians ─► T_best_exec ─► penalty, slowdown, correlation ─► CostResult
//! ```
//! Only cells of one setting are compared: workloads alone with workloads alone, beside a probe with beside the same one.

mod compare;
mod result;
mod table;

use crate::cell::Cell;
use crate::evidence::Evidence;
use prazo_verdict::claim::Undecidable;

pub use compare::{PlatformRuns, compare};
pub use result::{
    CostCorrelation, CostFigures, CostLatency, CostPair, CostResult, CostSetting, LeftOut, PlatformCost, StatedPenalty,
    WorkloadCost,
};

/// What these cells say of cost, setting by setting; `None` where none of them has workloads. A cell with a fatal caveat stands in no
/// table and no picture, and is told beside them.
pub(crate) fn of(cells: &[Cell], evidence: &Evidence) -> Option<CostResult> {
    let mut settings: Vec<(&str, Vec<PlatformRuns<'_>>)> = Vec::new();
    let mut left_out = Vec::new();
    for cell in cells {
        let (Some((beside, platform)), Ok(_)) = (cell.costs(), evidence.entry(&cell.id)) else { continue };
        let measured = match evidence.sound(&cell.id) {
            Ok(entry) => PlatformRuns { platform, cell: &cell.id, runs: &entry.runs },
            Err(Undecidable(why)) => {
                left_out.push(LeftOut { beside: beside.to_owned(), platform: platform.to_owned(), why });
                continue;
            }
        };
        match settings.iter_mut().find(|(known, _)| *known == beside) {
            Some((_, cells)) => cells.push(measured),
            None => settings.push((beside, vec![measured])),
        }
    }
    let settings: Vec<_> = settings.iter().map(|(beside, cells)| compare(beside, cells, &|_| true)).collect();
    let is_empty = settings.is_empty() && left_out.is_empty();
    (!is_empty).then_some(CostResult { settings, left_out, stated: evidence.stated_penalties() })
}
