//! Differences of quantiles, with intervals over repeated runs or over blocks within two.

use super::QuantileDifference;
use super::side::Side;
use crate::blocks;
use crate::bootstrap::{Resampler, difference_intervals};
use crate::confidence::ALPHA_OF_A_SIDE;
use crate::distribution::{Bracket, Distribution};
use crate::level::Level;
use crate::scope;
use crate::summary::Per;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Repeats of each side from which an interval over runs is made.
const REPEATS_MIN: usize = 3;

/// An interval, or why there is none; and how it was made.
struct Interval {
    ns: Option<(i64, i64)>,
    reason: String,
}

/// The differences per served wake-up, then those per due activation where both sides have them.
pub(super) fn differences(reference: &Side<'_>, other: &Side<'_>) -> Vec<QuantileDifference> {
    let mut all = of_kind(reference, other, Per::ServedWakeUp, &reference.served, &other.served);
    if let (Some(a), Some(b)) = (&reference.due, &other.due) {
        all.extend(of_kind(reference, other, Per::DueActivation, a, b));
    }
    all
}

fn of_kind(
    reference: &Side<'_>,
    other: &Side<'_>,
    per: Per,
    a: &[Distribution],
    b: &[Distribution],
) -> Vec<QuantileDifference> {
    let (pooled_a, pooled_b) = (Distribution::merged(a), Distribution::merged(b));
    let supported = |level: &Level| level.is_supported_by(pooled_a.count()) && level.is_supported_by(pooled_b.count());
    let levels: Vec<Level> = Level::ALL.into_iter().filter(supported).collect();
    let intervals = if a.len() >= REPEATS_MIN && b.len() >= REPEATS_MIN {
        levels.iter().map(|level| over_runs(*level, a, b)).collect()
    } else {
        over_blocks(reference, other, per, &levels)
    };
    let of = |(level, interval): (&Level, Interval)| {
        let (a, b) = (exact(*level, &pooled_a), exact(*level, &pooled_b));
        difference(*level, per, [a, b], interval)
    };
    levels.iter().zip(intervals).map(of).collect()
}

fn difference(level: Level, per: Per, [a, b]: [Option<i64>; 2], interval: Interval) -> QuantileDifference {
    let difference_ns = a.zip(b).map(|(a, b)| b - a);
    let widened = |(low, high): (i64, i64)| difference_ns.map(|d| (low.min(d), high.max(d)));
    let unknown = "no difference, because the quantile of at least one side is not known exactly";
    QuantileDifference {
        per,
        q: level.as_f64(),
        reference_ns: a,
        other_ns: b,
        difference_ns,
        interval_ns: interval.ns.and_then(widened),
        reason: if difference_ns.is_some() { interval.reason } else { unknown.into() },
    }
}

fn exact(level: Level, distribution: &Distribution) -> Option<i64> {
    distribution.quantile(level).and_then(Bracket::exact)
}

/// Welch's interval of the difference of the runs' mean quantiles: each run is one observation.
fn over_runs(level: Level, a: &[Distribution], b: &[Distribution]) -> Interval {
    let of = |runs: &[Distribution]| -> Option<Vec<f64>> {
        let supported = |run: &&Distribution| level.is_supported_by(run.count());
        runs.iter()
            .map(|run| Some(run).filter(supported).and_then(|run| exact(level, run)).map(|ns| ns as f64))
            .collect()
    };
    let (Some(a), Some(b)) = (of(a), of(b)) else {
        let reason = "some runs have too few samples, or too few samples with a known value, for this quantile";
        return Interval { ns: None, reason: reason.into() };
    };
    let (low, high) = welch_95(&a, &b);
    let reason = format!("95 % CI over runs (Welch, {} and {} repeats)", a.len(), b.len());
    Interval { ns: Some((low.floor() as i64, high.ceil() as i64)), reason }
}

/// The 95 % interval of mean(b) - mean(a) for unequal variances, degrees of freedom after Welch and Satterthwaite.
fn welch_95(a: &[f64], b: &[f64]) -> (f64, f64) {
    let ((mean_a, error_a), (mean_b, error_b)) = (mean_and_error(a), mean_and_error(b));
    let difference = mean_b - mean_a;
    let error = error_a + error_b;
    if error == 0.0 {
        return (difference, difference);
    }
    let freedom = error * error / (error_a * error_a / (a.len() - 1) as f64 + error_b * error_b / (b.len() - 1) as f64);
    let t = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - ALPHA_OF_A_SIDE));
    (difference - t * error.sqrt(), difference + t * error.sqrt())
}

/// Mean, and the variance of the mean.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
}

/// Two-sample block bootstrap of one run on each side; several runs below the repeats needed have none.
fn over_blocks(reference: &Side<'_>, other: &Side<'_>, per: Per, levels: &[Level]) -> Vec<Interval> {
    let made = resampler(reference, per).and_then(|a| Ok((a, resampler(other, per)?)));
    match made {
        Err(reason) => levels.iter().map(|_| Interval { ns: None, reason: reason.clone() }).collect(),
        Ok((a, b)) => {
            let method =
                format!("{}; the interval covers the variation within these two runs, not between boots", a.method());
            let interval = |interval: Result<(i64, i64), String>| match interval {
                Ok(ns) => Interval { ns: Some(ns), reason: method.clone() },
                Err(reason) => Interval { ns: None, reason },
            };
            difference_intervals(&a, &b, levels).into_iter().map(interval).collect()
        }
    }
}

fn resampler(side: &Side<'_>, per: Per) -> Result<Resampler, String> {
    let [run] = side.runs.as_slice() else {
        return Err(format!(
            "an interval over runs needs at least {REPEATS_MIN} runs of each side; an interval over blocks of time needs \
             exactly one run of each side"
        ));
    };
    let skipped_none = side.due.as_ref().is_some_and(|due| due == &side.served);
    let per = if skipped_none { Per::ServedWakeUp } else { per };
    blocks::units(&scope::principal_series(run), per)
        .and_then(|units| Resampler::new(&units))
        .map_err(|reason| format!("{}: {reason}", run.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_agrees_with_a_textbook_example() {
        // Means 20 and 23, variances 4 and 16 over 5 and 5: error 4, t(5.8824) = 2.4586.
        let a = [18.0, 18.0, 20.0, 22.0, 22.0];
        let b = [19.0, 19.0, 23.0, 27.0, 27.0];
        let (low, high) = welch_95(&a, &b);
        let half_width = 2.4586 * (4.0f64 / 5.0 + 16.0 / 5.0).sqrt();
        assert!((low - (3.0 - half_width)).abs() < 1e-3 && (high - (3.0 + half_width)).abs() < 1e-3, "{low} {high}");
        assert_eq!(welch_95(&[5.0, 5.0], &[7.0, 7.0]), (2.0, 2.0));
    }
}
