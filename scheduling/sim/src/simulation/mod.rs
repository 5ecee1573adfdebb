//! The run: timers fire one after the other, and at the end of each instant the scheduler core decides who runs.
//!
//! What happens at one instant happens in the order of the timers (`leaves.rs`) and reaches the scheduler as quiet changes;
//! only then does it decide, most urgent job first. A running job's end is a timer; who is preempted keeps the rest.
//!
//! ```text
//! set_up ─► arriving ─► deciding ─► ending
//!              grants, late, costs: what may happen on the way
//! ```

mod arriving;
mod costs;
mod deciding;
mod ending;
mod grants;
mod late;
mod repeating;
mod set_up;

use crate::figures::Figures;
use crate::leaves::{Leaves, Timer};
use crate::model::Model;
use crate::ready::Ready;
use crate::repetition::{Repeats, Repetition};
use crate::sink::Sink;
use crate::state::{CpuState, OverrunState, ServerState, TaskState};
use crate::timers::{NEVER, Timers};
use prazo_core::event::{Event, Kind};
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;

/// Where a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Jobs that arrive before this instant are simulated, up to this instant.
    pub horizon_ns: u64,
    /// After so many events it ends even so.
    pub events: u64,
    /// It ends as soon as everything repeats.
    pub stop_when_repeating: bool,
}

impl Limits {
    /// All events up to `horizon_ns`.
    pub fn until(horizon_ns: u64) -> Self {
        Self { horizon_ns, events: u64::MAX, stop_when_repeating: false }
    }
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was counted.
    pub figures: Figures,
    /// The instant up to which it is known.
    pub end_ns: u64,
    /// From where on the schedule repeats, if it was seen to.
    pub repeats: Option<Repeats>,
}

/// Simulates `model` within `limits`, and hands every event to `sink`.
pub fn simulate<S: Sink>(model: &Model, limits: &Limits, sink: S) -> Outcome {
    Simulation::new(model, sink).run(limits)
}

/// One task's place in its cluster.
#[derive(Clone, Copy, Debug)]
struct Membership {
    cluster: usize,
    index: TaskIndex,
    global: TaskIndex,
}

struct Simulation<'a, S> {
    model: &'a Model,
    sink: S,
    leaves: Leaves,
    timers: Timers,
    clusters: Vec<Box<dyn Ready>>,
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
    /// By task; empty where none has a server.
    servers: Vec<Option<ServerState>>,
    quantum_ns: Option<u64>,
    repetition: Option<Repetition>,
    figures: Figures,
}

impl<S: Sink> Simulation<'_, S> {
    fn set(&mut self, timer: Timer, at_ns: u64) {
        self.timers.set(self.leaves.leaf(timer), at_ns);
    }

    fn run(mut self, limits: &Limits) -> Outcome {
        let mut now_ns = 0;
        loop {
            let (leaf, at_ns) = self.timers.first();
            if self.is_open && at_ns > now_ns && now_ns < limits.horizon_ns {
                self.settle(now_ns);
                continue;
            }
            if self.is_beyond(limits, leaf, at_ns) {
                return self.outcome(limits.horizon_ns);
            }
            if self.is_time_to_compare(leaf, at_ns) && self.repeats() && limits.stop_when_repeating {
                return self.outcome(at_ns);
            }
            if self.figures.events >= limits.events {
                return self.outcome(now_ns);
            }
            now_ns = at_ns;
            self.fire(self.leaves.timer(leaf), now_ns);
        }
    }

    /// True if nothing that counts happens any more: at the horizon itself jobs still end, but none arrives.
    fn is_beyond(&self, limits: &Limits, leaf: usize, at_ns: u64) -> bool {
        let comes_in = matches!(self.leaves.timer(leaf), Timer::Arrival(_) | Timer::Release(_));
        at_ns == NEVER || at_ns > limits.horizon_ns || (at_ns == limits.horizon_ns && comes_in)
    }

    fn fire(&mut self, timer: Timer, now_ns: u64) {
        match timer {
            Timer::Completion(cpu) => self.complete(cpu, now_ns),
            Timer::Grant(cpu) => self.use_up_grant(cpu, now_ns),
            Timer::Tick => self.tick(now_ns),
            Timer::Deadline(task) => self.pass_deadline(task, now_ns),
            Timer::Arrival(task) => self.arrive(task, now_ns),
            Timer::Release(task) => self.release(task, now_ns),
        }
    }

    fn emit(&mut self, at_ns: u64, task: usize, job: u64, kind: Kind) {
        self.figures.events += u64::from(kind.counts_in_rates());
        let task = self.memberships[task].global;
        self.sink.take(Event { at: Instant::from_ns(at_ns), task, job, kind });
    }

    fn open(&mut self, cluster: usize) {
        self.unsettled[cluster] = true;
        self.is_open = true;
    }

    fn outcome(mut self, end_ns: u64) -> Outcome {
        for (index, state) in self.tasks.iter().enumerate() {
            let is_pending = self.pending(index) > 0;
            let deadline_ns = state.serving.arrival_ns.saturating_add(self.model.tasks[index].deadline_ns);
            let figures = &mut self.figures.tasks[index];
            if is_pending {
                figures.tardiness_ns_max = figures.tardiness_ns_max.max(end_ns.saturating_sub(deadline_ns));
            }
        }
        let repeats = self.repetition.and_then(|repetition| repetition.repeats());
        Outcome { figures: self.figures, end_ns, repeats }
    }
}
