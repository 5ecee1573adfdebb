//! From the baselines of a folder to the history of each figure.

use super::super::baseline::Trajectory;
use super::super::conditions::Condition;
use super::super::result::SKIPPED;
use super::super::sides::{FIGURES, Figure, MAXIMUM, OF_SKIPPED};
use super::folder::HistoryFolder;
use super::part::{Part, Point, parts};
use super::result::{FigureHistory, HistoryChange, HistoryPoint, HistoryResult, PartDiffers};
use crate::statistic::quantity_name;
use prazo_core::text::counted;
use prazo_run::run::Quantity;
use prazo_stats::change_points::{FALSE_ALARMS, Levels, ORDERS, change_points};
use prazo_stats::observed_range::Ends;
use prazo_stats::seed_shift;
use prazo_verdict::claim::counts::Counts;
use std::collections::BTreeSet;

/// What is asked of a folder.
#[derive(Clone, Debug)]
pub struct HistoryQuestion<'a> {
    /// What may differ within a history: the things under test.
    pub may_differ: &'a [Condition],
    /// Smaller changes are ignored; without it, those of a few instructions or of 1 %.
    pub floor_ns: Option<f64>,
}

/// The history of every figure.
pub fn draw(folder: &HistoryFolder, question: &HistoryQuestion<'_>) -> HistoryResult {
    let cells: BTreeSet<&String> = folder.baselines.values().flat_map(|baseline| baseline.cells.keys()).collect();
    let (mut left, mut differs, mut histories) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let (parts, unusable) = parts(cell, &folder.baselines, question.may_differ);
        left.extend(unusable);
        for (at, part) in parts.iter().enumerate() {
            let files = || part.points.iter().flat_map(|point| &point.files).map(|file| (*file).to_owned()).collect();
            let different = part.differs(cell, &parts[0], question.may_differ).into_iter();
            differs.extend(different.map(|different| PartDiffers { part: at + 1, files: files(), different }));
            histories.extend(figures(part, question).map(|history| FigureHistory {
                cell: cell.clone(),
                part: at + 1,
                parts: parts.len(),
                ..history
            }));
        }
    }
    let tested = histories.iter().filter(|history| history.reason.is_none()).count();
    for change in histories.iter_mut().flat_map(|history| &mut history.changes) {
        change.holds_over_all = change.probability * tested as f64 <= change.level;
    }
    HistoryResult {
        folder: folder.path.display().to_string(),
        study: folder.study.clone(),
        files: folder.baselines.keys().cloned().collect(),
        not_read: folder.not_read.clone(),
        left,
        differs,
        histories,
        tested,
        false_alarms: FALSE_ALARMS,
        orders: ORDERS,
        decided: tested > 0,
    }
}

/// Every figure of every quantity of a part, and the time that was skipped where it was counted.
fn figures<'a>(part: &'a Part<'a>, question: &'a HistoryQuestion<'a>) -> impl Iterator<Item = FigureHistory> + 'a {
    let runs = || part.points.iter().flat_map(|point| &point.runs);
    let quantities: BTreeSet<Quantity> = runs().flat_map(|run| run.figures.keys().copied()).collect();
    let skipped = runs().any(|run| run.skipped_ns.is_some()).then_some((Quantity::ResponseLatency, &OF_SKIPPED));
    let of_quantity = |quantity| FIGURES.iter().map(move |figure| (quantity, figure));
    let all = quantities.into_iter().flat_map(of_quantity).chain(skipped);
    all.map(move |(quantity, figure)| history(part, quantity, figure, question))
}

fn history(part: &Part<'_>, quantity: Quantity, figure: &Figure, question: &HistoryQuestion<'_>) -> FigureHistory {
    let points: Vec<HistoryPoint> = part.points.iter().map(|point| valued(point, quantity, figure)).collect();
    let known: Vec<&HistoryPoint> = points.iter().filter(|point| point.reason.is_none()).collect();
    let exponent = part.points.iter().find_map(|point| point.runs[0].shift);
    let floor = |before: f64| {
        let level = Ends { low_ns: before, high_ns: before };
        question.floor_ns.unwrap_or_else(|| seed_shift::floor_ns(exponent, level))
    };
    let levels = unfair(part, quantity, figure).map_or_else(|| levels(&known, floor), Err);
    let (changes, below_floor, probability, reason) = match levels {
        Ok(levels) => (changes(&levels, &known), levels.below_floor, Some(levels.probability), None),
        Err(reason) => (vec![], 0, None, Some(reason)),
    };
    let (figure, ordered_by) = (figure.name.to_owned(), part.ordered_by);
    let (cell, part, parts) = (String::new(), 1, 1);
    FigureHistory { cell, part, parts, quantity, figure, ordered_by, points, changes, below_floor, probability, reason }
}

fn levels(known: &[&HistoryPoint], floor: impl Fn(f64) -> f64) -> Result<Levels, String> {
    let values: Vec<Vec<f64>> = known.iter().map(|point| point.values_ns.clone()).collect();
    change_points(&values, floor).map_err(|few| few.to_string())
}

fn changes(levels: &Levels, known: &[&HistoryPoint]) -> Vec<HistoryChange> {
    let change = |one: &prazo_stats::change_points::ChangePoint| HistoryChange {
        before: known[one.first - 1].label.clone(),
        first: known[one.first].label.clone(),
        before_ns: one.before,
        after_ns: one.after,
        shift_ns: one.shift(),
        probability: one.probability,
        level: one.level,
        holds_over_all: false,
    };
    levels.changes.iter().map(change).collect()
}

/// A point with its values of a figure, or why it has none.
fn valued(point: &Point<'_>, quantity: Quantity, figure: &Figure) -> HistoryPoint {
    let values: Option<Vec<f64>> = point.runs.iter().map(|run| (figure.of)(run, quantity)).collect();
    let lossy = point.runs.iter().find(|run| figure.name == MAXIMUM && run.lost > 0);
    let (values_ns, reason) = match (values, lossy) {
        (_, Some(run)) => (vec![], Some(lost(run))),
        (Some(values), None) => (values, None),
        (None, None) => (vec![], Some(lacking(quantity, figure))),
    };
    HistoryPoint {
        label: point.label.clone(),
        files: point.files.iter().map(|file| (*file).to_owned()).collect(),
        kernel_release: point.release().map(str::to_owned),
        measured_at_unix_ns: point.started(),
        values_ns,
        reason,
    }
}

fn lost(run: &Trajectory) -> String {
    format!(
        "the run of seed {} lost the records of {}, so its maximum may be unknown",
        run.seed,
        counted(run.lost, "wake-up")
    )
}

fn lacking(quantity: Quantity, figure: &Figure) -> String {
    match figure.name {
        SKIPPED => "at least one run has no count of skipped activations".to_owned(),
        name => format!(
            "at least one run has too few samples for the figure '{name}' of {}, or the value lies beyond its histogram",
            quantity_name(quantity)
        ),
    }
}

/// A maximum is larger of more samples, and runs with fewer samples may have skipped what others served.
fn unfair(part: &Part<'_>, quantity: Quantity, figure: &Figure) -> Option<String> {
    if ![MAXIMUM, SKIPPED].contains(&figure.name) {
        return None;
    }
    let runs = part.points.iter().flat_map(|point| &point.runs);
    let counts = || runs.clone().filter_map(|run| Some(run.figures.get(&quantity)?.count));
    let (most, fewest) = (counts().max()?, counts().min()?);
    let is_fair = Counts { of: most, against: fewest }.allow_more();
    (!is_fair).then(|| format!("the sample counts differ too much: {fewest} to {most} in the runs of these baselines"))
}
