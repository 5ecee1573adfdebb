//! The tables of docs/lab-bound.md: the bound of one run on each kernel.

use super::measured::{compile_run, list, micros, number, origin, prazo, text};
use prazo_core::text::grouped;
use prazo_lab::sections::SOFTIRQS;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The platform, and its text. The first one has the detailed tables.
const KERNELS: [(&str, &str); 4] = [
    ("standard-full", "`standard-full` (6.1)"),
    ("standard-full-6.12", "`standard-full-6.12`"),
    ("rt-full", "`rt-full` (6.1)"),
    ("rt-full-6.12", "`rt-full-6.12`"),
];
const SECTIONS_LISTED: usize = 4;
const UNEXECUTED_LISTED: usize = 2;

/// The parts of one bound, the bounds of all kernels, and what the first one's boot executed.
pub(super) fn tables() -> Result<Vec<String>, String> {
    let runs = KERNELS.iter().map(|(platform, _)| compile_run(platform)).collect::<Result<Vec<PathBuf>, String>>()?;
    let mut bounds = Vec::new();
    for run in &runs {
        let bound = prazo(|command| {
            command.args(["lab", "bound", "--json"]).arg(run);
        })?;
        bounds.push(bound);
    }
    let terms = format!("{}\nThis run {}\n", terms(&bounds[0])?, origin(&runs[0])?);
    Ok(vec![terms, kernels(&bounds)?, coverage(&bounds[0], KERNELS[0].0)?])
}

/// The sentence, the parts and the longest sections.
fn terms(bound: &Value) -> Result<String, String> {
    let mut table = format!("```text\n{}\n```\n\n", text(bound, "sentence")?);
    table.push_str("| part of the bound | longest, µs | times | seen |\n|---|---|---|---|\n");
    let mut row = |name: &str, ns: u64, times: u64, seen: Option<u64>| {
        let seen = seen.map_or(String::new(), |seen| grouped(seen).to_string());
        let _ = writeln!(table, "| {name} | {}.{:03} | {times} | {seen} |", grouped(ns / 1000), ns % 1000);
    };
    row("timer", number(bound, "timer_ns")?, 1, Some(number(bound, "timer_activations")?));
    for term in list(bound, "terms")? {
        row(text(term, "kind")?, number(term, "ns")?, 1, Some(number(term, "seen")?));
    }
    row("an interrupt and softirqs already running", number(bound, "carried_in_ns")?, 1, None);
    for one in list(bound, "interference")? {
        row(text(one, "name")?, number(one, "longest_ns")?, number(one, "arrivals")?, Some(number(one, "seen")?));
    }
    table.push_str(
        "\nThe longest sections with interrupts or preemption off, outside of interrupts and of the scheduler:\n\n",
    );
    table.push_str("| longest, µs | begins in | mostly in | thread |\n|---|---|---|---|\n");
    for section in list(bound, "sections")?.iter().filter(is_off).take(SECTIONS_LISTED) {
        let _ = writeln!(
            table,
            "| {} | `{}` | `{}` | {} |",
            micros(number(section, "ns")?),
            text(section, "begins")?,
            text(&section["name"], "function")?,
            text(&section["name"], "thread")?
        );
    }
    Ok(table)
}

/// True for a section that is part of the bound's term `off`.
fn is_off(section: &&Value) -> bool {
    section["kind"] == "off"
}

fn kernels(bounds: &[Value]) -> Result<String, String> {
    let mut table = String::from(
        "| platform | bound, µs | observed maximum, µs | ratio | longest section, µs | mostly in | scheduler, µs | longest interrupt, µs |\n|---|---|---|---|---|---|---|---|\n",
    );
    for ((_, platform), bound) in KERNELS.iter().zip(bounds) {
        let longest = list(bound, "sections")?.iter().find(is_off).ok_or("the bound lists no section")?;
        let all = list(bound, "interference")?.iter().filter(|one| one["name"] != SOFTIRQS);
        let interrupts = all.map(|one| number(one, "longest_ns")).collect::<Result<Vec<u64>, String>>()?;
        let scheduler = list(bound, "terms")?.iter().find(|term| term["kind"] == "scheduler");
        let scheduler = scheduler.ok_or("the bound has no term of the scheduler")?;
        let (highest, observed) = (number(bound, "bound_ns")?, number(bound, "observed_max_ns")?);
        let _ = writeln!(
            table,
            "| {platform} | {} | {} | {:.1} | {} | `{}` | {} | {} |",
            micros(highest),
            micros(observed),
            highest as f64 / observed as f64,
            micros(number(longest, "ns")?),
            text(&longest["name"], "function")?,
            micros(number(scheduler, "ns")?),
            micros(interrupts.into_iter().max().ok_or("the bound lists no interrupt")?)
        );
    }
    Ok(table)
}

fn coverage(bound: &Value, platform: &str) -> Result<String, String> {
    let mut table = format!(
        "| path, `{platform}` | functions | executed | bytes of the executed functions | executed bytes | % |\n|---|---|---|---|---|---|\n"
    );
    for path in list(bound, "coverage")? {
        let (bytes, executed_bytes) = (number(path, "bytes")?, number(path, "bytes_executed")?);
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {:.0} |",
            text(path, "path")?,
            number(path, "functions")?,
            number(path, "functions_executed")?,
            grouped(bytes),
            grouped(executed_bytes),
            100.0 * executed_bytes as f64 / bytes.max(1) as f64
        );
    }
    let unexecuted = list(bound, "largest_unexecuted")?.iter().take(UNEXECUTED_LISTED).map(|one| {
        let (bytes, executed) = (number(one, "bytes")?, number(one, "bytes_executed")?);
        Ok(format!("`{}` ({} of {} bytes executed)", text(one, "function")?, grouped(executed), grouped(bytes)))
    });
    let unexecuted = unexecuted.collect::<Result<Vec<String>, String>>()?.join(", ");
    let _ = writeln!(table, "\nThe executed functions with the most code that was not executed: {unexecuted}.");
    Ok(table)
}
