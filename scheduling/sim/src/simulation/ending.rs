//! Jobs end: the task's next one is served, and the next deadline is waited for.

use super::{Membership, Simulation};
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::{NOBODY, TaskState};
use crate::timers::Timer;
use prazo_core::cpu::Cpu;
use prazo_core::event::EventKind;
use prazo_core::time::Instant;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    pub(super) fn complete(&mut self, cpu: usize, now: Instant) {
        let task = std::mem::replace(&mut self.cpus[cpu].running, NOBODY);
        self.cpus[cpu].freed_at = Some(now);
        self.stop_timers(cpu);
        let Membership { cluster, index, .. } = self.memberships[task];
        self.clusters[cluster].finish(index);
        self.open(cluster);
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Completion { cpu: Cpu::LOWEST.plus(cpu) });
        self.give_back(task, now);
        self.give_back_shared(task, now);
        self.charge_server(task, now);
        self.count_completion(task, now);
        self.serve_next(task, now);
        self.activate(task, now);
        self.end_high_mode();
        if !PLAIN && !self.model.parts.is_empty() {
            self.admit_withheld(cluster, now);
        }
    }

    /// The oldest job of `task` is done; the next one joins the queue if it was released already.
    pub(super) fn serve_next(&mut self, task: usize, now: Instant) {
        let state = &mut self.tasks[task];
        state.serving = match state.due.job == state.serving.job + 1 {
            // Who ended in time was waited for until now, and its successor is by now.
            true => state.due,
            false => self.model.tasks[task].pattern.after(state.serving),
        };
        self.pass_over(task);
        if self.pending(task) > 0 {
            self.enqueue(task, now);
        }
    }

    /// Jobs of `task` that were released and are not done.
    pub(super) fn pending(&self, task: usize) -> u64 {
        let state = &self.tasks[task];
        if PLAIN {
            return state.pending();
        }
        let left_out = self
            .overruns
            .get(task)
            .map_or(0, |overruns| overruns.skipped.iter().filter(|job| **job < state.releasing.job).count() as u64);
        state.pending() - left_out
    }

    pub(super) fn stop_timers(&mut self, cpu: usize) {
        self.set(Timer::Completion(cpu), Instant::NEVER);
        self.forget_point(cpu);
        self.end_grant(cpu);
    }

    pub(super) fn count_completion(&mut self, task: usize, now: Instant) {
        let TaskState { serving, due, .. } = self.tasks[task];
        let response = now - serving.arrival;
        let tardiness = response.saturating_sub(self.model.tasks[task].relative_deadline);
        self.figures.completed(task, response, tardiness);
        if due.job == serving.job {
            self.expect_next(task);
        }
    }

    /// The deadline of the next job that is not left out is the one to wait for.
    pub(super) fn expect_next(&mut self, task: usize) {
        loop {
            self.tasks[task].due = self.model.tasks[task].pattern.after(self.tasks[task].due);
            if !self.is_skipped(task, self.tasks[task].due.job) {
                return self.set_deadline(task);
            }
        }
    }

    pub(super) fn set_deadline(&mut self, task: usize) {
        let at = self.tasks[task].due.arrival.saturating_add(self.model.tasks[task].relative_deadline);
        self.set(Timer::Deadline(task), at);
    }
}
