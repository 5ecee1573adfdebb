//! When a load is on and when it rests: a pure function of a seed.
//!
//! Latency suffers most while a load rises or falls, so Blaess 2014 lets each of its loads work for 15 to 25 s in every
//! 30 s, with a period of its own so that the whole does not become periodic. The same seed, name and rhythm give the
//! same schedule on every machine and in every version.
//!
//! ```text
//! |<----- cycle ----->|<----- cycle ----->|
//! |== on ==|  rest    |===== on =====|    |      on_min <= on <= on_max
//! ```

use super::numbers::Numbers;
use prazo_core::time::Duration;
use prazo_run::plan::Rhythm;

/// One stretch of time in which a load is on, as offsets from the load's start; `[from, to)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnInterval {
    /// Start, since the load was started.
    pub from: Duration,
    /// End, since the load was started; `None` lasts until the load is stopped.
    pub to: Option<Duration>,
}

/// The on-intervals of the load `name`, without end; `None` for the rhythm is on for good.
pub fn schedule(seed: u64, name: &str, rhythm: Option<Rhythm>) -> impl Iterator<Item = OnInterval> + use<> {
    let mut numbers = Numbers::of(seed, name);
    let mut cycles = 0u64..;
    let for_good = rhythm.is_none().then_some(OnInterval { from: Duration::ZERO, to: None });
    let in_cycles = std::iter::from_fn(move || nth_cycle(rhythm?, cycles.next()?, &mut numbers));
    for_good.into_iter().chain(in_cycles)
}

fn nth_cycle(rhythm: Rhythm, cycle: u64, numbers: &mut Numbers) -> Option<OnInterval> {
    let from = rhythm.cycle.checked_mul(cycle)?;
    let on = between(numbers, rhythm.on_min, rhythm.on_max);
    Some(OnInterval { from, to: Some(from + on.min(rhythm.cycle)) })
}

/// Uniform between the two, both included; the first where they are out of order.
fn between(numbers: &mut Numbers, least: Duration, most: Duration) -> Duration {
    let width = most.as_ns().saturating_sub(least.as_ns());
    Duration::from_ns(least.as_ns() + numbers.below(width.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The rhythm of Blaess 2014: on for 15 to 25 s in every 30 s.
    const PAPER: Rhythm =
        Rhythm { cycle: Duration::from_s(30), on_min: Duration::from_s(15), on_max: Duration::from_s(25) };

    fn first(count: usize, seed: u64, rhythm: Rhythm) -> Vec<OnInterval> {
        schedule(seed, "cpu", Some(rhythm)).take(count).collect()
    }

    #[test]
    fn the_paper_s_rhythm_is_on_for_15_to_25_s_in_every_30() {
        for (cycle, on) in first(1_000, 7, PAPER).into_iter().enumerate() {
            assert_eq!(on.from, Duration::from_s(30 * cycle as u64));
            let length = on.to.unwrap() - on.from;
            assert!((Duration::from_s(15)..=Duration::from_s(25)).contains(&length), "{length}");
        }
    }

    #[test]
    fn on_times_cover_the_whole_range() {
        let lengths: BTreeSet<u64> =
            first(1_000, 1, PAPER).iter().map(|on| (on.to.unwrap() - on.from).as_ns() / 1_000_000_000).collect();
        assert_eq!(lengths, (15..25).collect());
    }

    #[test]
    fn a_seed_gives_the_same_schedule_for_ever() {
        let ns: Vec<u64> = first(3, 42, PAPER).iter().map(|on| (on.to.unwrap() - on.from).as_ns()).collect();
        assert_eq!(ns, first(3, 42, PAPER).iter().map(|on| (on.to.unwrap() - on.from).as_ns()).collect::<Vec<_>>());
        assert_ne!(first(3, 42, PAPER), first(3, 43, PAPER));
    }

    #[test]
    fn two_loads_with_one_seed_differ() {
        let of = |name| schedule(1, name, Some(PAPER)).take(4).collect::<Vec<_>>();
        assert_ne!(of("cpu"), of("memory"));
    }

    #[test]
    fn without_a_rhythm_a_load_is_on_for_good() {
        let all: Vec<_> = schedule(1, "cpu", None).collect();
        assert_eq!(all, [OnInterval { from: Duration::ZERO, to: None }]);
    }

    proptest! {
        #[test]
        fn on_intervals_are_in_order_and_never_overlap(
            seed: u64, cycle in 1u64..1_000_000, a in 0u64..1_000_000, b in 0u64..1_000_000,
        ) {
            let rhythm = Rhythm {
                cycle: Duration::from_us(cycle), on_min: Duration::from_us(a.min(b)), on_max: Duration::from_us(a.max(b)),
            };
            let all = first(50, seed, rhythm);
            for pair in all.windows(2) {
                prop_assert!(pair[0].from <= pair[0].to.unwrap());
                prop_assert!(pair[0].to.unwrap() <= pair[1].from);
            }
        }
    }
}
