//! What `cyclictest -h` prints (rt-tests 2.4): a row for every microsecond, a column for every thread, then the totals.
//!
//! `Total` leaves the overflow out, as cyclictest's does. Rows end at a million; what lies above becomes overflow.

use super::ExportError;
use super::cyclictest::{Thread, threads};
use crate::Run;
use std::io::{self, Write};

/// Most rows that are written.
const ROWS_MAX: u64 = 1_000_000;

/// Writes the run's response latencies.
pub(super) fn write(run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
    let threads = threads(run, "cyclictest-histogram")?;
    if run.plan.as_ref().is_some_and(|plan| plan.hold_dma_latency) {
        writeln!(out, "# /dev/cpu_dma_latency set to 0us")?;
    }
    writeln!(out, "# Histogram")?;
    rows(&threads, out)?;
    totals(&threads, out)?;
    Ok(())
}

fn rows(threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let largest = threads.iter().filter_map(|of| of.cells.keys().next_back()).max().copied().unwrap_or(0);
    for us in 0..=largest.min(ROWS_MAX - 1) {
        let counts: Vec<String> =
            threads.iter().map(|of| format!("{:06}", of.cells.get(&us).copied().unwrap_or(0))).collect();
        writeln!(out, "{us:06} {}", counts.join("\t"))?;
    }
    Ok(())
}

fn totals(threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    line("Total", threads, |of| format!("{:09}", of.cycles - overflow(of)), out)?;
    line("Min Latencies", threads, |of| format!("{:05}", of.min), out)?;
    line("Avg Latencies", threads, |of| format!("{:05}", of.mean as u64), out)?;
    line("Max Latencies", threads, |of| format!("{:05}", of.max), out)?;
    line("Histogram Overflows", threads, |of| format!("{:05}", overflow(of)), out)?;
    writeln!(out, "# Histogram Overflow at cycle number:")?;
    threads.iter().enumerate().try_for_each(|(number, of)| overflow_at(number, of, out))?;
    writeln!(out)
}

fn line(name: &str, threads: &[Thread], figure: fn(&Thread) -> String, out: &mut dyn Write) -> io::Result<()> {
    let figures: Vec<String> = threads.iter().map(figure).collect();
    writeln!(out, "# {name}: {}", figures.join(" "))
}

/// The run's overflow, and what lies beyond the last row.
fn overflow(of: &Thread) -> u64 {
    of.overflow + of.cells.range(ROWS_MAX..).map(|(_, count)| count).sum::<u64>()
}

fn overflow_at(number: usize, of: &Thread, out: &mut dyn Write) -> io::Result<()> {
    let mut cycles: Vec<u64> = of.listed.iter().map(|sample| sample.activation).collect();
    cycles.sort_unstable();
    let cycles: Vec<String> = cycles.iter().map(|cycle| format!(" {cycle:05}")).collect();
    let others = match overflow(of) - cycles.len() as u64 {
        0 => String::new(),
        others => format!(" # {others:05} others"),
    };
    writeln!(out, "# Thread {number}:{}{others}", if cycles.is_empty() { " ".into() } else { cycles.concat() })
}
