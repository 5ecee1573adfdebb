//! The tasks of one processor with what each does, as every formula here takes them.

use super::arrivals::{self, Arrivals};
use crate::exact::compare_sum;
use crate::hyperperiod::hyperperiod;
use crate::{Margin, Quantity, Refused, Task, Ticks};
use prazo_core::behaviour::{Behaviour, Behaviours, Locking};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// The tasks of one processor with what each does, one behaviour a task, all lengths within the costs.
#[derive(Clone, Debug)]
pub struct System<'a> {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// What they do, in the same order.
    pub of_tasks: Vec<Behaviour<'a>>,
    /// The protocol of all resources.
    pub locking: Locking,
}

impl<'a> System<'a> {
    /// `tasks` with what each of them does. Lengths beyond a cost are cut to it: no job runs longer.
    pub fn new(tasks: Vec<Task>, of_tasks: Vec<Behaviour<'a>>, locking: Locking) -> Self {
        let of_tasks = tasks.iter().zip(of_tasks).map(|(task, behaviour)| within(behaviour, task)).collect();
        Self { tasks, of_tasks, locking }
    }

    /// The same with the tasks in another order.
    pub fn arranged(&self, order: &[usize]) -> Self {
        let tasks = order.iter().map(|&index| self.tasks[index]).collect();
        Self { tasks, of_tasks: order.iter().map(|&index| self.of_tasks[index]).collect(), ..*self }
    }

    /// How jobs of task `index` arrive.
    pub fn arrivals(&self, index: usize) -> Arrivals {
        Arrivals::of(&self.tasks[index], self.of_tasks[index].burst)
    }

    /// One for each task.
    pub fn all_arrivals(&self) -> Vec<Arrivals> {
        (0..self.tasks.len()).map(|index| self.arrivals(index)).collect()
    }

    /// Work in the long run, as (work, time) of each task: b C every W.
    fn rates(&self) -> Vec<(u64, Ticks)> {
        let rate = |(task, arrivals): (&Task, Arrivals)| (task.cost * arrivals.jobs, arrivals.within);
        self.tasks.iter().zip(self.all_arrivals()).map(rate).collect()
    }

    /// How the utilization compares with one, exactly.
    pub(super) fn utilization_with_one(&self) -> Ordering {
        compare_sum(self.rates().into_iter(), Ratio::ONE)
    }

    fn utilization(&self) -> f64 {
        self.rates().iter().map(|(work, time)| *work as f64 / *time as f64).sum()
    }

    /// After how long the arrivals repeat; `None` beyond 64 bits.
    pub(super) fn repeats_after(&self) -> Option<Ticks> {
        let rates: Vec<Task> = self.rates().iter().map(|(_, within)| Task::implicit(1, *within)).collect();
        hyperperiod(&rates)
    }

    pub(super) fn has_sections(&self) -> bool {
        self.of_tasks.iter().any(|behaviour| !behaviour.sections.is_empty())
    }
}

/// `behaviour` of a job that runs no longer than its cost.
fn within<'a>(behaviour: Behaviour<'a>, task: &Task) -> Behaviour<'a> {
    let mut behaviour = behaviour;
    behaviour.non_preemptive.longest = behaviour.non_preemptive.longest.min(task.cost);
    behaviour.non_preemptive.last = behaviour.non_preemptive.last.min(task.cost);
    behaviour
}

/// Refuses behaviours that no formula here computes with.
pub fn check(tasks: &[Task], behaviours: &Behaviours<'_>) -> Result<(), Refused> {
    let count = behaviours.of_tasks.len();
    if count > 0 && count != tasks.len() {
        return Err(Refused::Behaviours { tasks: tasks.len(), behaviours: count });
    }
    let is_impossible = |(task, behaviour): (&Task, Behaviour<'_>)| {
        let lengths = behaviour.non_preemptive;
        let burst = behaviour.burst.is_none_or(|burst| arrivals::is_possible(task, burst));
        lengths.last > lengths.longest || !burst
    };
    match tasks.iter().zip(behaviours.iter()).position(is_impossible) {
        Some(task) => Err(Refused::Behaviour(task)),
        None => Ok(()),
    }
}

pub(super) fn utilization_margin(system: &System<'_>) -> Margin {
    Margin { demand: system.utilization(), capacity: 1.0, of: Quantity::Utilization }
}

/// A response time beside its deadline, as findings show them.
pub(super) fn response_margin(task: &Task, response: u128) -> Margin {
    Margin { demand: response as f64, capacity: task.deadline as f64, of: Quantity::ResponseTime }
}
