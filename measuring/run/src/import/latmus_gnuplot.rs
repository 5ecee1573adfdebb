//! The file of EVL's `latmus -g`: `# key: value` lines, then rows of cell and count.
//!
//! A cell is a microsecond; the last is written `199+` where longer latencies were counted in it, and negative latencies
//! were counted in cell 0.

use super::caveats;
use super::context::{Context, US, note, series};
use super::error::Problem;
use super::input::Input;
use super::tally::{Tally, believable_count};
use super::text::{clock, number};
use super::xenomai_screen::{Summary, finish, time};
use super::xenomai_setting::{Setting, period};
use crate::Run;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut run = context.run();
    let mut header = Header::default();
    let mut cells = Cells::new();
    while let Some(line) = input.next_line()? {
        match line.strip_prefix('#').map(str::trim) {
            Some(comment) => header.take(comment, &mut run)?,
            None if line.is_empty() => {}
            None => cells.take(line)?,
        }
    }
    let figures = header.figures()?;
    let total = cells.tally.total();
    if header.count.is_none_or(|count| count != total) {
        let stated = header.count.map_or("no sample count".into(), |count| format!("a sample count of {count}"));
        return Err(Problem::Contradiction(format!("the file states {stated}, but its rows contain {total} samples")));
    }
    let mut series = series(header.setting.quantity(), US, cells.tally, figures.stated(header.count));
    series.period = header.setting.period.or(context.options.period);
    series.cpu = header.setting.cpu;
    header.setting.record(&mut run);
    run.elapsed = figures.lasted;
    finish(&mut run, series, &figures);
    header.caveats(&mut run);
    Ok(run)
}

/// The lines before the rows.
#[derive(Default)]
struct Header {
    setting: Setting,
    min_ns: Option<i64>,
    mean_ns: Option<i64>,
    max_ns: Option<i64>,
    count: Option<u64>,
    rest: Summary,
    c_state: bool,
}

impl Header {
    fn take(&mut self, comment: &str, run: &mut Run) -> Result<(), Problem> {
        if let Some(release) = comment.strip_prefix("Linux version ").and_then(|rest| rest.split_whitespace().next()) {
            note(run, "kernel.release", release, "line `# Linux version`");
        }
        self.c_state |= comment == "C-state restricted";
        let Some((key, value)) = comment.split_once(": ").map(|(key, value)| (key, value.trim())) else {
            return Ok(());
        };
        match key {
            "libevl version" => note(run, "import.version", value, "line `# libevl version:`"),
            "clock gravity" => note(run, "evl.gravity_ns", value, "line `# clock gravity:`"),
            "clocksource" => note(run, "clocksource", value, "line `# clocksource:`"),
            "sampling period" => self.setting.period = period(value),
            "context" => self.setting.mode = Some(super::error::shown(value)),
            "thread priority" => self.setting.priority = value.parse().ok(),
            "thread affinity" => self.setting.place(value),
            _ => return self.figure(key, value),
        }
        Ok(())
    }

    fn figure(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        match key {
            "duration (hhmmss)" => self.rest.lasted = clock(value),
            "OVERRUNS" => self.rest.overruns = believable_count(number(value, "a count of overruns")?)?,
            "IN-BAND SWITCHES" => self.rest.mode_switches = number(value, "a count of in-band switches")?,
            "min latency" => self.min_ns = Some(time(value)?),
            "avg latency" => self.mean_ns = Some(time(value)?),
            "max latency" => self.max_ns = Some(time(value)?),
            "sample count" => self.count = Some(number(value, "a sample count")?),
            _ => {}
        }
        Ok(())
    }

    fn figures(&self) -> Result<Summary, Problem> {
        let (Some(min_ns), Some(max_ns)) = (self.min_ns, self.max_ns) else {
            return Err(Problem::Truncated { wanted: "the lines `# min latency:` and `# max latency:`" });
        };
        Ok(Summary { min_ns, mean_ns: self.mean_ns, max_ns, ..self.rest })
    }

    fn caveats(&self, run: &mut Run) {
        if self.setting.not_isolated {
            run.caveats.push(caveats::cpu_not_isolated());
        }
        if self.c_state {
            run.caveats.push(caveats::c_state_claim());
        }
    }
}

/// The rows, ascending; nothing may follow the one with a plus.
struct Cells {
    tally: Tally,
    next: Option<i64>,
}

impl Cells {
    fn new() -> Self {
        Self { tally: Tally::new(US), next: Some(0) }
    }

    fn take(&mut self, line: &str) -> Result<(), Problem> {
        let (cell, count) = line
            .split_once(char::is_whitespace)
            .ok_or_else(|| Problem::malformed(line, "a cell's latency and a count"))?;
        let (digits, beyond) = cell.strip_suffix('+').map_or((cell, false), |digits| (digits, true));
        let value: i64 = number(digits, "a cell's latency in µs")?;
        if self.next.is_none_or(|next| value < next) {
            return Err(Problem::malformed(line, "a latency above that of the previous cell"));
        }
        let count = number(count, "a count")?;
        self.next = if beyond { None } else { value.checked_add(1) };
        if beyond { self.tally.add_overflow(count) } else { self.tally.add(value, count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_with_a_plus_is_overflow_and_the_last() {
        let mut cells = Cells::new();
        cells.take("3 10").unwrap();
        cells.take("199+ 4").unwrap();
        assert!(cells.take("200 1").is_err());
        let histogram = cells.tally.into_histogram();
        assert_eq!((histogram.in_range(), histogram.overflow()), (10, 4));
    }

    #[test]
    fn rows_ascend_and_count_up() {
        for lines in [&["3 10", "3 10"][..], &["-1 3"], &["3 -3"], &["x 3"], &["3"]] {
            let mut cells = Cells::new();
            assert!(lines.iter().try_for_each(|line| cells.take(line)).is_err(), "{lines:?}");
        }
    }
}
