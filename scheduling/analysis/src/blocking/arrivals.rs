//! How many jobs of a task are released in an interval, at most.
//!
//! At most b jobs arrive in any half-open interval of length W, any two at least d apart; a period T is b = 1, W = T. The
//! densest arrivals from an instant on are b at 0, d, ..., (b - 1) d, and the same again every W:
//!
//! ```text
//! delta(k) = floor(k/b) W + (k mod b) d          the earliest arrival of job k = 0, 1, ... after job 0
//! ```
//!
//! A curve of several steps has the delta of [`DensestArrivals`](prazo_scenario::curve::DensestArrivals) instead.
//!
//! A job is released up to J after it arrives, so that from a release on job k may follow after max(0, delta(k) - J). The
//! functions count jobs that are released before an instant, or up to and with it; the difference matters where a job that is
//! about to start a non-preemptive part loses against one released at that very instant. Le Boudec, Thiran, Network
//! Calculus, 2001 (arrival curves); Richter, thesis, TU Braunschweig, 2005 (burst with distance).

use crate::{TICKS_MAX, Task, Ticks};
use prazo_core::behaviour::{ArrivalCurve, Burst};
use prazo_scenario::curve::DensestArrivals;
use std::sync::Arc;

/// The densest arrivals of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// b; with a curve, that of the step that decides in the long run.
    pub jobs: u64,
    /// W of the same.
    pub within: Ticks,
    /// d.
    pub distance: Ticks,
    /// J.
    pub jitter: Ticks,
    /// Those of a curve of several steps.
    pub curve: Option<Arc<DensestArrivals>>,
}

/// True if the jobs fit into the interval, their work into 48 bits, and the window too.
pub fn is_possible(task: &Task, burst: Burst) -> bool {
    let Burst { jobs, within, distance } = burst;
    let fits = |product: Option<u64>, most: Ticks| product.is_some_and(|product| product <= most);
    let counts = jobs > 0 && (1..=TICKS_MAX).contains(&within);
    counts && fits(jobs.checked_mul(distance), within) && fits(jobs.checked_mul(task.cost), TICKS_MAX)
}

/// True if the work of every step fits into 48 bits.
pub fn is_possible_curve(task: &Task, curve: &ArrivalCurve) -> bool {
    curve.steps().iter().all(|step| step.jobs.checked_mul(task.cost).is_some_and(|product| product <= TICKS_MAX))
}

impl Arrivals {
    /// Those of `task` by a curve.
    pub fn of_curve(task: &Task, curve: &Arc<DensestArrivals>) -> Self {
        let (jobs, within) = (curve.jobs(), curve.within());
        Self { jobs, within, distance: 0, jitter: task.jitter, curve: Some(Arc::clone(curve)) }
    }

    /// Those of `task`, a period apart or in bursts.
    pub fn of(task: &Task, burst: Option<Burst>) -> Self {
        let Burst { jobs, within, distance } =
            burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: task.period });
        Self { jobs, within, distance, jitter: task.jitter, curve: None }
    }

    /// delta(k).
    pub fn earliest(&self, job: u64) -> u128 {
        if let Some(curve) = &self.curve {
            return curve.earliest(job);
        }
        u128::from(job / self.jobs) * u128::from(self.within) + u128::from(job % self.jobs) * u128::from(self.distance)
    }

    /// Jobs with delta(k) <= `length`.
    pub fn arrived(&self, length: u128) -> u128 {
        if let Some(curve) = &self.curve {
            return curve.arrived(length);
        }
        let (windows, rest) = divided(length, self.within);
        if self.jobs == 1 {
            return windows + 1;
        }
        let of_last = rest.checked_div(u128::from(self.distance)).map_or(u128::MAX, |others| others + 1);
        windows * u128::from(self.jobs) + of_last.min(self.jobs.into())
    }

    /// Jobs released in [0, `instant`), where the first is released at 0.
    pub fn released_before(&self, instant: u128) -> u128 {
        match instant {
            0 => 0,
            // All arrivals are at whole ticks.
            instant => self.arrived(instant + u128::from(self.jitter) - 1),
        }
    }

    /// Jobs released in [0, `instant`].
    pub fn released_through(&self, instant: u128) -> u128 {
        self.arrived(instant + u128::from(self.jitter))
    }

    /// Jobs that are released and due within an interval of `length`, each due `deadline` after its arrival.
    pub fn due_within(&self, length: u128, deadline: Ticks) -> u128 {
        let since_first = (length + u128::from(self.jitter)).checked_sub(deadline.into());
        since_first.map_or(0, |since| self.arrived(since))
    }

    /// The longest interval up to `length` in which one job more is due than in any shorter one; `None` if none is due in it.
    pub fn last_due(&self, length: u128, deadline: Ticks) -> Option<u128> {
        let due = self.due_within(length, deadline).checked_sub(1)?;
        let last = self.earliest(due as u64) + u128::from(deadline);
        Some(last.saturating_sub(u128::from(self.jitter)))
    }
}

/// Quotient and remainder. Lengths are mostly short, and the processor divides these in one go.
#[inline]
fn divided(length: u128, by: Ticks) -> (u128, u128) {
    match u64::try_from(length) {
        Ok(length) => (u128::from(length / by), u128::from(length % by)),
        Err(_) => (length / u128::from(by), length % u128::from(by)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_comes_again_after_its_window() {
        let burst = Arrivals { jobs: 3, within: 10, distance: 2, jitter: 0, curve: None };
        assert_eq!((0..7).map(|job| burst.earliest(job)).collect::<Vec<_>>(), [0, 2, 4, 10, 12, 14, 20]);
        let counted: Vec<u128> = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13].map(|at| burst.released_before(at)).to_vec();
        assert_eq!(counted, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        assert_eq!(burst.released_through(10), 4);
        let together = Arrivals { distance: 0, ..burst.clone() };
        assert_eq!([1, 10, 11].map(|at| together.released_before(at)), [3, 3, 6]);
    }

    #[test]
    fn a_late_release_brings_the_others_closer() {
        let periodic = Arrivals { jobs: 1, within: 10, distance: 10, jitter: 3, curve: None };
        assert_eq!([1, 7, 8, 17, 18].map(|at| periodic.released_before(at)), [1, 1, 2, 2, 3]);
        assert_eq!([6, 7, 17].map(|length| periodic.due_within(length, 10)), [0, 1, 2]);
        assert_eq!([6, 7, 16, 40].map(|length| periodic.last_due(length, 10)), [None, Some(7), Some(7), Some(37)]);
    }

    #[test]
    fn counts_agree_with_counting() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2_000 {
            let (jobs, distance) = (random.u64(1..5), random.u64(0..4));
            let within = jobs * distance + random.u64(1..9);
            let arrivals = Arrivals { jobs, within, distance, jitter: random.u64(0..5), curve: None };
            let (at, deadline) = (random.u64(0..60).into(), random.u64(1..20));
            let release = |job| arrivals.earliest(job).saturating_sub(arrivals.jitter.into());
            let before = (0..400).filter(|job| release(*job) < at).count() as u128;
            let due = |job| arrivals.earliest(job) + u128::from(deadline) <= at + u128::from(arrivals.jitter);
            assert_eq!(arrivals.released_before(at), before, "{arrivals:?} {at}");
            assert_eq!(arrivals.due_within(at, deadline), (0..400).filter(|job| due(*job)).count() as u128);
        }
    }
}
