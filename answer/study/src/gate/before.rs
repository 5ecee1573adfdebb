//! What is known before a gate measures: what the guests of now would run under, held against the baseline.

use super::baseline::Baseline;
use super::conditions::{self, Condition, Different};
use crate::cell::{Cell, CellSource, Here};
use crate::guest::Conditions;
use crate::matrix;
use crate::study::Study;
use prazo_lab::Lab;
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::Run;
use std::collections::BTreeMap;

/// What would decide the trajectories of the study's gated guests now, cell by cell; without boards, and without guests that
/// cannot be measured in this lab.
pub fn conditions_now(study: &Study, here: &Here) -> BTreeMap<String, Fingerprint> {
    let Ok(lab) = Lab::find() else { return BTreeMap::new() };
    let mut conditions = Conditions::default();
    let mut now = |cell: &Cell| match &cell.source {
        CellSource::Measure { on: Some(place), plans, .. } => conditions.of(place.guest()?, plans.first()?, &lab),
        _ => None,
    };
    let gated = matrix::cells(study, here).into_iter().filter(Cell::is_counted);
    gated.filter_map(|cell| Some((cell.id.clone(), now(&cell)?))).collect()
}

/// The cells that will be measured although the baseline has no run of them: nothing can be compared there.
pub fn lacks_now(baseline: &Baseline, study: &Study, here: &Here) -> Vec<String> {
    matrix::gated(study, here).into_keys().filter(|cell| !baseline.cells.contains_key(cell)).collect()
}

/// What will differ from the baseline and must not. The plan is not looked at, since a guest completes it.
pub fn differs_now(
    baseline: &Baseline,
    now: BTreeMap<String, Fingerprint>,
    may_differ: &[Condition],
) -> Vec<Different> {
    let of_cell = |(cell, facts): (String, Fingerprint)| {
        let found = conditions::of(&Run { platform_before: Some(facts), ..Run::default() });
        let before = baseline.cells.get(&cell)?.iter().map(|one| &one.conditions);
        Some(conditions::differences(&cell, before, std::iter::once(&found)))
    };
    let all = now.into_iter().filter_map(of_cell).flatten();
    all.filter(|one| one.condition != Condition::Plan && !may_differ.contains(&one.condition)).collect()
}
