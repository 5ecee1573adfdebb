//! The alarms of a queue: what is due is released, the next alarm is set, and the timer of the processor that keeps them.
//!
//! One due alarm is the common case and has a way of its own; several join quietly before anything is decided; many are
//! swept, in as many steps as there are tasks.

use super::{END_OF_RUN, Processors, Queue};
use crate::arch;
use crate::configuration::TASKS;
use prazo_core::job::{Job, TaskIndex};
use prazo_core::time::{Duration, Instant};

/// What serving the alarms has done.
#[derive(Clone, Copy, Debug)]
pub struct Released {
    /// Jobs that arrived.
    pub jobs: usize,
    /// Processors that shall run something else, as far as that is decided.
    pub concerned: Processors,
}

impl Queue {
    /// Serves all alarms that are due at `now`.
    ///
    /// One job alone is inserted, which decides at once; of several each joins quietly and [`settle`](Self::settle) decides,
    /// so that their order does not matter.
    #[inline]
    pub fn release_due(&mut self, now: Instant) -> Released {
        if self.trace.is_on() { self.release_watched(now) } else { self.release::<false>(now) }
    }

    #[cold]
    #[inline(never)]
    fn release_watched(&mut self, now: Instant) -> Released {
        self.release::<true>(now)
    }

    /// The same text with watching and without: what is watched lies in memory all along, what is not in registers.
    #[inline(always)]
    fn release<const WATCHED: bool>(&mut self, now: Instant) -> Released {
        let (first, at) = self.alarms.earliest();
        if at > now {
            return Released { jobs: 0, concerned: 0 };
        }
        if first == END_OF_RUN {
            return Released { jobs: self.release_others::<WATCHED>(now), concerned: 0 };
        }
        let (task, job) = self.serve_alarm::<WATCHED>(first, now);
        if self.alarms.earliest().1 > now {
            let concerned = job.map_or(0, |job| self.ready::<WATCHED>(task, job, now));
            return Released { jobs: 1, concerned };
        }
        self.join_quietly(task, job, now);
        Released { jobs: 1 + self.release_others::<WATCHED>(now), concerned: 0 }
    }

    /// Releases quietly what is due at `now` beside the first; how many jobs.
    ///
    /// An alarm set anew costs log2(n), all of them together n: where more than one in log2(n) is due, the rest is swept.
    /// Where events are written, each job is watched for itself.
    #[inline(never)]
    fn release_others<const WATCHED: bool>(&mut self, now: Instant) -> usize {
        const MANY: usize = TASKS / TASKS.ilog2() as usize;
        let many = if WATCHED { usize::MAX } else { MANY };
        for jobs in 0..many {
            let (task, at) = self.alarms.earliest();
            if at > now {
                return jobs;
            }
            if task == END_OF_RUN {
                self.is_over = true;
                return jobs;
            }
            let (task, job) = self.serve_alarm::<WATCHED>(task, now);
            self.join_quietly(task, job, now);
        }
        many + self.sweep(now)
    }

    /// Releases quietly what is due at `now`, asking every task, and sets all alarms anew; how many jobs.
    fn sweep(&mut self, now: Instant) -> usize {
        self.is_over = self.end <= now;
        let until = now.min(self.end);
        let mut jobs = 0;
        let activities = &mut self.activities;
        self.cluster.enqueue_all(now, |task, parameters| {
            let activity = &mut activities[task.index()];
            let mut oldest = None;
            while activity.next_arrival <= until {
                let (job, is_first) = activity.arrive(parameters);
                oldest = if is_first { Some(job) } else { oldest };
                jobs += 1;
            }
            oldest
        });
        self.alarms.set_all(|task| if task == END_OF_RUN { self.end } else { self.activities[task].next_arrival });
        jobs
    }

    /// The alarm of task `number`, due at `now`, is served: its job arrives, and the next alarm is set.
    #[inline(always)]
    fn serve_alarm<const WATCHED: bool>(&mut self, number: usize, now: Instant) -> (TaskIndex, Option<Job>) {
        let task = TaskIndex::new(number).expect("alarms are as many as tasks");
        let activity = &mut self.activities[number];
        let (job, is_first) = activity.arrive(self.cluster.parameters(task));
        if WATCHED {
            return (task, self.serve_watched(task, job, now).filter(|_| is_first));
        }
        self.alarms.set(number, activity.next_arrival);
        (task, is_first.then_some(job))
    }

    /// Timers tick every `period` from now on; alarms are served at the tick that follows them.
    pub fn tick(&mut self, period: Duration) {
        self.tick = Some(period);
    }

    /// Starts the timer of processor `here`, which takes part from now on.
    pub fn begin_alarms(&mut self, here: usize, now: Instant) {
        match self.tick {
            Some(period) => arch::arm_periodic(period),
            None => {
                self.keeper.get_or_insert(here);
                self.keep_alarms(here, now);
            }
        }
    }

    /// Sets the timer of processor `here`, if it keeps the alarms.
    #[inline]
    pub fn keep_alarms(&mut self, here: usize, now: Instant) {
        if self.keeper == Some(here) {
            let (_, arrival) = self.alarms.earliest();
            let earliest = if self.trace.is_on() { self.watch_earliest(arrival) } else { arrival };
            arch::arm(now, earliest);
        }
    }
}
