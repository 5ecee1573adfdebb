//! What a board has told, and the run that it makes. Pure.

use super::error::LatmonError;
use super::protocol::Bulk;
use super::request::LatmonRequest;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_run::run::{Activations, Ending, Origin, Quantity, Series, StatedFigures};
use prazo_run::{Caveat, Histogram, Run, Severity};

/// Bulks and histogram of one conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    samples: u64,
    overruns: u64,
    sum_ns: i128,
    min_ns: Option<i32>,
    max_ns: Option<i32>,
    /// The histogram, a microsecond a cell; the last one and everything beyond.
    pub cells: Vec<u32>,
}

impl Collected {
    /// Adds one bulk.
    pub(super) fn take(&mut self, bulk: Bulk) {
        self.overruns += u64::from(bulk.overruns);
        if bulk.samples > 0 {
            self.samples += u64::from(bulk.samples);
            self.sum_ns += i128::from(bulk.sum_ns);
            self.min_ns = Some(self.min_ns.map_or(bulk.min_ns, |min_ns| min_ns.min(bulk.min_ns)));
            self.max_ns = Some(self.max_ns.map_or(bulk.max_ns, |max_ns| max_ns.max(bulk.max_ns)));
        }
    }

    /// The run; an error where the board never told a sample.
    pub(super) fn run(
        &self,
        request: LatmonRequest,
        elapsed: Duration,
        is_interrupted: bool,
    ) -> Result<Run, LatmonError> {
        let histogram = self.histogram();
        if self.samples == 0 && histogram.is_empty() {
            return Err(LatmonError::Nothing);
        }
        let caveats = [Some(outside()), self.overruns(), self.warm_up(&histogram), self.beyond(&histogram)];
        Ok(Run {
            origin: Origin::Imported { tool: "latmon".into(), file: request.board.to_string() },
            elapsed: Some(elapsed),
            ending: if is_interrupted { Ending::Interrupted } else { Ending::Complete },
            series: vec![self.series(request, histogram)],
            caveats: caveats.into_iter().flatten().collect(),
            ..Run::default()
        })
    }

    fn series(&self, request: LatmonRequest, histogram: Histogram) -> Series {
        let served = if histogram.is_empty() { self.samples } else { histogram.total() };
        let stated = StatedFigures {
            count: Some(self.samples),
            min_ns: self.min_ns.map(i64::from),
            mean_ns: (self.samples > 0).then(|| self.sum_ns as f64 / self.samples as f64),
            max_ns: self.max_ns.map(i64::from),
        };
        Series {
            quantity: Quantity::ResponseLatency,
            period: Some(request.period),
            resolution: Duration::from_us(1),
            activations: Activations { served, ..Activations::default() },
            histogram,
            stated: Some(stated),
            ..Series::default()
        }
    }

    fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        let last = self.cells.len().saturating_sub(1);
        for (us, count) in self.cells.iter().enumerate().filter(|(_, count)| **count > 0) {
            match us == last {
                true => histogram.add_overflow(u64::from(*count)),
                false => histogram.add(us as i64 * 1_000, u64::from(*count)),
            }
        }
        histogram
    }

    fn overruns(&self) -> Option<Caveat> {
        (self.overruns > 0).then(|| {
            Caveat::new(
                "latmon-overruns",
                Severity::Medium,
                format!(
                    "the board counted {}: one for each pulse without an answer, and one for each full period by which \
                     an answer was late; the board does not distinguish the two",
                    counted(self.overruns, "overrun")
                ),
                "give a longer --period and check that no other driver uses the line",
            )
        })
    }

    fn warm_up(&self, histogram: &Histogram) -> Option<Caveat> {
        let more = histogram.total().checked_sub(self.samples).filter(|more| *more > 0)?;
        Some(Caveat::new(
            "latmon-warm-up",
            Severity::Info,
            format!(
                "the board's histogram has {} than the count that the board states; the stated count, \
                 mean and extremes exclude the first second and samples that the board could not report in time",
                counted(more, "more sample")
            ),
            "use the larger of the maximum of the histogram and the maximum that the board states",
        ))
    }

    fn beyond(&self, histogram: &Histogram) -> Option<Caveat> {
        (histogram.overflow() > 0).then(|| {
            Caveat::new(
                "overflow-without-values",
                Severity::High,
                format!(
                    "the values of {} in or above the last of {} histogram cells are unknown",
                    counted(histogram.overflow(), "latency"),
                    self.cells.len()
                ),
                "use the maximum that the board states; a board keeps at most 1000 cells",
            )
        })
    }
}

fn outside() -> Caveat {
    Caveat::new(
        "measured-outside",
        Severity::Info,
        "the board measured from outside: each latency begins with the pulse and ends with the answer on the wire; the board does not record which program answered",
        "state in the run's name which program answered, and its policy and priority",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> LatmonRequest {
        let (period, length) = (Duration::from_ms(1), Duration::from_s(3));
        LatmonRequest { board: ([127, 0, 0, 1], 1).into(), period, length, cells: 4, patience: length }
    }

    #[test]
    fn bulks_add_up_and_the_last_cell_is_beyond() {
        let mut collected = Collected { cells: vec![0, 5, 2, 1], ..Collected::default() };
        collected.take(Bulk { sum_ns: 5_000, min_ns: 1_000, max_ns: 2_500, overruns: 1, samples: 3 });
        collected.take(Bulk { sum_ns: 9_500, min_ns: 900, max_ns: 7_000, overruns: 0, samples: 4 });
        let run = collected.run(request(), Duration::from_s(3), false).unwrap();
        let series = &run.series[0];
        assert_eq!(series.histogram.cells().collect::<Vec<_>>(), [(1_000, 5), (2_000, 2)]);
        assert_eq!((series.histogram.overflow(), series.activations.served), (1, 8));
        let stated = series.stated.unwrap();
        assert_eq!((stated.count, stated.min_ns, stated.max_ns), (Some(7), Some(900), Some(7_000)));
        let ids: Vec<&str> = run.caveats.iter().map(|caveat| caveat.id.as_str()).collect();
        assert_eq!(ids, ["measured-outside", "latmon-overruns", "latmon-warm-up", "overflow-without-values"]);
    }

    #[test]
    fn a_board_without_a_sample_measured_nothing() {
        let collected = Collected { cells: vec![0; 4], ..Collected::default() };
        assert!(matches!(collected.run(request(), Duration::from_s(1), false), Err(LatmonError::Nothing)));
    }
}
