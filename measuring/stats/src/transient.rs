//! Is latency worse just after a load starts than once it runs?
//!
//! Blaess 2014 claims that the largest disturbances often come in transitions, such as a load starting, rather than in steady
//! state, and therefore switches its loads on and off. Each time a load goes on is one observation: the mean logarithm of the
//! seconds' maxima within a window after it, less that of the later seconds until it goes off. Equal stretches (seconds) are
//! compared, so that the longer steady part has no larger maximum for its length alone; a sign-flip permutation test decides.

use crate::confidence::ALPHA_OF_A_SIDE;
use crate::scope;
use crate::seconds::{PooledSecond, pooled};
use prazo_core::text::counted;
use prazo_run::Run;
use prazo_run::run::LoadRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Effect of the starts of the loads on latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transient {
    /// Always `all loads`: the starts of all loads together.
    pub load: String,
    /// Number of seconds after the start of a load that count as transition.
    pub window_s: u32,
    /// Number of starts that could be compared with the steady seconds that followed.
    pub starts: u64,
    /// Typical (geometric mean over starts) maximum latency of a second in transition, divided by that of a steady
    /// second.
    pub ratio: Option<f64>,
    /// One-sided p-value: probability that chance alone makes transitions look this much worse; null with too few
    /// starts.
    pub p_worse: Option<f64>,
    /// One-sided p-value: probability that chance alone makes transitions look this much better; null with too few
    /// starts.
    pub p_better: Option<f64>,
    /// Conclusion from the two p-values.
    pub finding: TransientFinding,
    /// The comparison in one sentence: method, figures and p-value.
    pub text: String,
}

/// Whether latency is worse just after a load starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransientFinding {
    /// Latency is worse in transition, just after a load starts, than in steady state.
    WorseJustAfter,
    /// Latency is better in transition, just after a load starts, than in steady state.
    BetterJustAfter,
    /// The data show no difference between transition and steady state.
    NoDifferenceShown,
    /// There are too few starts for a conclusion.
    TooFewStarts,
}

/// Starts below which even the most extreme order would be no evidence: 2^-6 is below 2.5 %, 2^-5 is not.
const STARTS_MIN: usize = 6;
/// Steady seconds that a start needs behind its window.
const STEADY_MIN: usize = 2;

/// What the starts of all loads of all `runs` did together. Starts of different loads overlap in time, so that p is a guide.
pub fn transient(runs: &[Run], window_s: u32) -> Transient {
    let of = |run: &Run| {
        let seconds = pooled(&scope::principal_series(run));
        run.loads.iter().flat_map(|load| changes(&seconds, load, window_s)).collect::<Vec<f64>>()
    };
    found("all loads", window_s, &runs.iter().flat_map(of).collect::<Vec<f64>>())
}

/// The changes at the starts of one load.
fn changes(seconds: &[PooledSecond], load: &LoadRecord, window_s: u32) -> Vec<f64> {
    load.on_s.iter().filter_map(|on| change(seconds, *on, window_s)).collect()
}

/// ln of the ratio of transition to steady state after one start; `None` where either has too few seconds.
///
/// A start before the first activation was due was not observed and does not count.
fn change(seconds: &[PooledSecond], (from, to): (f64, f64), window_s: u32) -> Option<f64> {
    if from < 0.0 || window_s == 0 {
        return None;
    }
    let (start, end) = (from.floor(), (from.floor() + f64::from(window_s)));
    let logarithms = |from: f64, to: f64| -> Vec<f64> {
        let within =
            seconds.iter().filter(|second| f64::from(second.at_s) >= from && f64::from(second.at_s) + 1.0 <= to);
        within.filter_map(|second| second.max_ns).map(|max| (max.max(1) as f64).ln()).collect()
    };
    let (transition, steady) = (logarithms(start, end.min(to)), logarithms(end, to));
    (!transition.is_empty() && steady.len() >= STEADY_MIN).then(|| mean(&transition) - mean(&steady))
}

fn found(load: &str, window_s: u32, changes: &[f64]) -> Transient {
    let enough = changes.len() >= STARTS_MIN;
    let opposite: Vec<f64> = changes.iter().map(|change| -change).collect();
    let p_worse = enough.then(|| sign_flip_p(changes));
    let p_better = enough.then(|| sign_flip_p(&opposite));
    let finding = match (p_worse, p_better) {
        (None, _) | (_, None) => TransientFinding::TooFewStarts,
        (Some(p), _) if p < ALPHA_OF_A_SIDE => TransientFinding::WorseJustAfter,
        (_, Some(p)) if p < ALPHA_OF_A_SIDE => TransientFinding::BetterJustAfter,
        _ => TransientFinding::NoDifferenceShown,
    };
    let ratio = (!changes.is_empty()).then(|| mean(changes).exp());
    let text = text(load, window_s, changes.len(), ratio.zip(p_worse));
    Transient { load: load.into(), window_s, starts: changes.len() as u64, ratio, p_worse, p_better, finding, text }
}

fn text(load: &str, window_s: u32, starts: usize, found: Option<(f64, f64)>) -> String {
    match found {
        Some((ratio, p)) => format!(
            "{load}: over {starts} starts, the per-second maximum latency in the first {window_s} s after the start is typically \
             {ratio:.2} times that of later seconds (one-sided sign-flip permutation test for a larger maximum, p = {p:.3})"
        ),
        None => {
            format!(
                "{load}: only {} can be compared with later, steady seconds; {STARTS_MIN} are needed",
                counted(starts as u64, "start")
            )
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// How often random signs would make the sum of the changes at least as large: all of them if few, else seeded draws.
fn sign_flip_p(changes: &[f64]) -> f64 {
    const EXACT_MAX: usize = 16;
    const DRAWS: u64 = 20_000;
    let observed: f64 = changes.iter().sum();
    let reaches = |bits: &dyn Fn(usize) -> bool| {
        let sum: f64 = changes.iter().enumerate().map(|(i, change)| if bits(i) { *change } else { -change }).sum();
        sum >= observed - 1e-12 * observed.abs()
    };
    if changes.len() <= EXACT_MAX {
        let orders = 1u32 << changes.len();
        return (0..orders).filter(|order| reaches(&|i| order >> i & 1 == 1)).count() as f64 / f64::from(orders);
    }
    let mut random = fastrand::Rng::with_seed(0x7072_617a_6f00_0002);
    let mut draw = || {
        let signs: Vec<bool> = changes.iter().map(|_| random.bool()).collect();
        reaches(&|i| signs[i])
    };
    // The observed order is one of those that reach it.
    (1 + (0..DRAWS).filter(|_| draw()).count()) as f64 / (1 + DRAWS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Series;
    use prazo_run::run::Second;

    /// A load on for 20 s in every 30, the maxima of its first `window` seconds `times` as large as the rest.
    fn run(cycles: u32, window: u32, times: i64) -> Run {
        seeded(cycles, window, times, 11)
    }

    fn seeded(cycles: u32, window: u32, times: i64, seed: u64) -> Run {
        let mut random = fastrand::Rng::with_seed(seed);
        let second = |at_s: u32| {
            let base = 50_000 + random.i64(0..20_000);
            let max_ns = if at_s % 30 < window { base * times } else { base };
            Second { at_s, count: 1_000, max_ns: Some(max_ns), ..Second::default() }
        };
        let series = Series { timeline: (0..cycles * 30).map(second).collect(), ..Series::default() };
        let on_s = (0..cycles).map(|cycle| (f64::from(cycle * 30), f64::from(cycle * 30 + 20))).collect();
        let load = LoadRecord {
            name: "udp-flood".into(),
            generator: String::new(),
            unit: String::new(),
            asked: None,
            reached: None,
            note: String::new(),
            on_s,
            contained: String::new(),
        };
        Run { series: vec![series], loads: vec![load], ..Run::default() }
    }

    #[test]
    fn equal_transitions_are_found_different_as_seldom_as_promised() {
        let is_different =
            |seed: &u64| transient(&[seeded(10, 3, 1, *seed)], 3).finding != TransientFinding::NoDifferenceShown;
        let found = (0..200).filter(is_different).count();
        assert!((1..=20).contains(&found), "{found} of 200, where 10 are expected");
    }

    #[test]
    fn worse_transitions_are_found() {
        let worse = transient(&[run(10, 3, 4)], 3);
        assert_eq!((worse.finding, worse.starts), (TransientFinding::WorseJustAfter, 10));
        assert!((3.0..5.0).contains(&worse.ratio.unwrap()), "{}", worse.text);
        assert_eq!(transient(&[run(40, 3, 4)], 3).finding, TransientFinding::WorseJustAfter, "by draws");
    }

    #[test]
    fn better_transitions_are_said_to_be_better() {
        let mut quiet = run(10, 3, 1);
        for second in &mut quiet.series[0].timeline {
            if second.at_s % 30 >= 3 {
                second.max_ns = second.max_ns.map(|max| max * 4);
            }
        }
        assert_eq!(transient(&[quiet], 3).finding, TransientFinding::BetterJustAfter);
    }

    #[test]
    fn few_starts_decide_nothing_and_unobserved_ones_do_not_count() {
        let few = transient(&[run(5, 3, 9)], 3);
        assert_eq!((few.finding, few.p_worse), (TransientFinding::TooFewStarts, None));
        assert!(few.text.contains("6 are needed"), "{}", few.text);
        let mut early = run(6, 3, 9);
        early.loads[0].on_s[0].0 = -5.0;
        assert_eq!(transient(&[early], 3).starts, 5);
        assert_eq!(transient(&[run(6, 3, 9)], 19).starts, 0, "no steady state is left");
        assert_eq!(transient(&[run(6, 3, 9)], 0).starts, 0);
        assert_eq!(transient(&[Run::default()], 3).starts, 0);
    }

    #[test]
    fn starts_of_several_runs_and_loads_are_one_set() {
        let (mut a, b) = (run(4, 3, 4), run(5, 3, 4));
        a.loads.push(a.loads[0].clone());
        let all = transient(&[a, b], 3);
        assert_eq!((all.starts, all.finding), (4 + 4 + 5, TransientFinding::WorseJustAfter));
        assert_eq!(transient(&[], 3).finding, TransientFinding::TooFewStarts);
    }

    #[test]
    fn sign_flips_are_counted_exactly() {
        assert_eq!(sign_flip_p(&[1.0; 6]), 1.0 / 64.0);
        assert_eq!(sign_flip_p(&[0.0; 6]), 1.0);
        assert_eq!(sign_flip_p(&[3.0, -1.0]), 0.5);
    }

    #[test]
    fn six_starts_are_enough_for_a_finding_and_five_are_not() {
        let of = |starts, times: f64| {
            let found = found("cpu", 3, &vec![times.ln(); starts]);
            (found.finding, found.p_worse, found.p_better)
        };
        let least = 1.0 / 64.0;
        assert_eq!(of(6, 2.0), (TransientFinding::WorseJustAfter, Some(least), Some(1.0)));
        assert_eq!(of(6, 0.5), (TransientFinding::BetterJustAfter, Some(1.0), Some(least)));
        assert_eq!(of(5, 2.0), (TransientFinding::TooFewStarts, None, None));
        let text = |starts| found("cpu", 3, &vec![2.0f64.ln(); starts]).text;
        assert_eq!(
            text(6),
            "cpu: over 6 starts, the per-second maximum latency in the first 3 s after the start is typically 2.00 times that of \
             later seconds (one-sided sign-flip permutation test for a larger maximum, p = 0.016)"
        );
        assert_eq!(text(5), "cpu: only 5 starts can be compared with later, steady seconds; 6 are needed");
        assert_eq!(text(1), "cpu: only 1 start can be compared with later, steady seconds; 6 are needed");
    }
}
