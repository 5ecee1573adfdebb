//! When to ask whether everything repeats, and what the state is by which that is told.

use super::Simulation;
use crate::leaves::Timer;
use crate::repetition::Repetition;
use crate::sink::Sink;
use crate::timers::NEVER;

impl<S: Sink> Simulation<'_, S> {
    /// True at a multiple of the hyperperiod, once all jobs that end there have ended.
    pub(super) fn is_time_to_compare(&self, leaf: usize, at_ns: u64) -> bool {
        let next_ns = self.repetition.as_ref().map_or(NEVER, Repetition::next_ns);
        at_ns > next_ns || (at_ns == next_ns && !matches!(self.leaves.timer(leaf), Timer::Completion(_)))
    }

    /// True if the state at this multiple of the hyperperiod was there before.
    pub(super) fn repeats(&mut self) -> bool {
        let (timers, cpus, tasks) = (&self.timers, &self.cpus, &self.tasks);
        let remaining = |task: usize, at_ns: u64| match cpus.iter().position(|cpu| cpu.running == task) {
            Some(cpu) => (timers.at(cpu) - at_ns, true),
            None => (tasks[task].remaining_ns, false),
        };
        self.repetition.as_mut().is_some_and(|repetition| repetition.look(tasks, remaining))
    }
}
