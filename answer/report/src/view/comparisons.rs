//! Runs side by side: differences of quantiles with their intervals, who is better where, and maxima of equal counts.

use super::{Cell, Section, Table, Tone};
use crate::content::ReportContent;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::compare::{Dominance, QuantileDifference};
use prazo_stats::{Comparison, Per};

/// The comparisons.
pub fn section(content: &ReportContent) -> Section {
    let columns = [
        "Reference",
        "Other",
        "Never clearly worse",
        "Curves cross at",
        "#Maxima over",
        "#Reference max",
        "#Other max",
    ];
    let overview = Table::new("Comparisons", &columns)
        .with(content.comparisons.iter().map(overview))
        .notes(content.comparisons.iter().map(|comparison| comparison.maxima.method.clone()))
        .notes(content.comparisons.iter().flat_map(warnings));
    Section::new("comparisons", "Comparisons").show(overview).show(differences(content))
}

fn overview(comparison: &Comparison) -> Vec<Cell> {
    let crossings: Vec<String> = comparison.crossings_ns.iter().map(|ns| words::latency(*ns)).collect();
    let crossings = if crossings.is_empty() { "nowhere".into() } else { crossings.join(", ") };
    vec![
        comparison.reference.as_str().into(),
        comparison.other.as_str().into(),
        dominance(comparison),
        crossings.into(),
        counted(comparison.maxima.count, "sample").to_string().into(),
        Cell::latency(comparison.maxima.reference_ns),
        Cell::latency(comparison.maxima.other_ns),
    ]
}

fn dominance(comparison: &Comparison) -> Cell {
    match comparison.dominance {
        Dominance::ReferenceBetter => Cell::toned(&comparison.reference, Tone::Good),
        Dominance::OtherBetter => Cell::toned(&comparison.other, Tone::Good),
        Dominance::Equal => "equal".into(),
        Dominance::Neither => Cell::toned("neither", Tone::Unsure),
    }
}

/// Which of the two is nowhere clearly worse, and where their curves cross: one sentence.
pub fn order(comparison: &Comparison) -> String {
    let crossings: Vec<String> = comparison.crossings_ns.iter().map(|ns| words::latency(*ns)).collect();
    match comparison.dominance {
        Dominance::ReferenceBetter => better(&comparison.reference, &comparison.other),
        Dominance::OtherBetter => better(&comparison.other, &comparison.reference),
        Dominance::Equal => "Neither run is clearly worse at any latency.".into(),
        Dominance::Neither if crossings.is_empty() => "Neither run is better at every latency.".into(),
        Dominance::Neither => {
            format!("Neither run is better at every latency: the curves cross at {}.", crossings.join(", "))
        }
    }
}

/// A quantile of the better side may still be larger, by less than the evidence requires.
fn better(better: &str, worse: &str) -> String {
    format!("'{worse}' is clearly worse at some latency, '{better}' at none.")
}

/// What became of one comparison: the two sides, their order, and what moved.
pub fn statement(comparison: &Comparison) -> String {
    let (other, reference) = (&comparison.other, &comparison.reference);
    format!("'{other}' against '{reference}': {} {}", order(comparison), moved(comparison))
}

/// The quantiles that evidently moved, and by how much: one sentence.
fn moved(comparison: &Comparison) -> String {
    let evident = |one: &QuantileDifference| {
        let ((low, high), by_ns) = (one.interval_ns?, one.difference_ns?);
        let sign = if by_ns > 0 { "+" } else { "" };
        (low > 0 || high < 0).then(|| format!("{} by {sign}{}", words::quantile(one.q), words::latency(by_ns)))
    };
    let all: Vec<String> = served(comparison).filter_map(evident).collect();
    match (all.is_empty(), served(comparison).any(|one| one.interval_ns.is_some())) {
        (false, _) => format!("Quantiles that moved, with 95 % CIs that exclude 0: {}.", all.join(", ")),
        (true, true) => "No quantile moved: each 95 % CI contains 0.".into(),
        (true, false) => "No quantile has a confidence interval, so it is not known which ones moved.".into(),
    }
}

/// A column of quantiles: its heading, and its cell of one quantile.
type QuantileColumn = (&'static str, fn(&QuantileDifference) -> Cell);

/// The columns of every table of a comparison's quantiles, on a page as on a terminal.
const COLUMNS: [QuantileColumn; 5] = [
    ("Quantile", |one| words::quantile(one.q).into()),
    ("#Reference", |one| Cell::latency(one.reference_ns)),
    ("#Other", |one| Cell::latency(one.other_ns)),
    ("#Difference", |one| Cell::latency(one.difference_ns)),
    ("#95 % CI", |one| Cell::range(one.interval_ns.map(|(low, high)| (low as f64, high as f64)))),
];

fn headings() -> impl Iterator<Item = &'static str> {
    COLUMNS.into_iter().map(|(heading, _)| heading)
}

fn cells(one: &QuantileDifference) -> impl Iterator<Item = Cell> {
    COLUMNS.into_iter().map(move |(_, cell)| cell(one))
}

fn served(comparison: &Comparison) -> impl Iterator<Item = &QuantileDifference> {
    comparison.quantiles.iter().filter(|one| one.per == Per::ServedWakeUp)
}

fn warnings(comparison: &Comparison) -> impl Iterator<Item = String> {
    comparison.warnings.iter().map(|warning| format!("Warning: {warning}"))
}

/// Each quantile of both sides of one comparison, with the difference and its interval.
pub fn quantiles(comparison: &Comparison) -> Table {
    let caption = format!("'{}' against '{}', per served wake-up", comparison.other, comparison.reference);
    let columns: Vec<&str> = headings().collect();
    let rows = served(comparison).map(|one| cells(one).collect::<Vec<_>>());
    Table::new(caption, &columns).with(rows).notes(warnings(comparison))
}

/// The quantiles of all comparisons in one table, for the first screen of a page.
pub fn at_a_glance(content: &ReportContent) -> Table {
    if let [one] = content.comparisons.as_slice() {
        return quantiles(one);
    }
    let columns: Vec<&str> = std::iter::once("Run").chain(headings()).collect();
    let mut table = Table::new("Quantiles against the reference, per served wake-up", &columns);
    for comparison in &content.comparisons {
        let run = || Cell::from(comparison.other.as_str());
        table = table
            .with(served(comparison).map(|one| std::iter::once(run()).chain(cells(one)).collect::<Vec<_>>()))
            .notes(warnings(comparison));
    }
    table
}

/// The maxima of equal counts: one sentence.
pub fn maxima(comparison: &Comparison) -> String {
    let latency = |ns: Option<i64>| ns.map_or_else(|| words::ABSENT.into(), words::latency);
    let maxima = &comparison.maxima;
    format!(
        "Maximum of {}: {} (reference), {} (other). If a side has more samples, its figure is the maximum expected in that many of its samples.",
        counted(maxima.count, "sample"),
        latency(maxima.reference_ns),
        latency(maxima.other_ns)
    )
}

fn differences(content: &ReportContent) -> Table {
    let columns: Vec<&str> = ["Reference", "Other"].into_iter().chain(headings()).chain(["How"]).collect();
    let mut table = Table::new("Differences of quantiles, other minus reference", &columns).folded();
    for comparison in &content.comparisons {
        let sides = || [&comparison.reference, &comparison.other].map(|name| Cell::from(name.as_str()));
        let row = |one: &QuantileDifference| {
            sides().into_iter().chain(cells(one)).chain([one.reason.as_str().into()]).collect::<Vec<_>>()
        };
        table = table.with(comparison.quantiles.iter().map(row));
    }
    table
}
