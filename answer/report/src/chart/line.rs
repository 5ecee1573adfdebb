//! One line of a chart: a run's samples of one quantity, all processors together or one of them.

use super::distribution::Distribution;
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_run::run::Quantity;
use prazo_run::{Run, Series};

/// The samples behind one line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its place among all lines, which gives its colour.
    pub colour: usize,
    /// What the legend says.
    pub label: String,
    /// Per served wake-up, or what [`Self::is_due`] says.
    pub served: Distribution,
    /// True where `served` was replaced by the distribution per due activation, the only one that a chart shows.
    pub is_due: bool,
    /// Per due activation, where the run jumped over some and it can be told which.
    pub due: Option<Distribution>,
    /// What the curve per due activation leaves out, or why there is none although activations were skipped.
    pub due_note: Option<String>,
    /// The finest difference its source can show.
    pub resolution_ns: i64,
    /// The largest latency its source states or lists, also beyond the cells.
    pub max_ns: Option<i64>,
    /// True of a judged run's own line, of all processors and its first quantity: the one that answers.
    pub answers: bool,
}

/// The lines of a report: one for each run and quantity; a run that is alone is also shown by processor.
pub fn lines(content: &ReportContent) -> Vec<Line> {
    let alone = content.runs.len() == 1;
    let all = content.runs.iter().flat_map(|run| lines_of(run, alone)).enumerate();
    all.map(|(colour, line)| Line { colour, ..line }).filter(|line| line.served.total() > 0).collect()
}

/// Each run's name with the colour of its first line, which is also that of its timeline and of its rows.
pub fn run_colours(content: &ReportContent) -> impl Iterator<Item = (&str, usize)> {
    let before = content.runs.iter().scan(0, |next, run| Some(std::mem::replace(next, *next + quantities(run).len())));
    content.runs.iter().map(|run| run.run.name.as_str()).zip(before)
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
    if let Some(first) = lines.first_mut() {
        first.answers = !evidence.is_control;
    }
    lines.extend(PARTS.into_iter().filter(|_| alone).filter_map(|quantity| line_of_part(evidence, quantity)));
    lines
}

/// The parts that a run that is alone shows over its latencies: t1 to t2, and t2 to t3.
const PARTS: [Quantity; 2] = [Quantity::InterruptLatency, Quantity::ActivationLatency];

fn line_of_part(evidence: &RunEvidence, quantity: Quantity) -> Option<Line> {
    let splits = evidence.run.series.iter().filter_map(|series| series.split.as_deref());
    let parts: Vec<&Series> = splits.flat_map(|split| &split.parts).filter(|part| part.quantity == quantity).collect();
    let label = format!("part: {}", words::quantity(quantity));
    (!parts.is_empty()).then(|| line(evidence, label, &parts))
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
    let carrier = match &series.thread {
        Some(thread) => format!("thread {thread}"),
        None => format!("processor {}", words::cpu(series.cpu)),
    };
    match series.quantity {
        Quantity::ResponseLatency => carrier,
        quantity => format!("{carrier}, {}", words::quantity(quantity)),
    }
}

fn line(evidence: &RunEvidence, label: String, series: &[&Series]) -> Line {
    let served = Distribution::served(series.iter().copied());
    let (due, due_note) = due(&evidence.run, &label, series, &served);
    Line {
        colour: 0,
        answers: false,
        is_due: false,
        label,
        served,
        due,
        due_note,
        resolution_ns: series.iter().map(|series| series.resolution.as_ns() as i64).max().unwrap_or(1).max(1),
        max_ns: series.iter().filter_map(|series| max_ns(series)).max(),
    }
}

/// The distribution per due activation where it differs from that per served wake-up, and what must be said of it.
fn due(run: &Run, label: &str, series: &[&Series], served: &Distribution) -> (Option<Distribution>, Option<String>) {
    let said = |why: String| format!("{label}: {why}.");
    match Distribution::due(run, series.iter().copied()) {
        Ok((due, _)) if due.total() == served.total() => (None, None),
        Ok((due, method)) => (Some(due), method.map(said)),
        Err(why) if series.iter().any(|series| series.activations.skipped.is_some_and(|skipped| skipped > 0)) => {
            (None, Some(said(format!("no curve per due activation: {why}"))))
        }
        Err(_) => (None, None),
    }
}

/// The largest latency of a series that anything in it tells.
pub fn max_ns(series: &Series) -> Option<i64> {
    let listed = series.worst.iter().map(|worst| worst.latency_ns);
    let cells = series.histogram.cells().next_back().map(|(value, _)| value);
    listed.chain(cells).chain(series.stated.and_then(|stated| stated.max_ns)).max()
}
