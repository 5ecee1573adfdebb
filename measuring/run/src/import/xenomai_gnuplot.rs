//! The file of Xenomai's `latency -g`: rows of bucket centre and count for gnuplot.
//!
//! Every count is one too large, so that a logarithmic axis can show empty buckets, and a row with count 1 stands at the
//! lower edge of the first bucket and at the upper edge of the last: both are undone here.
//!
//! ```text
//! # 00:00:05 (periodic user-mode task, 1000 us period, priority 99)
//! # ----lat min|----lat avg|----lat max|-overrun|---msw|
//! #      -1.053|     -1.044|      0.048|       0|     0|
//! 0 1            edge
//! 0.5 3          bucket [0, 1): 2 samples
//! 2 1            edge
//! ```

use super::context::{Context, note, series};
use super::error::Problem;
use super::input::Input;
use super::tally::DISTINCT_MAX;
use super::text::{clock, number};
use super::xenomai_screen::{Summary, fields, figures, finish, tally};
use super::xenomai_setting::Setting;
use crate::Run;
use prazo_core::time::Duration;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut run = context.run();
    let mut file = Plot::default();
    while let Some(line) = input.next_line()? {
        match line.strip_prefix('#').map(str::trim) {
            Some(comment) => file.comment(comment, &mut run)?,
            None if line.is_empty() => {}
            None => file.row(line)?,
        }
    }
    let figures = file.figures.ok_or(Problem::Truncated { wanted: "the line of minimum, mean and maximum" })?;
    let (width, buckets) = buckets(&file.rows)?;
    let tally = tally(&buckets, width, &figures)?;
    let count = tally.total();
    let mut series = series(file.setting.quantity(), width, tally, figures.stated(Some(count)));
    series.period = file.setting.period.or(context.options.period);
    file.setting.record(&mut run);
    run.elapsed = file.lasted;
    finish(&mut run, series, &figures);
    Ok(run)
}

#[derive(Default)]
struct Plot {
    setting: Setting,
    lasted: Option<Duration>,
    figures: Option<Summary>,
    rows: Vec<(i64, u64)>,
}

impl Plot {
    fn comment(&mut self, comment: &str, run: &mut Run) -> Result<(), Problem> {
        let from = |label: &str| comment.strip_prefix(label).map(str::trim);
        if let Some(version) = from("Xenomai version:") {
            note(run, "import.version", version, "line `# Xenomai version:`");
        } else if let Some(parameters) = from("Kernel parameters:") {
            note(run, "cmdline", parameters, "line `# Kernel parameters:`");
        } else if comment.starts_with("Linux ") {
            if let Some(release) = comment.split_whitespace().nth(2) {
                note(run, "kernel.release", release, "line `# Linux`");
            }
        } else if is_figures(comment) {
            self.figures = Some(figures(&fields::<6>(comment)?[..5])?);
        } else if let Some((lasted, setting)) = comment.split_once(" (").and_then(|(at, rest)| Some((clock(at)?, rest)))
        {
            self.lasted = Some(lasted);
            self.setting.parse(setting);
        }
        Ok(())
    }

    /// `0.5 3`, in microseconds.
    fn row(&mut self, line: &str) -> Result<(), Problem> {
        let (at, count) =
            line.split_once(char::is_whitespace).ok_or_else(|| Problem::malformed(line, "a value and a count"))?;
        let at: f64 = number(at, "a time in µs")?;
        if !(0.0..=1e12).contains(&at) {
            return Err(Problem::malformed(line, "a time from 0 to 10^12 µs"));
        }
        self.rows.push(((at * 1e3).round() as i64, number(count, "a count")?));
        if self.rows.len() > DISTINCT_MAX {
            return Err(Problem::TooMuch { what: "too many buckets".into(), limit: DISTINCT_MAX as u64 });
        }
        Ok(())
    }
}

/// The heading of the figures begins with several dashes, the figures at most with one.
fn is_figures(comment: &str) -> bool {
    comment.matches('|').count() == 5 && !comment.starts_with("--")
}

/// The buckets' width, and their numbers with the true counts.
fn buckets(rows: &[(i64, u64)]) -> Result<(Duration, Vec<(u64, u64)>), Problem> {
    let [(edge_ns, 1), inner @ .., (end_ns, 1)] = rows else {
        return Err(Problem::Truncated { wanted: "the last row, which has count 1 at the histogram's upper edge" });
    };
    let (Some((first_ns, _)), Some((last_ns, _))) = (inner.first(), inner.last()) else {
        return Err(Problem::NoSamples("the histogram has no row between its lower and its upper edge".into()));
    };
    let width_ns = 2 * (first_ns - edge_ns);
    if width_ns <= 0 || end_ns - last_ns != width_ns / 2 || edge_ns % width_ns != 0 {
        return Err(Problem::Contradiction(
            "the first and the last row do not fit the width of the buckets between them".into(),
        ));
    }
    let width = Duration::from_ns(width_ns as u64);
    let first = edge_ns / width_ns;
    let bucket = |(index, (at_ns, count)): (usize, &(i64, u64))| bucket(first + index as i64, *at_ns, *count, width_ns);
    Ok((width, inner.iter().enumerate().map(bucket).collect::<Result<_, _>>()?))
}

/// Bucket `number` with its true count, if its centre is where it should be (`%g` prints six digits).
fn bucket(number: i64, at_ns: i64, count: u64, width_ns: i64) -> Result<(u64, u64), Problem> {
    let centre_ns = i128::from(number) * i128::from(width_ns) + i128::from(width_ns / 2);
    let hits = count.checked_sub(1).ok_or_else(|| Problem::malformed("0", "a count of at least 1"))?;
    if (centre_ns - i128::from(at_ns)).abs() > i128::from(width_ns / 2) {
        return Err(Problem::Contradiction(format!("a row is at {at_ns} ns, where {centre_ns} ns is expected")));
    }
    Ok((number as u64, hits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lose_their_one_and_the_edges_go() {
        let (width, buckets) = buckets(&[(1_000, 1), (1_500, 3), (2_500, 1), (3_500, 8), (4_000, 1)]).unwrap();
        assert_eq!(width, Duration::from_us(1));
        assert_eq!(buckets, [(1, 2), (2, 0), (3, 7)]);
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        for rows in [
            &[(0, 1)][..],
            &[(0, 1), (2_000, 1)],
            &[(0, 1), (500, 3), (1_500, 3)],
            &[(0, 1), (500, 0), (1_000, 1)],
            &[(0, 1), (500, 3), (9_000, 1)],
            &[(0, 1), (500, 3), (500, 3), (1_000, 1)],
            &[(700, 1), (500, 3), (1_000, 1)],
        ] {
            assert!(buckets(rows).is_err(), "{rows:?}");
        }
    }
}
