//! When jobs arrive and when they become ready, as a sequence that any number of readers can walk at their own pace.
//!
//! A [`Pattern`] says how a task's jobs follow each other, a [`JobArrival`] stands at one job. Since draws belong to jobs
//! (`random.rs`), a place that lags behind walks over the same instants again: a backlog of any length needs no memory.

mod burst;
mod periodic;
mod sporadic;

use crate::random::{Draws, Purpose};
use prazo_core::time::{Duration, Instant};
use prazo_scenario::curve::DensestArrivals;
use std::sync::Arc;

/// Distances between the arrivals of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distances {
    /// Always the period.
    Periodic,
    /// The minimum, plus up to so much more, each amount as likely.
    Sporadic {
        /// The longest wait beyond the minimum.
        extra_max: Duration,
    },
    /// So many jobs in any window, as soon as that allows.
    Burst {
        /// b.
        jobs: u64,
        /// W.
        within: Duration,
        /// d.
        distance: Duration,
    },
    /// As soon as a curve of several steps allows.
    Curve {
        /// The earliest arrival of each job, in ticks.
        densest: Arc<DensestArrivals>,
        /// Nanoseconds of one tick.
        ns_per_tick: u64,
    },
}

impl Distances {
    /// The same where no distance exceeds the period by more than `limit`. Bounds of chains rely on that.
    pub fn limited_to(self, limit: Duration) -> Self {
        match self {
            Self::Sporadic { extra_max } => Self::Sporadic { extra_max: extra_max.min(limit) },
            // Nothing is added to a period, and a burst and a curve come as soon as they may.
            Self::Periodic | Self::Burst { .. } | Self::Curve { .. } => self,
        }
    }
}

/// How the jobs of one task follow each other.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Arrival of the first job.
    pub offset: Instant,
    /// T: distance of arrivals, or the least of it.
    pub period: Duration,
    /// What is added to the period.
    pub distances: Distances,
    /// J: the longest wait from arrival to release, each wait as likely.
    pub jitter_max: Duration,
    /// What the platform adds to every wait.
    pub latency: Duration,
    /// Draws of the distances.
    pub distance: Draws,
    /// Draws of the waits.
    pub jitter: Draws,
    /// True if another task's jobs release those of this one, whose releases are then not known beforehand.
    pub is_activated: bool,
}

/// One job's place in the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobArrival {
    /// The job's number, from 0.
    pub job: u64,
    /// When it arrives.
    pub arrival: Instant,
    /// When it becomes ready; never before its predecessor does.
    pub release: Instant,
}

impl Pattern {
    /// A pattern without jitter and latency, of task number `task` in the run with this seed.
    pub fn new(seed: u64, task: usize, period: Duration, distances: Distances) -> Self {
        Self {
            offset: Instant::EPOCH,
            period,
            distances,
            jitter_max: Duration::ZERO,
            latency: Duration::ZERO,
            distance: Draws::new(seed, task, Purpose::Distance),
            jitter: Draws::new(seed, task, Purpose::Jitter),
            is_activated: false,
        }
    }

    /// True if some job may become ready after it arrives.
    #[inline]
    pub fn is_delayed(&self) -> bool {
        self.is_activated || !self.jitter_max.is_zero() || !self.latency.is_zero()
    }

    /// Where the first job stands.
    pub fn first(&self) -> JobArrival {
        self.released(0, self.offset, Instant::EPOCH)
    }

    /// Where the job after `place` stands.
    #[inline]
    pub fn after(&self, place: JobArrival) -> JobArrival {
        let job = place.job + 1;
        let distance = match &self.distances {
            Distances::Periodic => periodic::distance(self.period),
            _ => self.distance_to(job),
        };
        self.released(job, place.arrival.saturating_add(distance), place.release)
    }

    /// The distance from the job before to number `job`. Out of line, so that periodic jobs do not pay for the others.
    #[inline(never)]
    fn distance_to(&self, job: u64) -> Duration {
        match &self.distances {
            Distances::Periodic => periodic::distance(self.period),
            &Distances::Burst { jobs, within, distance } => burst::distance(job, jobs, within, distance),
            &Distances::Sporadic { extra_max } => sporadic::distance(self.period, extra_max, self.distance, job),
            Distances::Curve { densest, ns_per_tick } => {
                let ticks = densest.earliest(job) - densest.earliest(job - 1);
                Duration::from_ns(u64::try_from(ticks).unwrap_or(u64::MAX).saturating_mul(*ns_per_tick))
            }
        }
    }

    #[inline]
    fn released(&self, job: u64, arrival: Instant, not_before: Instant) -> JobArrival {
        if !self.is_delayed() {
            return JobArrival { job, arrival, release: arrival };
        }
        let delay = self.latency + self.jitter.within(job, self.jitter_max);
        JobArrival { job, arrival, release: arrival.saturating_add(delay).max(not_before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Duration = Duration::from_ns(10);

    fn walk(pattern: Pattern, jobs: usize) -> Vec<JobArrival> {
        std::iter::successors(Some(pattern.first()), |place| Some(pattern.after(*place))).take(jobs).collect()
    }

    #[test]
    fn periodic_jobs_stand_on_a_grid() {
        let pattern = Pattern { offset: Instant::from_ns(3), ..Pattern::new(1, 0, TEN, Distances::Periodic) };
        let arrivals: Vec<u64> = walk(pattern, 4).iter().map(|place| place.arrival.as_ns()).collect();
        assert_eq!(arrivals, [3, 13, 23, 33]);
    }

    #[test]
    fn sporadic_jobs_are_never_closer_than_the_minimum_and_reach_the_maximum() {
        let pattern = Pattern::new(1, 0, TEN, Distances::Sporadic { extra_max: Duration::from_ns(5) });
        let distances: Vec<u64> =
            walk(pattern, 1_000).windows(2).map(|two| (two[1].arrival - two[0].arrival).as_ns()).collect();
        assert_eq!((distances.iter().min(), distances.iter().max()), (Some(&10), Some(&15)));
    }

    #[test]
    fn a_limit_shortens_what_is_added_to_the_period_and_nothing_else() {
        let sporadic = |ns| Distances::Sporadic { extra_max: Duration::from_ns(ns) };
        let limited = |distances: Distances| distances.limited_to(Duration::from_ns(3));
        assert_eq!([2, 5, u64::MAX].map(|ns| limited(sporadic(ns))), [2, 3, 3].map(sporadic));
        let burst = Distances::Burst { jobs: 2, within: Duration::from_ns(100), distance: TEN };
        assert_eq!((limited(Distances::Periodic), limited(burst.clone())), (Distances::Periodic, burst));
    }

    #[test]
    fn a_jittered_job_follows_its_arrival_and_never_overtakes() {
        let pattern = Pattern { jitter_max: Duration::from_ns(25), ..Pattern::new(1, 0, TEN, Distances::Periodic) };
        let places = walk(pattern, 1_000);
        assert!(places.windows(2).all(|two| two[0].release <= two[1].release));
        assert!(places.iter().all(|place| (0..=25).contains(&(place.release - place.arrival).as_ns())));
    }
}
