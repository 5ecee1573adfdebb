//! A run made of a cyclictest table, with what the table hides as caveats.

use super::article_name::has_gravity;
use super::context::{Context, note, noted, series};
use super::cyclictest_table::{Column, Figure, Table};
use super::error::Problem;
use super::tally::Tally;
use super::thread_line::ThreadLine;
use super::{accounting, agreement, caveats};
use crate::Run;
use crate::run::{Series, StatedFigures};
use prazo_core::time::Duration;

/// Fills `run` from `table`.
pub(super) fn run(table: &Table, context: &Context, mut run: Run) -> Result<Run, Problem> {
    let unit = context.unit();
    for (thread, column) in table.columns.iter().enumerate() {
        let line = u32::try_from(thread).ok().and_then(|thread| table.threads.get(&thread));
        let mut series = of_column(column, unit)?;
        series.period = line.and_then(ThreadLine::period).or(context.options.period);
        run.series.push(series);
    }
    facts(&mut run, table);
    run.caveats.extend(disagreements(table, unit));
    agreement::compare(&mut run);
    common_caveats(&mut run, table, unit);
    accounting::account(&mut run, context.options.duration);
    Ok(run)
}

fn of_column(column: &Column, unit: Duration) -> Result<Series, Problem> {
    let mut tally = Tally::new(unit);
    for (latency, count) in &column.cells {
        let latency = i64::try_from(*latency).map_err(|_| Problem::malformed(&latency.to_string(), "a latency"))?;
        tally.add(latency, *count)?;
    }
    tally.add_overflow(column.overflow)?;
    Ok(series(crate::run::Quantity::ResponseLatency, unit, tally, stated(column, unit)))
}

/// The file's own figures; a thread without samples has none but its count.
fn stated(column: &Column, unit: Duration) -> StatedFigures {
    let figure = |figure: &Figure| {
        let value = figure.value().filter(|_| column.samples() > 0)?;
        super::tally::in_ns(value as i64, unit)
    };
    StatedFigures {
        count: Some(column.samples()),
        min_ns: figure(&column.min),
        mean_ns: figure(&column.mean).map(|mean| mean as f64),
        max_ns: figure(&column.max),
    }
}

/// Notes what stands before the histogram.
pub(super) fn facts(run: &mut Run, table: &Table) {
    if let Some(us) = table.dma_latency_us {
        note(run, "import.dma_latency_us", us.to_string(), "line `# /dev/cpu_dma_latency`");
    }
    if let Some(policy) = &table.policy {
        note(run, "import.policy", policy.clone(), "line `policy:`");
    }
    if let Some(priority) = table.threads.values().find_map(|line| line.priority) {
        note(run, "import.priority", priority.to_string(), "line `T:`");
    }
}

/// Thread lines that count something else than the histogram. A line printed while running may lag behind, never lead.
fn disagreements(table: &Table, unit: Duration) -> Option<crate::Caveat> {
    table.threads.values().find_map(|line| {
        let column = table.columns.get(line.thread as usize)?;
        let samples = column.samples();
        let disagrees = line.cycles > samples || (line.closing && line.cycles != samples);
        disagrees.then(|| caveats::thread_line_disagrees(&against(line, column, unit)))
    })
}

fn against(line: &ThreadLine, column: &Column, unit: Duration) -> caveats::ThreadLineDisagrees {
    let sum: f64 = column.cells.iter().map(|(latency, count)| *latency as f64 * *count as f64).sum();
    let us = unit.as_ns() as f64 / 1e3;
    caveats::ThreadLineDisagrees {
        cycles: line.cycles,
        samples: column.samples(),
        mean_us_per_sample: us * sum / column.total.max(1) as f64,
        mean_us_per_cycle: us * sum / line.cycles.max(1) as f64,
        mean_us_stated: column.mean.value().map(|mean| us * mean as f64),
    }
}

fn common_caveats(run: &mut Run, table: &Table, unit: Duration) {
    if noted(run, "kernel.release").is_some_and(has_gravity) {
        run.caveats.push(caveats::gravity());
    }
    if let Some(garbage) = refused(table) {
        run.caveats.push(caveats::garbage_refused(&garbage));
    }
    if table.columns.iter().any(|column| column.mean.value().is_some()) {
        run.caveats.push(caveats::mean_truncated(&format!("multiples of {unit}")));
    }
    run.caveats.extend(overflow(table, unit));
    let starved = table.columns.iter().position(|column| column.samples() == 0);
    run.caveats.extend(starved.map(|thread| caveats::thread_without_samples(thread as u64)));
    if table.columns.len() > 1 {
        run.caveats.push(caveats::processor_unknown(table.columns.len()));
    }
    if table.unread > 0 {
        run.caveats.push(caveats::lines_not_read(table.unread));
    }
}

fn refused(table: &Table) -> Option<String> {
    let of_lines = table.threads.values().find_map(|line| line.refused.clone());
    let refused = |figure: &Figure| match figure {
        Figure::Refused(word) => Some(word.clone()),
        _ => None,
    };
    of_lines.or_else(|| {
        let mut columns = table.columns.iter().filter(|column| column.samples() > 0);
        columns.find_map(|column| [&column.min, &column.mean, &column.max].into_iter().find_map(refused))
    })
}

fn overflow(table: &Table, unit: Duration) -> Option<crate::Caveat> {
    let count: u64 = table.columns.iter().map(|column| column.overflow).sum();
    let max = table.columns.iter().filter_map(|column| column.max.value()).max();
    let in_unit = |value: u64| unit.checked_mul(value).map_or_else(|| value.to_string(), |value| value.to_string());
    let bursts = table.columns.iter().all(|column| column.others == 0 && column.cycles.len() as u64 == column.overflow);
    (count > 0).then(|| {
        caveats::overflow_without_values(&caveats::Overflow {
            count,
            above: in_unit(table.bound),
            max: max.map(in_unit),
            bursts: bursts.then(|| table.columns.iter().map(|column| bursts_of(&column.cycles)).sum()),
        })
    })
}

/// Runs of consecutive cycle numbers: one stall that was caught up with fills several.
fn bursts_of(cycles: &[u64]) -> usize {
    let starts = cycles.windows(2).filter(|pair| pair[0].checked_add(1) != Some(pair[1])).count();
    starts + usize::from(!cycles.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_cycles_are_one_burst() {
        assert_eq!(bursts_of(&[]), 0);
        assert_eq!(bursts_of(&[7]), 1);
        assert_eq!(bursts_of(&[1, 2, 3, 9, 10, 40, u64::MAX]), 4);
    }
}
