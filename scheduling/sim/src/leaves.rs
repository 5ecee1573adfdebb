//! Which timer is whose, and so what comes first of things that happen at one instant.
//!
//! First jobs end, then quanta and budgets, then jobs reach a point of theirs, then the clock ticks, then a supply begins or ends, then
//! deadlines pass (a job that ends at its deadline is in time), then jobs arrive, then they are released, then they resume; each in the
//! order of processors or tasks.

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The job on this processor ends.
    Completion(usize),
    /// What the job on this processor was granted in one go is used up: its quantum, or its server's budget.
    Grant(usize),
    /// The job on this processor comes to the edge of a part, or suspends itself.
    Point(usize),
    /// The clock ticks.
    Tick,
    /// The supply begins or ends.
    Supply,
    /// The deadline of this task's oldest job that is neither late nor done.
    Deadline(usize),
    /// This task's next job arrives.
    Arrival(usize),
    /// This task's next delayed job is released.
    Release(usize),
    /// This task's job has been suspended for as long as it wanted.
    Resumption(usize),
}

/// The last block of timers that a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastBlock {
    /// Every job is released when it arrives.
    Arrivals,
    /// Some are released later.
    Releases,
    /// Some suspend themselves.
    Resumptions,
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

    /// How many timers there are, up to those that a run needs.
    pub(crate) fn count(&self, last: LastBlock) -> usize {
        self.leaf(match last {
            LastBlock::Arrivals => Timer::Arrival(self.tasks),
            LastBlock::Releases => Timer::Release(self.tasks),
            LastBlock::Resumptions => Timer::Resumption(self.tasks),
        })
    }

    /// The number of a timer.
    #[inline]
    pub(crate) fn leaf(&self, timer: Timer) -> usize {
        let (cpus, tasks) = (self.cpus, self.tasks);
        match timer {
            Timer::Completion(cpu) => cpu,
            Timer::Grant(cpu) => cpus + cpu,
            Timer::Point(cpu) => 2 * cpus + cpu,
            Timer::Tick => 3 * cpus,
            Timer::Supply => 3 * cpus + 1,
            Timer::Deadline(task) => 3 * cpus + 2 + task,
            Timer::Arrival(task) => 3 * cpus + 2 + tasks + task,
            Timer::Release(task) => 3 * cpus + 2 + 2 * tasks + task,
            Timer::Resumption(task) => 3 * cpus + 2 + 3 * tasks + task,
        }
    }

    /// What timer number `leaf` is for.
    #[inline]
    pub(crate) fn timer(&self, leaf: usize) -> Timer {
        let (cpus, tasks) = (self.cpus, self.tasks);
        let behind = leaf.wrapping_sub(3 * cpus + 2);
        match leaf {
            _ if leaf < cpus => Timer::Completion(leaf),
            _ if leaf < 2 * cpus => Timer::Grant(leaf - cpus),
            _ if leaf < 3 * cpus => Timer::Point(leaf - 2 * cpus),
            _ if leaf == 3 * cpus => Timer::Tick,
            _ if leaf == 3 * cpus + 1 => Timer::Supply,
            _ if behind < tasks => Timer::Deadline(behind),
            _ if behind < 2 * tasks => Timer::Arrival(behind - tasks),
            _ if behind < 3 * tasks => Timer::Release(behind - 2 * tasks),
            _ => Timer::Resumption(behind - 3 * tasks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_one_timer() {
        let leaves = Leaves::new(3, 5);
        assert_eq!(leaves.count(LastBlock::Resumptions), 31);
        assert!((0..31).all(|leaf| leaves.leaf(leaves.timer(leaf)) == leaf));
    }
}
