//! A cyclictest text histogram as it stands in the file: rows, totals, the tool's own figures, and cycle numbers.
//!
//! It is what the text and the sparse form have in common; [`super::cyclictest_run`] makes a run of it. Invariant, checked
//! by [`Table::settle`]: every column has its total, figures and overflow, and the total is the sum of its cells.

use super::error::{Problem, shown};
use super::tally::{CELLS_MAX, SERIES_MAX, believable_count};
use super::thread_line::ThreadLine;
use std::collections::BTreeMap;

/// The whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// What `/dev/cpu_dma_latency` was set to, in microseconds.
    pub dma_latency_us: Option<u64>,
    /// The policy that the tool's status line names.
    pub policy: Option<String>,
    /// The last `T:` line of each thread.
    pub threads: BTreeMap<u32, ThreadLine>,
    /// The first latency beyond the histogram.
    pub bound: u64,
    /// One for each thread.
    pub columns: Vec<Column>,
    /// Lines that are no part of the format.
    pub unread: u64,
    cells: usize,
}

/// One thread's column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    /// Latency and count, ascending, without zeros.
    pub cells: Vec<(u64, u64)>,
    /// `# Total:`, the samples with a value.
    pub total: u64,
    /// `# Min Latencies:`.
    pub min: Figure,
    /// `# Avg Latencies:`.
    pub mean: Figure,
    /// `# Max Latencies:`.
    pub max: Figure,
    /// `# Histogram Overflows:`.
    pub overflow: u64,
    /// The cycle numbers of the overflows, as far as listed.
    pub cycles: Vec<u64>,
    /// Overflows whose cycle number is not listed (`# 00098 others`).
    pub others: u64,
}

/// One of the tool's own figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Figure {
    /// Not in the file.
    #[default]
    Absent,
    /// In microseconds, or whatever the file counts in.
    Value(u64),
    /// What no measurement can have.
    Refused(String),
}

impl Figure {
    /// Reads a word; anything but a whole number is an error, an impossible one is refused.
    pub(super) fn parse(word: &str) -> Result<Self, Problem> {
        let value: i128 = super::text::number(word, "a latency")?;
        let believable = u64::try_from(value).ok().filter(|value| *value <= super::tally::VALUE_NS_MAX / 1_000);
        Ok(believable.map_or_else(|| Self::Refused(word.to_owned()), Self::Value))
    }

    /// The value, if there is a believable one.
    pub(super) fn value(&self) -> Option<u64> {
        match self {
            Self::Value(value) => Some(*value),
            _ => None,
        }
    }
}

impl Column {
    /// All samples, with and without a value.
    pub(super) fn samples(&self) -> u64 {
        self.total + self.overflow
    }
}

impl Table {
    /// Adds a row; its counts open the columns if it is the first.
    pub(super) fn row(&mut self, latency: u64, counts: &[u64], line: &str) -> Result<(), Problem> {
        if latency < self.bound {
            return Err(Problem::malformed(line, "a latency above that of the previous row"));
        }
        if self.columns.is_empty() {
            self.open(counts.len())?;
        }
        if counts.len() != self.columns.len() {
            return Err(Problem::malformed(line, "one count for each thread, as in the previous rows"));
        }
        self.bound = latency.checked_add(1).ok_or_else(|| Problem::malformed(line, "a latency"))?;
        for (column, count) in self.columns.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
            column.cells.push((latency, *count));
            self.cells += 1;
        }
        if self.cells > CELLS_MAX {
            return Err(Problem::TooMuch { what: "too many cells".into(), limit: CELLS_MAX as u64 });
        }
        Ok(())
    }

    fn open(&mut self, columns: usize) -> Result<(), Problem> {
        if columns > SERIES_MAX {
            return Err(Problem::TooMuch { what: format!("{columns} threads"), limit: SERIES_MAX as u64 });
        }
        self.columns.resize(columns, Column::default());
        Ok(())
    }

    /// Keeps a thread line in place of an earlier one of the same thread.
    pub(super) fn thread(&mut self, line: ThreadLine) -> Result<(), Problem> {
        self.threads.insert(line.thread, line);
        if self.threads.len() > SERIES_MAX {
            return Err(Problem::TooMuch { what: "too many threads".into(), limit: SERIES_MAX as u64 });
        }
        Ok(())
    }

    /// Takes a line that may stand before the thread lines and the histogram.
    pub(super) fn preamble(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("# /dev/cpu_dma_latency set to ") {
            self.dma_latency_us = rest.trim_end_matches("us").parse().ok();
        } else if let Some(rest) = line.strip_prefix("policy: ") {
            self.policy = rest.split(':').next().map(|name| shown(name.trim()));
        } else {
            self.unread += 1;
        }
    }

    /// Checks what the file says twice.
    pub(super) fn settle(&self) -> Result<(), Problem> {
        let mut samples: u64 = 0;
        for (thread, column) in self.columns.iter().enumerate() {
            column.settle(thread)?;
            samples = believable_count(samples.saturating_add(column.samples()))?;
        }
        if self.columns.is_empty() {
            return Err(Problem::NoSamples("the table has no column for a thread".into()));
        }
        Ok(())
    }
}

impl Column {
    fn settle(&self, thread: usize) -> Result<(), Problem> {
        let sum = self.cells.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        believable_count(sum.saturating_add(self.overflow))?;
        if sum != self.total {
            let total = self.total;
            return Err(Problem::Contradiction(format!(
                "thread {thread} has a total of {total}, but its rows add up to {sum}"
            )));
        }
        let listed = (self.cycles.len() as u64).saturating_add(self.others);
        if listed > self.overflow {
            let overflow = self.overflow;
            return Err(Problem::Contradiction(format!(
                "thread {thread} lists {listed} cycle numbers for {overflow} overflows"
            )));
        }
        Ok(())
    }
}
