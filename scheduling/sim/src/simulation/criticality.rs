//! Two modes: a job that runs longer than its cost begins high mode, which drops jobs of low criticality; it ends when nothing is pending.

use super::{Membership, Simulation};
use crate::ready::Ready;
use crate::sink::Sink;
use prazo_core::event::EventKind;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// What the oldest job of `task` runs if nothing ends it.
    pub(super) fn execution(&self, task: usize) -> Duration {
        let model = &self.model.tasks[task];
        let drawn = model.execution.of_job(self.tasks[task].serving.job);
        if PLAIN { drawn } else { model.criticality.map_or(drawn, |one| one.limited(drawn)) }
    }

    /// When the job of `task` has run for its cost if it runs from `start` on; never if it ends by then, or has done so before.
    pub(super) fn exceeds_cost_at(&self, task: usize, start: Instant) -> Instant {
        let Some(criticality) = &self.model.tasks[task].criticality else { return Instant::NEVER };
        let (whole, budget) = (self.execution(task), criticality.budget());
        let executed = whole.saturating_sub(self.tasks[task].remaining);
        if whole > budget && executed < budget { start + (budget - executed) } else { Instant::NEVER }
    }

    /// The job on `cpu` has run for its cost and has not ended.
    pub(super) fn exceed_cost(&mut self, cpu: usize, now: Instant) {
        self.forget_point(cpu);
        let task = self.cpus[cpu].running;
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Overrun);
        if !std::mem::replace(&mut self.is_high_mode, true) {
            self.figures.mode_changes += 1;
        }
        for task in 0..self.tasks.len() {
            if self.is_dropped(task) {
                while self.pending(task) > 0 {
                    self.drop_pending(task, now);
                }
            } else if self.pending(task) > 0
                && self.model.tasks[task].criticality.is_some_and(|one| one.virtual_deadline().is_some())
            {
                let Membership { cluster, index, .. } = self.memberships[task];
                let deadline =
                    self.tasks[task].serving.arrival.saturating_add(self.model.tasks[task].relative_deadline);
                self.clusters[cluster].postpone(index, deadline);
                self.open(cluster);
            }
        }
        self.end_high_mode();
    }

    /// True if jobs of `task` are dropped now.
    pub(super) fn is_dropped(&self, task: usize) -> bool {
        !PLAIN && self.is_high_mode && self.model.tasks[task].criticality.is_some_and(|one| !one.is_high())
    }

    /// The oldest job of `task` is dropped, wherever it is.
    fn drop_pending(&mut self, task: usize, now: Instant) {
        let job = self.tasks[task].serving.job;
        self.figures.tasks[task].dropped += 1;
        self.emit(now, task, job, EventKind::Abortion);
        self.judge_no_more(task, job);
        self.abort(task, now);
    }

    /// The job of `task` that is released is dropped at once; none is pending before it.
    pub(super) fn drop_arriving(&mut self, task: usize, job: u64, now: Instant) {
        self.figures.tasks[task].dropped += 1;
        self.emit(now, task, job, EventKind::Skip);
        self.judge_no_more(task, job);
        self.serve_next(task, now);
    }

    /// The deadline of this job is no longer checked.
    fn judge_no_more(&mut self, task: usize, job: u64) {
        if self.tasks[task].due.job == job {
            self.expect_next(task);
        }
    }

    /// High mode ends where no job is pending.
    pub(super) fn end_high_mode(&mut self) {
        if !PLAIN && self.is_high_mode && (0..self.tasks.len()).all(|task| self.pending(task) == 0) {
            self.is_high_mode = false;
        }
    }

    /// The deadline by which the oldest job of `task` is ranked in low mode, if that is not its own.
    pub(super) fn virtual_deadline(&self, task: usize) -> Option<Instant> {
        if PLAIN || self.is_high_mode {
            return None;
        }
        let shorter = self.model.tasks[task].criticality?.virtual_deadline()?;
        Some(self.tasks[task].serving.arrival.saturating_add(shorter))
    }
}
