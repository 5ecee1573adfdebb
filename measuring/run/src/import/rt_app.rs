//! rt-app's log of one task: a line for each activation.
//!
//! `wu_lat` is the wake-up's lateness, t3 - t1, a response latency. `slack` is what was left of the configured period
//! `c_period` at the end of the work: negative means that this activation missed it. Columns are found by their names,
//! in microseconds.

use super::context::{Context, note, series};
use super::error::Problem;
use super::input::Input;
use super::tally::{SERIES_MAX, Tally, VALUE_NS_MAX, in_ns};
use super::text::number;
use super::{accounting, caveats};
use crate::Run;
use crate::run::{Quantity, StatedFigures, WORST_KEPT, WorstSample};
use prazo_core::time::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut run = context.run();
    let mut log = Log::new(context.unit());
    let mut unread = 0;
    while let Some(line) = input.next_line()? {
        if let Some(names) = line.strip_prefix("#idx") {
            log.columns = Some(Columns::parse(names)?);
        } else if let Some(policy) = line.strip_prefix("# Policy :") {
            record_policy(&mut run, policy);
        } else if let Some(columns) = log.columns.filter(|_| !line.is_empty() && !line.starts_with('#')) {
            log.take(&columns.activation(line)?)?;
        } else if !line.is_empty() {
            unread += 1;
        }
    }
    if unread > 0 {
        run.caveats.push(caveats::lines_not_read(unread));
    }
    log.finish(run, context)
}

/// ` SCHED_FIFO priority : 10`
fn record_policy(run: &mut Run, text: &str) {
    let mut words = text.split_whitespace();
    let policy = words.next().unwrap_or_default().trim_start_matches("SCHED_").to_ascii_lowercase();
    note(run, "import.policy", super::error::shown(&policy), "line `# Policy`");
    if let Some(priority) = words.next_back().filter(|word| word.parse::<u32>().is_ok()) {
        note(run, "import.priority", priority, "line `# Policy`");
    }
}

/// Where the named columns stand.
#[derive(Clone, Copy)]
struct Columns {
    count: usize,
    latency: usize,
    slack: Option<usize>,
    period: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
}

/// What is used of a line, in the log's unit.
struct Activation {
    latency: i64,
    slack: Option<i64>,
    period: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
}

impl Columns {
    /// Reads the names behind `#idx`, which is column 0.
    fn parse(names: &str) -> Result<Self, Problem> {
        let names: Vec<&str> = names.split_whitespace().take(SERIES_MAX).collect();
        let at = |name: &str| names.iter().position(|known| *known == name).map(|index| index + 1);
        let latency = at("wu_lat").ok_or_else(|| Problem::malformed(&names.join(" "), "a column wu_lat"))?;
        let (slack, period, start, end) = (at("slack"), at("c_period"), at("start"), at("end"));
        Ok(Self { count: names.len() + 1, latency, slack, period, start, end })
    }

    fn activation(&self, line: &str) -> Result<Activation, Problem> {
        let words: Vec<&str> = line.split_whitespace().take(self.count + 1).collect();
        if words.len() != self.count {
            return Err(Problem::malformed(line, "one value for each column of the line #idx"));
        }
        let field = |at: Option<usize>| at.map(|at| number(words[at], "a time in whole µs")).transpose();
        Ok(Activation {
            latency: number(words[self.latency], "a time in whole µs")?,
            slack: field(self.slack)?,
            period: field(self.period)?,
            start: field(self.start)?,
            end: field(self.end)?,
        })
    }
}

/// The log so far; the heap holds the worst, the least of them on top.
struct Log {
    columns: Option<Columns>,
    unit: Duration,
    tally: Tally,
    missed: Option<u64>,
    period: Option<i64>,
    period_changed: bool,
    first: Option<i64>,
    last: Option<i64>,
    worst: BinaryHeap<Reverse<(i64, i64, u64)>>,
}

impl Log {
    fn new(unit: Duration) -> Self {
        Self {
            columns: None,
            unit,
            tally: Tally::new(unit),
            missed: None,
            period: None,
            period_changed: false,
            first: None,
            last: None,
            worst: BinaryHeap::new(),
        }
    }

    fn take(&mut self, activation: &Activation) -> Result<(), Problem> {
        let number = self.tally.total();
        self.tally.add(activation.latency, 1)?;
        if let (Some(slack), Some(_)) = (activation.slack, activation.period) {
            *self.missed.get_or_insert(0) += u64::from(slack < 0);
        }
        self.period_changed |= self.period.is_some() && activation.period != self.period;
        self.period = activation.period;
        if let Some(due) = activation.start.and_then(|start| start.checked_sub(activation.latency)) {
            let first = *self.first.get_or_insert(due);
            self.worst(due.saturating_sub(first), activation.latency, number);
        }
        self.last = activation.end.or(self.last);
        Ok(())
    }

    fn worst(&mut self, at: i64, latency: i64, number: u64) {
        if let (Some(at_ns), Some(latency_ns)) = (in_ns(at, self.unit), in_ns(latency, self.unit)) {
            self.worst.push(Reverse((latency_ns, at_ns, number)));
        }
        if self.worst.len() > WORST_KEPT {
            self.worst.pop();
        }
    }

    fn finish(self, mut run: Run, context: &Context) -> Result<Run, Problem> {
        if self.tally.total() == 0 {
            return Err(Problem::NoSamples("the log has no activations".into()));
        }
        let span =
            self.first.zip(self.last).and_then(|(first, last)| last.checked_sub(first)).filter(|span| *span >= 0);
        run.elapsed = span.and_then(|span| in_ns(span, self.unit)).map(|ns| Duration::from_ns(ns as u64));
        let period = self.period.filter(|_| !self.period_changed).and_then(|period| in_ns(period, self.unit));
        let period = period.filter(|ns| *ns > 0 && *ns as u64 <= VALUE_NS_MAX).map(|ns| Duration::from_ns(ns as u64));
        let mut series = series(Quantity::ResponseLatency, self.unit, self.tally, StatedFigures::default());
        series.stated = None;
        series.period = period.or(context.options.period);
        series.activations.missed = self.missed;
        let sample = |Reverse((latency_ns, at_ns, activation))| WorstSample { at_ns, latency_ns, activation };
        series.worst = self.worst.into_sorted_vec().into_iter().map(sample).collect();
        run.series.push(series);
        if context.options.duration.is_some() {
            accounting::account(&mut run, context.options.duration);
        }
        Ok(run)
    }
}
