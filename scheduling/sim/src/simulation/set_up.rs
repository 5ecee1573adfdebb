//! Before the first event: clusters with their members, states at their beginning, and the timers that are known.

use super::{Membership, Simulation};
use crate::figures::Figures;
use crate::held::Held;
use crate::model::{Model, Policy, SimulatedCluster};
use crate::ready::Ready;
use crate::repetition::Repetition;
use crate::shared::Shared;
use crate::sink::Sink;
use crate::state::{CpuState, OverrunState, ServerState, TaskState};
use crate::supply::SupplyState;
use crate::timers::{Counts, Timer, Timers};

use prazo_core::job::{Parameters, TaskIndex};
use prazo_core::overrun::{self, Overruns};
use prazo_core::time::Instant;
use std::collections::VecDeque;

impl<'a, S: Sink, Q: Ready, const PLAIN: bool> Simulation<'a, S, Q, PLAIN> {
    pub(super) fn new(model: &'a Model, sink: S) -> Self {
        let members: Vec<Vec<usize>> = (0..model.clusters.len()).map(|cluster| model.members(cluster)).collect();
        let mut simulation = Self {
            sink,
            timers: Timers::new(timers(model)),
            clusters: clusters(model, &members),
            memberships: memberships(model, &members),
            tasks: model.tasks.iter().map(|task| TaskState::before(&task.pattern)).collect(),
            overruns: overruns(model),
            withheld: Vec::new(),
            held: Held::of(model).map(Box::new),
            shared: Shared::of(model),
            supply: model.supply.map(SupplyState::new),
            is_high_mode: false,
            activated: vec![VecDeque::new(); model.activations.len()],
            servers: servers(model),
            cpus: vec![CpuState::IDLE; model.cpus()],
            unsettled: vec![false; members.len()],
            is_open: false,
            quantum: model.policy.quantum(),
            repetition: Repetition::of(model),
            figures: Figures::new(model.tasks.len()),
            members,
            model,
        };
        simulation.wind();
        simulation
    }

    /// Sets every timer that is known before the first event.
    fn wind(&mut self) {
        if let Some(period) = self.model.tick_period {
            self.set(Timer::Tick, Instant::EPOCH + period);
        }
        if let Some(supply) = &self.supply {
            let at = supply.changes_at();
            self.set(Timer::Supply, at);
        }
        for task in 0..self.tasks.len() {
            let first = self.tasks[task].arriving;
            self.set(Timer::Arrival(task), first.arrival);
            self.set_deadline(task);
            let pattern = &self.model.tasks[task].pattern;
            if pattern.is_delayed() && !pattern.is_activated {
                self.set(Timer::Release(task), first.release);
            }
        }
    }
}

/// The timers that a run of `model` needs.
fn timers(model: &Model) -> Counts {
    let (cpus, tasks) = (model.cpus(), model.tasks.len());
    let suspends = model.tasks.iter().any(|task| !task.suspension.is_never());
    let is_granted = model.policy.quantum().is_some() || model.tasks.iter().any(|task| task.server.is_some());
    let some = |count: usize, are_used: bool| if are_used { count } else { 0 };
    Counts {
        completions: cpus,
        grants: some(cpus, is_granted),
        points: some(cpus, suspends || model.is_mixed || !model.parts.is_empty()),
        ticks: some(1, model.tick_period.is_some()),
        supplies: some(1, model.supply.is_some()),
        deadlines: tasks,
        arrivals: tasks,
        releases: some(tasks, model.tasks.iter().any(|task| task.pattern.is_delayed())),
        resumptions: some(tasks, suspends),
    }
}

fn clusters<Q: Ready>(model: &Model, members: &[Vec<usize>]) -> Vec<Q> {
    let cluster = |(index, place): (usize, &SimulatedCluster)| {
        let parameters: Vec<Parameters> = members[index].iter().map(|task| parameters(model, *task)).collect();
        let levels = Policy::FixedPriority(Vec::new());
        Q::new(if ranks_by_level(model) { &levels } else { &model.policy }, place, &parameters)
    };
    model.clusters.iter().enumerate().map(cluster).collect()
}

/// True if fixed priorities are ranked from 1, since 0 is lent to whoever holds a lock.
fn ranks_by_level(model: &Model) -> bool {
    model.parts.has_locks() || model.parts.has_shared() && model.policy != Policy::EarliestDeadlineFirst
}

fn parameters(model: &Model, task: usize) -> Parameters {
    let simulated = &model.tasks[task];
    Parameters {
        period: simulated.pattern.period,
        relative_deadline: simulated.relative_deadline,
        priority: match &model.policy {
            // Lent ranks must not tie with those of others.
            _ if ranks_by_level(model) => model.parts.levels[task] as u32,
            Policy::FixedPriority(ranks) => ranks[task],
            _ => 0,
        },
    }
}

/// What the policy remembers of each task, where it does anything at all.
fn overruns(model: &Model) -> Vec<OverrunState> {
    if model.overrun == overrun::OverrunPolicy::Continue {
        return Vec::new();
    }
    model
        .tasks
        .iter()
        .map(|_| OverrunState { overruns: Overruns::new(model.overrun), skipped: VecDeque::new() })
        .collect()
}

/// The servers before the first job, where any task has one.
fn servers(model: &Model) -> Vec<Option<ServerState>> {
    if model.tasks.iter().all(|task| task.server.is_none()) {
        return Vec::new();
    }
    let state = |server| ServerState { server, charged_to: Instant::EPOCH };
    model.tasks.iter().map(|task| task.server.map(state)).collect()
}

fn memberships(model: &Model, members: &[Vec<usize>]) -> Vec<Membership> {
    let of_task = |task: usize| {
        let cluster = model.tasks[task].cluster as usize;
        let index = members[cluster].binary_search(&task).expect("a task is a member of its cluster");
        let stored = |number| TaskIndex::new(number).expect("the model has at most as many tasks as core can name");
        Membership { cluster, index: stored(index), global: stored(task) }
    };
    (0..model.tasks.len()).map(of_task).collect()
}
