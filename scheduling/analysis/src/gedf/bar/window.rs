//! One window of condition 8: the work that each task can have in it, and what one task asks of it.

use super::largest::sum_of_largest;
use crate::budget::Spent;
use crate::gedf::divisor::Divisor;
use crate::{Budget, Task, Ticks};

/// A task with what the search divides by.
pub(super) struct PreparedTask {
    /// Its index in the set.
    pub index: usize,
    /// C.
    pub cost: Ticks,
    deadline: Ticks,
    period: Divisor,
}

impl PreparedTask {
    fn of((index, task): (usize, &Task)) -> Self {
        Self { index, cost: task.cost, deadline: task.deadline, period: Divisor::new(task.period) }
    }
}

/// The tasks by ascending deadline, and what holds for all windows.
pub(super) struct Tasks {
    by_deadline: Vec<PreparedTask>,
    /// Largest C among this task and those before it.
    largest_cost: Vec<Ticks>,
    /// Sum of the m-1 largest C.
    carried_at_most: u128,
    processors: u64,
}

impl Tasks {
    pub(super) fn new(tasks: &[Task], processors: u32) -> Self {
        let mut by_deadline: Vec<PreparedTask> = tasks.iter().enumerate().map(PreparedTask::of).collect();
        by_deadline.sort_unstable_by_key(|task| (task.deadline, task.index));
        let mut largest_cost: Vec<Ticks> = by_deadline.iter().map(|task| task.cost).collect();
        let carried_at_most = sum_of_largest(&mut largest_cost.clone(), processors as usize - 1);
        (1..tasks.len()).for_each(|place| largest_cost[place] = largest_cost[place].max(largest_cost[place - 1]));
        Self { by_deadline, largest_cost, carried_at_most, processors: u64::from(processors) }
    }

    /// Largest C of all.
    pub(super) fn largest_cost(&self) -> Ticks {
        self.largest_cost.last().copied().unwrap_or(0)
    }

    /// Largest C of the tasks with D <= `window`.
    pub(super) fn largest_cost_until(&self, window: Ticks) -> Ticks {
        match self.by_deadline.last() {
            Some(last) if last.deadline <= window => self.largest_cost(),
            _ => self.reached(window).len().checked_sub(1).map_or(0, |last| self.largest_cost[last]),
        }
    }

    /// The tasks with D <= `window`.
    pub(super) fn reached(&self, window: Ticks) -> &[PreparedTask] {
        &self.by_deadline[..self.by_deadline.partition_point(|task| task.deadline <= window)]
    }

    /// What a task of this cost asks of a window beside all the work in it: (m-1) C_k.
    pub(super) fn beside(&self, cost: Ticks) -> u128 {
        u128::from(self.processors - 1) * u128::from(cost)
    }

    /// What it asks beside the demand bound functions, at most: carried-in work of m-1 tasks, and (m-1) C_k.
    pub(super) fn beside_demand(&self, cost: Ticks) -> u128 {
        self.carried_at_most + self.beside(cost)
    }

    /// m L.
    pub(super) fn capacity(&self, window: Ticks) -> u128 {
        u128::from(self.processors) * u128::from(window)
    }
}

/// Work of one task in a window.
#[derive(Clone, Copy)]
struct Share {
    /// dbf.
    alone: u64,
    /// dbf'.
    carried: u64,
}

/// The work of all tasks in one window; refilled, so that a search allocates once.
#[derive(Default)]
pub(super) struct Work {
    length: Ticks,
    shares: Vec<Share>,
    uncapped: u128,
    extra: Vec<u64>,
}

impl Work {
    /// Computes every task's work in a window of `length`.
    pub(super) fn fill(&mut self, tasks: &Tasks, length: Ticks, budget: &mut Budget) -> Result<(), Spent> {
        budget.spend(tasks.by_deadline.len() as u64)?;
        self.length = length;
        self.shares.clear();
        self.shares.extend(tasks.by_deadline.iter().map(|task| share_of(task, length)));
        self.uncapped = self.sum_capped(u64::MAX, tasks);
        Ok(())
    }

    /// F(L): all dbf and the m-1 largest carried-in amounts.
    pub(super) fn uncapped(&self) -> u128 {
        self.uncapped
    }

    /// LHS_k(L) + m C_k of the task at `place`, whose deadline the window reaches.
    pub(super) fn asked_by(&mut self, tasks: &Tasks, place: usize, budget: &mut Budget) -> Result<u128, Spent> {
        budget.spend(self.shares.len() as u64)?;
        let PreparedTask { cost, deadline, .. } = tasks.by_deadline[place];
        let all = self.shares[place];
        // Its own work is without the job in question and capped by A, which is what the window has before that job.
        let own_cap = |work: u64| (work - cost).min(self.length - deadline);
        self.shares[place] = Share { alone: own_cap(all.alone), carried: own_cap(all.carried) };
        let demand = self.sum_capped(self.length - cost + 1, tasks);
        self.shares[place] = all;
        Ok(demand + u128::from(tasks.processors) * u128::from(cost))
    }

    /// Sum of all dbf, and of the m-1 largest dbf' - dbf, each of them at most `cap`.
    fn sum_capped(&mut self, cap: u64, tasks: &Tasks) -> u128 {
        let mut sum = 0;
        self.extra.clear();
        for share in &self.shares {
            let alone = share.alone.min(cap);
            sum += u128::from(alone);
            if share.carried > alone {
                self.extra.push(share.carried.min(cap) - alone);
            }
        }
        sum + sum_of_largest(&mut self.extra, tasks.processors as usize - 1)
    }
}

/// Both demand functions of `task`, for C <= D <= T.
fn share_of(task: &PreparedTask, length: Ticks) -> Share {
    let jobs = length.checked_sub(task.deadline).map_or(0, |since| task.period.divide(since).0 + 1);
    let (periods, rest) = task.period.divide(length);
    Share { alone: jobs * task.cost, carried: periods * task.cost + rest.min(task.cost) }
}
