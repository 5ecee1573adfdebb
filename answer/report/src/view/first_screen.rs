//! What decides at a glance: the judged runs with their maxima, and what took the time of the worst latencies.

use super::{Cell, Section, Table, comparisons, culprits, headline, parts};
use crate::content::{ReportContent, RunEvidence};
use prazo_core::text::counted;
use prazo_stats::{Per, Quantile};

/// The quantile shown beside the maximum.
const QUANTILE: f64 = 0.999;
/// So many culprits are named at first sight; the part on where the time went has more.
const CULPRITS_MAX: usize = 3;

/// The tables of the first screen; nothing without a run that was measured.
pub fn section(content: &ReportContent) -> Section {
    let heading = if content.verdict.is_some() { "Judged runs" } else { "Runs at a glance" };
    let section = Section::new("answer", heading);
    let section = match headline::is_comparison(content) {
        true => section.show(comparisons::at_a_glance(content)),
        false => section,
    };
    section.show(runs(content, heading)).show(culprits(content))
}

fn runs(content: &ReportContent, heading: &str) -> Table {
    let shown = || content.judged().filter(|run| run.overall(Per::ServedWakeUp).is_some());
    let with_misses = shown().any(|run| run.misses.is_some());
    // The maximum stands first, so that the narrowest screen shows it.
    let mut columns = vec!["Run", "#Max observed", "#p99.9"];
    columns.extend(with_misses.then_some("#Missed or skipped"));
    columns.push("#Activations due");
    let controls = content.runs.len() - content.judged().count();
    let left_out = format!(
        "Not judged: {}, measured for comparison; see the section Latencies.",
        counted(controls as u64, "control run")
    );
    Table::new(heading, &columns)
        .with(shown().map(|run| row(run, with_misses)))
        .note(
            "p99.9 is per due activation, and the last column counts due activations, where these are known; else both use the served wake-ups. An observed maximum is not a bound.",
        )
        .note(if controls > 0 { left_out } else { String::new() })
}

fn row(run: &RunEvidence, with_misses: bool) -> Vec<Cell> {
    let served = run.overall(Per::ServedWakeUp);
    let due = run.overall(Per::DueActivation).or(served);
    let quantile = |all: &[Quantile]| all.iter().find(|one| one.q == QUANTILE).and_then(|one| one.value_ns);
    let mut row = vec![
        run.run.name.as_str().into(),
        Cell::latency(served.and_then(|served| served.max_ns)),
        Cell::latency(due.and_then(|due| quantile(&due.quantiles))),
    ];
    row.extend(with_misses.then(|| Cell::count(run.misses.as_ref().map(|misses| misses.missed))));
    // The latencies may imply more skipped activations than were counted; the verdict's count is the run's own.
    let of_run = run.misses.as_ref().map(|misses| misses.due);
    row.push(Cell::count(of_run.or(due.map(|due| due.count))));
    row
}

fn culprits(content: &ReportContent) -> Table {
    let all = parts::worst_causes(content);
    let worst = all.iter().filter(|(run, ..)| !run.is_control).take(CULPRITS_MAX);
    let rows = worst.map(|(run, _, cause)| vec![run.run.name.as_str().into(), cause.sentence.as_str().into()]);
    let watched = culprits::worst_activations(content).into_iter().filter(|(run, ..)| !run.is_control);
    let watched = watched
        .take(CULPRITS_MAX)
        .map(|(run, account, worst)| vec![run.run.name.as_str().into(), format!("{}: {worst}", account.thread).into()]);
    let rows = rows.chain(watched);
    Table::new("Worst latencies and what took the time", &["Run", "What took the time"]).with(rows)
}
