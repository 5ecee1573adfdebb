//! What the length of a run allows to say about events rarer than any it saw.
//!
//! None in N independent activations bounds an event's probability at 95 % by 1 - 0.05^(1/N), about 3/N (rule of three).
//! Activations are not independent, so N is divided by how many share one cause; and more activations a second say nothing
//! new of what comes once an hour, so the hours under load and the loads' cycles stand beside N.

use crate::binomial::Share;
use crate::confidence::ALPHA;
use crate::loaded::loaded_s;
use crate::misses::DEPENDENCE_MIN;
use crate::scope;
use crate::seconds::clusters;
use prazo_core::text::{counted, grouped};
use prazo_run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the length of one run shows about events that did not occur in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LengthAllows {
    /// Number of due activations, all processors together.
    pub due: u64,
    /// Duration of the run in seconds; null where the source does not state it.
    pub elapsed_s: Option<f64>,
    /// Time in seconds for which at least one load was on; null where the loads are unknown.
    pub loaded_s: Option<f64>,
    /// Number of times that a load was switched on; null where the run has no load.
    pub load_cycles: Option<u64>,
    /// Mean number of activations that share one cause, measured or assumed.
    pub dependence: f64,
    /// True if `dependence` was measured; false if it was assumed.
    pub dependence_is_measured: bool,
    /// 95 % bound on the probability per activation of an event that did not occur, if activations were independent.
    pub bound_if_independent: Option<f64>,
    /// 95 % bound on the probability per activation of an event that did not occur, with activations that share a cause
    /// counted as one.
    pub bound: Option<f64>,
    /// Events per hour that `bound` allows at the run's rate of activations; null where the rate is unknown.
    pub events_per_hour: Option<f64>,
    /// The figures about the length of the run, in a few sentences.
    pub sentence: String,
}

/// Activations of one run of OSADL's farm.
const OSADL: f64 = 1e8;
/// Activations that Marsal 2013 recommends, and the hours that it had instead.
const RECOMMENDED: f64 = 1e9;
const RECOMMENDED_HOURS: f64 = 8.0;

/// What the length of `run` allows to say.
pub fn length_allows(run: &Run) -> LengthAllows {
    let due = scope::principal_series(run).into_iter().map(scope::due).sum::<u64>();
    let measured = clusters(run).map(|clusters| clusters.mean_size());
    let dependence = measured.unwrap_or(DEPENDENCE_MIN);
    let bound_at = |dependence: f64| Share { events: 0.0, trials: due as f64 / dependence }.upper(ALPHA);
    let bound = (due > 0).then(|| bound_at(dependence));
    let mut allows = LengthAllows {
        due,
        elapsed_s: run.elapsed.map(prazo_core::time::Duration::as_s_f64),
        loaded_s: loaded_s(run),
        load_cycles: (!run.loads.is_empty()).then(|| run.loads.iter().map(|load| load.on_s.len() as u64).sum()),
        dependence,
        dependence_is_measured: measured.is_some(),
        bound_if_independent: (due > 0).then(|| bound_at(1.0)),
        bound,
        events_per_hour: bound.zip(due_per_hour(run)).map(|(bound, rate)| bound * rate),
        sentence: String::new(),
    };
    allows.sentence = sentence(&allows, &under_load(&allows, run));
    allows
}

/// Due activations an hour, from the periods; `None` where one is unknown.
fn due_per_hour(run: &Run) -> Option<f64> {
    let periods =
        scope::principal_series(run).into_iter().map(|series| series.period.filter(|period| !period.is_zero()));
    periods.map(|period| Some(3_600.0 / period?.as_s_f64())).sum()
}

fn sentence(allows: &LengthAllows, under_load: &str) -> String {
    let Some((bound, independent)) = allows.bound.zip(allows.bound_if_independent) else {
        return "No activation was due, so this run has no result.".into();
    };
    let how = if allows.dependence_is_measured { "measured" } else { "assumed" };
    let hourly =
        allows.events_per_hour.map_or_else(String::new, |events| format!(", about {} per hour", figure(events)));
    format!(
        "{}{under_load}. An event that did not occur in this run may still occur under these conditions. Its share of \
         the activations is at most {}{hourly} (95 % bound). This bound counts {:.1} activations as one, because that \
         many are {how} to share a cause; if each had its own cause, the share would be at most {}. {}",
        counted(allows.due, "due activation"),
        figure(bound),
        allows.dependence,
        figure(independent),
        beside_others(allows),
    )
}

fn under_load(allows: &LengthAllows, run: &Run) -> String {
    match (allows.loaded_s, allows.load_cycles) {
        (Some(0.0), _) if !run.workloads.is_empty() => " during the run's workloads".into(),
        (Some(0.0), _) => " without load".into(),
        (Some(seconds), Some(cycles)) => {
            format!(", {} h under load in {}", figure(seconds / 3_600.0), counted(cycles, "load cycle"))
        }
        _ => ", loads unknown".into(),
    }
}

fn beside_others(allows: &LengthAllows) -> String {
    let due = allows.due as f64;
    let hours = allows.elapsed_s.map_or_else(String::new, |s| {
        format!("; the run's duration is {:.1} % of the 8 h that Marsal 2013 measured", s / 36.0 / RECOMMENDED_HOURS)
    });
    format!(
        "This is {} % of the activations of a run in OSADL's farm (10^8) and {} % of those that Marsal 2013 recommends \
         (10^9){hours}.",
        figure(100.0 * due / OSADL),
        figure(100.0 * due / RECOMMENDED)
    )
}

/// Two significant digits: `0.0052`, `4.2e-6`, `130`.
fn figure(value: f64) -> String {
    let digits = |decimals: usize| format!("{value:.decimals$}");
    match value {
        0.0 => "0".into(),
        v if v < 1e-3 => format!("{value:.1e}"),
        v if v < 0.1 => digits(4),
        v if v < 10.0 => digits(2),
        v if v < 1e3 => digits(0),
        v => grouped(v.round() as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::Series;

    fn run(served: u64) -> Run {
        let mut series = Series { period: Some(Duration::from_ms(1)), ..Series::default() };
        series.histogram.add(10_000, served);
        Run { series: vec![series], elapsed: Some(Duration::from_s(served / 1_000)), ..Run::default() }
    }

    #[test]
    fn a_million_activations_bound_what_never_showed_by_three_in_a_million() {
        let found = length_allows(&run(1_000_000));
        assert!((found.bound_if_independent.unwrap() - 3e-6).abs() < 1e-8);
        assert!((found.bound.unwrap() - 6e-5).abs() < 2e-7, "twenty count as one");
        assert!((found.events_per_hour.unwrap() - 6e-5 * 3.6e6).abs() < 1.0);
        assert!(found.sentence.contains("1,000,000 due activations without load"), "{}", found.sentence);
        assert!(
            found.sentence.contains("20.0 activations as one, because that many are assumed"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn nothing_due_says_nothing() {
        let found = length_allows(&Run::default());
        assert_eq!(found.bound, None);
        assert!(found.sentence.contains("has no result"));
    }

    #[test]
    fn figures_have_two_digits_and_counts_their_groups() {
        assert_eq!(
            [figure(0.0), figure(3e-6), figure(0.0123), figure(4.567), figure(216.2)],
            ["0", "3.0e-6", "0.0123", "4.57", "216"]
        );
    }
}
