//! Each way of sharing the processors, judged twice: with the largest overheads that were measured, and with their means.

use super::ways::Way;
use crate::cmd::sched::ask::Asked;
use crate::exit::Failure;
use crate::flags::sched::Asking;
use prazo_analysis::Verdict;
use prazo_analysis::choice::{Candidate, candidate, roomiest};
use prazo_analysis::question::Method;
use prazo_scenario::set::{Policy, Priorities};
use prazo_scenario::{OverheadTable, Scenario};

/// What the platform costs, by the two statistics of what was measured.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The largest samples.
    pub max: OverheadTable,
    /// The means.
    pub mean: OverheadTable,
}

/// One way with what holds for the set under it.
pub struct Judged {
    /// The way.
    pub way: Way,
    /// With the largest overheads.
    pub by_max: Candidate,
    /// With the means.
    pub by_mean: Candidate,
}

/// The way that is to be deployed.
pub struct Chosen {
    /// Its place in the list.
    pub index: usize,
    /// True where it is proven with the largest overheads, false where only with the means.
    pub is_by_max: bool,
}

/// Judges `scenario` under `way`.
pub fn judge(scenario: &Scenario, way: Way, costs: &Costs) -> Result<Judged, Failure> {
    let by = |table: &OverheadTable| {
        let asked = Asked::new(under(scenario, &way, table), &Asking::as_said())?;
        let question = asked.answerable()?;
        candidate(&question, &Method::default()).map_err(Failure::usage)
    };
    Ok(Judged { by_max: by(&costs.max)?, by_mean: by(&costs.mean)?, way })
}

/// The roomiest of those proven with the largest overheads; where there is none, of those proven with the means.
pub fn choose(judged: &[Judged]) -> Option<Chosen> {
    let by_max = roomiest(judged.iter().map(|one| &one.by_max)).map(|index| Chosen { index, is_by_max: true });
    by_max.or_else(|| roomiest(judged.iter().map(|one| &one.by_mean)).map(|index| Chosen { index, is_by_max: false }))
}

/// `scenario` as it is asked about under `way` on a platform that costs `table`.
pub fn under(scenario: &Scenario, way: &Way, table: &OverheadTable) -> Scenario {
    let rank = if way.is_edf { Policy::Edf } else { Policy::FixedPriority(Priorities::RateMonotonic) };
    let sizes = way.sizes();
    Scenario {
        processors: Some(sizes.iter().sum()),
        clusters: (!way.is_global()).then_some(sizes),
        policy: Some(rank),
        overheads: Some(table.clone()),
        expect: None,
        ..scenario.clone()
    }
}

/// The same with each task where the chosen packing puts it.
pub fn placed(scenario: &Scenario, judged: &Judged, costs: &Costs, chosen: &Chosen) -> Scenario {
    let (candidate, table) =
        if chosen.is_by_max { (&judged.by_max, &costs.max) } else { (&judged.by_mean, &costs.mean) };
    let mut placed = under(scenario, &judged.way, table);
    if let Some(packing) = &candidate.packing {
        for (task, bin) in placed.tasks.iter_mut().zip(&packing.assignment) {
            (task.cluster, task.affinity) = (*bin, None);
        }
    }
    placed
}

impl Judged {
    /// What can be said at best.
    pub fn is_disproven(&self) -> bool {
        self.by_mean.answer.verdict == Verdict::Disproven
    }
}
