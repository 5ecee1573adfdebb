//! The deadline that a run's figures are about: the one that is asked for, else the one that it was measured with.
//!
//! A run counts its misses of its own deadline while it measures. For another one they are counted anew: from the
//! histogram and the worst samples, which hold every value, or not at all where samples without a value may lie on either
//! side. Whoever shows figures of a run takes them from [`under`], so that all show the same.

use crate::scope;
use crate::served::served;
use prazo_core::time::Duration;
use prazo_run::run::{Second, WORST_KEPT};
use prazo_run::{Run, Series};

/// The deadline that figures of `run` are about; `None` where nobody gave one.
pub fn deadline_of(run: &Run, requested: Option<Duration>) -> Option<Duration> {
    requested.or_else(|| own(run))
}

/// `run` with its misses counted for [`deadline_of`] it, each second's too.
pub fn under(mut run: Run, requested: Option<Duration>) -> Run {
    let Some(deadline) = requested.filter(|requested| own(&run) != Some(*requested)) else { return run };
    let quantity = scope::principal_quantity(&run);
    let counted: Vec<Option<u64>> = run
        .series
        .iter()
        .map(|series| {
            Some(series.quantity).filter(|of| Some(*of) == quantity).and_then(|_| recounted(&run, series, deadline))
        })
        .collect();
    for (series, missed) in run.series.iter_mut().zip(counted) {
        series.activations.missed = missed;
        recount_seconds(series, deadline, missed);
    }
    run
}

/// Served activations of `series` that missed `deadline`, as counted while measuring: exact whatever the histogram left out.
pub(crate) fn counted(run: &Run, series: &Series, deadline: Duration) -> Option<u64> {
    series.activations.missed.filter(|_| own(run) == Some(deadline))
}

fn own(run: &Run) -> Option<Duration> {
    run.plan.as_ref().and_then(|plan| plan.deadline)
}

/// `None` where lost records, an overflow or cells wider than a nanosecond leave it open.
fn recounted(run: &Run, series: &Series, deadline: Duration) -> Option<u64> {
    let deadline_ns = in_ns(deadline);
    let resolution_ns = i64::try_from(series.resolution.as_ns()).unwrap_or(i64::MAX).max(1);
    let latencies = served(run, series);
    let certain = latencies.certainly_above(deadline_ns);
    let possible = latencies.possibly_above(deadline_ns.saturating_sub(resolution_ns - 1));
    (certain == possible && scope::lost(series) == 0).then_some(certain)
}

/// From the worst samples, if these are all that missed; else a second has at least as many as its extremes show.
fn recount_seconds(series: &mut Series, deadline: Duration, missed: Option<u64>) {
    let deadline_ns = in_ns(deadline);
    let late: Vec<i64> =
        series.worst.iter().filter(|sample| sample.latency_ns > deadline_ns).map(|sample| sample.at_ns).collect();
    let all_listed = late.len() < WORST_KEPT && missed == Some(late.len() as u64);
    for second in &mut series.timeline {
        second.missed = match all_listed && !second.warm_up {
            true => {
                late.iter().filter(|at_ns| at_ns.div_euclid(1_000_000_000) == i64::from(second.at_s)).count() as u64
            }
            false => at_least(second, deadline_ns),
        };
    }
}

fn at_least(second: &Second, deadline_ns: i64) -> u64 {
    match (second.min_ns, second.max_ns) {
        (Some(min), _) if min > deadline_ns => second.count - second.lost.min(second.count),
        (_, Some(max)) if max > deadline_ns => 1,
        _ => 0,
    }
}

fn in_ns(deadline: Duration) -> i64 {
    i64::try_from(deadline.as_ns()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miss_rate;
    use prazo_run::plan::{Length, Policy};
    use prazo_run::run::{Activations, WorstSample};
    use prazo_run::source::Source;
    use prazo_run::{Histogram, Plan};
    use proptest::prelude::*;

    /// A run of these latencies, one a tenth of a second, measured with a deadline of `own_ns`.
    fn run(latencies_ns: &[i64], bound_ns: i64, own_ns: u64) -> Run {
        let mut histogram = Histogram::new();
        let mut worst: Vec<WorstSample> = Vec::new();
        let mut timeline: Vec<Second> = Vec::new();
        for (number, latency_ns) in latencies_ns.iter().enumerate() {
            match *latency_ns <= bound_ns {
                true => histogram.add(*latency_ns, 1),
                false => histogram.add_overflow(1),
            }
            worst.push(WorstSample {
                at_ns: number as i64 * 100_000_000,
                latency_ns: *latency_ns,
                activation: number as u64,
            });
            if number % 10 == 0 {
                timeline.push(Second { at_s: number as u32 / 10, ..Second::default() });
            }
            let second = timeline.last_mut().unwrap();
            second.count += 1;
            second.min_ns = second.min_ns.into_iter().chain([*latency_ns]).min();
            second.max_ns = second.max_ns.max(Some(*latency_ns));
            second.missed += u64::from(*latency_ns > own_ns as i64);
        }
        worst.sort_by_key(|sample| std::cmp::Reverse(sample.latency_ns));
        let served = latencies_ns.len() as u64;
        let missed = Some(above(latencies_ns, own_ns));
        let activations = Activations { due: Some(served), served, skipped: Some(0), missed, ..Activations::default() };
        let length = Length::Activations { count: served };
        let plan = Plan {
            deadline: Some(Duration::from_ns(own_ns)),
            histogram_bound: Duration::from_ns(bound_ns as u64),
            ..Plan::new(Source::Timer, Policy::Fifo { priority: 95 }, vec![], length)
        };
        let resolution = Duration::from_ns(1);
        let series = Series { activations, histogram, worst, timeline, resolution, ..Series::default() };
        Run { plan: Some(plan), series: vec![series], ..Run::default() }
    }

    fn above(latencies_ns: &[i64], deadline_ns: u64) -> u64 {
        latencies_ns.iter().filter(|latency_ns| **latency_ns > deadline_ns as i64).count() as u64
    }

    proptest! {
        #[test]
        fn misses_are_those_of_the_deadline_that_is_asked_for_in_every_second(
            latencies_ns in prop::collection::vec(0i64..1_000, 1..80),
            bound_ns in 1i64..1_200,
            own_ns in 1u64..1_000,
            asked_ns in prop::option::of(1u64..1_000),
        ) {
            let measured = run(&latencies_ns, bound_ns, own_ns);
            let requested = asked_ns.map(Duration::from_ns);
            let deadline = deadline_of(&measured, requested).unwrap();
            prop_assert_eq!(deadline.as_ns(), asked_ns.unwrap_or(own_ns));
            let shown = under(measured, requested);
            let missed = above(&latencies_ns, deadline.as_ns());
            prop_assert_eq!(shown.series[0].activations.missed, Some(missed));
            prop_assert_eq!(miss_rate(&shown, deadline).missed, missed);
            for (second, of) in shown.series[0].timeline.iter().zip(latencies_ns.chunks(10)) {
                prop_assert_eq!(second.missed, above(of, deadline.as_ns()));
            }
        }
    }

    #[test]
    fn what_samples_without_a_value_leave_open_is_not_counted() {
        let mut measured = run(&[5, 7, 900, 950], 100, 10);
        measured.series[0].worst.truncate(1);
        assert_eq!(under(measured.clone(), None).series[0].activations.missed, Some(2), "counted while measuring");
        assert_eq!(miss_rate(&measured, Duration::from_ns(10)).missed, 2);
        let requested = |ns| under(measured.clone(), Some(Duration::from_ns(ns))).series[0].activations.missed;
        assert_eq!((requested(6), requested(930), requested(960)), (Some(3), None, Some(0)));
        // A fifth was served, and its record was lost.
        let activations = &mut measured.series[0].activations;
        (activations.served, activations.lost) = (activations.served + 1, 1);
        assert_eq!(under(measured, Some(Duration::from_ns(6))).series[0].activations.missed, None);
    }

    #[test]
    fn the_count_of_the_own_deadline_decides_hidden_values_and_no_other_deadline() {
        let of = |own_ns, asked_ns| {
            let mut measured = run(&[5, 7, 900, 950], 100, own_ns);
            measured.series[0].worst.truncate(1);
            let found = miss_rate(&measured, Duration::from_ns(asked_ns));
            (found.missed, found.undecided)
        };
        // 950 is listed; of 900, the run only knows that it lies between the histogram's bound and 950.
        assert_eq!([of(930, 930), of(800, 800)], [(1, 0), (2, 0)]);
        assert_eq!([of(930, 800), of(800, 930)], [(1, 1), (1, 1)]);
    }

    #[test]
    fn a_second_whose_late_samples_are_not_listed_missed_at_least_what_its_extremes_show() {
        let latencies_ns = [vec![401; 10], [vec![400; 5], vec![401; 5]].concat(), vec![400; 10]].concat();
        let mut measured = run(&latencies_ns, 1_000, 10);
        measured.series[0].worst.clear();
        for (lost, of_first) in [(0, 10), (3, 7), (12, 0)] {
            measured.series[0].timeline[0].lost = lost;
            let shown = under(measured.clone(), Some(Duration::from_ns(400)));
            let missed: Vec<u64> = shown.series[0].timeline.iter().map(|second| second.missed).collect();
            assert_eq!(missed, [of_first, 1, 0], "{lost} records of the first second are lost");
        }
    }
}
