//! From two baselines to the gate's answer: refuse what differs and must not, compare figure by figure, add up.

use super::baseline::{Baseline, Trajectory};
use super::conditions::{self, Condition, Different};
use super::result::{Compared, Direction, GateOutcome, GateResult, Left, Movement};
use super::rule::{self, SEEDS_MIN, Shift};
use crate::patience::Counts;
use crate::seeds::{Ends, RunFigures};
use crate::statistic::quantity_name;
use prazo_run::run::Quantity;
use std::collections::BTreeMap;

/// What is asked of the gate.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// What the baseline is called.
    pub name: &'a str,
    /// What may differ: the things under test.
    pub may_differ: &'a [Condition],
    /// Which movements count.
    pub direction: Direction,
    /// What no movement is, instead of a few instructions.
    pub floor_ns: Option<f64>,
}

/// A figure, and how it is read off a run's.
struct Figure {
    name: &'static str,
    of: fn(&RunFigures) -> Option<i64>,
}

const FIGURES: [Figure; 4] = [
    Figure { name: "median", of: |run| run.median_ns },
    Figure { name: "99 %", of: |run| run.q99_ns },
    Figure { name: "99.9 %", of: |run| run.q999_ns },
    Figure { name: MAXIMUM, of: |run| run.max_ns },
];

const MAXIMUM: &str = "maximum";

/// Both sides of a cell, one trajectory for each seed.
struct Sides<'a> {
    cell: &'a str,
    baseline: Vec<&'a Trajectory>,
    found: Vec<&'a Trajectory>,
}

/// Compares what was found with a baseline; `Err` is what differs and must not.
pub fn judge(baseline: &Baseline, found: &Baseline, question: &Question<'_>) -> Result<GateResult, Vec<Different>> {
    let (pairs, left) = pairs(baseline, found);
    let differing = pairs.iter().flat_map(Sides::differences);
    let (differs, refused): (Vec<_>, Vec<_>) =
        differing.partition(|different| question.may_differ.contains(&different.condition));
    if !refused.is_empty() {
        return Err(refused);
    }
    let compared: Vec<Compared> = pairs.iter().flat_map(|sides| sides.compare(question)).collect();
    let decided = compared.iter().filter(|one| one.movement != Movement::Undecidable);
    Ok(GateResult {
        baseline: question.name.to_owned(),
        outcome: outcome(&compared, &left, question.direction),
        direction: question.direction,
        differs,
        chance_max: decided.map(|one| rule::chance(one.seeds)).sum::<f64>().min(1.0),
        compared,
        left,
    })
}

/// The cells that both sides have, and those that one lacks.
fn pairs<'a>(baseline: &'a Baseline, found: &'a Baseline) -> (Vec<Sides<'a>>, Vec<Left>) {
    let lacking = |cell: &str, what: &str| Left { cell: cell.to_owned(), reason: what.to_owned() };
    let (mut pairs, mut left) = (vec![], vec![]);
    for (cell, runs) in &found.cells {
        match baseline.cells.get(cell) {
            Some(before) => pairs.push(Sides { cell, baseline: distinct(before), found: distinct(runs) }),
            None => left.push(lacking(cell, "the baseline has no run of it under counted time")),
        }
    }
    let gone = baseline.cells.keys().filter(|cell| !found.cells.contains_key(*cell));
    left.extend(gone.map(|cell| lacking(cell, "it is in the baseline and was not measured under counted time now")));
    (pairs, left)
}

/// One trajectory for each seed: the same seed twice shows nothing more.
fn distinct(runs: &[Trajectory]) -> Vec<&Trajectory> {
    runs.iter().map(|run| (run.seed, run)).collect::<BTreeMap<_, _>>().into_values().collect()
}

/// One figure that moved is a movement; a cell of which nothing could be decided leaves the rest open.
fn outcome(compared: &[Compared], left: &[Left], direction: Direction) -> GateOutcome {
    if compared.iter().any(|one| direction.counts(one.movement)) {
        return GateOutcome::Moved;
    }
    let is_decided = |cell: &str| {
        let mut own = compared.iter().filter(|one| one.cell == cell);
        own.any(|one| one.movement != Movement::Undecidable)
    };
    match !compared.is_empty() && left.is_empty() && compared.iter().all(|one| is_decided(&one.cell)) {
        true => GateOutcome::Unmoved,
        false => GateOutcome::Undecidable,
    }
}

impl Sides<'_> {
    fn differences(&self) -> Vec<Different> {
        let of = |side: &[&Trajectory]| side.iter().map(|one| one.conditions.clone()).collect::<Vec<_>>();
        let (before, now) = (of(&self.baseline), of(&self.found));
        conditions::differences(self.cell, before.iter(), now.iter())
    }

    fn compare(&self, question: &Question<'_>) -> Vec<Compared> {
        let quantities = self.found.first().map(|run| run.figures.keys().copied().collect()).unwrap_or_default();
        let quantities: Vec<Quantity> = quantities;
        let pair = |quantity| FIGURES.iter().map(move |figure| self.one(quantity, figure, question));
        quantities.into_iter().flat_map(pair).collect()
    }

    fn one(&self, quantity: Quantity, figure: &Figure, question: &Question<'_>) -> Compared {
        let [baseline, found] = [&self.baseline, &self.found].map(|side| ends(side, quantity, figure));
        let shift = self.decided(quantity, figure, baseline.zip(found), question);
        Compared {
            cell: self.cell.to_owned(),
            quantity,
            figure: figure.name.to_owned(),
            seeds: [self.baseline.len(), self.found.len()],
            baseline,
            found,
            gap_ns: shift.as_ref().ok().map(|shift| shift.gap_ns),
            needed_ns: shift.as_ref().ok().map(|shift| shift.needed_ns),
            movement: match &shift {
                Err(_) => Movement::Undecidable,
                Ok(shift) if !shift.is_movement() => Movement::None,
                Ok(shift) if shift.gap_ns > 0.0 => Movement::Worse,
                Ok(_) => Movement::Better,
            },
            reason: shift.err(),
        }
    }

    /// The shift of a figure, or why it cannot be decided.
    fn decided(
        &self,
        quantity: Quantity,
        figure: &Figure,
        ends: Option<(Ends, Ends)>,
        question: &Question<'_>,
    ) -> Result<Shift, String> {
        let seeds = [self.baseline.len(), self.found.len()];
        if seeds.iter().any(|seeds| *seeds < SEEDS_MIN) {
            let [before, now] = seeds;
            return Err(format!("{before} and {now} seeds; one is one trajectory, and a spread takes {SEEDS_MIN}"));
        }
        let (baseline, found) = ends.ok_or_else(|| {
            format!("a seed has too few samples for the {} {}, or hides it", figure.name, quantity_name(quantity))
        })?;
        if figure.name == MAXIMUM && !self.counts_are_alike(quantity) {
            return Err("maxima are compared over like counts, and these differ by more than a tenth".into());
        }
        let shift = self.found.first().map_or(0, |run| run.shift);
        let floor = question.floor_ns.unwrap_or_else(|| rule::floor_ns(shift, baseline));
        Ok(Shift::between(baseline, found, floor))
    }

    fn counts_are_alike(&self, quantity: Quantity) -> bool {
        let all = self.baseline.iter().chain(&self.found);
        let counts: Vec<u64> = all.filter_map(|run| Some(run.figures.get(&quantity)?.count)).collect();
        let ends = counts.iter().max().zip(counts.iter().min());
        ends.is_some_and(|(of, against)| Counts { of: *of, against: *against }.allow_more())
    }
}

fn ends(side: &[&Trajectory], quantity: Quantity, figure: &Figure) -> Option<Ends> {
    let value = |run: &&Trajectory| (figure.of)(run.figures.get(&quantity)?).map(|ns| ns as f64);
    Ends::of(side.iter().map(value))
}
