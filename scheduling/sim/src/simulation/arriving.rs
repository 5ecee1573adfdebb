//! Jobs arrive, become ready and join their cluster's queue, the oldest of each task.

use super::{Membership, Simulation};
use crate::ready::Ready;
use crate::sink::Sink;
use crate::timers::Timer;
use prazo_core::event::EventKind;
use prazo_core::job::Job;
use prazo_core::time::Instant;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    pub(super) fn arrive(&mut self, task: usize, now: Instant) {
        let pattern = &self.model.tasks[task].pattern;
        let place = self.tasks[task].arriving;
        let next = pattern.after(place);
        let is_delayed = !PLAIN && pattern.is_delayed();
        self.tasks[task].arriving = next;
        self.set(Timer::Arrival(task), next.arrival);
        self.emit(now, task, place.job, EventKind::Arrival);
        if self.is_left_out(task) {
            self.leave_out(task, place.job, now);
        }
        if !is_delayed {
            self.make_ready(task, now);
        }
    }

    pub(super) fn release(&mut self, task: usize, now: Instant) {
        self.make_ready(task, now);
        let next = match self.model.tasks[task].pattern.is_activated {
            true => {
                self.activated[task].pop_front();
                self.activated[task].front().copied().unwrap_or(Instant::NEVER)
            }
            false => self.tasks[task].releasing.release,
        };
        self.set(Timer::Release(task), next);
    }

    /// A job of `task` has ended: those that it activates are released, each after its delay.
    pub(super) fn activate(&mut self, task: usize, now: Instant) {
        if PLAIN {
            return;
        }
        for next in 0..self.model.activations.len() {
            let Some((_, delay)) = self.model.activations[next].filter(|(by, _)| *by == task) else { continue };
            let at = now.saturating_add(delay);
            self.activated[next].push_back(at);
            if self.activated[next].len() == 1 {
                self.set(Timer::Release(next), at);
            }
        }
    }

    /// The task's next job becomes ready; it joins the queue unless an older one is still pending. The alarm that says so
    /// interrupts also for a job that is left out.
    pub(super) fn make_ready(&mut self, task: usize, now: Instant) {
        let is_first = self.pending(task) == 0;
        let state = &mut self.tasks[task];
        let job = state.releasing.job;
        state.releasing = match state.arriving.job == job + 1 {
            // Who releases a job as it arrives has walked there already.
            true => state.arriving,
            false => self.model.tasks[task].pattern.after(state.releasing),
        };
        self.charge_interrupt(self.memberships[task].cluster);
        if self.is_skipped(task, job) {
            return self.pass_over(task);
        }
        if self.is_dropped(task) {
            return self.drop_arriving(task, job, now);
        }
        self.figures.tasks[task].released += 1;
        self.emit(now, task, job, EventKind::Release);
        if is_first {
            self.wake_server(task, now);
            self.enqueue(task, now);
        }
    }

    /// The oldest job of `task` joins its queue, unless it has to wait for the end of another's part.
    pub(super) fn enqueue(&mut self, task: usize, now: Instant) {
        if !PLAIN && !self.model.parts.is_empty() && self.must_wait(task, now) {
            self.withheld.push(task);
        } else {
            self.join(task, now);
        }
    }

    pub(super) fn join(&mut self, task: usize, now: Instant) {
        let needed = self.execution(task);
        let state = &mut self.tasks[task];
        state.remaining = needed;
        state.last_cpu = None;
        state.suspended = 0;
        self.join_again(task, now);
    }

    /// The oldest job of `task` joins its queue, for the first time or after it has been suspended.
    pub(super) fn join_again(&mut self, task: usize, now: Instant) {
        let Membership { cluster, index, .. } = self.memberships[task];
        let model = &self.model.tasks[task];
        let place = self.tasks[task].serving;
        let own_deadline = place.arrival.saturating_add(model.relative_deadline);
        let job = Job {
            number: place.job,
            arrival: place.arrival,
            release: place.release,
            absolute_deadline: self.served_until(task).or(self.virtual_deadline(task)).unwrap_or(own_deadline),
        };
        self.clusters[cluster].enqueue(index, job, now);
        self.open(cluster);
    }
}
