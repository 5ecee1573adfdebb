//! Small random requests of every kind: times of a few ticks, so that instants coincide often and unit steps are affordable.

use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::overrun;
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_core::time::Duration;
use prazo_scenario::{Conduct, Reservation};
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::random::{Draws, Purpose};
use prazo_sim::{Model, Policy, Request, Variation};
use std::cell::Cell;

/// What may be drawn.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kinds {
    /// Overheads, jitter, random offsets, sporadic arrivals, drawn execution times.
    pub is_varied: bool,
    /// Servers under EDF, and jobs that take more or less than their cost.
    pub is_served: bool,
}

/// A random request, owned.
pub(crate) struct Set {
    pub tasks: Vec<Task>,
    pub conduct: Vec<Conduct>,
    pub clusters: Vec<u32>,
    pub places: Vec<u32>,
    pub policy: Policy,
    pub overheads: Overheads<'static>,
    pub variation: Variation,
}

/// Draws that follow each other.
pub(crate) struct Dice {
    draws: Draws,
    rolled: Cell<u64>,
}

impl Dice {
    pub(crate) fn new(seed: u64, set: u64) -> Self {
        Self { draws: Draws::new(seed, set as usize, Purpose::Offset), rolled: Cell::new(0) }
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&self, least: u64, most: u64) -> u64 {
        self.rolled.set(self.rolled.get() + 1);
        least + self.draws.up_to(self.rolled.get(), most - least)
    }

    pub(crate) fn one_in(&self, count: u64) -> bool {
        self.between(1, count) == 1
    }
}

impl Set {
    /// Set number `set` of those with `seed`.
    pub(crate) fn draw(seed: u64, set: u64, kinds: Kinds) -> Self {
        let dice = Dice::new(seed, set);
        let clusters: Vec<u32> = (0..dice.between(1, 3)).map(|_| dice.between(1, 3) as u32).collect();
        let count = dice.between(1, 7);
        let tasks: Vec<Task> = (0..count).map(|_| task(&dice, kinds)).collect();
        let places = (0..count).map(|_| dice.between(0, clusters.len() as u64 - 1) as u32).collect();
        let policy = if kinds.is_served { Policy::EarliestDeadlineFirst } else { policy(&dice, count) };
        let conduct =
            if kinds.is_served { tasks.iter().map(|task| conduct(&dice, task)).collect() } else { Vec::new() };
        let is_charged = kinds.is_varied && dice.one_in(2);
        let overheads = if is_charged { overheads(&dice) } else { Overheads::NONE };
        let variation = if kinds.is_varied { variation(&dice, set) } else { Variation::default() };
        Self { tasks, conduct, clusters, places, policy, overheads, variation }
    }

    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            tasks: &self.tasks,
            conduct: &self.conduct,
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            ns_per_tick: 1,
            clusters: &self.clusters,
            places: &self.places,
            policy: &self.policy,
            overheads: self.overheads,
            variation: self.variation,
        }
    }

    pub(crate) fn model(&self) -> Model {
        Model::new(&self.request()).expect("a random set can be simulated")
    }
}

fn task(dice: &Dice, kinds: Kinds) -> Task {
    let period = dice.between(2, 12);
    let cost = dice.between(1, period);
    let deadline = match dice.between(0, 2) {
        0 => period,
        1 => dice.between(cost, period),
        _ => dice.between(period, 2 * period),
    };
    let jitter = if kinds.is_varied && dice.one_in(4) { dice.between(0, 15) } else { 0 };
    Task { jitter, working_set_kib: dice.between(0, 3), ..Task::new(cost, period, deadline) }
}

/// Every other task has a server; every third one takes another time than its cost, or begins at an instant of its own.
fn conduct(dice: &Dice, task: &Task) -> Conduct {
    let execution = dice.one_in(3).then(|| dice.between(1, 2 * task.cost));
    let period = dice.between(1, 12);
    let server = dice.one_in(2).then(|| Reservation { budget: dice.between(1, period), period });
    let offset = dice.one_in(3).then(|| dice.between(0, 20));
    Conduct { offset, execution, server, ..Conduct::default() }
}

fn policy(dice: &Dice, tasks: u64) -> Policy {
    match dice.between(0, 6) {
        0..=2 => Policy::EarliestDeadlineFirst,
        3 => Policy::RateMonotonic,
        4 => Policy::DeadlineMonotonic,
        5 => Policy::FixedPriority((0..tasks).map(|_| dice.between(0, 3) as u32).collect()),
        _ if dice.one_in(2) => Policy::FirstComeFirstServed,
        _ => Policy::RoundRobin { quantum: Duration::from_ns(dice.between(1, 4)) },
    }
}

fn overheads(dice: &Dice) -> Overheads<'static> {
    let some = || Overhead::constant(Ratio::new(dice.between(0, 3).into(), 2).unwrap());
    Overheads {
        release: some(),
        scheduling: some(),
        context_switch: some(),
        tick: some(),
        tick_period: dice.one_in(2).then(|| dice.between(3, 9)),
        ipi_latency: some(),
        event_latency: some(),
        cache_delay: some(),
        initial_cache_load: some(),
        dedicated_interrupt_processor: dice.one_in(3),
    }
}

fn variation(dice: &Dice, seed: u64) -> Variation {
    Variation {
        seed,
        overrun: match dice.between(0, 3) {
            0 => overrun::OverrunPolicy::Abort,
            1 => overrun::OverrunPolicy::SkipNext,
            _ => overrun::OverrunPolicy::Continue,
        },
        offsets: if dice.one_in(2) { Offsets::Random } else { Offsets::Synchronous },
        arrivals: if dice.one_in(2) {
            Arrivals::Sporadic { extra_thousandths: dice.between(0, 2_000) as u32 }
        } else {
            Arrivals::Periodic
        },
        distribution: match dice.between(0, 3) {
            0 => Distribution::Bound,
            1 => Distribution::Uniform { least_thousandths: dice.between(0, 1_000) as u32 },
            2 => Distribution::Bimodal { usual_thousandths: 300, one_in: 3 },
            _ => Distribution::Overrun { rare_thousandths: dice.between(1_000, 3_000) as u32, one_in: 3 },
        },
        ..Variation::default()
    }
}
