//! May the tail of a run be extrapolated? Refused unless its assumptions were checked.
//!
//! Extreme-value fits of latencies give numbers that nobody should use: in research/latency-tools.md (section 4) the same runs
//! gave a level for 10^8 activations anywhere from 10^4 to 10^17 us, and another fit one below the maximum already seen. So
//! prazo fits no tail; it says which assumption does not hold, and leaves the rest to [`crate::length_allows`].

use crate::length::grouped;
use crate::scope;
use crate::seconds::{PooledSecond, clusters, pooled};
use prazo_run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// What stands between a run and an extrapolation of its tail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TailGate {
    /// The assumptions, each checked.
    pub checks: Vec<TailCheck>,
    /// True unless every assumption was checked and holds.
    pub refused: bool,
    /// The sentence for the reader.
    pub sentence: String,
}

/// One assumption.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TailCheck {
    /// A stable name in kebab-case.
    pub id: String,
    /// `Some(true)` where it holds as far as this run shows, `None` where it cannot be checked.
    pub holds: Option<bool>,
    /// What was found; one clause with its figures.
    pub text: String,
}

/// Parts of the run that are compared with each other.
const PARTS: usize = 10;
/// Seconds below which the parts hold too few slow ones to be compared: five of each are expected.
const SECONDS_MIN: usize = 250;
/// The share of seconds that are called slow.
const SLOW: f64 = 0.2;
/// Activations that may share one cause; research measured 1.1 with skipping and 5 to 20 without.
const DEPENDENCE_MAX: f64 = 2.0;

/// Whether the tail of `run` may be extrapolated.
pub fn tail_gate(run: &Run) -> TailGate {
    let seconds = pooled(&scope::principal_series(run));
    let checks = vec![completeness(run), stationarity(&seconds), independence(run)];
    let refused = checks.iter().any(|check| check.holds != Some(true));
    let sentence = sentence(run, &checks);
    TailGate { checks, refused, sentence }
}

fn check(id: &str, holds: Option<bool>, text: String) -> TailCheck {
    TailCheck { id: id.into(), holds, text }
}

/// A tail with holes is no tail: every value must be known.
fn completeness(run: &Run) -> TailCheck {
    let series = scope::principal_series(run);
    let lost: u64 = series.iter().map(|one| scope::lost(one)).sum();
    let hidden: u64 = series.iter().map(|one| crate::served::served(run, one).vague_count()).sum();
    let text = match lost + hidden {
        0 => "every value is known".to_owned(),
        _ => format!("{lost} samples were lost, and the values of {hidden} are unknown"),
    };
    check("complete", Some(lost + hidden == 0 && !series.is_empty()), text)
}

/// Slow seconds must come as often in every tenth of the run (chi-squared test of equal shares).
fn stationarity(seconds: &[PooledSecond]) -> TailCheck {
    let maxima: Vec<i64> = seconds.iter().filter_map(|second| second.max_ns).collect();
    if maxima.len() < SECONDS_MIN {
        let text =
            format!("{} seconds are too few to compare tenths of the run; {SECONDS_MIN} are needed", maxima.len());
        return check("stationary", None, text);
    }
    let p = equal_shares_p(&slow_seconds(&maxima));
    let verb = if p < 0.05 { "differ" } else { "do not differ" };
    check("stationary", Some(p >= 0.05), format!("the shares of slow seconds in its tenths {verb} (p = {p:.3})"))
}

/// Slow seconds and all seconds of each part: slow is above all but the largest fifth of the maxima.
fn slow_seconds(maxima: &[i64]) -> Vec<(u64, u64)> {
    let mut sorted = maxima.to_vec();
    sorted.sort_unstable();
    let limit = sorted[((1.0 - SLOW) * sorted.len() as f64) as usize];
    let part = |index: usize| &maxima[index * maxima.len() / PARTS..(index + 1) * maxima.len() / PARTS];
    (0..PARTS)
        .map(|index| (part(index).iter().filter(|max| **max >= limit).count() as u64, part(index).len() as u64))
        .collect()
}

/// p-value of Pearson's chi-squared test that all parts have the same share; 1 where all or none are marked.
fn equal_shares_p(parts: &[(u64, u64)]) -> f64 {
    let (marked, all) = parts.iter().fold((0, 0), |(m, n), (marked, all)| (m + marked, n + all));
    let share = marked as f64 / all as f64;
    if marked == 0 || marked == all {
        return 1.0;
    }
    let statistic: f64 = parts
        .iter()
        .map(|(marked, all)| (*marked as f64 - *all as f64 * share).powi(2) / (*all as f64 * share * (1.0 - share)))
        .sum();
    ChiSquared::new((parts.len() - 1) as f64).map_or(0.0, |chi| chi.sf(statistic))
}

/// Large latencies must come alone, not in bursts of one cause.
fn independence(run: &Run) -> TailCheck {
    let Some(found) = clusters(run) else {
        return check(
            "independent",
            None,
            "without a record over time, it is unknown whether large latencies come in bursts".into(),
        );
    };
    let size = found.mean_size();
    let text = format!(
        "{} latencies above {} ns come in {} bursts, {size:.1} each",
        found.exceedances, found.above_ns, found.clusters
    );
    check("independent", Some(size <= DEPENDENCE_MAX), text)
}

fn sentence(run: &Run, checks: &[TailCheck]) -> String {
    let samples: u64 = scope::principal_series(run).into_iter().map(|series| series.histogram.total()).sum();
    let against: Vec<&str> =
        checks.iter().filter(|check| check.holds != Some(true)).map(|check| check.text.as_str()).collect();
    let samples = grouped(samples);
    if against.is_empty() {
        return format!(
            "No check forbids extrapolation beyond these {samples} samples, but the shape of the tail was not \
             examined: prazo fits no distribution to it."
        );
    }
    format!("Extrapolation beyond these {samples} samples is refused: {}.", against.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::Series;
    use prazo_run::run::Second;

    /// Seconds of a hundred samples; the largest of each is given.
    fn run(maxima: impl Iterator<Item = i64>) -> Run {
        let mut series = Series { period: Some(Duration::from_ms(10)), ..Series::default() };
        for (at_s, max) in maxima.enumerate() {
            series.histogram.add(10, 99);
            series.histogram.add(max, 1);
            series.timeline.push(Second { at_s: at_s as u32, count: 100, max_ns: Some(max), ..Second::default() });
        }
        Run { series: vec![series], ..Run::default() }
    }

    fn holds(gate: &TailGate, id: &str) -> Option<bool> {
        gate.checks.iter().find(|check| check.id == id).unwrap().holds
    }

    #[test]
    fn scattered_maxima_pass_and_still_nothing_is_extrapolated() {
        let mut random = fastrand::Rng::with_seed(5);
        let gate = tail_gate(&run((0..600).map(|_| random.i64(100..1_000_000))));
        assert!(!gate.refused, "{}", gate.sentence);
        assert!(
            gate.sentence.contains("60,000 samples") && gate.sentence.contains("fits no distribution"),
            "{}",
            gate.sentence
        );
    }

    #[test]
    fn a_run_that_worsens_is_refused_as_not_stationary() {
        let mut random = fastrand::Rng::with_seed(5);
        let gate = tail_gate(&run((0..600).map(|at| random.i64(100..1_000) + at * 2)));
        assert_eq!((gate.refused, holds(&gate, "stationary")), (true, Some(false)));
        assert!(
            gate.sentence.contains("is refused: the shares of slow seconds in its tenths differ"),
            "{}",
            gate.sentence
        );
    }

    #[test]
    fn bursts_are_refused_as_dependent() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut bursty = run((0..600).map(|_| random.i64(100..1_000)));
        for at in [50, 51, 52, 53, 54, 300, 301, 302, 303, 304] {
            bursty.series[0].timeline[at].max_ns = Some(90_000);
            bursty.series[0].histogram.add(90_000, 20);
        }
        let gate = tail_gate(&bursty);
        assert_eq!(holds(&gate, "independent"), Some(false));
        assert!(gate.sentence.contains("in 2 bursts, 100.0 each"), "{}", gate.sentence);
    }

    #[test]
    fn what_cannot_be_checked_is_refused_too() {
        let short = tail_gate(&run((0..100).map(|at| 100 + at * 7 % 50)));
        assert_eq!((short.refused, holds(&short, "stationary")), (true, None));
        let mut hidden = run((0..600).map(|at| 100 + at * 7 % 50));
        hidden.series[0].histogram.add_overflow(2);
        assert_eq!(holds(&tail_gate(&hidden), "complete"), Some(false));
        let nothing = tail_gate(&Run::default());
        assert!(nothing.refused && nothing.checks.iter().all(|check| check.holds != Some(true)));
    }

    #[test]
    fn equal_shares_agree_with_a_table_of_chi_squared() {
        // Nine degrees of freedom: 16.92 is the 5 % point, 21.67 the 1 % point.
        let chi = ChiSquared::new(9.0).unwrap();
        assert!((chi.sf(16.919) - 0.05).abs() < 1e-4 && (chi.sf(21.666) - 0.01).abs() < 1e-4);
        assert_eq!(equal_shares_p(&[(5, 25); 10]), 1.0);
        assert!(equal_shares_p(&[(20, 25), (5, 25), (5, 25), (5, 25), (5, 25)]) < 1e-4);
    }
}
