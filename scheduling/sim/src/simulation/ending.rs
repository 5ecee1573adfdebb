//! Jobs end: the task's next one is served, and the next deadline is waited for.

use super::{Membership, Simulation};
use crate::leaves::Timer;
use crate::sink::Sink;
use crate::state::{NOBODY, TaskState};
use crate::timers::NEVER;
use prazo_core::cpu::Cpu;
use prazo_core::event::Kind;

impl<S: Sink> Simulation<'_, S> {
    pub(super) fn complete(&mut self, cpu: usize, now_ns: u64) {
        let task = std::mem::replace(&mut self.cpus[cpu].running, NOBODY);
        self.cpus[cpu].freed_ns = Some(now_ns);
        self.stop_timers(cpu);
        let Membership { cluster, index, .. } = self.memberships[task];
        self.clusters[cluster].finish(index);
        self.open(cluster);
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Completion { cpu: Cpu::LOWEST.plus(cpu) });
        self.charge_server(task, now_ns);
        self.count_completion(task, now_ns);
        self.serve_next(task, now_ns);
    }

    /// The oldest job of `task` is done; the next one joins the queue if it was released already.
    pub(super) fn serve_next(&mut self, task: usize, now_ns: u64) {
        self.tasks[task].serving = self.model.tasks[task].pattern.after(self.tasks[task].serving);
        self.pass_over(task);
        if self.pending(task) > 0 {
            self.enqueue(task, now_ns);
        }
    }

    /// Jobs of `task` that were released and are not done.
    pub(super) fn pending(&self, task: usize) -> u64 {
        let state = &self.tasks[task];
        let left_out = self
            .overruns
            .get(task)
            .map_or(0, |overruns| overruns.skipped.iter().filter(|job| **job < state.releasing.job).count() as u64);
        state.pending() - left_out
    }

    pub(super) fn stop_timers(&mut self, cpu: usize) {
        self.set(Timer::Completion(cpu), NEVER);
        self.end_grant(cpu);
    }

    pub(super) fn count_completion(&mut self, task: usize, now_ns: u64) {
        let TaskState { serving, due, .. } = self.tasks[task];
        let response_ns = now_ns - serving.arrival_ns;
        let tardiness_ns = response_ns.saturating_sub(self.model.tasks[task].deadline_ns);
        self.figures.completed(task, response_ns, tardiness_ns);
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
        let at_ns = self.tasks[task].due.arrival_ns.saturating_add(self.model.tasks[task].deadline_ns);
        self.set(Timer::Deadline(task), at_ns);
    }
}
