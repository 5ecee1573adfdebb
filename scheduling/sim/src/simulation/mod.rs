//! The run: timers fire one after the other, and at the end of each instant the scheduler core decides who runs.
//!
//! What happens at one instant happens in the order of the timers (`timers.rs`) and reaches the scheduler as quiet changes;
//! only then does it decide, most urgent job first. A running job's end is a timer; who is preempted keeps the rest.
//!
//! ```text
//! set_up ─► arriving ─► deciding ─► ending
//!              grants, late, costs: what may happen on the way
//!              points ─► withheld, holding, sharing, suspending: parts, locks and suspensions; supplied: no processor for a while
//!                        criticality: the two modes of a set with two criticalities
//! ```

mod arriving;
mod costs;
mod criticality;
mod deciding;
mod ending;
mod grants;
mod holding;
mod late;
mod points;
mod repeating;
mod set_up;
mod sharing;
mod supplied;
mod suspending;
mod withheld;

use crate::figures::Figures;
use crate::held::Held;
use crate::model::Model;
use crate::ready::{self, Ready, UsualCluster};
use crate::repetition::{Repeats, Repetition};
use crate::shared::Shared;
use crate::sink::Sink;
use crate::state::{CpuState, OverrunState, ServerState, TaskState};
use crate::supply::SupplyState;
use crate::timers::{First, Timer, Timers};
use prazo_core::event::{Event, EventKind};
use prazo_core::job::TaskIndex;
use prazo_core::time::{Duration, Instant};
use std::collections::VecDeque;

/// Where a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Jobs that arrive before this instant are simulated, up to this instant.
    pub horizon: Instant,
    /// After so many events it ends even so.
    pub events: u64,
    /// It ends as soon as everything repeats.
    pub stop_when_repeating: bool,
}

impl Limits {
    /// All events up to `horizon`.
    pub fn until(horizon: Instant) -> Self {
        Self { horizon, events: u64::MAX, stop_when_repeating: false }
    }
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationResult {
    /// What was counted.
    pub figures: Figures,
    /// The instant up to which it is known.
    pub end: Instant,
    /// From where on the schedule repeats, if it was seen to.
    pub repeats: Option<Repeats>,
}

/// Simulates `model` within `limits`, and hands every event to `sink`.
pub fn simulate<S: Sink>(model: &Model, limits: &Limits, sink: S) -> SimulationResult {
    match (model.is_plain(), ready::are_usual(model)) {
        (true, true) => Simulation::<S, UsualCluster, true>::new(model, sink).run(limits),
        (true, false) => Simulation::<S, Box<dyn Ready>, true>::new(model, sink).run(limits),
        (false, _) => Simulation::<S, Box<dyn Ready>, false>::new(model, sink).run(limits),
    }
}

/// One task's place in its cluster.
#[derive(Clone, Copy, Debug)]
struct Membership {
    cluster: usize,
    index: TaskIndex,
    global: TaskIndex,
}

/// One run. It is `PLAIN` where [`Model::is_plain`] says so, which leaves out at compile time whatever such a model never does.
struct Simulation<'a, S, Q, const PLAIN: bool> {
    model: &'a Model,
    sink: S,
    timers: Timers,
    clusters: Vec<Q>,
    /// By cluster and index there: the task.
    members: Vec<Vec<usize>>,
    memberships: Vec<Membership>,
    tasks: Vec<TaskState>,
    /// By task; empty where late jobs simply go on.
    overruns: Vec<OverrunState>,
    cpus: Vec<CpuState>,
    /// Clusters with changes that no decision has followed yet.
    unsettled: Vec<bool>,
    /// True if any cluster or processor has something left to do at this instant.
    is_open: bool,
    /// Tasks whose released job may not join its queue yet.
    withheld: Vec<usize>,
    /// Who holds what, where jobs wait for locks.
    held: Option<Box<Held>>,
    /// The same of resources that several processors share.
    shared: Option<Shared>,
    /// Where the supply stands; `None` where the processor is always there.
    supply: Option<SupplyState>,
    /// True in high mode, where jobs of low criticality are dropped.
    is_high_mode: bool,
    /// By task: when its activated jobs are released, from the next one on; empty where nobody activates another.
    activated: Vec<VecDeque<Instant>>,
    /// By task; empty where none has a server.
    servers: Vec<Option<ServerState>>,
    quantum: Option<Duration>,
    repetition: Option<Repetition>,
    figures: Figures,
}

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    #[inline(always)]
    fn set(&mut self, timer: Timer, at: Instant) {
        self.timers.set(timer, at);
    }

    fn run(mut self, limits: &Limits) -> SimulationResult {
        let mut now = Instant::EPOCH;
        loop {
            let (first, at) = self.timers.first::<PLAIN>();
            if self.is_open && at > now && now < limits.horizon {
                self.settle(now);
                continue;
            }
            if self.is_beyond(limits, first, at) {
                return self.outcome(limits.horizon);
            }
            if self.is_time_to_compare(first, at) && self.repeats() && limits.stop_when_repeating {
                return self.outcome(at);
            }
            if self.figures.events >= limits.events || self.sink.is_done() {
                return self.outcome(now);
            }
            now = at;
            self.fire(first.timer(), now);
        }
    }

    /// True if nothing that counts happens any more: at the horizon itself jobs still end, but none arrives.
    fn is_beyond(&self, limits: &Limits, first: First, at: Instant) -> bool {
        let comes_in = || matches!(first.timer(), Timer::Arrival(_) | Timer::Release(_) | Timer::Resumption(_));
        at == Instant::NEVER || at > limits.horizon || (at == limits.horizon && comes_in())
    }

    #[inline(always)]
    fn fire(&mut self, timer: Timer, now: Instant) {
        match timer {
            Timer::Completion(cpu) => self.complete(cpu, now),
            Timer::Grant(cpu) => self.use_up_grant(cpu, now),
            Timer::Point(cpu) => self.pass_point(cpu, now),
            Timer::Tick => self.tick(now),
            Timer::Supply => self.change_supply(now),
            Timer::Deadline(task) => self.pass_deadline(task, now),
            Timer::Arrival(task) => self.arrive(task, now),
            Timer::Release(task) => self.release(task, now),
            Timer::Resumption(task) => self.resume(task, now),
        }
    }

    fn emit(&mut self, at: Instant, task: usize, job: u64, kind: EventKind) {
        self.figures.events += u64::from(kind.counts_in_rates());
        let task = self.memberships[task].global;
        self.sink.take(Event { at, task, job, kind });
    }

    fn open(&mut self, cluster: usize) {
        self.unsettled[cluster] = true;
        self.is_open = true;
    }

    fn outcome(mut self, end: Instant) -> SimulationResult {
        self.count_unsupplied(end);
        (0..self.tasks.len()).for_each(|task| self.count_suspended(task, end));
        for (index, state) in self.tasks.iter().enumerate() {
            let is_pending = self.pending(index) > 0;
            let deadline = state.serving.arrival.saturating_add(self.model.tasks[index].relative_deadline);
            let figures = &mut self.figures.tasks[index];
            if is_pending {
                figures.tardiness_max = figures.tardiness_max.max(end.saturating_since(deadline));
            }
        }
        let repeats = self.repetition.and_then(|repetition| repetition.repeats());
        SimulationResult { figures: self.figures, end, repeats }
    }
}
