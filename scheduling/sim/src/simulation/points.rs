//! The next place at which a running job does more than run: an edge of one of its parts, a suspension, or the end of its cost in low mode.

use super::Simulation;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::timers::Timer;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// The job on `cpu` has come to its point.
    pub(super) fn pass_point(&mut self, cpu: usize, now: Instant) {
        let task = self.cpus[cpu].running;
        if self.model.is_mixed {
            return self.exceed_cost(cpu, now);
        }
        if self.model.parts.is_empty() {
            return self.suspend(cpu, now);
        }
        self.give_back(task, now);
        self.give_back_shared(task, now);
        let cluster = self.memberships[task].cluster;
        self.admit_withheld(cluster, now);
        self.await_point(cpu, now);
        if self.held.is_some() || self.shared.is_some() {
            // It may begin a section here, if it is the one to go on.
            self.open(cluster);
        }
    }

    /// Waits for the next point of the job that runs on `cpu` from `start` on.
    pub(super) fn await_point(&mut self, cpu: usize, start: Instant) {
        if PLAIN {
            return;
        }
        let task = self.cpus[cpu].running;
        if self.model.is_mixed {
            let at = self.exceeds_cost_at(task, start);
            self.set(Timer::Point(cpu), at);
        } else if !self.model.parts.is_empty() {
            let executed = self.executed(task, start).unwrap_or(Duration::ZERO);
            let edges = self.model.parts.of_tasks[task].iter().flat_map(|part| [part.from, part.to]);
            let next = edges.filter(|edge| *edge > executed).min();
            let at = next.map_or(Instant::NEVER, |edge| start + (edge - executed));
            self.set(Timer::Point(cpu), at);
        } else if !self.model.tasks[task].suspension.is_never() {
            let at = self.suspends_at(task, start);
            self.set(Timer::Point(cpu), at);
        }
    }

    /// Nobody runs on `cpu` any more.
    pub(super) fn forget_point(&mut self, cpu: usize) {
        // The timer of a job without points is not set.
        if !PLAIN && self.timers.at(Timer::Point(cpu)) != Instant::NEVER {
            self.set(Timer::Point(cpu), Instant::NEVER);
        }
    }
}
