//! The table that Xenomai's `latency` and EVL's `latmus` print, one line a second.
//!
//! ```text
//! RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
//! RTD|     -1.053|     -1.044|     -1.007|       0|     0|     -1.053|     -1.007    min avg max overruns msw best worst
//! HSD|    avg|   1 -  2 |     4997                                                   with -h: numbers of cells of |latency|
//! RTS|     -1.069|     -1.044|     -1.006|       0|     0|    00:00:10/00:00:10      lasted/asked
//! ```
//!
//! Times are microseconds with three decimals and may be negative; overruns add up over the run, best and worst too.

use super::context::{Context, series, series_without_samples};
use super::error::{Problem, shown};
use super::input::Input;
use super::tally::{DISTINCT_MAX, Tally, believable_count};
use super::text::{clock, number, us_as_ns};
use super::xenomai_cells::{self, Cells, Stated, Width};
use super::xenomai_setting::{Setting, period};
use super::{agreement, caveats};
use crate::run::{Ending, Series, StatedFigures};
use crate::{Caveat, Run};
use prazo_core::text::counted;
use prazo_core::time::Duration;

/// How many of a tool's own remarks an error shows.
const REMARKS_MAX: usize = 3;

/// What the lines of one run said.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// What was measured and how.
    pub setting: Setting,
    /// The last line of the run.
    pub summary: Option<Summary>,
    last: Option<Summary>,
    /// Minimum and maximum of each line RTD.
    seconds: Vec<(i64, i64)>,
    cells: Cells,
    /// `-B` of the command line, where the file shows that.
    width_ns: Option<u64>,
    /// `latency -m` ended the run.
    exceeded: bool,
    /// The first lines that the format does not define.
    remarks: Vec<String>,
    /// All of those lines.
    ignored: u64,
}

/// A line's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// Smallest so far.
    pub min_ns: i64,
    /// Mean of the whole run; `None` before its end.
    pub mean_ns: Option<i64>,
    /// Largest so far.
    pub max_ns: i64,
    /// Periods that were jumped over so far.
    pub overruns: u64,
    /// Involuntary switches to Linux.
    pub mode_switches: u64,
    /// Its duration.
    pub lasted: Option<Duration>,
    /// How long it should have lasted; as long as it lasted where nothing was asked.
    pub requested: Option<Duration>,
    /// Samples of the histogram that its figures may leave out: those of the last part of a second.
    pub unstated: u64,
}

impl Screen {
    /// Reads the file.
    pub(super) fn read(input: &mut Input) -> Result<Self, Problem> {
        let mut screen = Self::default();
        while let Some(line) = input.next_line()? {
            screen.take(line)?;
        }
        Ok(screen)
    }

    fn take(&mut self, line: &str) -> Result<(), Problem> {
        match line.split_once('|') {
            Some(("RTT", rest)) => self.setting.parse(rest.split_once('(').map_or("", |(_, setting)| setting)),
            Some(("RTD", rest)) => self.second(rest)?,
            Some(("RTS", rest)) => self.summary = Some(summary(rest)?),
            Some(("HSD", rest)) => self.cell(rest)?,
            Some(("RTH" | "HSH" | "HSS" | "---", _)) => {}
            _ => self.remark(line),
        }
        Ok(())
    }

    fn second(&mut self, rest: &str) -> Result<(), Problem> {
        self.last = Some(second(rest, self.last)?);
        let fields = fields::<7>(rest)?;
        self.seconds.push((time(fields[0])?, time(fields[2])?));
        within(self.seconds.len(), "too many RTD lines")
    }

    /// `    avg|   1 -  2 |     4997`; `min` and `max` count one value a second, `avg` every sample.
    fn cell(&mut self, rest: &str) -> Result<(), Problem> {
        let fields: Vec<&str> = rest.split('|').map(str::trim).collect();
        let [kind, range, count] = fields[..] else {
            return Err(Problem::malformed(rest, "kind|range|count"));
        };
        let cells = match kind {
            "min" => &mut self.cells.min,
            "avg" => &mut self.cells.all,
            "max" => &mut self.cells.max,
            _ => return Ok(()),
        };
        let cell: u64 = number(range.split('-').next().unwrap_or_default(), "a range such as 1 - 2")?;
        if cell == u64::MAX || cells.last().is_some_and(|(last, _)| *last >= cell) {
            return Err(Problem::malformed(range, "a range above the previous one"));
        }
        cells.push((cell, believable_count(number(count, "a count")?)?));
        within(cells.len(), "too many cells")
    }

    fn remark(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("== Sampling period:") {
            self.setting.period = period(rest.trim());
        } else if let Some(mode) = line.strip_prefix("== Test mode:") {
            self.setting.mode = Some(shown(mode.trim()));
        } else if line.starts_with("warming up") || line.starts_with("running quietly") {
            self.setting.place(line);
        } else if line.to_ascii_lowercase().contains("maximum latency exceeded") {
            self.exceeded = true;
        } else if let Some(width_ns) = width_option(line) {
            self.width_ns = Some(width_ns);
        } else if !line.is_empty() && !line.starts_with("== All results") {
            self.ignored += 1;
            if self.remarks.len() < REMARKS_MAX {
                self.remarks.push(shown(line));
            }
        }
    }

    /// The run's figures, from its last line or else from the last second that was printed.
    fn figures(&self) -> Result<Summary, Problem> {
        let reason = || match self.remarks.is_empty() {
            true => "the output has no RTD or RTS line".to_owned(),
            false => match self.ignored - self.remarks.len() as u64 {
                0 => format!("the tool printed: {}", self.remarks.join("; ")),
                more => format!("the tool printed: {}; and {}", self.remarks.join("; "), counted(more, "more line")),
            },
        };
        self.summary.or(self.last).ok_or_else(|| Problem::NoSamples(reason()))
    }

    /// Makes the run's one series and its caveats.
    pub(super) fn fill(&self, run: &mut Run, context: &Context) -> Result<(), Problem> {
        let unstated = xenomai_cells::in_part_of_a_second(&self.cells.all, self.seconds.len());
        let figures = Summary { unstated: if self.seconds.is_empty() { 0 } else { unstated }, ..self.figures()? };
        self.setting.record(run);
        run.elapsed = figures.lasted;
        let mut series = self.series(&figures, context, &mut run.caveats)?;
        series.period = self.setting.period.or(context.options.period);
        series.cpu = self.setting.cpu;
        finish(run, series, &figures);
        if self.summary.is_none() {
            run.ending = Ending::Interrupted;
            run.caveats.push(caveats::run_ended_early(
                "the output has no RTS line; the stated figures are those of the last RTD line",
            ));
        }
        if self.exceeded {
            run.ending = Ending::Interrupted;
            run.caveats.push(caveats::maximum_latency_exceeded());
        }
        if self.ignored > 0 {
            run.caveats.push(caveats::lines_not_read(self.ignored));
        }
        Ok(())
    }

    fn series(&self, figures: &Summary, context: &Context, found: &mut Vec<Caveat>) -> Result<Series, Problem> {
        let quantity = self.setting.quantity();
        if self.cells.all.is_empty() {
            return Ok(series_without_samples(quantity, Duration::from_ns(1), figures.stated(None)));
        }
        let Summary { min_ns, mean_ns, max_ns, .. } = *figures;
        let stated = Stated { min_ns, mean_ns, max_ns, seconds: &self.seconds };
        let resolution = context.options.resolution.filter(|width| !width.is_zero()).map(Duration::as_ns);
        let width_ns = match xenomai_cells::width(&self.cells, stated, resolution.or(self.width_ns)) {
            Width::Known(width_ns) => width_ns,
            Width::Contradicted(width_ns, fits) => {
                found.push(caveats::cells_do_not_fit(Some(width_ns), &fits));
                width_ns
            }
            Width::Unknown(fits) => {
                found.push(caveats::cells_do_not_fit(None, &fits));
                let counts = self.cells.all.iter().map(|(_, count)| *count);
                let count = believable_count(counts.fold(0, u64::saturating_add))?;
                return Ok(series_without_samples(quantity, Duration::from_ns(1), figures.stated(Some(count))));
            }
        };
        let width = Duration::from_ns(width_ns);
        let tally = tally(&self.cells.all, width, figures)?;
        let count = tally.total();
        Ok(series(quantity, width, tally, figures.stated(Some(count))))
    }
}

/// `-B 200` or `-B200` of a command line of `latency` that a terminal's log has kept.
fn width_option(line: &str) -> Option<u64> {
    let (_, options) = line.split_once("latency ")?;
    let (_, width) = options.split_once("-B")?;
    width.split_whitespace().next()?.parse().ok().filter(|width_ns| (1..=1_000_000_000).contains(width_ns))
}

fn within(entries: usize, what: &str) -> Result<(), Problem> {
    let too_many = || Problem::TooMuch { what: what.into(), limit: DISTINCT_MAX as u64 };
    if entries > DISTINCT_MAX { Err(too_many()) } else { Ok(()) }
}

/// Buckets of `width`; the last one catches everything beyond if the file's own extremes lie beyond it.
pub(super) fn tally(buckets: &[(u64, u64)], width: Duration, figures: &Summary) -> Result<Tally, Problem> {
    let extreme_ns = u128::from(figures.min_ns.unsigned_abs().max(figures.max_ns.unsigned_abs()));
    let last = buckets.last().map_or(0, |(bucket, _)| *bucket);
    let beyond = extreme_ns >= (u128::from(last) + 1) * u128::from(width.as_ns());
    let mut tally = Tally::new(width);
    for (bucket, count) in buckets {
        match beyond && *bucket == last {
            true => tally.add_overflow(*count)?,
            false => tally.add(i64::try_from(*bucket).unwrap_or(i64::MAX), *count)?,
        }
    }
    Ok(tally)
}

/// Adds the series, its activations as far as they are known, and the caveats that all of these tools share.
pub(super) fn finish(run: &mut Run, mut series: Series, figures: &Summary) {
    series.activations.skipped = Some(figures.overruns);
    if !series.histogram.is_empty() {
        series.activations.due = Some(series.activations.served + figures.overruns);
    }
    run.caveats.push(caveats::gravity());
    match series.histogram.is_empty() {
        // A histogram whose cells have no known width was counted, and its caveat is there already.
        true if series.activations.served > 0 => {}
        true => run.caveats.push(caveats::no_histogram()),
        false if figures.min_ns < 0 => run.caveats.push(caveats::sign_folded()),
        false => run.caveats.extend(agreement::caveat_but_for(&series, figures.unstated)),
    }
    if figures.min_ns >= 0 {
        let beyond = agreement::beyond_stated(&series, figures.unstated);
        run.caveats.extend((beyond > 0).then(|| caveats::last_second_not_stated(beyond)));
        run.caveats.extend(
            (!series.histogram.is_empty()).then(|| caveats::values_rounded_down(&series.resolution.to_string())),
        );
    }
    run.caveats.extend(overflow(&series));
    if figures.mode_switches > 0 {
        run.caveats.push(caveats::mode_switches(figures.mode_switches));
    }
    if figures.overruns > 0 {
        run.caveats.push(caveats::overruns(figures.overruns));
    }
    if let Some((lasted, requested)) =
        figures.lasted.zip(figures.requested).filter(|(lasted, requested)| lasted < requested)
    {
        run.ending = Ending::Interrupted;
        run.caveats.push(caveats::run_ended_early(&format!("the tool ran for {lasted} of the requested {requested}")));
    }
    run.series.push(series);
}

fn overflow(series: &Series) -> Option<crate::Caveat> {
    let count = series.histogram.overflow();
    let max =
        series.stated.and_then(|stated| stated.max_ns).map(|max| prazo_core::time::Offset::from_ns(max).to_string());
    let found = caveats::Overflow { count, above: "the last bucket".into(), max, bursts: None };
    (count > 0).then(|| caveats::overflow_without_values(&found))
}

impl Summary {
    /// The figures as the source states them.
    pub(super) fn stated(&self, count: Option<u64>) -> StatedFigures {
        StatedFigures {
            count,
            min_ns: Some(self.min_ns),
            mean_ns: self.mean_ns.map(|mean| mean as f64),
            max_ns: Some(self.max_ns),
        }
    }
}

/// The seven fields of a line RTD; the extremes are those of the whole run so far.
fn second(rest: &str, before: Option<Summary>) -> Result<Summary, Problem> {
    let fields = fields::<7>(rest)?;
    let switches = before.map_or(0, |before| before.mode_switches);
    Ok(Summary {
        min_ns: time(fields[5])?,
        max_ns: time(fields[6])?,
        overruns: believable_count(number(fields[3], "a count of overruns")?)?,
        mode_switches: number::<u64>(fields[4], "a count of mode switches")?.max(switches),
        ..Summary::default()
    })
}

/// The six fields of a line RTS.
fn summary(rest: &str) -> Result<Summary, Problem> {
    let fields = fields::<6>(rest)?;
    let (lasted, requested) = fields[5].split_once('/').unwrap_or((fields[5], ""));
    Ok(Summary { lasted: clock(lasted), requested: clock(requested), ..figures(&fields[..5])? })
}

/// Minimum, mean, maximum, overruns and mode switches.
pub(super) fn figures(fields: &[&str]) -> Result<Summary, Problem> {
    Ok(Summary {
        min_ns: time(fields[0])?,
        mean_ns: Some(time(fields[1])?),
        max_ns: time(fields[2])?,
        overruns: believable_count(number(fields[3], "a count of overruns")?)?,
        mode_switches: number(fields[4], "a count of mode switches")?,
        ..Summary::default()
    })
}

/// Exactly `N` fields between bars.
pub(super) fn fields<const N: usize>(text: &str) -> Result<[&str; N], Problem> {
    let all: Vec<&str> = text.split('|').take(N + 1).map(str::trim).collect();
    all.try_into().map_err(|_| Problem::malformed(text, "min|avg|max|overruns|mode switches and further fields"))
}

/// Microseconds with decimals, as nanoseconds.
pub(super) fn time(text: &str) -> Result<i64, Problem> {
    us_as_ns(text).ok_or_else(|| Problem::malformed(text, "a time in µs with three decimals"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_beyond_the_last_bucket_make_it_an_overflow() {
        let figures = |max_ns| Summary { max_ns, ..Summary::default() };
        let held =
            |max_ns| tally(&[(0, 5), (199, 2)], Duration::from_us(1), &figures(max_ns)).unwrap().into_histogram();
        assert_eq!(held(199_999).overflow(), 0);
        assert_eq!((held(200_000).overflow(), held(200_000).in_range()), (2, 5));
    }
}
