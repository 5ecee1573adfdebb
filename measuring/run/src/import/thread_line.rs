//! cyclictest's `T:` lines: one thread's cycles, minimum, last, mean and maximum.
//!
//! `T: 0 (17566) P:95 I:1000 C:    500 Min:     11 Act:   11 Avg:   82 Max:   26688`; the first number is the thread's,
//! not a latency. Under Xenomai the tool has printed means of -2^63 and maxima near 2^64: such figures are refused.

use super::error::Problem;
use super::tally::{believable_count, in_ns};
use super::text::{behind, number};
use crate::run::StatedFigures;
use prazo_core::time::Duration;

/// One such line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadLine {
    /// The thread's number.
    pub thread: u32,
    /// Its priority.
    pub priority: Option<u32>,
    /// Its interval in microseconds.
    pub interval_us: Option<u64>,
    /// How often it woke up.
    pub cycles: u64,
    /// Minimum, mean, maximum; `None` without cycles or where they were refused.
    pub figures: Option<[i64; 3]>,
    /// The figures that were refused, as the line has them.
    pub refused: Option<String>,
    /// Written as a comment after the run (`#T:`), so that it counts all of it.
    pub closing: bool,
}

impl ThreadLine {
    /// Reads `line`; `None` if it is none of these.
    pub(super) fn parse(line: &str, unit: Duration) -> Option<Result<Self, Problem>> {
        let rest = line.trim_start().trim_start_matches('#').trim_start();
        if !rest.starts_with("T:") || !rest.contains("C:") {
            return None;
        }
        Some(Self::fields(rest, line.trim_start().starts_with('#'), unit))
    }

    fn fields(line: &str, closing: bool, unit: Duration) -> Result<Self, Problem> {
        let thread = number(behind(line, "T:").unwrap_or_default(), "a thread's number after T:")?;
        let cycles = believable_count(number(behind(line, "C:").unwrap_or_default(), "a count of cycles after C:")?)?;
        let words = ["Min:", "Avg:", "Max:"].map(|label| behind(line, label).unwrap_or_default());
        let figures = if cycles == 0 { None } else { believable(words, unit) };
        let refused =
            (cycles > 0 && figures.is_none()).then(|| format!("Min:{} Avg:{} Max:{}", words[0], words[1], words[2]));
        Ok(Self {
            thread,
            priority: behind(line, "P:").and_then(|word| word.parse().ok()),
            interval_us: behind(line, "I:").and_then(|word| word.parse().ok()),
            cycles,
            figures,
            refused,
            closing,
        })
    }

    /// The period that the line states.
    pub(super) fn period(&self) -> Option<Duration> {
        let us = self.interval_us.filter(|us| (1..=super::tally::VALUE_NS_MAX / 1_000).contains(us))?;
        Some(Duration::from_us(us))
    }

    /// The line as figures of a run whose values come in `unit`s.
    pub(super) fn stated(&self, unit: Duration) -> StatedFigures {
        let figure = |index: usize| in_ns(self.figures?[index], unit);
        StatedFigures {
            count: Some(self.cycles),
            min_ns: figure(0),
            mean_ns: figure(1).map(|mean| mean as f64),
            max_ns: figure(2),
        }
    }
}

/// Minimum, mean and maximum, if a measurement can have them.
fn believable(words: [&str; 3], unit: Duration) -> Option<[i64; 3]> {
    let mut figures = [0; 3];
    for (figure, word) in figures.iter_mut().zip(words) {
        *figure = word.parse().ok().filter(|value| *value >= 0 && in_ns(*value, unit).is_some())?;
    }
    let [min, mean, max] = figures;
    (min <= mean && mean <= max).then_some(figures)
}

#[cfg(test)]
mod tests {
    use super::super::context::US;
    use super::*;

    fn parse(line: &str) -> ThreadLine {
        ThreadLine::parse(line, US).unwrap().unwrap()
    }

    #[test]
    fn the_first_number_is_the_thread_and_no_latency() {
        let line = parse("T: 1 (17567) P:95 I:1500 C:    336 Min:     11 Act:   13 Avg:  159 Max:   26119");
        assert_eq!((line.thread, line.priority, line.interval_us, line.cycles), (1, Some(95), Some(1500), 336));
        assert_eq!(line.figures, Some([11, 159, 26_119]));
        assert_eq!(parse("T:15 ( 7) P:9 I:1 C:1 Min:1 Act:1 Avg:1 Max:1").thread, 15);
    }

    #[test]
    fn xenomais_garbage_is_refused() {
        for figures in [
            "Min: 0 Act: 0 Avg:-9223372036854775808 Max: 18446744073709551615",
            "Min: 0 Act: 0 Avg: 7 Max:18446744073709551612",
            "Min: 9 Act: 0 Avg: 7 Max: 8",
            "Min: 9 Act: 0 Avg: x Max: 8",
        ] {
            let line = parse(&format!("T: 0 (  114) P:80 I:1000 C:   5000 {figures}"));
            assert!(line.figures.is_none() && line.refused.is_some(), "{figures}");
        }
    }

    #[test]
    fn a_thread_without_cycles_has_no_figures() {
        let line = parse("T: 0 ( 7) P:9 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0");
        assert_eq!((line.figures, line.refused), (None, None));
    }

    #[test]
    fn what_counts_no_cycles_is_another_line_and_what_miscounts_is_an_error() {
        assert!(ThreadLine::parse("T: 0 Spike:    1150: TS:   1298103992", US).is_none());
        assert!(ThreadLine::parse("T: 0 (1) C: -5 Min:", US).unwrap().is_err());
        assert!(ThreadLine::parse("T: 0 (1) C: 99999999999999999 Min:", US).unwrap().is_err());
    }
}
