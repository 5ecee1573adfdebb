//! Jobs suspend themselves: they leave processor and queue, and join the queue again when they resume.

use super::{Membership, Simulation};
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use crate::suspension::Stop;
use crate::timers::Timer;
use prazo_core::event::EventKind;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// When the job of `task` suspends itself next if it runs from `start` on.
    pub(super) fn suspends_at(&mut self, task: usize, start: Instant) -> Instant {
        let (executed, stop) = self.next_stop(task);
        stop.map_or(Instant::NEVER, |stop| start + stop.after.saturating_sub(executed))
    }

    /// What the job of `task` had executed when it was dispatched, and where it suspends itself next; stops without length are passed over.
    fn next_stop(&mut self, task: usize) -> (Duration, Option<Stop>) {
        let (model, state) = (&self.model.tasks[task], &mut self.tasks[task]);
        let whole = model.execution.of_job(state.serving.job);
        let stops = model.suspension.of_job(state.serving.job, whole);
        while stops.get(state.suspended).is_some_and(|stop| stop.length.is_zero()) {
            state.suspended += 1;
        }
        (whole.saturating_sub(state.remaining), stops.get(state.suspended).copied())
    }

    /// The job on `cpu` suspends itself.
    pub(super) fn suspend(&mut self, cpu: usize, now: Instant) {
        let task = self.cpus[cpu].running;
        let (_, Some(stop)) = self.next_stop(task) else { return self.forget_point(cpu) };
        self.tasks[task].suspended += 1;
        self.tasks[task].suspended_since = Some(now);
        self.leave(cpu, now);
        self.figures.tasks[task].suspensions += 1;
        self.set(Timer::Resumption(task), now.saturating_add(stop.length));
    }

    /// The job on `cpu` waits for something else than a processor.
    pub(super) fn leave(&mut self, cpu: usize, now: Instant) {
        let task = std::mem::replace(&mut self.cpus[cpu].running, NOBODY);
        self.tasks[task].remaining = self.timers.at(Timer::Completion(cpu)) - now;
        self.cpus[cpu].freed_at = Some(now);
        self.stop_timers(cpu);
        let Membership { cluster, index, .. } = self.memberships[task];
        self.clusters[cluster].finish(index);
        self.open(cluster);
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Suspension);
    }

    /// The job of `task` is ready again.
    pub(super) fn resume(&mut self, task: usize, now: Instant) {
        self.set(Timer::Resumption(task), Instant::NEVER);
        self.count_suspended(task, now);
        self.come_back(task, now);
    }

    /// What the job of `task` has been suspended until `end`, where it resumes or the run ends.
    pub(super) fn count_suspended(&mut self, task: usize, end: Instant) {
        if let Some(since) = self.tasks[task].suspended_since.take() {
            self.figures.tasks[task].suspended_ns += u128::from(end.saturating_since(since).as_ns());
        }
    }

    /// What the job of `task` has waited for has come.
    pub(super) fn come_back(&mut self, task: usize, now: Instant) {
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Resumption);
        self.join_again(task, now);
    }
}
