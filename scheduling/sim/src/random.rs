//! Draws that depend on the seed, the task and the job alone, so that any job's value can be had at any time, in any order.
//!
//! A stream that is consumed would tie a job's execution time to how many draws other jobs made before it, and would
//! have to be kept for every job that waits. Here nothing is kept: a draw is a finished hash of its place. The hash is
//! SplitMix64's, so that a seed gives the same run for ever.

use prazo_core::hash::{GOLDEN, mixed};
use prazo_core::time::Duration;

/// What a draw is for; two purposes of one job are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// When the first job arrives.
    Offset,
    /// How much later than the minimum a sporadic job arrives.
    Distance,
    /// How long after its arrival a job is released.
    Jitter,
    /// How long a job executes.
    Execution,
    /// Where a job suspends itself, and for how long.
    Suspension,
    /// When a supply gives its budget.
    Supply,
}

/// The draws of one task for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    key: u64,
}

impl Draws {
    /// The draws for `purpose` of task number `task` in the run with this seed.
    pub const fn new(seed: u64, task: usize, purpose: Purpose) -> Self {
        let place = mixed(seed.wrapping_add(GOLDEN)).wrapping_add(task as u64);
        Self { key: mixed(mixed(place.wrapping_mul(GOLDEN)) ^ purpose as u64) }
    }

    /// 64 random bits that belong to job number `job`.
    pub const fn bits(self, job: u64) -> u64 {
        mixed(self.key.wrapping_add(job.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// A length from nothing to `most`, in whole nanoseconds.
    pub const fn within(self, job: u64, most: Duration) -> Duration {
        Duration::from_ns(self.up_to(job, most.as_ns()))
    }

    /// A whole number from 0 to `most`; its bias is below `most / 2^64`.
    pub const fn up_to(self, job: u64, most: u64) -> u64 {
        ((self.bits(job) as u128 * (most as u128 + 1)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seeds_tasks_purposes_and_jobs_differ() {
        let one = Draws::new(1, 2, Purpose::Jitter);
        let others = [
            Draws::new(2, 2, Purpose::Jitter).bits(3),
            Draws::new(1, 3, Purpose::Jitter).bits(3),
            Draws::new(1, 2, Purpose::Execution).bits(3),
            one.bits(4),
        ];
        assert!(others.iter().all(|other| *other != one.bits(3)));
        assert_eq!(one.bits(3), Draws::new(1, 2, Purpose::Jitter).bits(3));
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let draws = Draws::new(7, 0, Purpose::Distance);
        let mut counts = [0u32; 6];
        (0..60_000).for_each(|job| counts[draws.up_to(job, 5) as usize] += 1);
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 400), "{counts:?}");
        assert_eq!(draws.up_to(9, 0), 0);
    }
}
