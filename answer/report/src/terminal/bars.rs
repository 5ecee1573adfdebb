//! A histogram of characters for each line of the charts.

use super::measure::right;
use crate::chart::Charts;
use crate::words;
use prazo_core::text::{counted, printable};

/// Rows that the axis of a histogram of characters has, for one line and for each of several.
const BARS: (usize, usize) = (32, 18);

/// A histogram of characters for each line; the bars' lengths are logarithmic, so that a single sample is seen.
pub fn bars(charts: &Charts, width: usize) -> String {
    bars_of_first(charts, width, usize::MAX)
}

/// As [`bars`], of the first few lines only.
pub(super) fn bars_of_first(charts: &Charts, width: usize, first: usize) -> String {
    let lines = charts.histograms.lines.iter().take(first).collect::<Vec<_>>();
    let step = charts
        .histograms
        .edges_ns
        .len()
        .div_ceil(if charts.histograms.lines.len().min(first) > 1 { BARS.1 } else { BARS.0 })
        .max(1);
    let mut text = String::new();
    for line in lines {
        text.push_str(&format!("{} ({}), bars logarithmic\n", printable(&line.label), counted(line.total, "sample")));
        let merged: Vec<u64> = line.counts.chunks(step).map(|bins| bins.iter().sum()).collect();
        text.push_str(&bars_of(&merged, |at| charts.histograms.edges_ns[at * step], width));
        if line.beyond > 0 {
            text.push_str(&format!("{:>12}  {:>13}\n", "beyond", words::count(line.beyond)));
        }
    }
    text
}

fn bars_of(counts: &[u64], from: impl Fn(usize) -> i64, width: usize) -> String {
    let most = counts.iter().max().copied().unwrap_or(0).max(1) as f64;
    let room = width.saturating_sub(30).max(8) as f64;
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let rows = counts.iter().enumerate().take(last + 1).skip(first);
    rows.map(|(at, count)| {
        let length = ((*count as f64 + 1.0).ln() / (most + 1.0).ln() * room).round() as usize;
        let length = if *count > 0 { length.max(1) } else { 0 };
        format!("{}  {:>13} {}\n", right(&words::latency(from(at)), 12), words::count(*count), "█".repeat(length))
    })
    .collect()
}
