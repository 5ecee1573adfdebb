//! What claims about cost share: the cells compared, which of their workloads, and what each executed there.

use crate::cost::{CostSetting, PlatformCost, PlatformRuns, WorkloadCost, compare};
use crate::evidence::Evidence;
use prazo_verdict::claim::{Name, Undecidable};

/// The cells of a claim compared with each other, in its order, on the workloads that it names; none named is all.
pub(super) fn compared(cells: &[&Name], workloads: &[Name], evidence: &Evidence) -> Result<CostSetting, Undecidable> {
    let measured = cells.iter().map(|cell| {
        let entry = evidence.sound(&cell.id)?;
        Ok(PlatformRuns { platform: &cell.id, cell: &cell.id, runs: &entry.runs })
    });
    let named = |name: &str| workloads.is_empty() || workloads.iter().any(|workload| workload.id == name);
    let setting = compare("", &measured.collect::<Result<Vec<_>, Undecidable>>()?, &named);
    match setting.platforms.iter().find(|platform| platform.workloads.len() < setting.workloads.len()) {
        _ if setting.workloads.is_empty() => {
            Err(Undecidable("no cell executed a workload that the claim compares".into()))
        }
        Some(platform) => {
            Err(Undecidable(format!("cell {} lacks a workload that another cell executed", platform.cell)))
        }
        None => Ok(setting),
    }
}

/// The penalty of a cell among those compared: the geometric mean over the workloads.
pub(super) fn penalty(platform: &PlatformCost) -> Result<f64, Undecidable> {
    let lacks = || Undecidable(format!("cell {} has a run whose processor time was not counted", platform.cell));
    platform.penalty.map(|spread| spread.median).ok_or_else(lacks)
}

/// "scheduler 1.352, files 1.101".
pub(super) fn each_penalty(platform: &PlatformCost) -> String {
    let one = |workload: &WorkloadCost| Some(format!("{} {:.3}", workload.workload, workload.penalty?.median));
    platform.workloads.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}
