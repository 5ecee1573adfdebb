//! Jobs arrive, become ready and join their cluster's queue, the oldest of each task.

use super::{Membership, Simulation};
use crate::leaves::Timer;
use crate::sink::Sink;
use prazo_core::event::Kind;
use prazo_core::job::Job;
use prazo_core::time::Instant;

impl<S: Sink> Simulation<'_, S> {
    pub(super) fn arrive(&mut self, task: usize, now_ns: u64) {
        let pattern = &self.model.tasks[task].pattern;
        let place = self.tasks[task].arriving;
        let next = pattern.after(place);
        let is_delayed = pattern.is_delayed();
        self.tasks[task].arriving = next;
        self.set(Timer::Arrival(task), next.arrival_ns);
        self.emit(now_ns, task, place.job, Kind::Arrival);
        if self.is_left_out(task) {
            self.leave_out(task, place.job, now_ns);
        }
        if !is_delayed {
            self.make_ready(task, now_ns);
        }
    }

    pub(super) fn release(&mut self, task: usize, now_ns: u64) {
        self.make_ready(task, now_ns);
        self.set(Timer::Release(task), self.tasks[task].releasing.release_ns);
    }

    /// The task's next job becomes ready; it joins the queue unless an older one is still pending. The alarm that says so
    /// interrupts also for a job that is left out.
    pub(super) fn make_ready(&mut self, task: usize, now_ns: u64) {
        let is_first = self.pending(task) == 0;
        let state = &mut self.tasks[task];
        let job = state.releasing.job;
        state.releasing = self.model.tasks[task].pattern.after(state.releasing);
        self.charge_interrupt(self.memberships[task].cluster);
        if self.is_skipped(task, job) {
            return self.pass_over(task);
        }
        self.figures.tasks[task].released += 1;
        self.emit(now_ns, task, job, Kind::Release);
        if is_first {
            self.wake_server(task, now_ns);
            self.enqueue(task, now_ns);
        }
    }

    pub(super) fn enqueue(&mut self, task: usize, now_ns: u64) {
        let Membership { cluster, index, .. } = self.memberships[task];
        let model = &self.model.tasks[task];
        let state = &mut self.tasks[task];
        let place = state.serving;
        state.remaining_ns = model.execution.of_job(place.job);
        state.last_cpu = None;
        let own_deadline = Instant::from_ns(place.arrival_ns.saturating_add(model.deadline_ns));
        let job = Job {
            number: place.job,
            arrival: Instant::from_ns(place.arrival_ns),
            release: Instant::from_ns(place.release_ns),
            absolute_deadline: self.served_until(task).unwrap_or(own_deadline),
        };
        self.clusters[cluster].enqueue(index, job, Instant::from_ns(now_ns));
        self.open(cluster);
    }
}
