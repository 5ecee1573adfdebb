//! cyclictest's `-v`: one line a sample, `task:cycle:value`.
//!
//! The values pass a ring that another thread empties a hundred times a second, so that cycles can be missing: they are
//! counted as lost. `Thread 0 Interval: 1500` gives a thread's period.

use super::accounting::account;
use super::caveats;
use super::context::{Context, series};
use super::error::Problem;
use super::input::Input;
use super::tally::{SERIES_MAX, Tally, believable_count};
use super::text::behind;
use crate::Run;
use crate::run::{Quantity, StatedFigures};
use prazo_core::time::Duration;
use std::collections::BTreeMap;

/// One thread's samples so far.
struct Task {
    tally: Tally,
    next_cycle: u64,
}

/// Task, cycle and value of a line; `None` for any other.
pub(super) fn sample(line: &str) -> Option<(u32, u64, i64)> {
    let mut parts = line.split(':').map(str::trim);
    let sample = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(sample)
}

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut tasks = BTreeMap::new();
    let mut periods = BTreeMap::new();
    let mut unread = 0;
    while let Some(line) = input.next_line()? {
        if let Some((task, cycle, value)) = sample(line) {
            take(&mut tasks, task, cycle, context.unit())?.add(value, 1)?;
        } else if let Some((task, period)) = interval(line) {
            periods.insert(task, period);
        } else if !is_expected(line) {
            unread += 1;
        }
        if tasks.len().max(periods.len()) > SERIES_MAX {
            return Err(Problem::TooMuch { what: "too many tasks".into(), limit: SERIES_MAX as u64 });
        }
    }
    if tasks.is_empty() {
        return Err(Problem::NoSamples("no line has the form task:cycle:value".into()));
    }
    Ok(run(tasks, &periods, unread, context))
}

fn is_expected(line: &str) -> bool {
    line.is_empty()
        || ["Max CPUs =", "Online CPUs =", "# /dev/cpu_dma_latency"].iter().any(|start| line.starts_with(start))
}

fn interval(line: &str) -> Option<(u32, Duration)> {
    let task = line.strip_prefix("Thread ")?.split_whitespace().next()?.parse().ok()?;
    let us =
        behind(line, "Interval:")?.parse().ok().filter(|us| (1..=super::tally::VALUE_NS_MAX / 1_000).contains(us))?;
    Some((task, Duration::from_us(us)))
}

fn take(tasks: &mut BTreeMap<u32, Task>, task: u32, cycle: u64, unit: Duration) -> Result<&mut Tally, Problem> {
    let task = tasks.entry(task).or_insert_with(|| Task { tally: Tally::new(unit), next_cycle: 0 });
    if cycle < task.next_cycle {
        return Err(Problem::malformed(&cycle.to_string(), "a cycle number above the task's previous one"));
    }
    task.next_cycle = believable_count(cycle.saturating_add(1))?;
    Ok(&mut task.tally)
}

fn run(tasks: BTreeMap<u32, Task>, periods: &BTreeMap<u32, Duration>, unread: u64, context: &Context) -> Run {
    let mut run = context.run();
    let mut lost = 0;
    for (number, task) in tasks {
        let mut series = series(Quantity::ResponseLatency, context.unit(), task.tally, StatedFigures::default());
        series.stated = None;
        series.period = periods.get(&number).copied().or(context.options.period);
        series.activations.lost = task.next_cycle - series.activations.served;
        series.activations.served = task.next_cycle;
        lost += series.activations.lost;
        run.series.push(series);
    }
    if lost > 0 {
        run.caveats.push(caveats::samples_missing(lost, "the numbers of these cycles are missing"));
    }
    if run.series.len() > 1 {
        run.caveats.push(caveats::processor_unknown(run.series.len()));
    }
    if unread > 0 {
        run.caveats.push(caveats::lines_not_read(unread));
    }
    account(&mut run, context.options.duration);
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_three_numbers() {
        assert_eq!(sample("       0:       1:      14"), Some((0, 1, 14)));
        for other in ["0:1", "0:1:2:3", "T: 0 (1)", "00:00:01x", ""] {
            assert_eq!(sample(other), None, "{other}");
        }
    }
}
