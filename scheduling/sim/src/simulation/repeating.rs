//! When to ask whether everything repeats, and what the state is by which that is told.

use super::Simulation;
use crate::ready::Ready;
use crate::repetition::Repetition;
use crate::sink::Sink;
use crate::timers::{First, Timer};
use prazo_core::time::Instant;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// True at a multiple of the hyperperiod, once all jobs that end there have ended.
    pub(super) fn is_time_to_compare(&self, first: First, at: Instant) -> bool {
        let next = self.repetition.as_ref().map_or(Instant::NEVER, Repetition::next);
        at > next || (at == next && !matches!(first.timer(), Timer::Completion(_)))
    }

    /// True if the state at this multiple of the hyperperiod was there before.
    pub(super) fn repeats(&mut self) -> bool {
        let (timers, cpus, tasks) = (&self.timers, &self.cpus, &self.tasks);
        let remaining = |task: usize, at: Instant| match cpus.iter().position(|cpu| cpu.running == task) {
            Some(cpu) => (timers.at(Timer::Completion(cpu)) - at, true),
            None => (tasks[task].remaining, false),
        };
        self.repetition.as_mut().is_some_and(|repetition| repetition.look(tasks, remaining))
    }
}
