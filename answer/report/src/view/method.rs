//! How each figure was made, and what it cannot show.

use super::{Cell, Section, Table};
use crate::content::ReportContent;

const NOTES: [(&str, &str, &str); 8] = [
    (
        "Latency",
        "response = t3 - t1, interrupt = t2 - t1, activation = t3 - t2; t1 due, t2 handler starts, t3 task runs",
        "What happens after the task's first instruction: its execution time is not included.",
    ),
    (
        "Per served wake-up",
        "one value for each activation that ran; comparable with cyclictest",
        "Activations skipped while late. If the tail is compared with a deadline, it looks better than it is.",
    ),
    (
        "Per due activation",
        "a wake-up late by L at period P also counts for the skipped activations, late by L-P, L-2P, ... > 0",
        "How late a skipped activation would really have been: it is at least as late as counted.",
    ),
    (
        "Observed maximum",
        "the largest of N samples, shown with N",
        "A bound: a longer run, or another load, can show a larger maximum.",
    ),
    (
        "Quantile",
        "the order statistic of rank ceil(qN), given only where enough values lie above it",
        "Events rarer than the count supports: such quantiles are omitted, with the reason.",
    ),
    (
        "Interval",
        "95 % CI from block bootstrap over consecutive time, since neighbouring latencies depend on each other",
        "Effects of causes that did not occur during the measurement.",
    ),
    (
        "Zero misses in N",
        "if activations were independent, at most 1 - 0.05^(1/N), about 3/N, of them miss, with 95 % confidence",
        "Activations are not independent; use the upper bound on the share of blocks with a miss.",
    ),
    (
        "Exceedance curve",
        "share of samples at or above x; below 1/N there is no evidence",
        "Anything beyond the end of the curve, which is not extrapolated.",
    ),
];

/// The notes on method.
pub fn section(content: &ReportContent) -> Section {
    let section = Section::new("method", "Method");
    if content.runs.is_empty() {
        return section;
    }
    let rows = NOTES.map(|(figure, formula, cannot)| vec![Cell::from(figure), formula.into(), cannot.into()]);
    let table = Table::new("How the figures are computed", &["Figure", "How it is computed", "What it cannot show"]);
    section.show(table.with(rows).folded())
}
