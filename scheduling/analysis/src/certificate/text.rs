//! The parts of a certificate that need no proof: tasks, overheads, bins, in the words of docs/certificates.md.

use crate::Task;
use crate::partition::Bin;
use crate::partition::split::Piece;
use crate::question::{JobRanking, Priorities, Question, Shape};
use prazo_core::overheads::{Function, OverheadField, Overheads};
use prazo_core::ratio::Ratio;
use std::fmt::Display;

/// Everything before the verdict.
pub(super) fn head(question: &Question<'_>) -> String {
    let task =
        |(index, task): (usize, &Task)| format!("task {index} {} working-set {}\n", times(task), task.working_set_kib);
    let tasks: String = question.tasks.iter().enumerate().map(task).collect();
    let overheads = question.overheads.as_ref().map_or_else(|| "overheads none\n".into(), overheads);
    let behaviours = super::blocking::behaviours(question);
    let phases = super::graph::phases(question);
    let (time, policy, shape) = (question.time, policy(question.policy), shape(question.shape));
    format!("prazo-certificate 2\ntime {time}\n{policy}{shape}{tasks}{behaviours}{phases}{overheads}")
}

/// `cost C period T deadline D jitter J`.
fn times(task: &Task) -> String {
    let Task { cost, period, deadline, jitter, .. } = task;
    format!("cost {cost} period {period} deadline {deadline} jitter {jitter}")
}

/// Each value after a space.
pub(super) fn spaced<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| format!(" {value}")).collect()
}

fn policy(policy: JobRanking<'_>) -> String {
    match policy {
        JobRanking::Edf => "policy edf\n".into(),
        JobRanking::FixedPriority(Priorities::RateMonotonic) => "policy fixed-priority rate-monotonic\n".into(),
        JobRanking::FixedPriority(Priorities::DeadlineMonotonic) => "policy fixed-priority deadline-monotonic\n".into(),
        JobRanking::FixedPriority(Priorities::Audsley) => "policy fixed-priority any-order\n".into(),
        JobRanking::FixedPriority(Priorities::Given(ranks)) => {
            format!("policy fixed-priority given{}\n", spaced(ranks))
        }
    }
}

fn shape(shape: Shape<'_>) -> String {
    match shape {
        Shape::Global { processors } => format!("shape global {processors}\n"),
        Shape::Clusters(sizes) => format!("shape clusters{}\n", spaced(sizes)),
    }
}

fn overheads(overheads: &Overheads<'_>) -> String {
    let line = |field: &OverheadField| {
        format!("{} {}\n", field.name().replace('_', "-"), function(overheads.of(*field).amount))
    };
    let lines: String = OverheadField::VALUES.iter().map(line).collect();
    let tick_period = overheads.tick_period.map_or_else(|| "none".into(), |period| period.to_string());
    let dedicated = if overheads.dedicated_interrupt_processor { "yes" } else { "no" };
    format!("overheads charged\n{lines}tick-period {tick_period}\ndedicated-interrupt-processor {dedicated}\n")
}

fn function(function: Function<'_>) -> String {
    let pairs = |points: &[(u64, Ratio)]| spaced(points.iter().map(|(count, amount)| format!("{count}:{amount}")));
    match function {
        Function::Constant(value) => format!("constant {value}"),
        Function::Affine { base, slope } => format!("affine {base} {slope}"),
        Function::Table(points) => format!("table{}", pairs(points)),
        Function::Linear(points) => format!("linear{}", pairs(points)),
    }
}

/// A bin's first line, and its tasks as charged.
pub(super) fn bin(index: usize, bin: &Bin) -> String {
    let mut lines = format!("bin {index} processors {} tasks{}\n", bin.processors, spaced(&bin.tasks));
    let charged = bin.inflated.as_deref().unwrap_or_default();
    let interrupts = charged.len().saturating_sub(bin.tasks.len());
    for (place, task) in charged.iter().enumerate() {
        let name =
            place.checked_sub(interrupts).map_or_else(|| "interrupt".into(), |place| bin.tasks[place].to_string());
        lines += &format!("charged {name} {}\n", times(task));
    }
    lines
}

/// One piece of a split task, on the processor of its bin.
pub(super) fn piece(piece: &Piece) -> String {
    let Piece { task, cost, deadline, offset, .. } = piece;
    format!("piece {task} cost {cost} deadline {deadline} offset {offset}\n")
}
