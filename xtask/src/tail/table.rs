//! The scores as a Markdown table for docs/statistics.md.

use super::cell::Cell;
use super::score::{Score, Scored};
use prazo_core::text::{counted, grouped};
use std::fmt::Write;

const HEAD: &str = "| cell | method | samples | stretches | refused | answered | held the quantile | too low | median width |\n\
                    |---|---|---|---|---|---|---|---|---|\n";

/// What a cell's samples are, in one sentence.
pub(super) fn about(cell: &Cell) -> String {
    let mut text = format!(
        "{}: {} of {}, without {} of warm-up; {} lost, {} skipped",
        cell.name,
        counted(cell.samples, "sample"),
        counted(cell.runs, "run"),
        grouped(cell.warm_up),
        grouped(cell.lost),
        grouped(cell.skipped)
    );
    for file in &cell.left_out {
        let _ = write!(text, "\n  left out: {file}");
    }
    text
}

/// One sentence for each cell, then the table.
pub(super) fn markdown(scored: &[Scored]) -> String {
    let mut text = String::new();
    for one in scored {
        let _ = writeln!(text, "{}\n", truth(one));
    }
    text.push_str(HEAD);
    for one in scored {
        for score in &one.scores {
            text.push_str(&row(&one.cell.name, score));
        }
    }
    text
}

fn truth(one: &Scored) -> String {
    let (Some(p), Some(truth)) = (one.p, one.truth) else {
        return format!("{}. The samples are too few to bound any quantile that is asked for.", about(&one.cell));
    };
    let us = |ns: f64| format!("{:.3}", ns / 1e3);
    if truth.low_ns == truth.high_ns && one.cell.runs == 0 {
        return format!("{}: the share {p:.0e} exceeds {} µs, exactly.", one.cell.name, us(truth.quantile_ns));
    }
    format!(
        "{}. The share {p:.0e} exceeds {} µs (95 % CI for independent samples {} to {} µs).{}",
        about(&one.cell),
        us(truth.quantile_ns),
        us(truth.low_ns),
        us(truth.high_ns),
        if p > 1e-6 { " The samples do not bound the quantile of 1e-6." } else { "" }
    )
}

fn row(cell: &str, score: &Score) -> String {
    let gates: Vec<String> = score.refused.iter().map(|(gate, count)| format!("{gate} {}", grouped(*count))).collect();
    let refused: u64 = score.refused.values().sum();
    let refused = if gates.is_empty() { "0".into() } else { format!("{} ({})", grouped(refused), gates.join(", ")) };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let held = score.share.map_or_else(
        || "-".into(),
        |(share, low, high)| {
            format!("{} = {} % ({} to {} %)", grouped(score.held), percent(share), percent(low), percent(high))
        },
    );
    let width = match score.width {
        Some(width) => format!("{} %", percent(width)),
        None if score.answered > 0 => "no upper end".into(),
        None => "-".into(),
    };
    format!(
        "| {cell} | {} | {} | {} | {refused} | {} | {held} | {} | {width} |\n",
        score.method,
        grouped(score.samples as u64),
        grouped(score.stretches),
        grouped(score.answered),
        grouped(score.too_low)
    )
}
