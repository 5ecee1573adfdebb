//! The gate's rule, when a figure moved: the values of two sets of seeds lie apart by more than either spreads.
//!
//! Nothing is assumed of how a figure is distributed over seeds. Were the two sets draws of one distribution, they would lie
//! apart at all, in either direction, in at most 2 of C(a + b, a) cases; that the gap must also exceed the larger spread makes
//! it rarer by far where values are spread out. A floor keeps back what a few instructions more or less bring about.

use crate::observed_range::Ends;

/// Fewer seeds on a side decide nothing: two have no spread to speak of.
pub const SEEDS_MIN: usize = 3;

/// Instructions that are no movement whatever the spread.
const INSTRUCTIONS: f64 = 16.0;

/// Nor is this where instructions are not counted: what caches and interrupts alone make of a wake-up.
const UNCOUNTED_NS: f64 = 1_000.0;

/// Nor is this share of the baseline's value.
const SHARE: f64 = 0.01;

/// Two sets of values, and what their gap would have to exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The smallest and the largest of the baseline.
    pub baseline: Ends,
    /// Those found now.
    pub found: Ends,
    /// From the nearest end to the nearest; positive where the found ones lie above, negative below, 0 where they overlap.
    pub gap_ns: f64,
    /// Threshold: the gap must exceed it.
    pub needed_ns: f64,
}

impl Shift {
    /// From the baseline's ends to those found.
    pub fn between(baseline: Ends, found: Ends, floor_ns: f64) -> Self {
        let (up, down) = (found.low_ns - baseline.high_ns, baseline.low_ns - found.high_ns);
        let gap_ns = if up > 0.0 { up } else { -down.max(0.0) };
        Self { baseline, found, gap_ns, needed_ns: baseline.width().max(found.width()).max(floor_ns) }
    }

    /// True where the two lie further apart than either spreads, and than the floor.
    pub fn is_movement(&self) -> bool {
        self.gap_ns.abs() > self.needed_ns
    }
}

/// What no movement is however small the spread: 16 instructions of 2^`icount_shift` ns, or a microsecond where instructions are not
/// counted; or a hundredth of the baseline's value.
pub fn floor_ns(icount_shift: Option<u32>, baseline: Ends) -> f64 {
    let least = icount_shift.map_or(UNCOUNTED_NS, |exponent| INSTRUCTIONS * f64::from(exponent).exp2());
    least.max(SHARE * baseline.high_ns.abs())
}

/// How likely a figure that did not move is at most called moved, in either direction: 2 / C(a + b, a).
pub fn chance(seeds: [usize; 2]) -> f64 {
    let [a, b] = seeds;
    let orders: f64 = (1..=a).map(|i| (b + i) as f64 / i as f64).product();
    (2.0 / orders).min(1.0)
}

/// More seeds than anybody measures.
const SEEDS_MAX: usize = 64;

/// The fewest seeds on each side with which so many figures together move by chance in at most this share of cases.
pub fn seeds_for(figures: usize, share: f64) -> usize {
    let is_enough = |seeds: &usize| figures as f64 * chance([*seeds, *seeds]) <= share;
    (SEEDS_MIN..SEEDS_MAX).find(is_enough).unwrap_or(SEEDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends(values: &[f64]) -> Ends {
        Ends::of(values.iter().map(|value| Some(*value))).unwrap()
    }

    fn shift(a: &[f64], b: &[f64]) -> Shift {
        Shift::between(ends(a), ends(b), 0.0)
    }

    /// The slow, obvious twin: every pair of one value from each side is further apart than every pair of one side.
    fn by_pairs(a: &[f64], b: &[f64], floor: f64) -> bool {
        let distances = |x: &[f64], y: &[f64]| -> Vec<f64> {
            x.iter().flat_map(|one| y.iter().map(move |other| other - one)).collect()
        };
        let across = distances(a, b);
        let within = [distances(a, a), distances(b, b)].concat().into_iter().fold(floor, f64::max);
        across.iter().all(|distance| *distance > within) || across.iter().all(|distance| -*distance > within)
    }

    proptest! {
        #[test]
        fn the_ends_decide_as_all_pairs_do(
            a in prop::collection::vec(0..60i32, 1..6),
            b in prop::collection::vec(0..60i32, 1..6),
            floor in 0..10i32,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let found = Shift::between(ends(&a), ends(&b), f64::from(floor));
            prop_assert_eq!(found.is_movement(), by_pairs(&a, &b, f64::from(floor)));
        }
    }

    #[test]
    fn a_gap_as_wide_as_the_spread_is_no_movement_and_a_wider_one_is() {
        assert!(!shift(&[10.0, 12.0], &[14.0, 15.0]).is_movement());
        assert!(shift(&[10.0, 12.0], &[14.5, 15.0]).is_movement());
        let down = shift(&[14.5, 15.0], &[10.0, 12.0]);
        assert!(down.is_movement() && down.gap_ns < 0.0, "{down:?}");
        assert_eq!(shift(&[1.0, 3.0], &[2.0, 9.0]).gap_ns, 0.0);
    }

    #[test]
    fn the_floor_is_sixteen_instructions_or_a_microsecond_or_a_hundredth() {
        let at = |ns: f64| floor_ns(Some(3), Ends { low_ns: ns, high_ns: ns });
        assert_eq!((at(1_000.0), at(100_000.0)), (128.0, 1_000.0));
        let on_board = |ns: f64| floor_ns(None, Ends { low_ns: ns, high_ns: ns });
        assert_eq!((on_board(1_000.0), on_board(200_000.0)), (1_000.0, 2_000.0));
    }

    #[test]
    fn the_chance_is_two_orders_of_all() {
        assert!((chance([3, 3]) - 0.1).abs() < 1e-12);
        assert!((chance([4, 4]) - 2.0 / 70.0).abs() < 1e-12);
        assert!((chance([3, 5]) - chance([5, 3])).abs() < 1e-12);
        assert_eq!(chance([1, 1]), 1.0);
    }

    /// Pseudo-random numbers in [0, 1) (SplitMix64, Steele et al. 2014).
    fn draws(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// The share of `rounds` pairs of sets, the second moved by `by`, that are called moved.
    fn alarms(seeds: usize, by: f64, value: fn(f64) -> f64) -> f64 {
        let (mut draw, rounds) = (draws(7), 20_000);
        let mut set = |by: f64| ends(&(0..seeds).map(|_| value(draw()) + by).collect::<Vec<_>>());
        let moved = (0..rounds).filter(|_| Shift::between(set(0.0), set(by), 0.0).is_movement()).count();
        moved as f64 / f64::from(rounds)
    }

    /// The share of `rounds` pairs of sets of one distribution that lie apart at all.
    fn apart(seeds: usize, value: fn(f64) -> f64) -> f64 {
        let (mut draw, rounds) = (draws(11), 20_000);
        let mut set = || ends(&(0..seeds).map(|_| value(draw())).collect::<Vec<_>>());
        let apart = (0..rounds).filter(|_| Shift::between(set(), set(), 0.0).gap_ns != 0.0).count();
        apart as f64 / f64::from(rounds)
    }

    #[test]
    fn sets_of_one_distribution_lie_apart_as_often_as_the_orders_say() {
        let shapes: [fn(f64) -> f64; 3] = [|u| u, |u| -(1.0 - u).ln(), |u| 1.0 / (1.0 - u)];
        for (value, seeds) in shapes.into_iter().flat_map(|value| [3, 4].map(|seeds| (value, seeds))) {
            let (share, expected) = (apart(seeds, value), chance([seeds, seeds]));
            assert!((share - expected).abs() < 0.1 * expected, "{seeds} seeds, seed 11: {share}, expected {expected}");
        }
    }

    #[test]
    fn what_did_not_move_is_rarely_called_moved_whatever_its_distribution() {
        type Shape = (&'static str, fn(f64) -> f64);
        let shapes: [Shape; 4] = [
            ("uniform", |u| u),
            ("exponential", |u| -(1.0 - u).ln()),
            ("without a mean", |u| 1.0 / (1.0 - u)),
            ("one of two", |u| f64::from(u8::from(u < 0.5))),
        ];
        for (name, value) in shapes {
            for seeds in [3, 4, 5] {
                let share = alarms(seeds, 0.0, value);
                // Lying apart alone comes about as often as the chance: the spread must hold back half of it or more.
                assert!(share < chance([seeds, seeds]) / 2.0, "{name}, {seeds} seeds, seed 7: {share}");
            }
        }
        assert!(alarms(4, 0.0, |u| -(1.0 - u).ln()) < 0.003, "spread-out values: far below 2 of 70");
    }

    #[test]
    fn what_moved_by_three_spreads_is_called_moved() {
        assert!(alarms(4, 3.0, |u| u) > 0.999, "seed 7");
        assert!(alarms(4, 0.5, |u| u) < 0.1, "half a spread is rarely told apart, seed 7");
    }

    /// The built-in gate: 20 figures. Figures that are one of two values are the worst of the shapes above.
    #[test]
    fn a_gate_with_six_seeds_has_at_most_five_false_alarms_of_a_hundred() {
        const FIGURES: i32 = 20;
        assert_eq!((seeds_for(20, 0.05), seeds_for(1, 0.05), seeds_for(1_000_000, 0.0)), (6, 4, SEEDS_MAX));
        let one = alarms(6, 0.0, |u| f64::from(u8::from(u < 0.5)));
        let gate = 1.0 - (1.0 - one).powi(FIGURES);
        assert!(gate < 0.05, "seed 7: {gate}");
        assert!(alarms(6, 3.0, |u| u) > 0.95, "a planted shift is seen, seed 7");
    }
}
