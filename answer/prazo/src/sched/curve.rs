//! Arrival curves of what was observed: how close the activations of a run came to each other, as steps for a task set.
//!
//! If every N + 1 activations in a row span at least W, at most N of them lie in any half-open interval of length W. So the step N in W, for
//! the shortest such span, is the tightest that the run keeps to. It says nothing of other runs.

use crate::error::Error;
use prazo_core::behaviour::{ArrivalCurve, ArrivalStep};
use prazo_core::task::TICKS_MAX;
use prazo_core::text::{counted, printable};
use prazo_core::time::Duration;
use prazo_run::store;
use prazo_scenario::curve::DensestArrivals;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Numbers of jobs that steps are sought for.
const JOBS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Which run.
#[derive(Clone, Debug)]
pub struct CurveRequest {
    /// A run file that has every activation.
    pub run: PathBuf,
}

/// Observed arrival curve of each thread or processor, as `--json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ObservedCurves {
    /// Run file from which the curves were made.
    pub file: String,
    /// Observed arrival curves: one for each watched thread, or for each processor that was measured.
    pub curves: Vec<ObservedCurve>,
}

impl fmt::Display for ObservedCurves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.curves.iter().try_for_each(|curve| writeln!(f, "{curve}"))?;
        f.write_str("Each curve is observed, not a bound: activations of another run may be denser.")
    }
}

/// Observed arrival curve of one thread or processor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ObservedCurve {
    /// Name of the thread or processor.
    pub name: String,
    /// Number of activations from which the curve was made.
    pub activations: u64,
    /// Number of activations that were not seen or not kept; with them, the curve may be denser.
    pub not_seen: u64,
    /// Time from the first activation to the last.
    pub observed_ns: u64,
    /// Steps of the curve: the largest number of activations in any interval of each length. Empty if there were too
    /// few activations, or more than 64 at the same instant.
    pub steps: Vec<ObservedStep>,
    /// The steps as a value for the key `arrivals` of a task set; null without steps.
    pub arrivals: Option<String>,
}

impl fmt::Display for ObservedCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (activations, length) = (counted(self.activations, "activation"), Duration::from_ns(self.observed_ns));
        writeln!(f, "{}: {activations} in {length}", printable(&self.name))?;
        match &self.arrivals {
            Some(arrivals) => write!(f, "arrivals = \"{arrivals}\"")?,
            None => f.write_str("The curve has no step: too few activations, or more than 64 at the same instant.")?,
        }
        match self.not_seen {
            0 => Ok(()),
            some => write!(f, "\nNot seen or not kept: {}; the true curve may be denser.", counted(some, "activation")),
        }
    }
}

/// One step of an observed arrival curve.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ObservedStep {
    /// Number of activations.
    pub jobs: u64,
    /// Largest length such that no half-open interval of this length ever contained more than this number of activations.
    pub within_ns: u64,
}

/// The curves of a run.
///
/// # Errors
/// The file cannot be read, or has no activations one by one.
pub fn curve(request: &CurveRequest) -> Result<ObservedCurves, Error> {
    let run = store::open(&request.run).map_err(Error::refused)?;
    let mut due: Vec<Vec<i64>> = vec![Vec::new(); run.series.len()];
    let keep = |series: usize, samples: &[store::Sample]| {
        if let Some(all) = due.get_mut(series) {
            all.extend(samples.iter().map(|sample| sample.due_ns));
        }
    };
    store::samples(&request.run, keep).map_err(Error::refused)?;
    let mut seen = Vec::new();
    let mut curves = Vec::new();
    for (series, due) in run.series.iter().zip(due).filter(|(_, due)| !due.is_empty()) {
        // A watched thread has several series of the same activations.
        let of = (series.cpu, series.thread.as_ref().map(|thread| (thread.thread_id, thread.wait.clone())));
        if seen.contains(&of) {
            continue;
        }
        seen.push(of);
        let name = match (&series.thread, series.cpu) {
            (Some(thread), _) => format!("{thread}, {}", thread.wait),
            (None, Some(cpu)) => format!("CPU {cpu}"),
            (None, None) => run.name.clone(),
        };
        let not_seen = series.activations.lost + series.thread.as_ref().map_or(0, |thread| thread.unseen);
        curves.push(observed(name, due, not_seen));
    }
    if curves.is_empty() {
        return Err(Error::refused("the run holds no individual activations")
            .with_value(request.run.display())
            .with_remedy("name a run of `prazo watch`, or one measured with --raw"));
    }
    Ok(ObservedCurves { file: request.run.display().to_string(), curves })
}

fn observed(name: String, mut due: Vec<i64>, not_seen: u64) -> ObservedCurve {
    due.sort_unstable();
    let mut steps: Vec<ArrivalStep> = Vec::new();
    for jobs in JOBS {
        let spans = due.windows(jobs as usize + 1).filter_map(|span| Some(span.last()?.abs_diff(*span.first()?)));
        let Some(within) = spans.min().filter(|within| (1..=TICKS_MAX).contains(within)) else { continue };
        let implied = ArrivalCurve::new(&steps).map_or(0, |curve| DensestArrivals::of(&curve).earliest(jobs));
        if u128::from(within) > implied {
            steps.push(ArrivalStep { jobs, within });
        }
    }
    let text = |step: &ArrivalStep| format!("{} in {}", step.jobs, Duration::from_ns(step.within));
    let texts: Vec<String> = steps.iter().map(text).collect();
    ObservedCurve {
        name,
        activations: due.len() as u64,
        not_seen,
        observed_ns: due.last().zip(due.first()).map_or(0, |(last, first)| last.abs_diff(*first)),
        arrivals: (!texts.is_empty()).then(|| texts.join(", ")),
        steps: steps.iter().map(|step| ObservedStep { jobs: step.jobs, within_ns: step.within }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_seen_as_steps_that_its_arrivals_keep_to() {
        // Three, 100 apart, every 1,000; one of them once 40 early.
        let mut due: Vec<i64> = (0..300).map(|job| job / 3 * 1_000 + job % 3 * 100).collect();
        due[31] -= 40;
        let curve = observed("packets".into(), due.clone(), 0);
        let steps: Vec<(u64, u64)> = curve.steps.iter().map(|step| (step.jobs, step.within_ns)).collect();
        assert_eq!(steps, [(1, 60), (2, 200), (4, 1_060), (8, 2_200), (16, 5_060), (32, 10_200), (64, 21_100)]);
        assert!(curve.arrivals.unwrap().starts_with("1 in 60ns, 2 in 200ns, 4 in 1"));
        for (jobs, within) in steps {
            let most =
                due.iter().map(|from| due.iter().filter(|at| (*from..from + within as i64).contains(at)).count());
            assert!(most.max().unwrap() as u64 <= jobs, "{jobs} in {within}");
        }
    }

    #[test]
    fn a_period_is_one_step_and_what_comes_together_has_none() {
        let periodic = observed("timer".into(), (0..100).map(|job| job * 1_000).collect(), 0);
        let steps: Vec<(u64, u64)> = periodic.steps.iter().map(|step| (step.jobs, step.within_ns)).collect();
        assert_eq!(steps, [(1, 1_000)]);
        assert_eq!(observed("once".into(), vec![5], 0).arrivals, None);
        let together = observed("all".into(), vec![5; 40], 0);
        assert_eq!((together.arrivals, together.activations), (None, 40));
    }
}
