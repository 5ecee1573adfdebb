//! How close jobs may come where a certificate says how many arrive in intervals of several lengths.
//!
//! Job k comes after job 0 by the most that steps (N jobs in W) give which have k jobs in all: each takes its W. Of a sum, fewer than N* steps
//! need be others than the one with the largest W*/N*: any N* of them contain some whose jobs are a multiple of N*, for which that one gives as
//! much. So the sums of the others are few, and all else is that one step, over and over.

use prazo_core::task::{TICKS_MAX, Ticks};

/// The steps with what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Jobs and interval, both ascending.
    steps: Vec<(u64, Ticks)>,
    /// The step with the largest W/N.
    longest: (u64, Ticks),
    /// By number of jobs: the most that steps other than the longest give with no more jobs.
    others: Vec<u128>,
}

impl Curve {
    /// A curve of `steps`; `None` unless there are 1 to 24, with 1 to 64 jobs, both numbers ascending.
    pub fn new(steps: Vec<(u64, Ticks)>) -> Option<Self> {
        let bounded = steps.iter().all(|(jobs, within)| (1..=64).contains(jobs) && (1..=TICKS_MAX).contains(within));
        let ascend = steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
        if !(1..=24).contains(&steps.len()) || !bounded || !ascend {
            return None;
        }
        let longer =
            |a: &(u64, Ticks), b: &(u64, Ticks)| u128::from(a.1) * u128::from(b.0) > u128::from(b.1) * u128::from(a.0);
        let longest =
            steps.iter().copied().reduce(|so_far, step| if longer(&step, &so_far) { step } else { so_far })?;
        let most = steps.iter().map(|step| step.0).max()?;
        let mut others: Vec<u128> = vec![0];
        for jobs in 1..=(longest.0 - 1) * most {
            let with = |&(count, within): &(u64, Ticks)| {
                let before = others.get(usize::try_from(jobs.checked_sub(count)?).ok()?)?;
                Some(before + u128::from(within))
            };
            let best = steps.iter().filter(|step| **step != longest).filter_map(with).max();
            others.push(best.unwrap_or(0).max(others[others.len() - 1]));
        }
        Some(Self { steps, longest, others })
    }

    /// Jobs and interval of the step that decides in the long run.
    pub fn rate(&self) -> (u64, Ticks) {
        self.longest
    }

    /// The most work of a step, where a job costs so much.
    pub(crate) fn work(&self, cost: u128) -> u128 {
        self.steps.iter().map(|(jobs, _)| u128::from(*jobs) * cost).max().unwrap_or(0)
    }

    /// The earliest arrival of job `job` after job 0.
    pub(crate) fn arrival(&self, job: u64) -> u128 {
        let (count, within) = self.longest;
        let with =
            |(jobs, sum): (u64, &u128)| Some(sum + u128::from(job.checked_sub(jobs)? / count) * u128::from(within));
        (0..).zip(&self.others).filter_map(with).max().unwrap_or(0)
    }

    /// Jobs that can arrive from an instant up to and with `length` later.
    pub(crate) fn arrived(&self, length: u128) -> u128 {
        let (count, within) = self.longest;
        // So many are too many: whole repetitions alone take longer.
        let (mut is, mut too_many) = (0, (length / u128::from(within) + 1) * u128::from(count) + 1);
        while is + 1 < too_many {
            let middle = is + (too_many - is) / 2;
            let fits = u64::try_from(middle).is_ok_and(|job| self.arrival(job) <= length);
            (is, too_many) = if fits { (middle, too_many) } else { (is, middle) };
        }
        is + 1
    }

    /// From this arrival on, as many jobs as the longest step has come exactly its interval later.
    pub(crate) fn settled(&self) -> u128 {
        let (count, within) = self.longest;
        let repeats = |job: &u64| self.arrival(job + count) == self.arrival(*job) + u128::from(within);
        let first = (0..self.others.len() as u64).rev().take_while(repeats).last();
        self.arrival(first.unwrap_or(self.others.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_no_closer_than_every_sum_of_steps() {
        for steps in [vec![(1, 2), (3, 10)], vec![(2, 1), (4, 5), (6, 30)], vec![(1, 4), (2, 9), (5, 21)], vec![(3, 7)]]
        {
            let curve = Curve::new(steps.clone()).unwrap();
            let mut sums = vec![0u128];
            for job in 1..120u64 {
                let with = |(count, within): &(u64, u64)| {
                    Some(sums[usize::try_from(job.checked_sub(*count)?).unwrap()] + u128::from(*within))
                };
                sums.push(steps.iter().filter_map(with).max().unwrap_or(0));
                assert_eq!(curve.arrival(job), sums[job as usize], "{steps:?} {job}");
            }
            for length in 0..100 {
                let counted = sums.iter().filter(|sum| **sum <= length).count() as u128;
                assert!(counted == 120 || curve.arrived(length) == counted, "{steps:?} {length}");
            }
        }
        assert_eq!(Curve::new(vec![(2, 5), (2, 9)]), None);
        assert_eq!(Curve::new(vec![(65, 5)]), None);
    }
}
