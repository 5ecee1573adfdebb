//! Deadlines pass: the miss is counted, and the overrun policy says what becomes of the job and of the one after it.

use super::{Membership, Simulation};
use crate::figures::Miss;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use prazo_core::event::EventKind;
use prazo_core::overrun::{self, Action};
use prazo_core::time::Instant;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    pub(super) fn pass_deadline(&mut self, task: usize, now: Instant) {
        let due = self.tasks[task].due;
        self.emit(now, task, due.job, EventKind::Miss);
        self.figures.missed(Miss { task, job: due.job, arrival: due.arrival, deadline: now });
        self.expect_next(task);
        self.overrun(task, due.job, now);
    }

    /// A job of `task` is late; the policy says what follows.
    pub(super) fn overrun(&mut self, task: usize, job: u64, now: Instant) {
        if PLAIN {
            return;
        }
        let Some(state) = self.overruns.get_mut(task) else { return };
        let action = state.overruns.overrun();
        action.events().iter().for_each(|kind| self.emit(now, task, job, *kind));
        if action == Action::Abort {
            self.figures.tasks[task].aborted += 1;
            match job < self.tasks[task].releasing.job {
                true => self.abort(task, now),
                // Jitter has kept it back so far: it will not be released at all.
                false => self.overruns[task].skipped.push_back(job),
            }
        }
    }

    /// Ends the oldest job of `task`, wherever it is: the late one, since none outlives its deadline.
    pub(super) fn abort(&mut self, task: usize, now: Instant) {
        let Membership { cluster, index, .. } = self.memberships[task];
        if let Some(cpu) = self.cpus.iter().position(|cpu| cpu.running == task) {
            self.cpus[cpu].running = NOBODY;
            self.cpus[cpu].freed_at = Some(now);
            self.stop_timers(cpu);
            self.charge_server(task, now);
        }
        self.clusters[cluster].finish(index);
        self.open(cluster);
        self.serve_next(task, now);
    }

    /// True if the job of `task` that arrives pays for an earlier one's overrun.
    pub(super) fn is_left_out(&mut self, task: usize) -> bool {
        !PLAIN && self.overruns.get_mut(task).is_some_and(|state| state.overruns.arrive() == overrun::Arrival::Skip)
    }

    pub(super) fn leave_out(&mut self, task: usize, job: u64, now: Instant) {
        self.figures.tasks[task].skipped += 1;
        self.overruns[task].skipped.push_back(job);
        self.emit(now, task, job, EventKind::Skip);
        if self.tasks[task].due.job == job {
            self.expect_next(task);
        }
    }

    pub(super) fn is_skipped(&self, task: usize, job: u64) -> bool {
        !PLAIN && self.overruns.get(task).is_some_and(|state| state.skipped.contains(&job))
    }

    /// The oldest job of `task` that is not done is none that was left out and would have been released by now.
    pub(super) fn pass_over(&mut self, task: usize) {
        if PLAIN {
            return;
        }
        let Some(overruns) = self.overruns.get_mut(task) else { return };
        let state = &mut self.tasks[task];
        while overruns.skipped.front() == Some(&state.serving.job) && state.serving.job < state.releasing.job {
            overruns.skipped.pop_front();
            state.serving = self.model.tasks[task].pattern.after(state.serving);
        }
    }
}
