//! Jobs that are released and may not start yet, because another is inside a part whose ceiling they do not pass.

use super::Simulation;
use crate::model::Policy;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::timers::Timer;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// True if the job of `task` that would join its queue now has to wait for the end of a part, or behind one that has to.
    pub(super) fn must_wait(&self, task: usize, now: Instant) -> bool {
        let cluster = self.memberships[task].cluster;
        let urgency = self.urgency(task);
        let behind = |&other: &usize| self.memberships[other].cluster == cluster && self.urgency(other) < urgency;
        self.withheld.iter().any(behind) || !self.passes(task, now)
    }

    fn passes(&self, task: usize, now: Instant) -> bool {
        let (parts, cluster) = (&self.model.parts, self.memberships[task].cluster);
        let others = self.members[cluster].iter().filter(|other| **other != task);
        others.filter_map(|other| self.ceiling(*other, now)).all(|ceiling| parts.levels[task] < ceiling)
    }

    /// The ceiling of the part that the job of `task` is inside of.
    fn ceiling(&self, task: usize, now: Instant) -> Option<u64> {
        let executed = self.executed(task, now)?;
        let has_locks = self.held.is_some();
        let inside = self.model.parts.of_tasks[task].iter().find(|part| part.from < executed && executed < part.to);
        inside.filter(|part| part.resource.is_none() || !has_locks && !part.is_shared).map(|part| part.ceiling)
    }

    /// What the pending job of `task` has executed; none where it has not started.
    pub(super) fn executed(&self, task: usize, now: Instant) -> Option<Duration> {
        let state = &self.tasks[task];
        let cpu = state.last_cpu.filter(|_| self.pending(task) > 0 && !self.withheld.contains(&task))?;
        let whole = self.model.tasks[task].execution.of_job(state.serving.job);
        let end = self.timers.at(Timer::Completion(cpu));
        // A job that spins has no end.
        let executes = self.cpus[cpu].running == task && end != Instant::NEVER;
        let left = if executes { end.saturating_since(now) } else { state.remaining };
        Some(whole.saturating_sub(left))
    }

    /// The less, the more urgent.
    fn urgency(&self, task: usize) -> (u64, usize) {
        let rank = match self.model.policy {
            Policy::EarliestDeadlineFirst => {
                self.tasks[task].serving.arrival.saturating_add(self.model.tasks[task].relative_deadline).as_ns()
            }
            _ => self.model.parts.levels[task],
        };
        (rank, task)
    }

    /// A part has ended, or a job: who was withheld joins the queue, the most urgent first, up to the first who must still wait.
    pub(super) fn admit_withheld(&mut self, cluster: usize, now: Instant) {
        loop {
            let here = self.withheld.iter().copied().filter(|task| self.memberships[*task].cluster == cluster);
            let Some(task) = here.min_by_key(|task| self.urgency(*task)) else { return };
            if !self.passes(task, now) {
                return;
            }
            self.withheld.retain(|other| *other != task);
            self.join(task, now);
        }
    }
}
