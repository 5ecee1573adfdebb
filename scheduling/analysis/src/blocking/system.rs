//! The tasks of one processor with what each does, as every formula here takes them.

use super::arrivals::{self, Arrivals};
use super::service::{self, Service};
use crate::exact::compare_sum;
use crate::hyperperiod::hyperperiod;
use crate::{Margin, Quantity, SetError, TICKS_MAX, Task, Ticks, mixed};
use prazo_core::behaviour::{Behaviour, Behaviours, Locking, Supply};
use prazo_core::ratio::Ratio;
use prazo_scenario::curve::DensestArrivals;
use std::cmp::Ordering;
use std::sync::Arc;

const MIXED: &str = "mixed criticality is not covered by this test";
const ONLY_PREEMPTIVE: &str = "with a supply, this test covers neither non-preemptive parts nor critical sections";
const SHARED: &str = "this test does not cover critical sections under msrp, fmlp+ and mpcp";
const ONLY_SUSPENDING: &str =
    "with self-suspension this test covers neither non-preemptive parts nor critical sections nor a supply";

/// The tasks of one processor with what each does, one behaviour a task, all lengths within the costs.
#[derive(Clone, Debug)]
pub struct System<'a> {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// What they do, in the same order.
    pub of_tasks: Vec<Behaviour<'a>>,
    /// The protocol of all resources.
    pub locking: Locking,
    /// What the tasks have of the processor; `None` if all of it. With one, no task blocks others: see [`System::blocks`].
    pub supply: Option<Supply>,
    /// By task: its densest arrivals, where a curve says how many jobs arrive.
    curves: Vec<Option<Arc<DensestArrivals>>>,
}

impl<'a> System<'a> {
    /// `tasks` with what each of them does. Lengths beyond a cost are cut to it: no job runs longer.
    pub fn new(tasks: Vec<Task>, of_tasks: Vec<Behaviour<'a>>, locking: Locking) -> Self {
        let of_tasks: Vec<Behaviour<'a>> =
            tasks.iter().zip(of_tasks).map(|(task, behaviour)| within(behaviour, task)).collect();
        let curve = |one: &Behaviour<'_>| one.curve.as_ref().map(|curve| Arc::new(DensestArrivals::of(curve)));
        let curves = of_tasks.iter().map(curve).collect();
        Self { tasks, of_tasks, locking, supply: None, curves }
    }

    /// The same where the tasks have no more of the processor than this.
    pub fn with_supply(self, supply: Option<Supply>) -> Self {
        Self { supply, ..self }
    }

    /// The same with the tasks in another order.
    pub fn arranged(&self, order: &[usize]) -> Self {
        let tasks = order.iter().map(|&index| self.tasks[index]).collect();
        let of_tasks = order.iter().map(|&index| self.of_tasks[index]).collect();
        let curves = order.iter().map(|&index| self.curves[index].clone()).collect();
        Self { tasks, of_tasks, curves, ..*self }
    }

    /// How jobs of task `index` arrive.
    pub fn arrivals(&self, index: usize) -> Arrivals {
        match &self.curves[index] {
            Some(curve) => Arrivals::of_curve(&self.tasks[index], curve),
            None => Arrivals::of(&self.tasks[index], self.of_tasks[index].burst),
        }
    }

    /// One for each task.
    pub fn all_arrivals(&self) -> Vec<Arrivals> {
        (0..self.tasks.len()).map(|index| self.arrivals(index)).collect()
    }

    /// From this length of an interval on, arrivals repeat.
    pub(super) fn settled_after(&self) -> u128 {
        self.curves.iter().flatten().map(|curve| curve.settled_after()).max().unwrap_or(0)
    }

    /// Work in the long run, as (work, time) of each task: b C every W.
    fn rates(&self) -> Vec<(u64, Ticks)> {
        let rate = |(task, arrivals): (&Task, Arrivals)| (task.cost * arrivals.jobs, arrivals.within);
        self.tasks.iter().zip(self.all_arrivals()).map(rate).collect()
    }

    /// When the tasks are served.
    pub fn service(&self) -> Service {
        Service::of(self.supply)
    }

    /// How the utilization compares with what is served in the long run, exactly.
    pub(super) fn utilization_with_supply(&self) -> Ordering {
        compare_sum(self.rates().into_iter(), self.supply.map_or(Ratio::ONE, Supply::rate))
    }

    fn utilization(&self) -> f64 {
        self.rates().iter().map(|(work, time)| *work as f64 / *time as f64).sum()
    }

    /// After how long the arrivals, and what is served, repeat; `None` beyond 64 bits.
    pub(super) fn repeats_after(&self) -> Option<Ticks> {
        let supplied = Ticks::try_from(self.service().repeats_every()).ok()?;
        let all = self.rates().into_iter().map(|(_, within)| within).chain([supplied]);
        let rates: Vec<Task> = all.map(|within| Task::implicit(1, within)).collect();
        hyperperiod(&rates)
    }

    /// True if some task has a part that is not preempted, or a critical section.
    pub(super) fn blocks(&self) -> bool {
        self.has_sections() || self.of_tasks.iter().any(|behaviour| behaviour.non_preemptive.longest > 0)
    }

    /// Why no test here covers these tasks, whatever the policy; `None` where nothing stands against it.
    pub(super) fn uncovered(&self) -> Option<&'static str> {
        if self.of_tasks.iter().any(|behaviour| behaviour.cost_high.is_some()) {
            return Some(MIXED);
        }
        if self.locking.crosses_processors() && self.has_sections() {
            return Some(SHARED);
        }
        match (self.supply.is_some(), self.blocks()) {
            (true, _) | (_, true) if self.suspends() => Some(ONLY_SUSPENDING),
            (true, true) => Some(ONLY_PREEMPTIVE),
            _ => None,
        }
    }

    /// True if some task suspends itself.
    pub(crate) fn suspends(&self) -> bool {
        self.of_tasks.iter().any(|behaviour| behaviour.suspension > 0)
    }

    /// The same where every task executes for as long as it might suspend itself.
    pub(crate) fn counted(&self) -> Self {
        let counted = |index: usize| self.counted_at(index);
        let tasks = (0..self.tasks.len()).map(counted).collect();
        let of_tasks = self.of_tasks.iter().map(|one| Behaviour { suspension: 0, ..*one }).collect();
        Self { tasks, of_tasks, curves: self.curves.clone(), ..*self }
    }

    /// Task `index` where it executes for as long as it might suspend itself.
    pub(super) fn counted_at(&self, index: usize) -> Task {
        let task = self.tasks[index];
        Task { cost: task.cost + self.of_tasks[index].suspension, ..task }
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
pub fn check(tasks: &[Task], behaviours: &Behaviours<'_>) -> Result<(), SetError> {
    service::check(behaviours.supply)?;
    let count = behaviours.of_tasks.len();
    if count > 0 && count != tasks.len() {
        return Err(SetError::Behaviours { tasks: tasks.len(), behaviours: count });
    }
    let with_suspension = |(task, one): (&Task, Behaviour<'_>)| task.cost.saturating_add(one.suspension);
    if let Some(task) = tasks.iter().zip(behaviours.iter()).map(with_suspension).position(|sum| sum > TICKS_MAX) {
        return Err(SetError::TooLong(task, "sum of cost and suspension"));
    }
    mixed::check(tasks, behaviours)?;
    let is_impossible = |(task, behaviour): (&Task, Behaviour<'_>)| {
        let lengths = behaviour.non_preemptive;
        let counted = Task { cost: task.cost + behaviour.suspension, ..*task };
        let burst = behaviour.burst.is_none_or(|burst| arrivals::is_possible(&counted, burst));
        let curve = behaviour.curve.is_none_or(|curve| arrivals::is_possible_curve(&counted, &curve));
        let both = behaviour.burst.is_some() && behaviour.curve.is_some();
        let unrequested = behaviour.sections.iter().any(|section| section.requests == 0);
        lengths.last > lengths.longest || !burst || !curve || both || unrequested
    };
    match tasks.iter().zip(behaviours.iter()).position(is_impossible) {
        Some(task) => Err(SetError::Behaviour(task)),
        None => Ok(()),
    }
}

pub(super) fn utilization_margin(system: &System<'_>) -> Margin {
    let rate = system.supply.map_or(1.0, |supply| supply.rate().to_f64());
    Margin { demand: system.utilization(), capacity: rate, of: Quantity::Utilization }
}

/// A response time beside its deadline, as findings show them.
pub(super) fn response_margin(task: &Task, response: u128) -> Margin {
    Margin { demand: response as f64, capacity: task.deadline as f64, of: Quantity::ResponseTime }
}
