//! Count, minimum, mean, deviation, quantiles and maximum of every run, per served wake-up and per due activation.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, RunEvidence};
use crate::view::Tone;
use crate::words;
use prazo_core::text::counted;
use prazo_run::Series;
use prazo_run::run::Quantity;
use prazo_stats::{Per, Quantile, Summary};

/// The tables of latencies.
pub fn section(content: &ReportContent) -> Section {
    Section::new("latencies", "Latencies")
        .show(summaries(content, Per::ServedWakeUp, Part::Whole))
        .show(summaries(content, Per::DueActivation, Part::Whole))
        .show(summaries(content, Per::ServedWakeUp, Part::ByProcessor).folded())
        .show(summaries(content, Per::DueActivation, Part::ByProcessor).folded())
        .show(support(content).folded())
        .show(stated(content))
        .show(worst(content))
}

/// Which summaries a table shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All processors of a run together, or the only one it has.
    Whole,
    /// One processor of several.
    ByProcessor,
}

fn all(content: &ReportContent) -> impl Iterator<Item = (&RunEvidence, &Summary)> {
    content.runs.iter().flat_map(|run| run.summary.summaries.iter().map(move |summary| (run, summary)))
}

fn part(run: &RunEvidence, summary: &Summary) -> Part {
    let alike = |other: &&Summary| other.per == summary.per && other.quantity == summary.quantity;
    let alone = run.summary.summaries.iter().filter(alike).count() == 1;
    if summary.is_of_all() || alone { Part::Whole } else { Part::ByProcessor }
}

/// Which columns a table needs: what is the same everywhere is said once, below it.
struct Columns {
    quantity: bool,
    cpu: bool,
    overflow: bool,
    qs: Vec<f64>,
}

fn summaries(content: &ReportContent, per: Per, wanted: Part) -> Table {
    let shown: Vec<_> = all(content).filter(|(run, s)| s.per == per && part(run, s) == wanted).collect();
    let columns = Columns {
        quantity: shown.iter().any(|(_, summary)| summary.quantity != Quantity::ResponseLatency),
        cpu: wanted == Part::ByProcessor,
        overflow: shown.iter().any(|(_, summary)| summary.overflow > 0),
        qs: supported(shown.iter().map(|(_, summary)| *summary)),
    };
    let by = if wanted == Part::ByProcessor { ", by processor" } else { "" };
    let names = columns.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Table::new(format!("Latencies per {}{by}", words::per(per)), &names)
        .with(shown.iter().map(|(run, summary)| row(run, summary, &columns)))
        .notes((!columns.overflow).then(|| "No value lies beyond a histogram's bound.".to_owned()))
        .notes(shown.iter().any(|(_, s)| s.mean_is_lower_bound).then(|| LOWER_BOUND.to_owned()))
        .notes(shown.iter().any(|(_, s)| has_gaps(s, &columns.qs)).then(|| UNSUPPORTED.to_owned()))
}

const LOWER_BOUND: &str = "≥ marks a lower bound: some values lie beyond the source's histogram.";
const UNSUPPORTED: &str = "— marks a quantile that the samples do not support; the table 'Support and intervals of the quantiles' gives the reason.";

impl Columns {
    fn names(&self) -> Vec<String> {
        let fixed =
            ["Run"].into_iter().chain(self.cpu.then_some("Processor")).chain(self.quantity.then_some("Quantity"));
        let figures = ["#Count", "#Min", "#Mean", "#SD"];
        let quantiles = self.qs.iter().map(|q| format!("#{}", words::quantile(*q)));
        let last = ["#Max observed"].into_iter().chain(self.overflow.then_some("#Overflow"));
        fixed.chain(figures).map(str::to_owned).chain(quantiles).chain(last.map(str::to_owned)).collect()
    }
}

fn has_gaps(summary: &Summary, qs: &[f64]) -> bool {
    qs.iter().any(|q| quantile(summary, *q) == Cell::absent())
}

/// The quantiles that at least one summary supports, ascending.
fn supported<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<f64> {
    let supported = summaries.flat_map(|summary| &summary.quantiles).filter(|quantile| quantile.value_ns.is_some());
    let mut qs: Vec<f64> = supported.map(|quantile| quantile.q).collect();
    qs.sort_by(f64::total_cmp);
    qs.dedup();
    qs
}

fn row(run: &RunEvidence, summary: &Summary, columns: &Columns) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![run.run.name.as_str().into()];
    row.extend(columns.cpu.then(|| words::carrier(summary.cpu, summary.thread.as_deref()).into()));
    row.extend(columns.quantity.then(|| words::quantity(summary.quantity).into()));
    row.extend([
        Cell::count(Some(summary.count)),
        Cell::latency(summary.min_ns),
        at_least(Cell::mean(summary.mean_ns), summary.mean_is_lower_bound),
        Cell::mean(summary.sd_ns),
    ]);
    row.extend(columns.qs.iter().map(|q| quantile(summary, *q)));
    row.push(Cell::latency(summary.max_ns));
    row.extend(columns.overflow.then(|| Cell::count(Some(summary.overflow))));
    row
}

fn quantile(summary: &Summary, q: f64) -> Cell {
    let found = summary.quantiles.iter().find(|quantile| quantile.q == q);
    found.map_or_else(Cell::absent, |found| at_least(Cell::latency(found.value_ns), found.at_least))
}

fn at_least(cell: Cell, lower_bound: bool) -> Cell {
    match lower_bound && cell.tone != Tone::Quiet {
        true => Cell { is_least: true, ..cell },
        false => cell,
    }
}

fn support(content: &ReportContent) -> Table {
    let columns = [
        "Run",
        "Processor",
        "Per",
        "Quantile",
        "#Value",
        "#95 % from",
        "#to",
        "#Values above",
        "Method, or reason for no value",
    ];
    let rows = all(content).flat_map(|(run, summary)| summary.quantiles.iter().map(|q| interval(run, summary, q)));
    Table::new("Support and intervals of the quantiles", &columns).with(rows)
}

fn interval(run: &RunEvidence, summary: &Summary, quantile: &Quantile) -> Vec<Cell> {
    vec![
        run.run.name.as_str().into(),
        words::carrier(summary.cpu, summary.thread.as_deref()).into(),
        words::per(summary.per).into(),
        words::quantile(quantile.q).into(),
        at_least(Cell::latency(quantile.value_ns), quantile.at_least),
        Cell::latency(quantile.interval_ns.map(|(low, _)| low)),
        Cell::latency(quantile.interval_ns.map(|(_, high)| high)),
        Cell::count(Some(quantile.values_above)),
        quantile.reason.as_str().into(),
    ]
}

/// The source's own figures beside ours.
fn stated(content: &ReportContent) -> Table {
    let columns = ["Run", "Processor", "Figure", "#Stated by the source", "#Recomputed"];
    let rows = content.runs.iter().flat_map(|run| run.run.series.iter().flat_map(|series| stated_rows(run, series)));
    Table::new("Figures that the imported file states, and the same figures from its histogram", &columns)
        .with(rows)
        .note("A source in whole µs truncates its mean; a recomputed mean excludes values beyond the histogram.")
        .folded()
}

fn stated_rows(run: &RunEvidence, series: &Series) -> Vec<Vec<Cell>> {
    let Some(stated) = series.stated else { return Vec::new() };
    let own = run
        .summary
        .summaries
        .iter()
        .find(|s| s.per == Per::ServedWakeUp && s.quantity == series.quantity && is_of(s, series));
    let figures = [
        ("count", Cell::count(stated.count), Cell::count(Some(series.histogram.total()))),
        ("min", Cell::latency(stated.min_ns), Cell::latency(own.and_then(|own| own.min_ns))),
        ("mean", Cell::mean(stated.mean_ns), Cell::mean(own.and_then(|own| own.mean_ns))),
        ("max", Cell::latency(stated.max_ns), Cell::latency(own.and_then(|own| own.max_ns))),
    ];
    let name = || -> Vec<Cell> { vec![run.run.name.as_str().into(), words::carrier_of(series).into()] };
    figures.into_iter().map(|(figure, says, gives)| [name(), vec![figure.into(), says, gives]].concat()).collect()
}

fn is_of(summary: &Summary, series: &Series) -> bool {
    summary.cpu == series.cpu && summary.thread == series.thread.as_ref().map(ToString::to_string)
}

/// How many of the worst samples a report lists.
const WORST_SHOWN: usize = 12;

fn worst(content: &ReportContent) -> Table {
    let mut all: Vec<_> = content
        .runs
        .iter()
        .flat_map(|run| run.run.series.iter().map(move |series| (run, series)))
        .flat_map(|(run, series)| series.worst.iter().map(move |worst| (run, series, worst)))
        .collect();
    all.sort_by_key(|(_, _, worst)| std::cmp::Reverse(worst.latency_ns));
    let rows = all.iter().take(WORST_SHOWN).map(|(run, series, worst)| {
        let (name, cpu) = (run.run.name.as_str().into(), words::carrier_of(series).into());
        let at = format!("{} s", words::decimals(worst.at_ns as f64 / 1e9, 3));
        vec![name, cpu, Cell::latency(Some(worst.latency_ns)), at.into(), Cell::count(Some(worst.activation))]
    });
    let columns = ["Run", "Processor", "#Latency", "#Due at, since the run's start", "#Activation"];
    let shown = all.len().min(WORST_SHOWN);
    Table::new(format!("The {shown} worst of {}", counted(all.len() as u64, "listed sample")), &columns)
        .with(rows)
        .folded()
}
