//! Circular block bootstrap of quantiles: whole stretches of consecutive blocks are drawn, with replacement, around the clock.
//!
//! A stretch is at least [`STRETCH_S_MIN`] long, so that what resembles its neighbours stays with them. The draws are
//! seeded: the same run gives the same interval every time (Politis and Romano 1992). Independent draws made the interval
//! of p99.9 three times too narrow in a run of 100,000 wake-ups on a virtual machine: 125 to 151 µs, not 111 to 186 µs.

use crate::blocks::{BEYOND, Unit};
use crate::distribution::{Bracket, Distribution, gather};
use crate::level::Level;
use std::cmp::Ordering;

/// How often the run is redrawn.
const DRAWS: usize = 1_000;
/// Shortest stretch of time that is drawn as a whole.
pub(crate) const STRETCH_S_MIN: u32 = 5;
/// Fewer stretches than this say nothing about how they vary.
const STRETCHES_MIN: usize = 10;
const SEED: u64 = 0x7072_617a_6f00_0001;

/// A run cut into blocks, ready to be redrawn.
#[derive(Debug)]
pub(crate) struct Resampler {
    /// Every value that occurs, ascending.
    values: Vec<i64>,
    /// For each block, the index of a value and its count.
    blocks: Vec<Vec<(usize, u64)>>,
    /// Blocks that are drawn together.
    stretch: usize,
    /// Seconds of such a stretch.
    stretch_s: u32,
}

impl Resampler {
    /// Prepares the blocks of one run; `Err` says why an interval cannot come from them.
    pub(crate) fn new(units: &[Unit]) -> Result<Self, String> {
        let length_s = units.iter().map(|unit| unit.length_s).max().unwrap_or(0).max(1);
        let needed = STRETCH_S_MIN.div_ceil(length_s) as usize;
        let stretch = needed.max(((units.len() as f64).cbrt() as usize).min(units.len() / STRETCHES_MIN));
        let stretches = units.len() / stretch.max(1);
        if stretches < STRETCHES_MIN {
            return Err(format!(
                "a 95 % interval needs at least {STRETCHES_MIN} blocks of {STRETCH_S_MIN} s or more; this run has \
                 {stretches}"
            ));
        }
        let all = gather(units.iter().flat_map(|unit| unit.cells.iter().copied()).collect());
        let values: Vec<i64> = all.into_iter().map(|(value, _)| value).collect();
        if values.is_empty() {
            return Err("a 95 % interval needs blocks of time with samples; no block of this run has samples".into());
        }
        let blocks = units.iter().map(|unit| indexed(unit, &values)).collect();
        Ok(Self { values, blocks, stretch, stretch_s: stretch as u32 * length_s })
    }

    /// How the intervals are computed; one sentence.
    pub(crate) fn method(&self) -> String {
        format!(
            "95 % CI by block bootstrap: {DRAWS} resamples of {} s stretches from {} blocks of time; values have a \
             relative resolution of 1/128",
            self.stretch_s,
            self.blocks.len()
        )
    }

    /// The quantiles of one redrawn run, [`BEYOND`] where they lie beyond the histogram.
    fn draw(&self, levels: &[Level], random: &mut fastrand::Rng) -> Vec<i64> {
        let mut counts = vec![0u64; self.values.len()];
        let mut left = self.blocks.len();
        while left > 0 {
            let first = random.usize(0..self.blocks.len());
            let taken = self.stretch.min(left);
            let stretch = (first..first + taken).map(|block| &self.blocks[block % self.blocks.len()]);
            stretch.flatten().for_each(|(index, count)| counts[*index] += count);
            left -= taken;
        }
        quantiles(&self.values, &counts, levels)
    }
}

fn indexed(unit: &Unit, values: &[i64]) -> Vec<(usize, u64)> {
    unit.cells.iter().map(|(value, count)| (values.partition_point(|other| other < value), *count)).collect()
}

/// The quantiles of counted values; `levels` in any order.
fn quantiles(values: &[i64], counts: &[u64], levels: &[Level]) -> Vec<i64> {
    let sums: Vec<u64> = counts
        .iter()
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect();
    let total = sums.last().copied().unwrap_or(0);
    let of =
        |level: &Level| values[sums.partition_point(|sum| *sum < level.rank(total).unwrap_or(1)).min(values.len() - 1)];
    levels.iter().map(of).collect()
}

/// 95 % intervals of quantiles of one run, widened by the blocks' resolution; an upper end beyond the histogram is `None`.
pub(crate) fn intervals(run: &Resampler, levels: &[Level]) -> Vec<Bracket> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let draws: Vec<Vec<i64>> = (0..DRAWS).map(|_| run.draw(levels, &mut random)).collect();
    let interval = |index: usize| {
        let (low, high) = interval_of(draws.iter().map(|draw| draw[index]));
        Bracket { at_least_ns: low, at_most_ns: upper_end(high) }
    };
    (0..levels.len()).map(interval).collect()
}

/// The smallest and the largest value that a quantile has in one block, widened by the blocks' resolution.
pub(crate) fn range(units: &[Unit], level: Level) -> Bracket {
    let of = |unit: &Unit| Distribution::new(unit.cells.clone(), vec![]).quantile(level);
    let values = || units.iter().filter_map(of).map(|bracket| bracket.at_least_ns);
    Bracket { at_least_ns: values().min().unwrap_or(BEYOND), at_most_ns: values().max().and_then(upper_end) }
}

fn upper_end(value_ns: i64) -> Option<i64> {
    (value_ns != BEYOND).then(|| rounded_up(value_ns))
}

/// 95 % intervals of the differences of quantiles, other minus reference, likewise.
pub(crate) fn difference_intervals(
    reference: &Resampler,
    other: &Resampler,
    levels: &[Level],
) -> Vec<Result<(i64, i64), String>> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut draw = |run: &Resampler| run.draw(levels, &mut random);
    let draws: Vec<(Vec<i64>, Vec<i64>)> = (0..DRAWS).map(|_| (draw(reference), draw(other))).collect();
    let interval = |index: usize| {
        if draws.iter().any(|(a, b)| a[index] == BEYOND || b[index] == BEYOND) {
            return Err("in some bootstrap draws, the quantile lies beyond the histogram's bound".into());
        }
        let (low, _) = interval_of(draws.iter().map(|(a, b)| b[index].saturating_sub(rounded_up(a[index]))));
        let (_, high) = interval_of(draws.iter().map(|(a, b)| rounded_up(b[index]).saturating_sub(a[index])));
        Ok((low, high))
    };
    (0..levels.len()).map(interval).collect()
}

fn interval_of(draws: impl Iterator<Item = i64>) -> (i64, i64) {
    middle_95(draws.collect(), Ord::cmp).expect("there are DRAWS draws")
}

/// The largest value that a block would have rounded down to this one.
pub(crate) fn rounded_up(value_ns: i64) -> i64 {
    value_ns.saturating_add(value_ns.abs() / 128)
}

/// The values at 2.5 % and 97.5 % of the draws in this order; `None` without a draw.
pub(crate) fn middle_95<T: Copy>(mut draws: Vec<T>, order: impl Fn(&T, &T) -> Ordering) -> Option<(T, T)> {
    draws.sort_unstable_by(order);
    let cut = draws.len() / 40;
    Some((*draws.get(cut)?, draws[draws.len() - 1 - cut]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(of: impl Fn(u32) -> Vec<(i64, u64)>, count: u32, length_s: u32) -> Vec<Unit> {
        (0..count).map(|index| Unit { length_s, cells: gather(of(index)) }).collect()
    }

    const P99: [Level; 1] = [Level::nines(100)];

    #[test]
    fn the_same_run_gives_the_same_interval() {
        let run = Resampler::new(&units(|i| vec![(i64::from(i * 13 % 50), 100)], 60, 10)).unwrap();
        assert_eq!(intervals(&run, &P99), intervals(&run, &P99));
    }

    #[test]
    fn equal_blocks_have_no_spread_but_their_resolution() {
        let run = Resampler::new(&units(|_| vec![(1_000, 98), (12_800, 2)], 30, 10)).unwrap();
        assert_eq!(intervals(&run, &P99), [Bracket { at_least_ns: 12_800, at_most_ns: Some(12_900) }]);
    }

    #[test]
    fn one_bad_stretch_widens_the_interval_as_independent_draws_would_not() {
        // Ten consecutive blocks of 600 hold all the slow samples: 2 % of all, in one stretch of time.
        let slow = |i: u32| if (300..312).contains(&i) { vec![(1_000, 0), (90_000, 100)] } else { vec![(1_000, 100)] };
        let run = Resampler::new(&units(slow, 600, 1)).unwrap();
        let Bracket { at_least_ns: low, at_most_ns: high } = intervals(&run, &P99)[0];
        assert_eq!(low, 1_000, "a redrawn run may miss the stretch");
        assert!(high.unwrap() >= 90_000, "or hold it");
    }

    #[test]
    fn few_blocks_and_short_ones_are_refused() {
        let reason = Resampler::new(&units(|_| vec![(1, 1)], 9, 10)).unwrap_err();
        assert!(reason.contains("this run has 9"), "{reason}");
        let reason = Resampler::new(&units(|_| vec![(1, 1)], 30, 1)).unwrap_err();
        assert!(reason.contains("this run has 6"), "{reason}");
        assert!(Resampler::new(&[]).is_err());
    }

    #[test]
    fn an_interval_beyond_the_histogram_has_no_upper_end() {
        let run = Resampler::new(&units(|_| vec![(1, 90), (BEYOND, 10)], 20, 10)).unwrap();
        assert_eq!(intervals(&run, &P99)[0].at_most_ns, None);
        assert!(difference_intervals(&run, &run, &P99)[0].is_err());
    }

    #[test]
    fn the_difference_of_a_run_with_itself_spans_zero() {
        let run = Resampler::new(&units(|i| vec![(i64::from(1_000 + i * 13 % 50), 100)], 60, 10)).unwrap();
        let (low, high) = difference_intervals(&run, &run, &P99)[0].clone().unwrap();
        assert!(low <= 0 && 0 <= high);
    }

    #[test]
    fn intervals_cover_the_true_quantile_of_independent_blocks() {
        // The true p99 of values uniform on 0..100,000 is 99,000. 95 % intervals of 100 runs shall mostly hold it.
        let mut random = fastrand::Rng::with_seed(7);
        let mut covered = 0;
        for _ in 0..100 {
            let mut block = || (0..50).map(|_| (random.i64(0..100_000), 1)).collect();
            let run: Vec<Unit> = (0..40).map(|_| Unit { length_s: 10, cells: gather(block()) }).collect();
            let ends = intervals(&Resampler::new(&run).unwrap(), &P99)[0];
            covered += u32::from((ends.at_least_ns..=ends.at_most_ns.unwrap()).contains(&99_000));
        }
        assert!(covered >= 85, "{covered} of 100 intervals hold the truth");
    }

    #[test]
    fn a_redrawn_run_without_a_sample_has_the_largest_value_as_its_quantile() {
        let of = |counts: [u64; 2]| quantiles(&[5, 9], &counts, &[Level::nines(2), Level::nines(100)]);
        assert_eq!([of([0, 0]), of([98, 2]), of([99, 1])], [[9, 9], [5, 9], [5, 5]]);
        // One block of twenty has all the samples, so that a third of the redrawn runs have none.
        let cells = |i: u32| if i == 0 { vec![(1_000, 99), (12_800, 1)] } else { vec![] };
        let run = Resampler::new(&units(cells, 20, 10)).unwrap();
        let median = intervals(&run, &[Level::nines(2)])[0];
        assert_eq!(median, Bracket { at_least_ns: 1_000, at_most_ns: Some(12_900) });
    }

    #[test]
    fn blocks_without_any_sample_are_refused() {
        let found = Resampler::new(&units(|_| vec![], 20, 10));
        assert!(found.is_err(), "{:?}", found.map(|run| intervals(&run, &P99)));
    }

    #[test]
    fn a_fortieth_of_the_draws_is_cut_from_each_end() {
        let draws = |count: u32| middle_95((1..=count).rev().collect(), Ord::cmp);
        assert_eq!([draws(1), draws(39), draws(40), draws(2_000)], [(1, 1), (1, 39), (2, 39), (51, 1_950)].map(Some));
        assert_eq!(draws(0), None);
    }
}
