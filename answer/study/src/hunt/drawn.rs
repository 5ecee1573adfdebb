//! A candidate with everything drawn, within the space.

use super::candidate::{Candidate, LoadChoice, OnOff};
use super::draws::Draws;
use super::space::{LoadRange, Rates, Space};
use prazo_core::time::Duration;

/// Lead-ins differ by this at most: several ticks of a guest's kernel.
const LEAD_IN_WIDTH: Duration = Duration::from_ms(40);
/// Cycles of a load that is on and off.
const CYCLE_LEAST: Duration = Duration::from_ms(20);
const CYCLE_MOST: Duration = Duration::from_ms(500);
/// Seeds are below this, so that every reader of JSON and TOML keeps them.
const SEEDS: u64 = 1 << 32;

/// The candidate of these draws.
pub(super) fn drawn(space: &Space, draws: Draws) -> Candidate {
    Candidate {
        seed: draws.below("seed", SEEDS),
        phase: Duration::from_ns(draws.below("phase", space.task.period.as_ns())),
        lead_in: space.lead_in + Duration::from_ns(draws.below("lead-in", LEAD_IN_WIDTH.as_ns())),
        loads: space.loads.iter().map(|range| load(range, draws)).collect(),
        change: None,
    }
}

fn load(range: &LoadRange, draws: Draws) -> LoadChoice {
    let name = range.name.clone();
    let what = |part: &str| format!("{name} {part}");
    let rate = match range.rates {
        Rates::Only(rate) => rate,
        Rates::Workers(most) => Some((1 + draws.below(&what("rate"), u64::from(most))) as f64),
        // Whole numbers are enough, and a file stays readable.
        Rates::Between { least, most } => Some(draws.by_ratio(&what("rate"), least, most).round().max(1.0)),
    };
    let rhythm = (draws.below(&what("pauses"), 2) == 1).then(|| {
        let ms = |time: Duration| time.as_ns() as f64 / 1e6;
        let cycle = draws.by_ratio(&what("cycle"), ms(CYCLE_LEAST), ms(CYCLE_MOST)) as u64;
        let on = cycle * (20 + draws.below(&what("on"), 71)) / 100;
        OnOff { cycle: Duration::from_ms(cycle), on: Duration::from_ms(on.max(1)) }
    });
    LoadChoice { name, rate, rhythm }
}

#[cfg(test)]
mod tests {
    use super::super::space::tests::space;
    use super::*;

    #[test]
    fn what_is_drawn_lies_in_its_range_and_follows_seed_and_number() {
        let space = space();
        let all: Vec<Candidate> = (0..500).map(|number| drawn(&space, Draws::of(7, number))).collect();
        for one in &all {
            assert!(one.phase < space.task.period && one.seed < SEEDS, "{one:?}");
            assert!((200..240).contains(&(one.lead_in.as_ns() / 1_000_000)), "{one:?}");
            let rates: Vec<f64> = one.loads.iter().filter_map(|load| load.rate).collect();
            assert!((1.0..=3.0).contains(&rates[0]) && (250.0..=4_000.0).contains(&rates[1]), "{one:?}");
            for rhythm in one.loads.iter().filter_map(|load| load.rhythm) {
                assert!(!rhythm.on.is_zero() && rhythm.on <= rhythm.cycle, "{one:?}");
                assert!((20..=500).contains(&(rhythm.cycle.as_ns() / 1_000_000)), "{one:?}");
            }
        }
        let paused = all.iter().flat_map(|one| &one.loads).filter(|load| load.rhythm.is_some()).count();
        assert!((400..600).contains(&paused), "{paused} of 1,000");
        assert_eq!(drawn(&space, Draws::of(7, 3)), all[3]);
        assert_ne!(drawn(&space, Draws::of(8, 3)), all[3]);
    }

    #[test]
    fn a_rate_that_is_given_stays() {
        let loads = [("udp-flood".to_owned(), Some(77.0))];
        let space = Space::new("lab:rt-full".into(), space().task, Duration::ZERO, &loads).unwrap();
        assert!((0..50).all(|number| drawn(&space, Draws::of(1, number)).loads[0].rate == Some(77.0)));
    }
}
