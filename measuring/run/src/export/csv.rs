//! Comma-separated rows: of the histogram, or of the timeline.
//!
//! An empty field is "not known"; the row of a histogram without a latency counts the samples above its bound.

use crate::{Histogram, Run, Series};
use std::io::{self, Write};

/// Columns `cpu,quantity,warm_up,latency_ns,count`; of watched threads `thread` comes first.
pub(super) fn histogram(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}cpu,quantity,warm_up,latency_ns,count", thread_column(run))?;
    for series in &run.series {
        cells(series, false, &series.histogram, out)?;
        cells(series, true, &series.warm_up, out)?;
    }
    Ok(())
}

fn cells(series: &Series, warm_up: bool, histogram: &Histogram, out: &mut dyn Write) -> io::Result<()> {
    let head = format!("{},{warm_up}", head(series));
    for (latency_ns, count) in histogram.cells() {
        writeln!(out, "{head},{latency_ns},{count}")?;
    }
    match histogram.overflow() {
        0 => Ok(()),
        overflow => writeln!(out, "{head},,{overflow}"),
    }
}

/// `815,,response-time`: thread, processor and quantity.
fn head(series: &Series) -> String {
    let thread = series.thread.as_ref().map_or_else(String::new, |thread| format!("{},", thread.thread_id));
    format!("{thread}{},{}", or_empty(series.cpu), series.quantity)
}

fn thread_column(run: &Run) -> &'static str {
    if run.series.iter().any(|series| series.thread.is_some()) { "thread," } else { "" }
}

/// Columns `cpu,quantity,at_s,warm_up,count,skipped,missed,lost,min_ns,max_ns,sum_ns`; of watched threads `thread` comes first.
pub(super) fn timeline(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let thread = thread_column(run);
    writeln!(out, "{thread}cpu,quantity,at_s,warm_up,count,skipped,missed,lost,min_ns,max_ns,sum_ns")?;
    for series in &run.series {
        let head = head(series);
        for of in &series.timeline {
            write!(out, "{head},{},{},{},{},", of.at_s, of.warm_up, of.count, of.skipped)?;
            write!(out, "{},{},{},{},", of.missed, of.lost, or_empty(of.min_ns), or_empty(of.max_ns))?;
            writeln!(out, "{}", of.sum_ns)?;
        }
    }
    Ok(())
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
