//! How often the interval of each method holds the truth of a cell.

use super::cell::Cell;
use prazo_stats::tail::{Extrapolated, Gate, Method, Refused, extrapolate, observed};
use prazo_stats::{CONFIDENCE, share_interval};
use serde::Serialize;
use std::collections::BTreeMap;

/// Exceedance probabilities, in the order in which they are tried: the first one whose quantile all samples together bound is taken.
const PROBABILITIES: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];

/// Lengths of the stretches, in samples.
pub(super) const STRETCHES: [usize; 2] = [10_000, 100_000];

/// Everything that was found about one cell.
#[derive(Debug, Serialize)]
pub(super) struct Scored {
    /// What the cell is, with its counts.
    pub cell: Cell,
    /// The exceedance probability that was asked for; `None` if the samples show none of those that are tried.
    pub p: Option<f64>,
    /// The true quantile, with its 95 % interval.
    pub truth: Option<Truth>,
    /// One for each method and length of stretch.
    pub scores: Vec<Score>,
}

/// The quantile that is to be held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Truth {
    /// The quantile in nanoseconds.
    pub quantile_ns: f64,
    /// Lower end of its 95 % interval; the quantile itself if it is known.
    pub low_ns: f64,
    /// Upper end, likewise.
    pub high_ns: f64,
}

/// What one method said of all stretches of one length.
#[derive(Debug, Serialize)]
pub(super) struct Score {
    /// The method.
    pub method: Method,
    /// Samples of each stretch.
    pub samples: usize,
    /// Number of stretches.
    pub stretches: u64,
    /// Samples after the last whole stretch of each run.
    pub left_over: u64,
    /// Number of refused stretches, by gate.
    pub refused: BTreeMap<Gate, u64>,
    /// Number of answers.
    pub answered: u64,
    /// Number of answers whose interval holds the quantile.
    pub held: u64,
    /// Number of answers whose interval shares a value with the interval of the true quantile.
    pub overlapped: u64,
    /// Number of answers whose interval lies below the quantile.
    pub too_low: u64,
    /// Number of answers whose interval has no upper end.
    pub unbounded: u64,
    /// Share of answers that hold the quantile, with the ends of its exact 95 % interval for independent stretches.
    pub share: Option<(f64, f64, f64)>,
    /// Median width of the intervals, divided by the quantile; `None` without an answer, or if most have no upper end.
    pub width: Option<f64>,
    #[serde(skip)]
    widths: Vec<f64>,
}

impl Score {
    pub(super) fn new(method: Method, samples: usize) -> Self {
        Self {
            method,
            samples,
            stretches: 0,
            left_over: 0,
            refused: BTreeMap::new(),
            answered: 0,
            held: 0,
            overlapped: 0,
            too_low: 0,
            unbounded: 0,
            share: None,
            width: None,
            widths: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, answer: Result<Extrapolated, Refused>, truth: Truth) {
        self.stretches += 1;
        let found = match answer {
            Ok(found) => found,
            Err(refused) => {
                *self.refused.entry(refused.gate).or_default() += 1;
                return;
            }
        };
        let high_ns = found.high_ns.unwrap_or(f64::INFINITY);
        self.answered += 1;
        self.unbounded += u64::from(found.high_ns.is_none());
        self.held += u64::from(found.low_ns <= truth.quantile_ns && truth.quantile_ns <= high_ns);
        self.overlapped += u64::from(found.low_ns <= truth.high_ns && truth.low_ns <= high_ns);
        self.too_low += u64::from(high_ns < truth.quantile_ns);
        self.widths.push((high_ns - found.low_ns) / truth.quantile_ns);
    }

    /// Computes share and width after the last answer.
    pub(super) fn finished(mut self) -> Self {
        let interval = share_interval(self.held, self.answered, CONFIDENCE);
        self.share = interval.map(|(low, high)| (self.held as f64 / self.answered as f64, low, high));
        self.widths.sort_by(f64::total_cmp);
        self.width = self.widths.get(self.widths.len() / 2).copied().filter(|width| width.is_finite());
        self
    }
}

/// Scores all methods on the stretches of a measured cell.
pub(super) fn measured(cell: Cell, series: &[Vec<i64>]) -> Scored {
    let mut all: Vec<i64> = series.iter().flatten().copied().collect();
    all.sort_unstable();
    let bounded = PROBABILITIES.into_iter().find_map(|p| Some((p, observed(&all, p)?)));
    drop(all);
    let Some((p, found)) = bounded else { return Scored { cell, p: None, truth: None, scores: vec![] } };
    let truth =
        Truth { quantile_ns: found.quantile_ns as f64, low_ns: found.low_ns as f64, high_ns: found.high_ns as f64 };
    let scores = STRETCHES.iter().flat_map(|samples| {
        Method::VALUES.into_iter().map(|method| {
            let mut score = Score::new(method, *samples);
            for one in series {
                let stretches = one.chunks_exact(*samples);
                score.left_over += stretches.remainder().len() as u64;
                stretches.for_each(|stretch| score.count(extrapolate(method, stretch, p), truth));
            }
            score.finished()
        })
    });
    let scores = scores.collect();
    Scored { cell, p: Some(p), truth: Some(truth), scores }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(low_ns: f64, high_ns: Option<f64>) -> Result<Extrapolated, Refused> {
        Ok(Extrapolated { quantile_ns: low_ns, low_ns, high_ns, shape: 0.0, fitted: 50, conditions: String::new() })
    }

    #[test]
    fn each_answer_is_counted_once() {
        let truth = Truth { quantile_ns: 100.0, low_ns: 90.0, high_ns: 120.0 };
        let mut score = Score::new(Method::OursPeaks, 10_000);
        score.count(answer(50.0, Some(95.0)), truth);
        score.count(answer(50.0, Some(80.0)), truth);
        score.count(answer(50.0, Some(150.0)), truth);
        score.count(answer(99.0, None), truth);
        score.count(answer(130.0, None), truth);
        score.count(Err(Refused { gate: Gate::Fit, found: String::new() }), truth);
        let score = score.finished();
        assert_eq!((score.stretches, score.answered, score.held), (6, 5, 2));
        assert_eq!((score.overlapped, score.too_low, score.unbounded), (3, 2, 2));
        assert_eq!(score.refused, BTreeMap::from([(Gate::Fit, 1)]));
        assert_eq!(score.width, Some(1.0));
        assert_eq!(score.share.unwrap().0, 0.4);
    }

    #[test]
    fn stretches_stay_within_a_run_and_the_rest_is_counted() {
        let series = [vec![5; 25_000], vec![5; 9_999]];
        let scored = measured(Cell::default(), &series);
        assert_eq!(scored.p, Some(1e-3), "35,000 samples bound the quantile of one in 1,000, but not of one in 10,000");
        let first = &scored.scores[0];
        assert_eq!((first.samples, first.stretches, first.left_over), (10_000, 2, 14_999));
        assert_eq!(first.refused, BTreeMap::from([(Gate::Resolution, 2)]));
        assert_eq!(measured(Cell::default(), &[vec![5; 100]]).p, None);
    }
}
