//! Where jobs suspend themselves, and for how long: anything that a bound on the sum of a job's suspensions allows.
//!
//! A job suspends itself after it has executed so much, so only when it would run otherwise. It is back after the length of its suspension,
//! whatever others do meanwhile. No choice is the worst one for all sets: a suspension at the start lets two jobs of a task
//! follow each other closely, one in the middle leaves the processor to others twice.

use crate::random::{Draws, Purpose};
use prazo_core::time::Duration;

/// Where jobs suspend themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspensions {
    /// Up to three times at random places; half of the jobs for their bound in all, the others for less.
    #[default]
    Random,
    /// Once for the whole bound, before a job executes anything.
    Start,
    /// Once for the whole bound, after half of what a job executes.
    Middle,
}

prazo_core::words!(Suspensions: Random => "random", Start => "start", Middle => "middle");

/// One suspension of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// The job suspends itself after it has executed so much; less than all.
    pub after: Duration,
    /// For so long.
    pub length: Duration,
}

/// A job suspends itself at most so many times.
pub const STOPS_MAX: usize = 3;

/// The suspensions of one task's jobs.
#[derive(Clone, Copy, Debug)]
pub struct SelfSuspension {
    bound: Duration,
    places: Suspensions,
    draws: Draws,
}

impl SelfSuspension {
    /// Those of task number `task`, at most `bound` a job, in the run with this seed.
    pub fn new(bound: Duration, places: Suspensions, seed: u64, task: usize) -> Self {
        Self { bound, places, draws: Draws::new(seed, task, Purpose::Suspension) }
    }

    /// True if no job suspends itself.
    pub fn is_never(&self) -> bool {
        self.bound.is_zero()
    }

    /// Those of job number `job`, which executes for `execution`, in order; a stop without length is none.
    pub fn of_job(&self, job: u64, execution: Duration) -> [Stop; STOPS_MAX] {
        let once = |after| [Stop { after, length: self.bound }, Stop::default(), Stop::default()];
        match self.places {
            _ if self.is_never() => [Stop::default(); STOPS_MAX],
            Suspensions::Start => once(Duration::ZERO),
            Suspensions::Middle => once(Duration::from_ns(execution.as_ns() / 2)),
            Suspensions::Random => self.drawn(job, execution),
        }
    }

    fn drawn(&self, job: u64, execution: Duration) -> [Stop; STOPS_MAX] {
        let draw = |which: u64, most: Duration| self.draws.within(job.wrapping_mul(8).wrapping_add(which), most);
        let is_whole = draw(0, Duration::from_ns(1)).is_zero();
        let total = if is_whole { self.bound } else { draw(1, self.bound) };
        let last_place = execution.saturating_sub(Duration::from_ns(1));
        let mut places = [2, 3, 4].map(|which| draw(which, last_place));
        places.sort_unstable();
        let mut cuts = [draw(5, total), draw(6, total)];
        cuts.sort_unstable();
        let lengths = [cuts[0], cuts[1].saturating_sub(cuts[0]), total.saturating_sub(cuts[1])];
        let mut stops = [Stop::default(); STOPS_MAX];
        stops.iter_mut().zip(places.into_iter().zip(lengths)).for_each(|(stop, (after, length))| {
            *stop = Stop { after, length };
        });
        stops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_in_order_within_the_job_and_reach_the_bound() {
        let (bound, execution) = (Duration::from_ns(40), Duration::from_ns(10));
        let random = SelfSuspension::new(bound, Suspensions::Random, 3, 1);
        let mut sums = Vec::new();
        for job in 0..2_000 {
            let stops = random.of_job(job, execution);
            assert!(stops.windows(2).all(|two| two[0].after <= two[1].after), "{stops:?}");
            assert!(stops.iter().all(|stop| stop.after < execution), "{stops:?}");
            sums.push(stops.iter().map(|stop| stop.length.as_ns()).sum::<u64>());
        }
        assert!(sums.iter().all(|sum| *sum <= 40) && sums.contains(&0));
        assert!(sums.iter().filter(|sum| **sum == 40).count() > 900);
        let middle = SelfSuspension::new(bound, Suspensions::Middle, 3, 1).of_job(7, execution);
        assert_eq!(middle[0], Stop { after: Duration::from_ns(5), length: bound });
    }
}
