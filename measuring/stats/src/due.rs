//! The latencies per due activation: the activations that were jumped over, re-added with the lateness they had at least.
//!
//! A loop that is late by `L` at period `P` and skips jumps over the activations that were due at `P, 2P, ...` after the
//! late one; by the time it ran they were late by `L - P, L - 2P, ...`, and it counts none of them. This is the exact form of
//! HdrHistogram's correction for an expected interval. What the latencies imply is reconciled with what the run
//! counted; where the run did not count, the result is called a reconstruction.

use crate::distribution::{Distribution, Vague};
use crate::scope;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_run::plan::WhenLate;
use prazo_run::run::Quantity;
use prazo_run::skipped::jumps;
use prazo_run::{Run, Series, skipped};
use std::cmp::Ordering;

/// A distribution per due activation, and how it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Served and skipped activations together.
    pub distribution: Distribution,
    /// How the skipped ones were placed; one sentence.
    pub method: String,
    /// True where the source does not tell what it skipped and the latencies had to.
    pub reconstructed: bool,
}

/// More re-added values than this are refused: no real run needs them, a hostile one would. It limits the memory, so
/// that a value counts once, however many activations had it.
const CHAIN_MAX: u128 = 20_000_000;

/// The distribution per due activation of one series, from that per served wake-up; `Err` says why there is none.
pub fn per_due(run: &Run, series: &Series, served: &Distribution) -> Result<Due, String> {
    let is_counted = matches!(
        series.quantity,
        Quantity::ResponseTime | Quantity::ResponseLatency | Quantity::ReturnToUser | Quantity::ReceiveToTask
    );
    if !is_counted {
        return Err(
            "only response-time, response-latency, return-to-user and receive-to-task are counted per due activation"
                .into(),
        );
    }
    if !skipped::has_due_grid(run) {
        return Err(
            "the activations have no fixed due instants: each one becomes due when a relative sleep ends or an event \
                    occurs"
                .into(),
        );
    }
    match (skipped::counted(series), series.period.filter(|period| !period.is_zero())) {
        (Some(0), _) => Ok(unchanged(served, "no activation was skipped".into())),
        (Some(skipped), Some(period)) => reconciled(served, period, skipped),
        (Some(skipped), None) => Ok(of_unknown_lateness(served, skipped)),
        (None, _) if skipped::when_late(run) == Some(WhenLate::CatchUp) => {
            Ok(unchanged(served, format!("{} serves every activation, however late", scope::tool(run))))
        }
        (None, Some(period)) => reconstructed(served, period),
        (None, None) => Err("the source states neither the period nor the number of skipped activations".into()),
    }
}

fn unchanged(served: &Distribution, method: String) -> Due {
    Due { distribution: served.clone(), method, reconstructed: false }
}

fn reconciled(served: &Distribution, period: Duration, skipped: u64) -> Result<Due, String> {
    let chains = chains(served, period)?;
    let implied = chains.count();
    let unplaced = Vague { at_least_ns: 1, at_most_ns: served.max(), count: skipped.saturating_sub(implied) };
    let rest = Distribution::new(vec![], vec![unplaced]);
    let distribution = Distribution::merged([served, &chains, &rest]);
    Ok(Due { distribution, method: reconciliation(skipped, implied), reconstructed: false })
}

fn reconciliation(skipped: u64, implied: u64) -> String {
    let counted = counted(skipped, "skipped activation");
    match implied.cmp(&skipped) {
        Ordering::Equal => format!("{counted} added with the minimum lateness"),
        Ordering::Greater => {
            format!(
                "{counted} reported, but the latencies imply {implied}; all {implied} were added with the minimum \
                 lateness"
            )
        }
        Ordering::Less => {
            format!(
                "{counted} added: {implied} with the minimum lateness, as the latencies imply; the others with an \
                 unknown lateness"
            )
        }
    }
}

fn of_unknown_lateness(served: &Distribution, skipped: u64) -> Due {
    let unplaced = Vague { at_least_ns: 1, at_most_ns: served.max(), count: skipped };
    Due {
        distribution: Distribution::merged([served, &Distribution::new(vec![], vec![unplaced])]),
        method: format!(
            "{} added with unknown lateness, because the period is unknown",
            counted(skipped, "skipped activation")
        ),
        reconstructed: false,
    }
}

fn reconstructed(served: &Distribution, period: Duration) -> Result<Due, String> {
    let chains = chains(served, period)?;
    let added = chains.count();
    if added == 0 {
        return Ok(unchanged(
            served,
            format!("no latency exceeds the period of {period}, so no activation can have been skipped"),
        ));
    }
    Ok(Due {
        distribution: Distribution::merged([served, &chains]),
        method: format!(
            "reconstruction, because the source does not count skipped activations; if the source skips late activations, the latencies imply {} skipped at a period of {period}; these were added with the minimum lateness",
            counted(added, "activation")
        ),
        reconstructed: true,
    })
}

/// The activations jumped over, each with its lateness; `Err` where there are too many to place.
pub(crate) fn chains(served: &Distribution, period: Duration) -> Result<Distribution, String> {
    let starts =
        served.exact().iter().map(|(value, _)| *value).chain(served.vague().iter().map(|part| part.at_least_ns));
    let length: u128 = starts.map(|value| u128::from(jumps(value, period))).sum();
    if length > CHAIN_MAX {
        return Err(format!(
            "up to {length} different latencies of skipped activations would have to be added; prazo adds at most \
             {CHAIN_MAX}"
        ));
    }
    let exact = served.exact().iter().flat_map(|(value, count)| steps(*value, period).map(|late| (late, *count)));
    let vague = served.vague().iter().flat_map(|part| vague_steps(*part, period));
    Ok(Distribution::new(exact.collect(), vague.collect()))
}

/// L - P, L - 2P, ... above zero.
fn steps(latency_ns: i64, period: Duration) -> impl Iterator<Item = i64> {
    (1..=jumps(latency_ns, period)).map(move |k| latency_ns - (k * period.as_ns()) as i64)
}

fn vague_steps(part: Vague, period: Duration) -> impl Iterator<Item = Vague> {
    steps(part.at_least_ns, period).map(move |at_least_ns| Vague {
        at_least_ns,
        at_most_ns: part.at_most_ns.map(|most| most - (part.at_least_ns - at_least_ns)),
        count: part.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PERIOD_NS: i64 = 100;

    /// Plays a skipping loop against the clock: what it serves, and the lateness of everything that was due meanwhile.
    fn play(delays: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let (mut served, mut due, mut next) = (vec![], vec![], 0);
        for delay in delays {
            let (was_due, ran) = (next, next + delay);
            served.push(ran - was_due);
            due.push(ran - was_due);
            next += PERIOD_NS;
            while next < ran {
                due.push(ran - next);
                next += PERIOD_NS;
            }
        }
        (served, due)
    }

    fn distribution(values: &[i64]) -> Distribution {
        Distribution::new(values.iter().map(|value| (*value, 1)).collect(), vec![])
    }

    fn series(skipped: Option<u64>) -> Series {
        let mut series = Series { period: Some(Duration::from_ns(PERIOD_NS as u64)), ..Series::default() };
        series.activations.skipped = skipped;
        series
    }

    proptest! {
        #[test]
        fn re_adding_agrees_with_playing_the_loop(delays in prop::collection::vec(0i64..1_000, 1..50)) {
            let (served, due) = play(&delays);
            let skipped = (due.len() - served.len()) as u64;
            let found = per_due(&Run::default(), &series(Some(skipped)), &distribution(&served)).unwrap();
            prop_assert_eq!(&found.distribution, &distribution(&due));
            let mut unaware = series(None);
            served.iter().for_each(|latency_ns| unaware.histogram.add(*latency_ns, 1));
            prop_assert_eq!(skipped::implied(&Run::default(), &unaware), Some(skipped));
            let unaware = per_due(&Run::default(), &series(None), &distribution(&served)).unwrap();
            prop_assert_eq!(unaware.reconstructed, skipped > 0);
            prop_assert_eq!(unaware.distribution, found.distribution);
        }
    }

    #[test]
    fn a_count_that_disagrees_is_said() {
        let served = distribution(&[10, 350]);
        let more = per_due(&Run::default(), &series(Some(1)), &served).unwrap();
        assert!(more.method.contains("1 skipped") && more.method.contains("imply 3"), "{}", more.method);
        let fewer = per_due(&Run::default(), &series(Some(5)), &served).unwrap();
        assert_eq!(fewer.distribution.vague(), [Vague { at_least_ns: 1, at_most_ns: Some(350), count: 2 }]);
        assert!(fewer.method.contains("unknown lateness"), "{}", fewer.method);
    }

    #[test]
    fn a_hidden_overflow_jumps_over_what_it_reaches_at_least() {
        let hidden = Vague { at_least_ns: 250, at_most_ns: Some(400), count: 2 };
        let served = Distribution::new(vec![(10, 5)], vec![hidden]);
        let found = per_due(&Run::default(), &series(Some(4)), &served).unwrap();
        assert_eq!(found.distribution.count(), 5 + 2 + 4);
        assert_eq!(found.distribution.certainly_above(49), 2 * 3);
    }

    #[test]
    fn a_hostile_latency_is_refused_instead_of_placed() {
        let served = distribution(&[i64::MAX]);
        let reason = per_due(&Run::default(), &series(None), &served).unwrap_err();
        assert!(reason.contains("prazo adds at most 20000000"), "{reason}");
    }

    #[test]
    fn as_many_re_added_latencies_as_the_limit_are_placed_and_one_more_is_refused() {
        let placed = |latency_ns| chains(&distribution(&[latency_ns]), Duration::from_ns(1)).map(|found| found.count());
        assert_eq!(placed(20_000_001), Ok(20_000_000));
        let reason = placed(20_000_002).unwrap_err();
        assert!(reason.starts_with("up to 20000001 different latencies"), "{reason}");
    }

    #[test]
    fn activations_of_one_latency_are_one_value_to_place() {
        let served = Distribution::new(vec![(350, 10_000_000)], vec![]);
        let found = per_due(&Run::default(), &series(None), &served).unwrap();
        assert_eq!(found.distribution.count(), 40_000_000);
    }

    #[test]
    fn without_period_or_count_there_is_no_due_figure() {
        let reason = per_due(&Run::default(), &Series::default(), &distribution(&[1])).unwrap_err();
        assert!(reason.contains("neither the period"), "{reason}");
        let noise = Series { quantity: Quantity::Noise, ..series(Some(0)) };
        assert!(per_due(&Run::default(), &noise, &distribution(&[1])).is_err());
    }
}
