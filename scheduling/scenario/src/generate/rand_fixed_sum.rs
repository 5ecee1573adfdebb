//! A fixed number of utilizations with a given sum, evenly over all such with none above one, without discarding.
//!
//! Stafford's method, brought to task sets by Emberson, Stafford, Davis (WATERS 2010). The points of the unit cube with
//! one sum form a slice, which splits into simplices of two kinds: those that touch the face where the last coordinate
//! is 1, and those that touch the face where it is 0. Choose a kind by its share of the volume, a point in the simplex
//! by one random number, and go on in one dimension less. We carry ratios of neighbouring volumes instead of the
//! volumes themselves, so that no number of tasks underflows.

use super::random::{shuffle, unit, unit_above_zero};
use super::share::Share;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// So many tasks in each set, all within one range. Time and memory grow with tasks x utilization.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandFixedSum {
    /// How many tasks a set has.
    pub tasks: NonZeroU16,
    /// The least and the most that a task may have; `None` for 0 and 1.
    #[serde(default)]
    pub range: Option<[Share; 2]>,
}

impl RandFixedSum {
    /// Utilizations with the sum `total`; `None` if so many tasks cannot have that sum within the range.
    pub fn shares(&self, rng: &mut ChaCha8Rng, total: f64) -> Option<Vec<f64>> {
        let tasks = usize::from(self.tasks.get());
        let [one, other] = self.range.map_or([0.0, 1.0], |range| range.map(Share::value));
        let (low, width) = (one.min(other), (one - other).abs());
        let above = total - low * tasks as f64;
        if above < 0.0 || above > width * tasks as f64 {
            return None;
        }
        // In units of the range's width the slice is that of the unit cube; a range of one point leaves nothing to
        // draw.
        let in_widths = if width == 0.0 { 0.0 } else { above / width };
        let mut shares = walk(rng, &Slices::new(tasks, in_widths), in_widths);
        shares.iter_mut().for_each(|share| *share = low + width * *share);
        shuffle(rng, &mut shares);
        Some(shares)
    }
}

/// For each number of coordinates, and each sum that differs from `total` by a whole number, the chance of the face at
/// 1.
struct Slices {
    tasks: usize,
    /// The whole part of the total, less than the number of tasks.
    whole: usize,
    /// Row `i - 2` for i coordinates, column j for the sum `total - whole + j`.
    chances: Vec<Vec<f64>>,
}

impl Slices {
    /// The volume of the slice of the i-cube at sum x obeys i V_i(x) = x V_{i-1}(x) + (i - x) V_{i-1}(x - 1), the
    /// second term being the face at 1; `ratios[j]` is V(x_j) / V(x_j - 1), which is infinite for j = 0.
    fn new(tasks: usize, total: f64) -> Self {
        let whole = (total as usize).min(tasks - 1);
        let sum_at = |j: usize| total - whole as f64 + j as f64;
        let mut ratios = vec![0.0; whole + 1];
        ratios[0] = f64::INFINITY;
        let mut chances = Vec::with_capacity(tasks - 1);
        for coordinates in 2..=tasks {
            let columns = whole.min(coordinates - 1) + 1;
            let beyond = |j: usize| coordinates as f64 - sum_at(j);
            chances.push((0..columns).map(|j| face_at_one(ratios[j], sum_at(j), beyond(j))).collect());
            for j in (1..columns).rev() {
                ratios[j] = (ratios[j] * sum_at(j) + beyond(j)) / (sum_at(j - 1) + beyond(j - 1) / ratios[j - 1]);
            }
        }
        Self { tasks, whole, chances }
    }

    fn chance(&self, coordinates: usize, j: usize) -> f64 {
        self.chances[coordinates - 2][j]
    }
}

/// The share of the face at 1 in a slice at `sum`, `beyond` short of the corner where all coordinates are 1.
fn face_at_one(ratio: f64, sum: f64, beyond: f64) -> f64 {
    if ratio == f64::INFINITY {
        return 0.0;
    }
    if beyond <= 0.0 { 1.0 } else { beyond / (ratio * sum + beyond) }
}

/// One point of the slice, coordinate after coordinate.
fn walk(rng: &mut ChaCha8Rng, slices: &Slices, total: f64) -> Vec<f64> {
    let (mut sum, mut j) = (total, slices.whole);
    let (mut centre, mut scale) = (0.0, 1.0);
    let mut point = Vec::with_capacity(slices.tasks);
    for coordinates in (2..=slices.tasks).rev() {
        let at_one = unit(rng) < slices.chance(coordinates, j);
        let shrink = libm::pow(unit_above_zero(rng), 1.0 / (coordinates - 1) as f64);
        centre += (1.0 - shrink) * scale * sum / coordinates as f64;
        scale *= shrink;
        let face = if at_one { 1.0 } else { 0.0 };
        point.push(centre + scale * face);
        sum -= face;
        j -= usize::from(at_one);
    }
    point.push(centre + scale * sum);
    point
}

#[cfg(test)]
mod tests {
    use super::super::{UUniFastDiscard, set_rng};
    use super::*;

    fn family(tasks: u16) -> RandFixedSum {
        RandFixedSum { tasks: NonZeroU16::new(tasks).unwrap(), range: None }
    }

    #[test]
    fn sums_and_bounds_hold_for_every_total() {
        let mut rng = set_rng(8, 0, 0);
        for (tasks, total) in
            [(1, 0.5), (1, 1.0), (2, 1.0), (5, 4.9), (8, 8.0), (40, 0.01), (160, 8.0), (2_000, 16.5), (300, 299.9)]
        {
            for _ in 0..50 {
                let shares = family(tasks).shares(&mut rng, total).unwrap();
                assert_eq!(shares.len(), usize::from(tasks));
                assert!((shares.iter().sum::<f64>() - total).abs() < 1e-6, "{tasks} tasks, {total}");
                assert!(shares.iter().all(|share| (-1e-12..=1.0 + 1e-12).contains(share)), "{tasks} tasks, {total}");
            }
        }
        assert_eq!(family(4).shares(&mut rng, 4.1), None);
    }

    #[test]
    fn a_range_is_kept_and_its_ends_bound_the_total() {
        let heavy = RandFixedSum { range: Some([0.5, 0.9].map(|share| Share::try_from(share).unwrap())), ..family(10) };
        let mut rng = set_rng(8, 0, 2);
        for total in [5.0, 5.5, 7.0, 8.999] {
            let shares = heavy.shares(&mut rng, total).unwrap();
            assert!((shares.iter().sum::<f64>() - total).abs() < 1e-9);
            assert!(shares.iter().all(|share| (0.5 - 1e-9..=0.9 + 1e-9).contains(share)), "{shares:?}");
        }
        assert_eq!(heavy.shares(&mut rng, 4.9), None);
        assert_eq!(heavy.shares(&mut rng, 9.1), None);
    }

    #[test]
    fn two_coordinates_are_uniform_over_what_the_sum_leaves() {
        let mut rng = set_rng(8, 0, 1);
        let firsts: Vec<f64> = (0..20_000).map(|_| family(2).shares(&mut rng, 1.2).unwrap()[0]).collect();
        let below = |limit: f64| firsts.iter().filter(|first| **first < limit).count();
        assert_eq!(below(0.2 - 1e-9), 0);
        assert!(below(0.4).abs_diff(5_000) < 250 && below(0.8).abs_diff(15_000) < 250);
    }

    /// The twin: cut at random and discard, which is obviously even. First, second moment and the largest of each set
    /// agree.
    #[test]
    fn the_distribution_is_that_of_uunifast_discard() {
        for (tasks, total, point) in [(4, 1.5, 0), (6, 2.5, 1), (3, 1.9, 2)] {
            let discard = UUniFastDiscard { tasks: NonZeroU16::new(tasks).unwrap() };
            let (mut one, mut other) = (set_rng(9, point, 0), set_rng(9, point, 1));
            let ours = moments(|| family(tasks).shares(&mut one, total).unwrap());
            let twin = moments(|| discard.shares(&mut other, total).unwrap());
            assert!(ours.iter().zip(twin).all(|(a, b)| (a - b).abs() < 0.008), "{tasks} {total}: {ours:?} {twin:?}");
        }
    }

    fn moments(mut draw: impl FnMut() -> Vec<f64>) -> [f64; 4] {
        const SETS: usize = 20_000;
        let mut sums = [0.0; 4];
        for _ in 0..SETS {
            let shares = draw();
            let largest = shares.iter().copied().fold(0.0, f64::max);
            let values = [shares[0], shares[0].powi(2), largest, shares[0] * shares[1]];
            values.into_iter().zip(&mut sums).for_each(|(value, sum)| *sum += value / SETS as f64);
        }
        sums
    }
}
