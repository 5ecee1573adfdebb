//! cyclictest's `T:` lines without a histogram, with `--spike`'s list where there is one.
//!
//! While running without `-q` the tool prints the lines again and again; the last of each thread counts. A histogram may
//! follow, and is then read instead.

use super::context::{Context, series_without_samples};
use super::cyclictest_table::Table;
use super::error::Problem;
use super::input::Input;
use super::text::behind;
use super::thread_line::ThreadLine;
use super::{accounting, caveats, cyclictest_histogram, cyclictest_run};
use crate::Run;
use crate::run::Quantity;

/// How many spikes a caveat names.
const SPIKES_NAMED: usize = 16;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut table = Table::default();
    let mut spikes = Spikes::default();
    while let Some(line) = input.next_line()? {
        if let Some(thread) = ThreadLine::parse(line, context.unit()) {
            table.thread(thread?)?;
        } else if line == "# Histogram" {
            return histogram(input, table, context);
        } else if !line.is_empty() && !spikes.take(line) {
            table.preamble(line);
        }
    }
    run(&table, &spikes, context)
}

fn histogram(input: &mut Input, table: Table, context: &Context) -> Result<Run, Problem> {
    let table = cyclictest_histogram::parse_rows(input, table, context.unit())?;
    cyclictest_run::run(&table, context, context.run())
}

/// The samples above `--spike`'s threshold.
#[derive(Default)]
struct Spikes {
    count: usize,
    named: Vec<String>,
}

impl Spikes {
    /// Takes `T: 0 Spike:    1150: TS:   1298103992`; false for any other line.
    fn take(&mut self, line: &str) -> bool {
        let Some(value) = behind(line, "Spike:").map(|word| word.trim_end_matches(':')) else {
            return line.starts_with("spikes =");
        };
        self.count += 1;
        if self.named.len() < SPIKES_NAMED {
            self.named.push(super::error::shown(value));
        }
        true
    }
}

fn run(table: &Table, spikes: &Spikes, context: &Context) -> Result<Run, Problem> {
    let unit = context.unit();
    let mut run = context.run();
    for line in table.threads.values().filter(|line| line.cycles > 0) {
        let mut series = series_without_samples(Quantity::ResponseLatency, unit, line.stated(unit));
        series.period = line.period().or(context.options.period);
        if line.figures.is_some() {
            run.series.push(series);
        }
    }
    cyclictest_run::facts(&mut run, table);
    let refused = table.threads.values().find_map(|line| line.refused.as_deref());
    if run.series.is_empty() {
        return Err(Problem::NoSamples(
            refused
                .map_or("no thread ran".into(), |figures| format!("a thread line states impossible values: {figures}")),
        ));
    }
    run.caveats.extend(refused.map(caveats::garbage_refused));
    let starved = table.threads.values().find(|line| line.cycles == 0);
    run.caveats.extend(starved.map(|line| caveats::thread_without_samples(line.thread.into())));
    run.caveats.extend([caveats::no_histogram(), caveats::mean_truncated(&format!("multiples of {unit}"))]);
    if spikes.count > 0 {
        let more = match spikes.count - spikes.named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        run.caveats.push(caveats::spikes_listed(spikes.count, &format!("{}{more}", spikes.named.join(", "))));
    }
    if run.series.len() > 1 {
        run.caveats.push(caveats::processor_unknown(run.series.len()));
    }
    if table.unread > 0 {
        run.caveats.push(caveats::lines_not_read(table.unread));
    }
    accounting::account(&mut run, context.options.duration);
    Ok(run)
}
