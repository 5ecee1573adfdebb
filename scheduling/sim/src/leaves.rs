//! Which timer is whose, and so what comes first of things that happen at one instant.
//!
//! First jobs end, then quanta and budgets, then parts of jobs, then the clock ticks, then deadlines pass (a job that ends at its deadline is in
//! time), then jobs arrive, then they are released; each in the order of processors or tasks.

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The job on this processor ends.
    Completion(usize),
    /// What the job on this processor was granted in one go is used up: its quantum, or its server's budget.
    Grant(usize),
    /// The part that the job on this processor is inside of ends.
    PartEnd(usize),
    /// The clock ticks.
    Tick,
    /// The deadline of this task's oldest job that is neither late nor done.
    Deadline(usize),
    /// This task's next job arrives.
    Arrival(usize),
    /// This task's next delayed job is released.
    Release(usize),
}

/// The blocks of timers, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves {
    cpus: usize,
    tasks: usize,
}

impl Leaves {
    /// Timers for so many processors and tasks.
    pub(crate) fn new(cpus: usize, tasks: usize) -> Self {
        Self { cpus, tasks }
    }

    /// How many timers there are, those for releases only where some are delayed.
    pub(crate) fn count(&self, is_delayed: bool) -> usize {
        self.leaf(if is_delayed { Timer::Release(self.tasks) } else { Timer::Arrival(self.tasks) })
    }

    /// The number of a timer.
    #[inline]
    pub(crate) fn leaf(&self, timer: Timer) -> usize {
        let (cpus, tasks) = (self.cpus, self.tasks);
        match timer {
            Timer::Completion(cpu) => cpu,
            Timer::Grant(cpu) => cpus + cpu,
            Timer::PartEnd(cpu) => 2 * cpus + cpu,
            Timer::Tick => 3 * cpus,
            Timer::Deadline(task) => 3 * cpus + 1 + task,
            Timer::Arrival(task) => 3 * cpus + 1 + tasks + task,
            Timer::Release(task) => 3 * cpus + 1 + 2 * tasks + task,
        }
    }

    /// What timer number `leaf` is for.
    #[inline]
    pub(crate) fn timer(&self, leaf: usize) -> Timer {
        let (cpus, tasks) = (self.cpus, self.tasks);
        let behind_tick = leaf.wrapping_sub(3 * cpus + 1);
        match leaf {
            _ if leaf < cpus => Timer::Completion(leaf),
            _ if leaf < 2 * cpus => Timer::Grant(leaf - cpus),
            _ if leaf < 3 * cpus => Timer::PartEnd(leaf - 2 * cpus),
            _ if leaf == 3 * cpus => Timer::Tick,
            _ if behind_tick < tasks => Timer::Deadline(behind_tick),
            _ if behind_tick < 2 * tasks => Timer::Arrival(behind_tick - tasks),
            _ => Timer::Release(behind_tick - 2 * tasks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_one_timer() {
        let leaves = Leaves::new(3, 5);
        assert_eq!(leaves.count(true), 25);
        assert!((0..leaves.count(true)).all(|leaf| leaves.leaf(leaves.timer(leaf)) == leaf));
    }
}
