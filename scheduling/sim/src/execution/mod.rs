//! How long jobs execute: always their bound, or drawn below it, or by chance beyond it.

mod bimodal;
mod bound;
mod overrun;
mod uniform;

use crate::random::{Draws, Purpose};
use prazo_core::time::Duration;

/// The distribution of execution times, relative to each task's bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Every job needs its bound: the case that analysis speaks of.
    #[default]
    Bound,
    /// Evenly from this share of the bound, in thousandths, to the bound.
    Uniform {
        /// The least share, in thousandths.
        least_thousandths: u32,
    },
    /// Mostly the same share of the bound, rarely all of it.
    Bimodal {
        /// The usual share, in thousandths.
        usual_thousandths: u32,
        /// One job in so many needs its bound.
        one_in: u32,
    },
    /// Mostly the bound, rarely more.
    Overrun {
        /// What a rare job needs, in thousandths of the bound.
        rare_thousandths: u32,
        /// One job in so many is rare.
        one_in: u32,
    },
}

/// The execution times of one task's jobs.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    distribution: Distribution,
    bound: Duration,
    draws: Draws,
}

impl Execution {
    /// Those of task number `task`, whose bound is `bound`, in the run with this seed.
    pub fn new(distribution: Distribution, bound: Duration, seed: u64, task: usize) -> Self {
        Self { distribution, bound, draws: Draws::new(seed, task, Purpose::Execution) }
    }

    /// What job number `job` needs; at least 1 ns, and at most the bound unless it overruns.
    #[inline]
    pub fn of_job(&self, job: u64) -> Duration {
        match self.distribution {
            Distribution::Bound => bound::of_job(self.bound),
            Distribution::Uniform { least_thousandths } => {
                uniform::of_job(self.bound, least_thousandths, self.draws, job)
            }
            Distribution::Bimodal { usual_thousandths, one_in } => {
                bimodal::of_job(self.bound, usual_thousandths, one_in, self.draws, job)
            }
            Distribution::Overrun { rare_thousandths, one_in } => {
                overrun::of_job(self.bound, rare_thousandths, one_in, self.draws, job)
            }
        }
    }
}

/// So many thousandths of `bound`, rounded up, at least 1 ns and at most all of it.
fn share(bound: Duration, thousandths: u32) -> Duration {
    let share = (u128::from(bound.as_ns()) * u128::from(thousandths)).div_ceil(1_000);
    Duration::from_ns(share as u64).clamp(Duration::from_ns(1), bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(distribution: Distribution) -> Vec<u64> {
        let execution = Execution::new(distribution, Duration::from_us(1), 5, 0);
        (0..10_000).map(|job| execution.of_job(job).as_ns()).collect()
    }

    #[test]
    fn no_job_needs_nothing_or_more_than_its_bound() {
        let uniform = drawn(Distribution::Uniform { least_thousandths: 0 });
        assert_eq!((uniform.iter().min(), uniform.iter().max()), (Some(&1), Some(&1_000)));
        assert!(drawn(Distribution::Bound).iter().all(|ns| *ns == 1_000));
    }

    #[test]
    fn a_bimodal_task_rarely_needs_its_bound() {
        let times = drawn(Distribution::Bimodal { usual_thousandths: 300, one_in: 100 });
        assert!(times.iter().all(|ns| *ns == 300 || *ns == 1_000));
        assert!(times.iter().filter(|ns| **ns == 1_000).count().abs_diff(100) < 40);
    }

    #[test]
    fn an_overrunning_task_rarely_needs_more_than_its_bound() {
        let times = drawn(Distribution::Overrun { rare_thousandths: 2_500, one_in: 100 });
        assert!(times.iter().all(|ns| *ns == 1_000 || *ns == 2_500));
        assert!(times.iter().filter(|ns| **ns == 2_500).count().abs_diff(100) < 40);
    }

    #[test]
    fn shares_round_up_and_never_vanish() {
        let share = |ns, thousandths| share(Duration::from_ns(ns), thousandths).as_ns();
        assert_eq!((share(10, 250), share(1, 1), share(u64::MAX, 1_000)), (3, 1, u64::MAX));
    }
}
