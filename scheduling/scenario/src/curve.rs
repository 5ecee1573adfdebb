//! The densest arrivals that a curve of steps allows.
//!
//! A curve says for each of a few intervals how many jobs arrive in it at most. Job k comes after job 0 by at least
//!
//! ```text
//! delta(k) = max over the steps (N in W) with N <= k of delta(k - N) + W,   0 if there is none
//! ```
//!
//! since N jobs more take W more. Arrivals at delta(0), delta(1), ... keep to the curve, for delta(a + b) >= delta(a) + delta(b): they are the
//! densest of all from an instant on. Le Boudec, Thiran, Network Calculus, 2001 (the sub-additive closure of arrival curves).
//!
//! In the long run the step with the largest W/N decides: from some job on, N jobs more take exactly its W more. For of any N steps in a
//! sum, some have together a multiple of N jobs, and that step can take their place without a loss; so fewer than N others are needed,
//! and beyond N times the most jobs of a step every sum has it. A table goes that far.

use prazo_core::behaviour::{ArrivalCurve, ArrivalStep};
use prazo_core::task::Ticks;

/// delta of every job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DensestArrivals {
    /// The step that decides in the long run.
    longest: ArrivalStep,
    /// delta of the first jobs; from `begins` on it repeats, `longest.within` later, and one whole repetition is here.
    deltas: Vec<u128>,
    /// The first job from which on that is so.
    begins: usize,
}

impl DensestArrivals {
    /// Those of `curve`.
    pub fn of(curve: &ArrivalCurve) -> Self {
        let longest = curve.longest();
        let repeated = longest.jobs as usize;
        let most = curve.steps().iter().map(|step| step.jobs as usize).max().unwrap_or(1);
        let mut deltas: Vec<u128> = Vec::new();
        for job in 0..repeated * (most + 1) + repeated {
            let after =
                |step: &ArrivalStep| Some(deltas.get(job.checked_sub(step.jobs as usize)?)? + u128::from(step.within));
            let delta = curve.steps().iter().filter_map(after).max().unwrap_or(0);
            deltas.push(delta);
        }
        let repeats = |job: &usize| deltas[*job + repeated] == deltas[*job] + u128::from(longest.within);
        let begins = (0..deltas.len() - repeated).rev().take_while(repeats).last().unwrap_or(0);
        deltas.truncate(begins + repeated);
        Self { longest, deltas, begins }
    }

    /// N of the step that decides in the long run.
    pub fn jobs(&self) -> u64 {
        self.longest.jobs
    }

    /// W of that step.
    pub fn within(&self) -> Ticks {
        self.longest.within
    }

    /// delta(k).
    pub fn earliest(&self, job: u64) -> u128 {
        let Some(beyond) = job.checked_sub(self.deltas.len() as u64) else { return self.deltas[job as usize] };
        let repetitions = beyond / self.longest.jobs + 1;
        self.deltas[(job - repetitions * self.longest.jobs) as usize]
            + u128::from(repetitions) * u128::from(self.longest.within)
    }

    /// Jobs with delta(k) <= `length`.
    pub fn arrived(&self, length: u128) -> u128 {
        let within = u128::from(self.longest.within);
        let repetitions = length.saturating_sub(self.deltas[self.begins]) / within;
        let rest = length - repetitions * within;
        let counted = self.deltas.partition_point(|delta| *delta <= rest) as u128;
        counted + repetitions * u128::from(self.longest.jobs)
    }

    /// From this length on, W more have exactly N jobs more.
    pub fn settled_after(&self) -> u128 {
        self.deltas[self.begins]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn densest(steps: &[(u64, Ticks)]) -> DensestArrivals {
        let steps: Vec<ArrivalStep> = steps.iter().map(|&(jobs, within)| ArrivalStep { jobs, within }).collect();
        DensestArrivals::of(&ArrivalCurve::new(&steps).unwrap())
    }

    #[test]
    fn a_curve_by_hand() {
        // At most 1 in 2, 3 in 10: 0, 2, 4, 10, 12, 14, 20.
        let burst = densest(&[(1, 2), (3, 10)]);
        assert_eq!((0..7).map(|job| burst.earliest(job)).collect::<Vec<_>>(), [0, 2, 4, 10, 12, 14, 20]);
        assert_eq!([0, 1, 2, 9, 10, 24].map(|length| burst.arrived(length)), [1, 1, 2, 3, 4, 9]);
        // Two may come together, 4 in 5, 6 in 30: the last two steps meet at the seventh job.
        let three = densest(&[(2, 1), (4, 5), (6, 30)]);
        assert_eq!((0..9).map(|job| three.earliest(job)).collect::<Vec<_>>(), [0, 0, 1, 1, 5, 5, 30, 30, 31]);
        assert_eq!((three.jobs(), three.within()), (6, 30));
    }

    #[test]
    fn the_table_goes_on_as_the_definition_does() {
        let mut random = fastrand::Rng::with_seed(13);
        for _ in 0..400 {
            let (mut jobs, mut within) = (0, 0);
            let steps: Vec<(u64, Ticks)> = (0..random.usize(1..=4))
                .map(|_| {
                    (jobs, within) = (jobs + random.u64(1..=3), within + random.u64(1..=9));
                    (jobs, within)
                })
                .collect();
            let table = densest(&steps);
            let mut deltas: Vec<u128> = Vec::new();
            for job in 0..300u64 {
                let after = |(jobs, within): &(u64, Ticks)| {
                    Some(deltas[usize::try_from(job.checked_sub(*jobs)?).unwrap()] + u128::from(*within))
                };
                deltas.push(steps.iter().filter_map(after).max().unwrap_or(0));
                assert_eq!(table.earliest(job), deltas[job as usize], "{steps:?} {job}");
            }
            for length in 0..200 {
                let counted = deltas.iter().filter(|delta| **delta <= length).count();
                if counted < 300 {
                    assert_eq!(table.arrived(length), counted as u128, "{steps:?} {length}");
                }
            }
            assert!((0..100).all(|a| (0..100).all(|b| deltas[a + b] >= deltas[a] + deltas[b])));
        }
    }
}
