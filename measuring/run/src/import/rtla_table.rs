//! The table that `rtla ... hist` prints: one row a bucket, one column a processor and kind, then the tool's own figures.
//!
//! ```text
//! Index   IRQ-000   Thr-000     index = lower edge of the bucket; rows without any sample are left out
//! 0          3105       452
//! 50         4447      6394
//! over:       921       983     count: all samples; min:, avg:, max: may be `-`
//! ALL:        IRQ       Thr     newer versions: a second summary, not read
//! ```

use super::caveats;
use super::context::{Context, NS, US};
use super::error::Problem;
use super::input::Input;
use super::tally::{CELLS_MAX, SERIES_MAX, Tally, believable_count, in_ns};
use super::text::{clock, number, numbers};
use crate::Run;
use crate::run::{Quantity, Series, StatedFigures};
use prazo_core::time::Duration;

/// The table.
#[derive(Default)]
pub(super) struct RtlaTable {
    /// How long the run lasted.
    pub duration: Option<Duration>,
    /// The tool says that a threshold stopped it.
    pub stopped: bool,
    /// The processor that its analysis names for that.
    pub stopped_cpu: Option<u32>,
    columns: Vec<Column>,
    nanoseconds: bool,
    rows: Vec<(u64, Vec<u64>)>,
    cells: usize,
    over: Vec<u64>,
    count: Vec<u64>,
    figures: [Vec<Option<u64>>; 3],
    ended: bool,
    unread: u64,
}

/// What one column counts.
struct Column {
    kind: String,
    cpu: u32,
}

impl RtlaTable {
    /// Reads the file.
    pub(super) fn read(input: &mut Input) -> Result<Self, Problem> {
        let mut table = Self::default();
        while let Some(line) = input.next_line()? {
            table.take(line)?;
        }
        if table.columns.is_empty() {
            return Err(Problem::Truncated { wanted: "the line `Index`" });
        }
        if table.over.is_empty() || table.count.is_empty() {
            return Err(Problem::Truncated { wanted: "the lines `over:` and `count:`" });
        }
        Ok(table)
    }

    fn take(&mut self, line: &str) -> Result<(), Problem> {
        let (label, rest) = line.trim_start().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        match label {
            "" => {}
            _ if self.columns.is_empty() && label == "Index" => self.head(rest)?,
            _ if self.columns.is_empty() => self.preamble(line),
            _ if self.ended => self.after(line),
            "over:" => self.over = self.row(rest)?,
            "count:" => self.count = self.row(rest)?,
            "min:" => self.figures[0] = self.optional(rest)?,
            "avg:" => self.figures[1] = self.optional(rest)?,
            "max:" => self.maxima(rest)?,
            "ALL:" => self.ended = true,
            _ => self.bucket(label, rest)?,
        }
        Ok(())
    }

    /// `Index   IRQ-000   Thr-000`
    fn head(&mut self, labels: &str) -> Result<(), Problem> {
        for label in labels.split_whitespace() {
            let (kind, cpu) =
                label.split_once('-').ok_or_else(|| Problem::malformed(label, "a column such as IRQ-000"))?;
            self.columns.push(Column { kind: kind.to_owned(), cpu: number(cpu, "a processor's number")? });
            if self.columns.len() > SERIES_MAX {
                return Err(Problem::TooMuch { what: "too many columns".into(), limit: SERIES_MAX as u64 });
            }
        }
        if self.columns.is_empty() {
            Err(Problem::malformed("Index", "`Index` with at least one column name after it, as in `Index IRQ-000`"))
        } else {
            Ok(())
        }
    }

    /// `# Time unit is microseconds (us)`, `# Duration:   0 00:00:15`
    fn preamble(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("# Duration:") {
            self.duration = days_and_clock(rest);
        } else if line.contains("Time unit is") {
            self.nanoseconds = line.contains("nanoseconds");
        } else if !line.starts_with("# RTLA") {
            self.unread += 1;
        }
    }

    fn row(&self, counts: &str) -> Result<Vec<u64>, Problem> {
        let row = numbers(counts, SERIES_MAX, "the columns' counts")?;
        if row.len() != self.columns.len() {
            return Err(Problem::malformed(counts, "one count for each column"));
        }
        row.into_iter().map(believable_count).collect()
    }

    /// The last line of the summary; what comes after is another table.
    fn maxima(&mut self, words: &str) -> Result<(), Problem> {
        self.figures[2] = self.optional(words)?;
        self.ended = true;
        Ok(())
    }

    fn optional(&self, words: &str) -> Result<Vec<Option<u64>>, Problem> {
        let figure = |word| {
            if word == "-" { Ok(None) } else { number::<f64>(word, "a figure or -").map(|value| Some(value as u64)) }
        };
        let row = words.split_whitespace().take(SERIES_MAX + 1).map(figure).collect::<Result<Vec<_>, _>>()?;
        if row.len() == self.columns.len() {
            Ok(row)
        } else {
            Err(Problem::malformed(words, "one figure for each column"))
        }
    }

    fn bucket(&mut self, index: &str, counts: &str) -> Result<(), Problem> {
        let index = number(index, "a bucket's index, or over:, count:, min:, avg:, max:")?;
        if self.rows.last().is_some_and(|(last, _)| *last >= index) {
            return Err(Problem::malformed(&index.to_string(), "an index above that of the previous row"));
        }
        let row = self.row(counts)?;
        self.cells += row.len();
        if self.cells > CELLS_MAX {
            return Err(Problem::TooMuch { what: "too many cells".into(), limit: CELLS_MAX as u64 });
        }
        self.rows.push((index, row));
        Ok(())
    }

    fn after(&mut self, line: &str) {
        if line.contains("hit stop tracing") {
            self.stopped = true;
            let words = line.split("CPU").nth(1).and_then(|rest| rest.split_whitespace().next());
            self.stopped_cpu = self.stopped_cpu.or(words.and_then(|word| word.parse().ok()));
        } else if !["count:", "min:", "avg:", "max:", "ALL:"].iter().any(|label| line.starts_with(label)) {
            self.unread += 1;
        }
    }

    /// Adds a series for each column that `quantity` knows; one without samples only where no column has any, which is what
    /// a run without disturbances looks like. Other columns are refused.
    pub(super) fn fill(
        &self,
        run: &mut Run,
        context: &Context,
        quantity: fn(&str) -> Option<Quantity>,
    ) -> Result<(), Problem> {
        let unit = if self.nanoseconds { NS } else { US };
        let (width, inferred) = self.width(unit, context);
        let is_empty = self.count.iter().all(|count| *count == 0);
        for (index, column) in self.columns.iter().enumerate() {
            let known = quantity(&column.kind);
            let quantity = known.ok_or_else(|| Problem::malformed(&column.kind, "a column of this tool"))?;
            if self.count[index] > 0 || is_empty {
                run.series.push(self.series(index, quantity, unit, width)?);
            }
        }
        run.elapsed = self.duration;
        if inferred {
            run.caveats.push(caveats::bucket_width_inferred(&width.to_string()));
        }
        self.caveats(run, unit);
        Ok(())
    }

    /// The width of a bucket: as the caller says, else the largest that all indices are multiples of.
    fn width(&self, unit: Duration, context: &Context) -> (Duration, bool) {
        let fits = self.rows.iter().fold(0, |fits, (index, _)| gcd(fits, *index));
        match (context.options.resolution, unit.checked_mul(fits)) {
            (Some(width), _) if !width.is_zero() => (width, false),
            (_, Some(width)) if fits > 0 => (width, true),
            _ => (unit, !self.rows.is_empty()),
        }
    }

    fn series(&self, index: usize, quantity: Quantity, unit: Duration, width: Duration) -> Result<Series, Problem> {
        let mut tally = Tally::new(unit);
        for (value, counts) in self.rows.iter().filter(|(_, counts)| counts[index] > 0) {
            tally.add(i64::try_from(*value).unwrap_or(i64::MAX), counts[index])?;
        }
        tally.add_overflow(self.over[index])?;
        let (count, total) = (self.count[index], tally.total());
        if count != total {
            let Column { kind, cpu } = &self.columns[index];
            return Err(Problem::Contradiction(format!(
                "column {kind}-{cpu:03} has a count of {count}, but its rows contain {total} samples"
            )));
        }
        let [min, mean, max] = [0, 1, 2].map(|figure| self.figure(figure, index, unit));
        let stated =
            StatedFigures { count: Some(count), min_ns: min, mean_ns: mean.map(|mean| mean as f64), max_ns: max };
        Ok(Series { cpu: Some(self.columns[index].cpu), ..super::context::series(quantity, width, tally, stated) })
    }

    fn figure(&self, figure: usize, index: usize, unit: Duration) -> Option<i64> {
        let value = self.figures[figure].get(index).copied().flatten()?;
        in_ns(i64::try_from(value).ok()?, unit)
    }

    fn caveats(&self, run: &mut Run, unit: Duration) {
        let count: u64 = run.series.iter().map(|series| series.histogram.overflow()).sum();
        if count > 0 {
            let max = run.series.iter().filter_map(|series| series.stated?.max_ns).max();
            run.caveats.push(caveats::overflow_without_values(&caveats::Overflow {
                count,
                above: "the end of the histogram".into(),
                max: max.map(|max| Duration::from_ns(max as u64).to_string()),
                bursts: None,
            }));
        }
        run.caveats.push(caveats::mean_truncated(&format!("multiples of {unit}")));
        if self.unread > 0 {
            run.caveats.push(caveats::lines_not_read(self.unread));
        }
        super::agreement::compare(run);
    }
}

/// `  0 00:00:15`
fn days_and_clock(text: &str) -> Option<Duration> {
    let mut words = text.split_whitespace();
    let days: u64 = words.next()?.parse().ok().filter(|days| *days < 10_000)?;
    let rest = clock(words.next()?)?;
    Some(Duration::from_ns(days * 86_400_000_000_000 + rest.as_ns()))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_days() {
        assert_eq!(days_and_clock("   1 00:00:15"), Some(Duration::from_s(86_415)));
        assert_eq!(days_and_clock("99999999 00:00:15"), None);
    }
}
