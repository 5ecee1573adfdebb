//! Runs side by side: differences of quantiles with their intervals, who is better where, and maxima of equal counts.

use super::{Cell, Section, Table, Tone};
use crate::evidence::Evidence;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::Comparison;
use prazo_stats::compare::{Dominance, QuantileDifference};

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
