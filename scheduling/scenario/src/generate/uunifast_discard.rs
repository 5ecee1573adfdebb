//! A fixed number of utilizations with a given sum, evenly over all such, by drawing again whatever is above one.
//!
//! UUniFast (Bini, Buttazzo, Real-Time Systems 30, 2005) cuts the sum at random; sets with a task above one are
//! discarded (Davis, Burns, RTSS 2009). Exact, but hopeless when the sum comes near half the number of tasks: then use
//! RandFixedSum.

use super::random::unit_above_zero;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// So many sets are discarded before the family gives up.
const ATTEMPTS: u32 = 10_000;

/// So many tasks in each set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UUniFastDiscard {
    /// How many tasks a set has.
    pub tasks: NonZeroU16,
}

impl UUniFastDiscard {
    /// Utilizations with the sum `total`; `None` if none of ten thousand attempts kept every one at or below one.
    pub fn shares(&self, rng: &mut ChaCha8Rng, total: f64) -> Option<Vec<f64>> {
        if total > f64::from(self.tasks.get()) {
            return None;
        }
        (0..ATTEMPTS).find_map(|_| attempt(rng, self.tasks.get(), total))
    }
}

/// One set, or nothing as soon as one task is above one.
fn attempt(rng: &mut ChaCha8Rng, tasks: u16, total: f64) -> Option<Vec<f64>> {
    let mut left = total;
    let mut shares = Vec::with_capacity(usize::from(tasks));
    for others in (0..tasks).rev() {
        let kept = if others == 0 { 0.0 } else { left * libm::pow(unit_above_zero(rng), 1.0 / f64::from(others)) };
        if left - kept > 1.0 {
            return None;
        }
        shares.push(left - kept);
        left = kept;
    }
    Some(shares)
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    #[test]
    fn the_sum_is_met_and_every_place_has_the_same_mean() {
        let family = UUniFastDiscard { tasks: NonZeroU16::new(6).unwrap() };
        let mut rng = set_rng(6, 0, 0);
        let mut means = [0.0; 6];
        for _ in 0..20_000 {
            let shares = family.shares(&mut rng, 1.5).unwrap();
            assert!((shares.iter().sum::<f64>() - 1.5).abs() < 1e-9);
            shares.iter().zip(&mut means).for_each(|(share, mean)| *mean += share / 20_000.0);
        }
        assert!(means.iter().all(|mean| (mean - 0.25).abs() < 0.006), "{means:?}");
    }

    #[test]
    fn a_sum_that_cannot_be_met_is_given_up() {
        let family = UUniFastDiscard { tasks: NonZeroU16::new(20).unwrap() };
        assert_eq!(family.shares(&mut set_rng(6, 0, 1), 19.5), None);
        assert_eq!(family.shares(&mut set_rng(6, 0, 1), 21.0), None);
    }
}
