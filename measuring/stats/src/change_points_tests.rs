//! What change points promise, on made-up histories: the twin, false alarms and planted shifts.

use super::*;

/// A distribution's name, and its value for a uniform number.
type Shape = (&'static str, fn(f64) -> f64);

/// Distributions that are not normal.
const SHAPES: [Shape; 3] = [
    ("exponential", |u| -(1.0 - u).ln()),
    ("Pareto, α = 1", |u| 1.0 / (1.0 - u)),
    ("one of two values", |u| if u < 0.5 { 0.0 } else { 2.0 }),
];

/// A history of `units`, each with `seeds` values: the kernel's own part and the seed's, each with standard deviation 1 if normal.
fn history(
    random: &mut fastrand::Rng,
    (units, seeds): (usize, usize),
    value: &dyn Fn(&mut fastrand::Rng) -> f64,
) -> Vec<Vec<f64>> {
    let unit = |random: &mut fastrand::Rng| {
        let own = value(random);
        (0..seeds).map(|_| own + value(random)).collect()
    };
    (0..units).map(|_| unit(random)).collect()
}

/// By Box and Muller 1958.
fn normal(random: &mut fastrand::Rng) -> f64 {
    (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (std::f64::consts::TAU * random.f64()).cos()
}

fn found(units: &[Vec<f64>]) -> Vec<ChangePoint> {
    change_points(units, |_| 0.0).unwrap().changes
}

/// The slow, obvious twin of one test: ranks by comparing pairs, both means of each split, every order.
mod twin {
    /// Whether one value lies above another, half of it where they are equal.
    fn above(one: f64, other: f64) -> f64 {
        if one > other { 1.0 } else { f64::from(u8::from(one == other)) / 2.0 }
    }

    fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        values.sum::<f64>() / count
    }

    fn ranks(units: &[Vec<f64>]) -> Vec<f64> {
        let all = units.concat();
        let rank = |value: &f64| all.iter().map(|other| above(*value, *other)).sum::<f64>();
        units.iter().map(|unit| mean(unit.iter().map(rank))).collect()
    }

    /// The split with the largest difference of means, as a multiple of its spread but for a constant.
    pub(super) fn clearest(ranks: &[f64]) -> f64 {
        let of = |split: usize| {
            let (left, right) = ranks.split_at(split);
            let difference = mean(left.iter().copied()) - mean(right.iter().copied());
            difference.abs() * ((left.len() * right.len()) as f64 / ranks.len() as f64).sqrt()
        };
        (2..=ranks.len() - 2).map(of).fold(0.0, f64::max)
    }

    /// Every order of some numbers.
    fn orders(left: &[f64]) -> Vec<Vec<f64>> {
        if left.is_empty() {
            return vec![vec![]];
        }
        let with_first = |at: usize| {
            let mut rest = left.to_vec();
            let first = rest.remove(at);
            orders(&rest).into_iter().map(move |tail| [vec![first], tail].concat())
        };
        (0..left.len()).flat_map(with_first).collect()
    }

    /// The share of all orders that are as clear.
    pub(super) fn probability(units: &[Vec<f64>]) -> f64 {
        let ranks = ranks(units);
        let (clear, all) = (clearest(&ranks) - 1e-9, orders(&ranks));
        all.iter().filter(|order| clearest(order) >= clear).count() as f64 / all.len() as f64
    }
}

#[test]
fn the_probability_is_that_of_all_orders() {
    for seed in 0..12 {
        let random = &mut fastrand::Rng::with_seed(seed);
        // Whole numbers, so that some are equal.
        let mut units = history(random, (7, 3), &|random| (3.0 * random.f64()).round());
        let planted = seed as usize % 5;
        units[4..].iter_mut().flatten().for_each(|value| *value += planted as f64);
        let (sampled, exact) = (probability(&units), twin::probability(&units));
        let chance = (exact * (1.0 - exact) / ORDERS as f64).sqrt();
        assert!((sampled - exact).abs() <= 4.0 * chance + 1.0 / ORDERS as f64, "seed {seed}: {sampled}, all {exact}");
    }
}

#[test]
fn a_split_is_as_clear_as_the_difference_of_both_means_says() {
    for seed in 0..50 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let scores = scores(&history(random, (9, 2), &normal));
        let scale = (scores.len() as f64).sqrt();
        let (fast, slow) = (clearest(&scores, &weights(scores.len())) * scale, twin::clearest(&scores));
        assert!((fast - slow).abs() < 1e-9, "seed {seed}: {fast} and {slow}");
    }
}

#[test]
fn too_few_baselines_say_what_the_clearest_split_would_have() {
    let of = |units: usize| change_points(&vec![vec![1.0]; units], |_| 0.0);
    assert_eq!((smallest_probability(4), smallest_probability(8)), (2.0 / 6.0, 2.0 / 70.0));
    assert_eq!(units_min(), 8);
    assert_eq!(
        of(4).unwrap_err().to_string(),
        "4 baselines are too few: even the clearest change would occur by chance in 33.33 % of orders; at least 8 are needed"
    );
    assert_eq!(
        of(7).unwrap_err().to_string(),
        "7 baselines are too few: even the clearest change would occur by chance in 5.71 % of orders; at least 8 are needed"
    );
    assert_eq!(of(1).unwrap_err().to_string(), "1 baseline has a value; at least 8 are needed");
    assert_eq!(of(0).unwrap_err().units, 0);
    assert_eq!(
        of(8).unwrap(),
        Levels { changes: vec![], below_floor: 0, probability: 1.0 },
        "equal values have no change"
    );
}

#[test]
fn each_level_of_a_history_is_found_with_its_medians() {
    let level = |units: usize, at: f64| (0..units).map(move |unit| vec![at + (unit % 3) as f64 / 10.0, at + 0.05]);
    let units: Vec<Vec<f64>> = level(12, 50.0).chain(level(10, 40.0)).chain(level(12, 60.0)).collect();
    let changes = found(&units);
    assert_eq!(changes.iter().map(|change| change.first).collect::<Vec<_>>(), [12, 22], "{changes:?}");
    assert!((changes[0].before - 50.05).abs() < 1e-9 && (changes[0].shift() + 10.0).abs() < 0.1, "{changes:?}");
    assert!((changes[1].shift() - 20.0).abs() < 0.1 && changes.iter().all(|one| one.probability <= one.level));
}

#[test]
fn a_change_below_the_floor_is_none_and_hides_no_larger_one() {
    // Small steps after the fourth and the twelfth unit, a large one after the eighth.
    let at = |unit: usize| 100.0 + [0.0, 0.5, 30.0, 30.5][unit / 4];
    let units: Vec<Vec<f64>> = (0..16).map(|unit| vec![at(unit), at(unit) + 0.1]).collect();
    let Levels { changes, below_floor, .. } = change_points(&units, |before| before * 0.01).unwrap();
    assert_eq!(
        (changes.len(), below_floor),
        (1, change_points(&units, |_| 0.0).unwrap().changes.len() - 1),
        "{changes:?}"
    );
    assert!(changes[0].first == 8 && (changes[0].shift() - 30.0).abs() < 1e-9, "{changes:?}");
}

#[test]
fn one_baseline_apart_is_no_level() {
    let mut units = vec![vec![10.0, 10.1, 10.2]; 20];
    units[19] = vec![50.0, 51.0];
    assert_eq!(found(&units), []);
    units[7] = vec![90.0];
    assert_eq!(found(&units), []);
}

#[test]
fn the_same_history_has_the_same_answer() {
    let units = history(&mut fastrand::Rng::with_seed(3), (12, 3), &normal);
    assert_eq!(change_points(&units, |_| 0.0), change_points(&units, |_| 0.0));
}

/// How often histories without a change have one.
fn false_alarms(size: (usize, usize), rounds: usize, value: &dyn Fn(&mut fastrand::Rng) -> f64) -> usize {
    let random = &mut fastrand::Rng::with_seed(7);
    (0..rounds).filter(|_| !found(&history(random, size, value)).is_empty()).count()
}

/// What became of histories with one planted shift.
#[derive(Debug, Default)]
struct Detections {
    /// Histories with a change in its direction within one unit of it.
    found: usize,
    /// Histories with more than one change.
    several: usize,
}

/// Plants a shift of `by` before unit `first`.
fn detections(size: (usize, usize), rounds: usize, first: usize, by: f64) -> Detections {
    let random = &mut fastrand::Rng::with_seed(11);
    let mut count = Detections::default();
    for _ in 0..rounds {
        let mut units = history(random, size, &normal);
        units[first..].iter_mut().flatten().for_each(|value| *value += by);
        let changes = found(&units);
        let is_it = |change: &ChangePoint| change.first.abs_diff(first) <= 1 && change.shift() > 0.0;
        count.found += usize::from(changes.iter().any(is_it));
        count.several += usize::from(changes.len() > 1);
    }
    count
}

/// The most of `rounds` that 5 % of all reach, but for one time in a thousand.
fn most(rounds: usize) -> f64 {
    let expected = FALSE_ALARMS * rounds as f64;
    expected + 3.1 * (expected * (1.0 - FALSE_ALARMS)).sqrt()
}

#[test]
fn at_most_five_of_a_hundred_histories_without_a_change_have_one() {
    const ROUNDS: usize = 400;
    let of = |name: &str, size: (usize, usize), value: &dyn Fn(&mut fastrand::Rng) -> f64| {
        let alarms = false_alarms(size, ROUNDS, value);
        assert!(alarms as f64 <= most(ROUNDS), "{name}, {size:?}, seed 7: {alarms} of {ROUNDS}");
    };
    of("normal", (8, 3), &normal);
    of("normal", (17, 3), &normal);
    for (name, value) in SHAPES {
        of(name, (17, 3), &|random| value(random.f64()));
    }
}

#[test]
fn a_planted_shift_is_found_in_95_of_100_histories() {
    const ROUNDS: usize = 400;
    for (size, first, by) in [((16, 3), 8, 4.0), ((16, 3), 12, 6.0)] {
        let Detections { found, several } = detections(size, ROUNDS, first, by);
        assert!(found >= ROUNDS * 95 / 100, "before {first}, seed 11: {found} of {ROUNDS}");
        assert!(several as f64 <= most(ROUNDS), "before {first}, seed 11: {several} of {ROUNDS} have several changes");
    }
}

/// The tables of docs/statistics.md.
#[test]
#[ignore = "minutes; PRAZO_TEST_ROUNDS=n changes the rounds"]
fn tables_of_false_alarms_and_detections() {
    let rounds = std::env::var("PRAZO_TEST_ROUNDS").map_or(10_000, |rounds| rounds.parse().unwrap());
    let percent = |count: usize| count as f64 * 100.0 / rounds as f64;
    for size in [(8, 3), (17, 3), (17, 6), (40, 3)] {
        let of = |value: &dyn Fn(&mut fastrand::Rng) -> f64| percent(false_alarms(size, rounds, value));
        let others = SHAPES.map(|(_, value)| of(&|random| value(random.f64())));
        println!("{size:?}: normal {:.2}, others {others:.2?}", of(&normal));
    }
    for (size, first) in [((8, 3), 4), ((16, 3), 8), ((16, 6), 8), ((16, 3), 12), ((40, 3), 20), ((40, 3), 36)] {
        for by in [1.0, 2.0, 3.0, 4.0, 6.0] {
            let Detections { found, several } = detections(size, rounds, first, by);
            println!("{size:?}, before {first}, shift {by}: {:.2}, several {:.2}", percent(found), percent(several));
        }
    }
}
