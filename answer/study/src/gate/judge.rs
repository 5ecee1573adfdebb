//! From two baselines to the gate's answer: refuse what differs and must not, compare cell by cell, add up.

use super::baseline::{Baseline, Trajectory};
use super::conditions::Different;
use super::result::{Compared, Direction, GateOutcome, GateResult, Left, Movement};
use super::sides::{Question, Sides};
use prazo_stats::seed_shift;
use std::collections::BTreeSet;

/// Compares what was found with a baseline; `Err` is what differs and must not.
pub fn judge(baseline: &Baseline, found: &Baseline, question: &Question<'_>) -> Result<GateResult, Vec<Different>> {
    let (pairs, mut left) = pairs(baseline, found, question.cells);
    let differing = pairs.iter().flat_map(Sides::differences);
    let (differs, refused): (Vec<_>, Vec<_>) =
        differing.partition(|different| !different.mixed && question.may_differ.contains(&different.condition));
    if !refused.is_empty() {
        return Err(refused);
    }
    let (unsound, pairs): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|sides| sides.unsound().is_some());
    left.extend(unsound.iter().filter_map(Sides::unsound));
    let compared: Vec<Compared> = pairs.iter().flat_map(|sides| sides.compare(question)).collect();
    left.extend(pairs.iter().flat_map(Sides::lacking));
    let decided = compared.iter().filter(|one| one.movement != Movement::Undecidable);
    Ok(GateResult {
        baseline: question.name.to_owned(),
        outcome: outcome(&compared, &left, question.direction),
        direction: question.direction,
        differs,
        chance_max: decided.map(|one| seed_shift::chance(one.seeds)).fold(0.0, |sum, chance| sum + chance).min(1.0),
        compared,
        left,
        explained: None,
        not_explained: None,
    })
}

/// The cells that both sides have, and those that one of them lacks, or both.
fn pairs<'a>(baseline: &'a Baseline, found: &'a Baseline, cells: &'a BTreeSet<String>) -> (Vec<Sides<'a>>, Vec<Left>) {
    let all: BTreeSet<&String> = cells.iter().chain(baseline.cells.keys()).chain(found.cells.keys()).collect();
    let (mut pairs, mut left) = (vec![], vec![]);
    for cell in all {
        match (baseline.cells.get(cell), found.cells.get(cell)) {
            (Some(before), Some(now)) => pairs.push(Sides::new(cell, before, now)),
            (before, now) => left.push(Left { cell: cell.clone(), reason: lacking(before, now).to_owned() }),
        }
    }
    (pairs, left)
}

fn lacking(before: Option<&Vec<Trajectory>>, now: Option<&Vec<Trajectory>>) -> &'static str {
    match (before, now) {
        (_, Some(_)) => "the baseline has no comparable run of this cell",
        (Some(_), None) => "the cell is in the baseline, but was not measured this time",
        (None, None) => "neither the baseline nor this measurement has a comparable run of this cell",
    }
}

/// One figure that moved is a movement; otherwise one that is open leaves the answer open, and so does a cell of which nothing
/// could be decided.
fn outcome(compared: &[Compared], left: &[Left], direction: Direction) -> GateOutcome {
    if compared.iter().any(|one| direction.counts(one.movement)) {
        return GateOutcome::Moved;
    }
    let is_decided = |cell: &str| {
        let mut own = compared.iter().filter(|one| one.cell == cell);
        own.any(|one| one.movement != Movement::Undecidable)
    };
    let is_whole = left.is_empty() && !compared.iter().any(Compared::is_open);
    match !compared.is_empty() && is_whole && compared.iter().all(|one| is_decided(&one.cell)) {
        true => GateOutcome::Unmoved,
        false => GateOutcome::Undecidable,
    }
}
