//! Runs side by side: differences of quantiles with their intervals, who is better where, and maxima of equal counts.

use super::{Cell, Section, Table, Tone};
use crate::evidence::Evidence;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::compare::{Dominance, QuantileDifference};
use prazo_stats::{Comparison, Per};

/// The comparisons.
pub fn section(evidence: &Evidence) -> Section {
    let warnings = evidence.comparisons.iter().flat_map(|comparison| &comparison.warnings).cloned();
    let columns = [
        "Reference",
        "Other",
        "Smaller at every latency",
        "Curves cross at",
        "#Maxima of",
        "#Reference max",
        "#Other max",
    ];
    let overview = Table::new("Comparisons", &columns)
        .with(evidence.comparisons.iter().map(overview))
        .notes(evidence.comparisons.iter().map(|comparison| comparison.maxima.method.clone()))
        .notes(warnings.map(|warning| format!("Warning: {warning}")));
    Section::new("comparisons", "Comparisons").show(overview).show(differences(evidence))
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

/// Which of the two is nowhere worse, and where their curves cross: one sentence.
pub fn order(comparison: &Comparison) -> String {
    let crossings: Vec<String> = comparison.crossings_ns.iter().map(|ns| words::latency(*ns)).collect();
    match comparison.dominance {
        Dominance::ReferenceBetter => format!("'{}' is at least as good at every quantile.", comparison.reference),
        Dominance::OtherBetter => format!("'{}' is at least as good at every quantile.", comparison.other),
        Dominance::Equal => "The two curves are the same.".into(),
        Dominance::Neither if crossings.is_empty() => "Neither is better everywhere.".into(),
        Dominance::Neither => format!("Neither is better everywhere: the curves cross at {}.", crossings.join(", ")),
    }
}

/// What became of one comparison: the two sides, their order, and what moved.
pub fn statement(comparison: &Comparison) -> String {
    let (other, reference) = (&comparison.other, &comparison.reference);
    format!("'{other}' against '{reference}': {} {}", order(comparison), moved(comparison))
}

/// The quantiles that evidently moved, and by how much: one sentence.
fn moved(comparison: &Comparison) -> String {
    let served = || comparison.quantiles.iter().filter(|one| one.per == Per::ServedWakeUp);
    let evident = |one: &QuantileDifference| {
        let ((low, high), by_ns) = (one.interval_ns?, one.difference_ns?);
        let sign = if by_ns > 0 { "+" } else { "" };
        (low > 0 || high < 0).then(|| format!("{} by {sign}{}", words::quantile(one.q), words::latency(by_ns)))
    };
    let all: Vec<String> = served().filter_map(evident).collect();
    match (all.is_empty(), served().any(|one| one.interval_ns.is_some())) {
        (false, _) => format!("Moved, with 95 % CIs that exclude 0: {}.", all.join(", ")),
        (true, true) => "No quantile moved: each 95 % CI contains 0.".into(),
        (true, false) => "No quantile has an interval, so what moved is not known.".into(),
    }
}

/// Each quantile of both sides with the difference and its interval, for the first screen.
pub fn at_a_glance(evidence: &Evidence) -> Table {
    let [caption, first] = match evidence.comparisons.as_slice() {
        [one] => [format!("'{}' against '{}', per served wake-up", one.other, one.reference), String::new()],
        _ => ["Against the reference, per served wake-up".to_owned(), "Run".to_owned()],
    };
    let names = [first.as_str(), "Quantile", "#Reference", "#Other", "#Difference", "#95 % CI"];
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let row = |(comparison, one): (&Comparison, &QuantileDifference)| {
        let interval = one.interval_ns.map(|(low, high)| (low as f64, high as f64));
        let run = (!first.is_empty()).then(|| Cell::from(comparison.other.as_str()));
        let figures = [one.reference_ns, one.other_ns, one.difference_ns].map(Cell::latency);
        let row = run.into_iter().chain([words::quantile(one.q).into()]);
        row.chain(figures).chain([Cell::range(interval)]).collect()
    };
    let all = evidence.comparisons.iter().flat_map(|of| of.quantiles.iter().map(move |one| (of, one)));
    let served = all.filter(|(_, one)| one.per == Per::ServedWakeUp);
    let warnings = evidence.comparisons.iter().flat_map(|comparison| &comparison.warnings);
    Table::new(caption, &names).with(served.map(row)).notes(warnings.map(|warning| format!("Warning: {warning}")))
}

/// The observed maxima, of equal counts: one sentence.
pub fn maxima(comparison: &Comparison) -> String {
    let latency = |ns: Option<i64>| ns.map_or_else(|| words::ABSENT.into(), words::latency);
    let maxima = &comparison.maxima;
    format!(
        "Observed maximum of {}: {} (reference), {} (other).",
        counted(maxima.count, "sample"),
        latency(maxima.reference_ns),
        latency(maxima.other_ns)
    )
}

fn differences(evidence: &Evidence) -> Table {
    let columns = ["Reference", "Other", "Quantile", "#Reference", "#Other", "#Difference", "#95 % from", "#to", "How"];
    let all = evidence.comparisons.iter().flat_map(|c| c.quantiles.iter().map(move |q| difference(c, q)));
    Table::new("Differences of quantiles, other minus reference", &columns).with(all).folded()
}

fn difference(comparison: &Comparison, quantile: &QuantileDifference) -> Vec<Cell> {
    vec![
        comparison.reference.as_str().into(),
        comparison.other.as_str().into(),
        words::quantile(quantile.q).into(),
        Cell::latency(quantile.reference_ns),
        Cell::latency(quantile.other_ns),
        Cell::latency(quantile.difference_ns),
        Cell::latency(quantile.interval_ns.map(|(low, _)| low)),
        Cell::latency(quantile.interval_ns.map(|(_, high)| high)),
        quantile.reason.as_str().into(),
    ]
}
