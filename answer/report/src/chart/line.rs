//! One line of a chart: a run's samples of one quantity, all processors together or one of them.

use super::distribution::Distribution;
use crate::evidence::{Evidence, RunEvidence};
use crate::words;
use prazo_run::Series;
use prazo_run::plan::WhenLate;
use prazo_run::run::Quantity;

/// The samples behind one line.
#[derive(Clone, Debug)]
pub struct Line {
    /// What the legend says.
    pub label: String,
    /// Per served wake-up.
    pub served: Distribution,
    /// Per due activation, where the run jumped over some and it can be told which.
    pub due: Option<Distribution>,
    /// What the curve per due activation leaves out, or why there is none although activations were skipped.
    pub due_note: Option<String>,
    /// The finest difference its source can show.
    pub resolution_ns: i64,
    /// The largest latency its source states or lists, also beyond the cells.
    pub max_ns: Option<i64>,
}

/// The lines of a report: one for each run and quantity; a run that is alone is also shown by processor.
pub fn lines(evidence: &Evidence) -> Vec<Line> {
    let alone = evidence.runs.len() == 1;
    evidence.runs.iter().flat_map(|run| lines_of(run, alone)).filter(|line| line.served.total() > 0).collect()
}

fn lines_of(evidence: &RunEvidence, alone: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for quantity in quantities(evidence) {
        let series: Vec<&Series> = evidence.run.of(quantity).collect();
        lines.push(line(evidence, label(evidence, quantity), &series));
        if alone && series.len() > 1 {
            lines.extend(series.iter().map(|one| line(evidence, label_of_cpu(one), &[*one])));
        }
    }
    lines
}

/// The quantities that a run has, each once, in the order of TERMS.
pub fn quantities(evidence: &RunEvidence) -> Vec<Quantity> {
    let mut quantities: Vec<Quantity> = evidence.run.series.iter().map(|series| series.quantity).collect();
    quantities.sort_unstable();
    quantities.dedup();
    quantities
}

fn label(evidence: &RunEvidence, quantity: Quantity) -> String {
    match quantities(evidence).as_slice() {
        [Quantity::ResponseLatency] => evidence.run.name.clone(),
        _ => format!("{}, {}", evidence.run.name, words::quantity(quantity)),
    }
}

fn label_of_cpu(series: &Series) -> String {
    match series.quantity {
        Quantity::ResponseLatency => format!("processor {}", words::cpu(series.cpu)),
        quantity => format!("processor {}, {}", words::cpu(series.cpu), words::quantity(quantity)),
    }
}

fn line(evidence: &RunEvidence, label: String, series: &[&Series]) -> Line {
    let due = skips(evidence, series).then(|| Distribution::due(series.iter().copied())).flatten();
    let served = Distribution::served(series.iter().copied());
    Line {
        due_note: due_note(&label, series, &served, due.as_ref()),
        label,
        served,
        due,
        resolution_ns: series.iter().map(|series| series.resolution.as_ns() as i64).max().unwrap_or(1).max(1),
        max_ns: series.iter().filter_map(|series| max_ns(series)).max(),
    }
}

/// Skipped activations that no late wake-up in the histogram accounts for are not drawn, and therefore said.
fn due_note(label: &str, series: &[&Series], served: &Distribution, due: Option<&Distribution>) -> Option<String> {
    let skipped: u64 = series.iter().filter_map(|series| series.activations.skipped).sum();
    let placed = due.map_or(0, |due| due.total() - served.total());
    let what = words::counted(skipped, "activation");
    match due {
        _ if placed == skipped => None,
        None => {
            Some(format!("{label}: {what} skipped with a lateness that cannot be told: no curve per due activation."))
        }
        Some(_) => Some(format!("{label}: {what} skipped, {} drawn after the late wake-ups.", words::count(placed))),
    }
}

/// True where some activations were jumped over and the rule that the run followed says with which lateness.
fn skips(evidence: &RunEvidence, series: &[&Series]) -> bool {
    let skipped = series.iter().any(|series| series.activations.skipped.is_some_and(|skipped| skipped > 0));
    let plan = evidence.run.plan.as_ref();
    let rule = plan.is_none_or(|plan| plan.when_late == WhenLate::Skip && plan.method.has_due_grid());
    skipped && rule && series.iter().all(|series| series.quantity == Quantity::ResponseLatency)
}

/// The largest latency of a series that anything in it tells.
pub fn max_ns(series: &Series) -> Option<i64> {
    let listed = series.worst.iter().map(|worst| worst.latency_ns);
    let cells = series.histogram.cells().next_back().map(|(value, _)| value);
    listed.chain(cells).chain(series.stated.and_then(|stated| stated.max_ns)).max()
}
