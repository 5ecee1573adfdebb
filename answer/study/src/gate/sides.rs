//! Both sides of one cell: what they were won under, what threatens them, and each figure of the one beside the other's.

use super::baseline::Trajectory;
use super::conditions::{self, Condition, Different};
use super::result::{Compared, Direction, Left, Movement, SKIPPED};
use crate::seeds::RunFigures;
use crate::statistic::quantity_name;
use prazo_core::text::counted;
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;
use prazo_stats::seed_shift::{self, SEEDS_MIN, Shift};
use prazo_verdict::claim::counts::Counts;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of the gate.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// What the baseline is called.
    pub name: &'a str,
    /// The cells that the study measures under counted time or on boards: one that neither side has is missed too.
    pub cells: &'a BTreeSet<String>,
    /// What may differ: the things under test.
    pub may_differ: &'a [Condition],
    /// Shifts that fail the gate.
    pub direction: Direction,
    /// Smaller shifts are ignored; without it, those of a few instructions.
    pub floor_ns: Option<f64>,
}

/// A figure, and how it is read off a trajectory.
pub(super) struct Figure {
    pub(super) name: &'static str,
    /// The share of the activations that is later; `None` of what is no latency.
    pub(super) later: Option<f64>,
    pub(super) of: fn(&Trajectory, Quantity) -> Option<f64>,
}

/// The figures of a latency.
pub(super) const FIGURES: [Figure; 4] = [
    Figure { name: "median", later: Some(0.5), of: |run, of| figure(run, of, |run| run.median_ns) },
    Figure { name: "99 %", later: Some(0.01), of: |run, of| figure(run, of, |run| run.q99_ns) },
    Figure { name: "99.9 %", later: Some(0.001), of: |run, of| figure(run, of, |run| run.q999_ns) },
    Figure { name: MAXIMUM, later: Some(0.0), of: |run, of| figure(run, of, |run| run.max_ns) },
];

/// Where a late wake-up skips others, a stall leaves fewer samples and no larger ones: it shows here.
pub(super) const OF_SKIPPED: Figure =
    Figure { name: SKIPPED, later: None, of: |run, _| run.skipped_ns.map(|ns| ns as f64) };

pub(super) const MAXIMUM: &str = "maximum";

fn figure(run: &Trajectory, of: Quantity, read: fn(&RunFigures) -> Option<i64>) -> Option<f64> {
    read(run.figures.get(&of)?).map(|ns| ns as f64)
}

impl Compared {
    /// The share of the activations that is later than this figure, 0 for the maximum; `None` of what is no latency.
    pub fn share_later(&self) -> Option<f64> {
        FIGURES.iter().find(|figure| figure.name == self.figure)?.later
    }
}

/// Both sides of a cell.
pub(super) struct Sides<'a> {
    cell: &'a str,
    /// All of them: the same seed under two conditions is seen.
    all: [&'a [Trajectory]; 2],
    /// One trajectory for each seed.
    baseline: Vec<&'a Trajectory>,
    found: Vec<&'a Trajectory>,
}

impl<'a> Sides<'a> {
    /// Of a cell.
    pub(super) fn new(cell: &'a str, baseline: &'a [Trajectory], found: &'a [Trajectory]) -> Self {
        Self { cell, all: [baseline, found], baseline: distinct(baseline), found: distinct(found) }
    }
}

/// One trajectory for each seed: the same seed twice shows nothing more.
fn distinct(runs: &[Trajectory]) -> Vec<&Trajectory> {
    runs.iter().map(|run| (run.seed, run)).collect::<BTreeMap<_, _>>().into_values().collect()
}

impl Sides<'_> {
    /// What they were not won alike under.
    pub(super) fn differences(&self) -> Vec<Different> {
        let [before, now] = self.all.map(|side| side.iter().map(|one| &one.conditions));
        conditions::differences(self.cell, before, now)
    }

    /// A run that does not show what it should.
    pub(super) fn unsound(&self) -> Option<Left> {
        let (run, why) = self.runs().find_map(|run| Some((run, run.fatal.as_ref()?)))?;
        Some(self.left(format!("the run of seed {} is not valid ({why})", run.seed)))
    }

    /// The quantities that some run has and another lacks.
    pub(super) fn lacking(&self) -> Vec<Left> {
        let lacks = |quantity: Quantity| {
            let run = self.runs().find(|run| !run.figures.contains_key(&quantity))?;
            Some(self.left(format!("a run of seed {} has no {}", run.seed, quantity_name(quantity))))
        };
        self.quantities().into_iter().filter_map(lacks).collect()
    }

    fn left(&self, reason: String) -> Left {
        Left { cell: self.cell.to_owned(), reason }
    }

    fn runs(&self) -> impl Iterator<Item = &Trajectory> {
        self.baseline.iter().chain(&self.found).copied()
    }

    fn quantities(&self) -> BTreeSet<Quantity> {
        self.runs().flat_map(|run| run.figures.keys().copied()).collect()
    }

    /// Every figure of every quantity, and the time that was skipped where it was counted.
    pub(super) fn compare(&self, question: &Question<'_>) -> Vec<Compared> {
        let pair = |quantity| FIGURES.iter().map(move |figure| self.one(quantity, figure, question));
        let skipped = self.runs().any(|run| run.skipped_ns.is_some());
        let skipped = skipped.then(|| self.one(Quantity::ResponseLatency, &OF_SKIPPED, question));
        self.quantities().into_iter().flat_map(pair).chain(skipped).collect()
    }

    fn one(&self, quantity: Quantity, figure: &Figure, question: &Question<'_>) -> Compared {
        let ends = |side: &[&Trajectory]| Ends::of(side.iter().map(|run| (figure.of)(run, quantity)));
        let [baseline, found] = [&self.baseline, &self.found].map(|side| ends(side));
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
            movement: shift.as_ref().map_or(Movement::Undecidable, movement),
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
            return Err(format!(
                "{} in the baseline and {now} in this run; a spread needs at least {SEEDS_MIN} on each side",
                counted(before as u64, "seed")
            ));
        }
        let (baseline, found) = ends.ok_or_else(|| match figure.name {
            SKIPPED => "at least one run has no count of skipped activations".to_owned(),
            name => format!(
                "at least one run has too few samples for the figure '{name}' of {}, or the value lies beyond its histogram",
                quantity_name(quantity)
            ),
        })?;
        let exponent = self.found.first().and_then(|run| run.shift);
        let floor = question.floor_ns.unwrap_or_else(|| seed_shift::floor_ns(exponent, baseline));
        let shift = Shift::between(baseline, found, floor);
        match figure.name {
            MAXIMUM => self.fair_maxima(quantity, shift, question.direction),
            SKIPPED => self.fair_counts(shift),
            _ => Ok(shift),
        }
    }

    /// A maximum is larger of more samples, and nothing is known of one whose record was lost.
    fn fair_maxima(&self, quantity: Quantity, shift: Shift, direction: Direction) -> Result<Shift, String> {
        if let Some(run) = self.runs().find(|run| run.lost > 0) {
            return Err(format!(
                "the run of seed {} lost the records of {}, so its maximum may be unknown",
                run.seed,
                counted(run.lost, "wake-up")
            ));
        }
        let [before, now] = [&self.baseline, &self.found].map(|side| counts(side, quantity));
        let allow_more = Counts { of: now.1, against: before.0 }.allow_more();
        let allow_less = Counts { of: now.0, against: before.1 }.allow_less();
        let is_fair = match (movement(&shift), direction) {
            (Movement::Worse, _) | (Movement::None, Direction::Better) => allow_more,
            (Movement::Better, _) | (Movement::None, Direction::Worse) => allow_less,
            _ => allow_more && allow_less,
        };
        let told = |(low, high)| if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let unfair = || {
            format!(
                "the sample counts differ too much to compare maxima: {} in the baseline, {} in this run",
                told(before),
                told(now)
            )
        };
        is_fair.then_some(shift).ok_or_else(unfair)
    }

    /// What is skipped here and there is the seeds' spread; a tenth of all wake-ups that only some seeds miss is not.
    fn fair_counts(&self, shift: Shift) -> Result<Shift, String> {
        let all: Vec<u64> =
            self.runs().flat_map(|run| run.figures.get(&Quantity::ResponseLatency)).map(|run| run.count).collect();
        let ends = all.iter().max().zip(all.iter().min());
        match ends {
            Some((of, against)) if !shift.is_movement() && !(Counts { of: *of, against: *against }).allow_more() => {
                Err(format!(
                    "some seeds have {against} samples and others {of}: some seeds may have skipped activations that others served"
                ))
            }
            _ => Ok(shift),
        }
    }
}

fn movement(shift: &Shift) -> Movement {
    match shift {
        shift if !shift.is_movement() => Movement::None,
        shift if shift.gap_ns > 0.0 => Movement::Worse,
        _ => Movement::Better,
    }
}

/// The fewest and the most samples of a side's runs.
fn counts(side: &[&Trajectory], quantity: Quantity) -> (u64, u64) {
    let all: Vec<u64> = side.iter().filter_map(|run| Some(run.figures.get(&quantity)?.count)).collect();
    (all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0))
}
