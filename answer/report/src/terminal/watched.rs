//! What was watched as tables: deployed tasks, the threads of any program, and its sections.

use super::columns::Side;
use super::in_words::table;
use super::style::Style;
use crate::view::Cell;
use prazo_core::text::{grouped, printable, tenths_of_micros};
use prazo_verdict::Reason;
use prazo_verdict::watched::{WatchedQuantiles, WatchedSection, WatchedTask, WatchedThread};

/// The columns of [`task_cells`].
pub const TASK_COLUMNS: [&str; 11] = [
    "task",
    "cpus",
    "jobs",
    "missed",
    "max response µs",
    "bound µs",
    "max tardiness µs",
    "budget",
    "thrott.",
    "moved",
    "outside",
];

const THREAD_COLUMNS: [&str; 11] = [
    "thread",
    "wait",
    "period ms",
    "due",
    "served",
    "skipped",
    "missed",
    "unseen",
    "p99 latency µs",
    "max latency µs",
    "max response µs",
];

const SECTION_COLUMNS: [&str; 9] =
    ["section", "thread", "begun", "ended", "unseen", "p50 time µs", "p99 time µs", "max time µs", "max execution µs"];

/// The places of the columns that a narrow terminal does without, first to go first.
const TASK_EXPENDABLE: [usize; 7] = [9, 8, 10, 1, 7, 6, 2];
const THREAD_EXPENDABLE: [usize; 6] = [8, 1, 4, 3, 2, 7];
const SECTION_EXPENDABLE: [usize; 6] = [5, 3, 6, 1, 2, 4];

/// Microseconds with one decimal, or a dash.
pub fn us(ns: Option<i64>) -> String {
    or_dash(ns.map(tenths_of_micros))
}

/// A deployed task's row.
pub fn task_cells(task: &WatchedTask) -> [String; 11] {
    let us = |ns: Option<u64>| us(ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)));
    [
        printable(&task.task).to_string(),
        task.cpus.clone(),
        grouped(task.seen.jobs).to_string(),
        grouped(task.seen.misses).to_string(),
        us(task.seen.response_ns_max),
        us(task.bound_ns),
        us(task.seen.tardiness_ns_max),
        or_dash(task.budget_used().map(|share| format!("{:.0} %", share * 100.0))),
        grouped(task.seen.throttled).to_string(),
        grouped(task.seen.migrations).to_string(),
        grouped(task.seen.outside).to_string(),
    ]
}

/// A row for each deployed task.
pub fn tasks(tasks: &[WatchedTask], style: &Style) -> String {
    texts_first(1, TASK_COLUMNS, tasks.iter().map(task_cells), &TASK_EXPENDABLE, style)
}

/// The worst job of each task with its cause.
pub fn worst_jobs(tasks: &[WatchedTask]) -> Vec<String> {
    let line = |task: &WatchedTask| Some(printable(&format!("{}: {}", task.task, task.worst.first()?)).to_string());
    tasks.iter().filter_map(line).collect()
}

/// A row for each thread of a program.
pub fn threads(threads: &[WatchedThread], style: &Style) -> String {
    texts_first(2, THREAD_COLUMNS, threads.iter().map(thread_cells), &THREAD_EXPENDABLE, style)
}

/// A row for each section as a thread passed it.
pub fn sections(sections: &[WatchedSection], style: &Style) -> String {
    texts_first(2, SECTION_COLUMNS, sections.iter().map(section_cells), &SECTION_EXPENDABLE, style)
}

/// A reason with what it speaks for.
pub fn reason(reason: &Reason) -> String {
    format!("{}: {} ({})", reason.speaks_for.name(), reason.text, reason.id)
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn texts_first<const N: usize>(
    texts: usize,
    names: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    expendable: &[usize],
    style: &Style,
) -> String {
    let sides: Vec<Side> = (0..N).map(|at| if at < texts { Side::Left } else { Side::Right }).collect();
    table(&sides, &names, rows.map(|cells| cells.map(Cell::from).to_vec()), expendable, style)
}

fn thread_cells(thread: &WatchedThread) -> [String; 11] {
    let of = |quantiles: &Option<WatchedQuantiles>, pick: fn(&WatchedQuantiles) -> Option<i64>| {
        us(quantiles.as_ref().and_then(pick))
    };
    [
        printable(&format!("{} {}", thread.thread_id, thread.name)).to_string(),
        thread.wait.clone(),
        or_dash(thread.period_ns.map(|ns| format!("{:.3}", ns as f64 / 1e6))),
        or_dash(thread.due.map(grouped)),
        grouped(thread.served).to_string(),
        grouped(thread.skipped).to_string(),
        or_dash(thread.missed.map(grouped)),
        grouped(thread.unseen).to_string(),
        of(&thread.latency, |latency| latency.p99_ns),
        of(&thread.latency, |latency| Some(latency.max_ns)),
        of(&thread.response, |response| Some(response.max_ns)),
    ]
}

fn section_cells(section: &WatchedSection) -> [String; 9] {
    let time = section.time.as_ref();
    [
        printable(&section.section).to_string(),
        printable(&format!("{} {}", section.thread_id, section.name)).to_string(),
        grouped(section.begun).to_string(),
        grouped(section.ended).to_string(),
        grouped(section.unseen).to_string(),
        us(time.and_then(|time| time.p50_ns)),
        us(time.and_then(|time| time.p99_ns)),
        us(time.map(|time| time.max_ns)),
        us(section.work.execution.as_ref().map(|execution| execution.max_ns)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_is_a_dash() {
        assert_eq!(us(None), "-");
        assert_eq!(us(Some(12_345)), "12.3");
    }
}
