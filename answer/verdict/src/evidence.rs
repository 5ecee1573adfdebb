//! What a verdict rests on: runs with their summaries, what the platform's check found, and the requirement.

use crate::Requirement;
use prazo_run::plan::Policy;
use prazo_run::run::{Ending, Origin, Quantity};
use prazo_run::{Run, Severity};
use prazo_stats::{Per, RunSummary, principal_quantity};

/// What a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The runs that speak for the requirement, with their summaries. Every one of them is judged: leave out those that were
    /// measured for comparison only, such as a run under `other` beside one under `fifo`.
    pub runs: &'a [(&'a Run, &'a RunSummary)],
    /// What the check of the platform found.
    pub findings: &'a [ReadinessFinding],
    /// The requirement.
    pub requirement: Requirement,
}

/// A finding of the platform's check, as far as a verdict needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessFinding {
    /// Its stable name.
    pub id: String,
    /// Its severity.
    pub severity: Severity,
    /// What was found and what is wanted: one sentence.
    pub text: String,
}

/// True where the run was disturbed on purpose, or ran beside the user's own application, and that did something.
pub(crate) fn is_loaded(run: &Run) -> bool {
    let measured = run.origin == Origin::Measured;
    run.loads.iter().any(|load| {
        let was_on = load.on_s.iter().any(|(from, to)| to > from && *to > 0.0);
        load.reached.is_none_or(|reached| reached > 0.0) && (was_on || (!measured && load.on_s.is_empty()))
    })
}

/// True where the run's policy is known to be a real-time one, false where it is known not to be.
pub(crate) fn is_real_time(run: &Run) -> Option<bool> {
    let of_plan = run.plan.as_ref().map(|plan| plan.policy != Policy::Other);
    // A kernel behind a serial line says it itself.
    of_plan.or_else(|| run.platform_before.as_ref()?.get("serial.policy").map(|policy| policy != "other"))
}

/// True where the run ended before it could finish its records.
pub(crate) fn died(run: &Run) -> bool {
    run.ending == Ending::Died
}

/// True where the samples go all the way from due, from another thread's call or from the request for a move, to running, or further; a part of that way cannot show that a deadline is met.
pub(crate) fn covers_the_response(run: &Run) -> bool {
    use Quantity as Q;
    let whole = |quantity| {
        matches!(quantity, Q::ResponseTime | Q::ResponseLatency | Q::ReturnToUser | Q::WakeToTask | Q::MigrationLatency)
    };
    principal_quantity(run).is_some_and(whole)
}

/// True where the samples are gaps in a busy loop: no thread waits there, so that nothing is due.
pub(crate) fn is_noise(run: &Run) -> bool {
    principal_quantity(run) == Some(Quantity::Noise)
}

/// Smallest and largest latency served by any processor.
pub(crate) fn extremes(run: &Run, summary: &RunSummary) -> (Option<i64>, Option<i64>) {
    let quantity = principal_quantity(run);
    let all = summary
        .summaries
        .iter()
        .find(|one| one.is_of_all() && Some(one.quantity) == quantity && one.per == Per::ServedWakeUp);
    let (min_ns, max_ns) = all.map_or((None, None), |all| (all.min_ns, all.max_ns));
    // Of activations without a sample, the source's own figures are all there is.
    let without = |one: &&prazo_run::Series| Some(one.quantity) == quantity && one.activations.lost > 0;
    let stated = || run.series.iter().filter(without).filter_map(|one| one.stated);
    let least = stated().filter_map(|stated| stated.min_ns).chain(min_ns).min();
    (least, stated().filter_map(|stated| stated.max_ns).chain(max_ns).max())
}

/// The coarsest resolution of the run's series, in nanoseconds.
pub(crate) fn resolution_ns(run: &Run) -> u64 {
    run.series.iter().map(|series| series.resolution.as_ns()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::run::{Activations, LoadRecord};
    use prazo_run::{Histogram, Series};
    use prazo_stats::summarise;

    #[test]
    fn a_load_counts_if_it_was_on_during_the_run_and_reached_something() {
        let imported = || Origin::Imported { tool: "cyclictest".into(), file: "a file".into() };
        type Case = (Origin, &'static [(f64, f64)], Option<f64>, bool);
        let cases: [Case; 10] = [
            (Origin::Measured, &[(0.0, 60.0)], Some(90.0), true),
            (Origin::Measured, &[(0.0, 60.0)], None, true),
            (Origin::Measured, &[(0.0, 60.0)], Some(0.0), false),
            (Origin::Measured, &[(-5.0, 0.0)], None, false),
            (Origin::Measured, &[(-5.0, -1.0), (-1.0, 0.1)], None, true),
            // prazo records when its loads were on; other tools do not.
            (Origin::Measured, &[], None, false),
            (imported(), &[], None, true),
            (imported(), &[], Some(0.0), false),
            (imported(), &[(3.0, 3.0)], None, false),
            (Origin::Synthetic, &[], None, true),
        ];
        for (origin, on_s, reached, wanted) in cases {
            let load = LoadRecord {
                name: "disk-read".into(),
                generator: "dd".into(),
                unit: "MB/s".into(),
                asked: None,
                reached,
                note: String::new(),
                on_s: on_s.to_vec(),
                contained: "namespaces".into(),
            };
            let run = Run { origin, loads: vec![load], ..Run::default() };
            assert_eq!(is_loaded(&run), wanted, "{:?} {on_s:?} {reached:?}", run.origin);
        }
        assert!(![Origin::Measured, imported()].into_iter().any(|origin| is_loaded(&Run { origin, ..Run::default() })));
    }

    #[test]
    fn extremes_are_those_of_served_wake_ups_of_the_principal_quantity_on_all_processors() {
        use Quantity as Q;
        let series = |cpu, quantity, skipped, values: &[i64]| {
            let mut histogram = Histogram::new();
            values.iter().for_each(|value| histogram.add(*value, 1));
            let activations = Activations { served: histogram.total(), skipped, ..Activations::default() };
            let period = Some(Duration::from_ms(1));
            Series { cpu: Some(cpu), quantity, period, activations, histogram, ..Series::default() }
        };
        let found = |series: Vec<Series>| {
            let run = Run { series, ..Run::default() };
            extremes(&run, &summarise(&run))
        };
        // The wake-up that was 1,000.1 µs late skipped an activation, which was 0.1 µs late at least.
        let stalled = || series(0, Q::ResponseLatency, Some(1), &[10_000, 1_000_100]);
        assert_eq!(found(vec![stalled()]), (Some(10_000), Some(1_000_100)));
        let calm = series(1, Q::ResponseLatency, Some(0), &[8_000, 9_000]);
        assert_eq!(found(vec![stalled(), calm]), (Some(8_000), Some(1_000_100)));
        // What is no response has no figures per due activation.
        let parts = [(Q::InterruptLatency, 5_000), (Q::ActivationLatency, 7_000)];
        let parts = parts.map(|(quantity, value)| series(0, quantity, Some(0), &[value]));
        assert_eq!(found(parts.into()), (Some(7_000), Some(7_000)), "activation latency is nearer to a response");
        assert_eq!(found(vec![]), (None, None));
    }
}
