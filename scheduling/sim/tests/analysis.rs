//! What analysis promises, the simulator never breaks: no set that is proven misses, no response passes its bound.
//!
//! Shapes, deadline kinds, policies, overheads and arrivals are drawn; the promise must hold for periodic and sporadic
//! arrivals, any first arrivals and any execution times up to the bound. `PRAZO_SETS` sets how many sets are looked at.

mod support;

use prazo_analysis::question::{
    Answer, JobRanking as Ranking, Lateness, Method, Priorities, Question, Shape, answer, lateness,
};
use prazo_analysis::{TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_core::time::Instant;
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::sink::Nowhere;
use prazo_sim::{Figures, Limits, Model, Policy, Request, Variation, simulate};
use support::sets::Dice;

const SEED: u64 = 20_261_122;
/// Overheads are quarters of a tick, so that nothing is rounded.
const NS_PER_TICK: u64 = 4;
const HORIZON_TICKS: u64 = 3_000;

struct Drawn {
    tasks: Vec<Task>,
    clusters: Vec<u32>,
    is_global: bool,
    ranking: Ranking<'static>,
    overheads: Option<Overheads<'static>>,
}

fn drawn(dice: &Dice) -> Drawn {
    let is_global = dice.one_in(2);
    let processors = dice.between(1, 4) as u32;
    let clusters = match (is_global, dice.one_in(2)) {
        (true, _) => vec![processors],
        (false, true) => vec![1; processors as usize],
        (false, false) => (0..dice.between(1, 3)).map(|_| dice.between(1, 2) as u32).collect(),
    };
    let total: u32 = clusters.iter().sum();
    let count = dice.between(1, 2 * u64::from(total) + 3);
    // Each about as heavy as lets two thirds of the processors be used.
    let weight = 1 + 130 * u64::from(total) / count.max(1);
    let tasks = (0..count).map(|_| task(dice, weight)).collect();
    let ranking = match dice.between(0, 3) {
        0 => Ranking::FixedPriority(Priorities::RateMonotonic),
        1 => Ranking::FixedPriority(Priorities::DeadlineMonotonic),
        _ => Ranking::Edf,
    };
    Drawn { tasks, clusters, is_global, ranking, overheads: dice.one_in(3).then(|| overheads(dice)) }
}

fn task(dice: &Dice, weight: u64) -> Task {
    let period = dice.between(4, 60);
    let cost = (period * dice.between(1, weight) / 100).clamp(1, period);
    let deadline = match dice.between(0, 3) {
        0 | 1 => period,
        2 => dice.between(cost, period),
        _ => dice.between(period, 2 * period),
    };
    let jitter = if dice.one_in(8) { dice.between(1, 6) } else { 0 };
    Task { jitter, working_set_kib: dice.between(0, 2), ..Task::new(cost, period, deadline) }
}

fn overheads(dice: &Dice) -> Overheads<'static> {
    let some = || Overhead::constant(Ratio::new(dice.between(0, 2).into(), 4).unwrap());
    Overheads {
        release: some(),
        scheduling: some(),
        context_switch: some(),
        tick: some(),
        tick_period: Some(dice.between(10, 40)),
        ipi_latency: some(),
        event_latency: some(),
        cache_delay: some(),
        initial_cache_load: some(),
        dedicated_interrupt_processor: false,
    }
}

impl Drawn {
    fn question(&self) -> Question<'_> {
        let shape = match self.is_global {
            true => Shape::Global { processors: self.clusters[0] },
            false => Shape::Clusters(&self.clusters),
        };
        Question {
            tasks: &self.tasks,
            policy: self.ranking,
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: self.overheads,
            time: TimeModel::Continuous,
        }
    }

    /// The cluster of each task in the packing that is proven, or else complete.
    fn places(&self, answer: &Answer) -> Option<Vec<u32>> {
        if self.is_global {
            return Some(vec![0; self.tasks.len()]);
        }
        let is_complete = |packed: &&prazo_analysis::partition::Packed| packed.assignment.iter().all(Option::is_some);
        let proven = answer.packings.iter().find(|packed| packed.proven);
        proven.or(answer.packings.iter().find(is_complete))?.assignment.iter().copied().collect()
    }

    fn simulated(&self, places: &[u32], variation: Variation) -> Figures {
        let policy = match self.ranking {
            Ranking::Edf => Policy::EarliestDeadlineFirst,
            Ranking::FixedPriority(Priorities::RateMonotonic) => Policy::RateMonotonic,
            Ranking::FixedPriority(_) => Policy::DeadlineMonotonic,
        };
        let request = Request {
            tasks: &self.tasks,
            conduct: &[],
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            ns_per_tick: NS_PER_TICK,
            clusters: &self.clusters,
            places,
            policy: &policy,
            overheads: self.overheads.unwrap_or(Overheads::NONE),
            variation,
        };
        let model = Model::new(&request).expect("a random set can be simulated");
        simulate(&model, &Limits::until(Instant::from_ns(HORIZON_TICKS * NS_PER_TICK)), Nowhere).figures
    }
}

/// Three ways for the same tasks to arrive and execute.
fn variations(seed: u64) -> [Variation; 3] {
    let synchronous = Variation { seed, ..Variation::default() };
    let offset = Variation { offsets: Offsets::Random, ..synchronous };
    let arrivals = Arrivals::Sporadic { extra_thousandths: 300 };
    let distribution = Distribution::Uniform { least_thousandths: 500 };
    [synchronous, offset, Variation { arrivals, distribution, ..offset }]
}

fn method() -> Method {
    Method { budget: 30_000, disprove: false, search: 0, states: 30_000, ..Method::default() }
}

#[derive(Default, Debug)]
struct Tally {
    proven: u64,
    with_overheads: u64,
    tardiness_bounds: u64,
    response_bounds: u64,
}

#[test]
fn no_proven_set_misses_and_no_bound_is_passed() {
    let (seed, mut tally) = (support::seed("analysis", SEED), Tally::default());
    for number in 0..support::sets() {
        let set = drawn(&Dice::new(seed, number));
        let question = set.question();
        let answered = answer(&question, &method()).expect("a random set can be analysed");
        let Some(places) = set.places(&answered) else { continue };
        let is_proven = answered.verdict == Verdict::Proven;
        let late = set.has_tardiness_bounds(&answered).then(|| lateness(&question, &answered));
        tally.proven += u64::from(is_proven);
        tally.with_overheads += u64::from(is_proven && set.overheads.is_some());
        for variation in variations(number) {
            let figures = set.simulated(&places, variation);
            let about = format!(
                "seed {seed}, set {number}: {:?} on {:?}, {:?}, {variation:?}, {:?}",
                set.tasks, set.clusters, set.ranking, set.overheads
            );
            assert!(!is_proven || figures.misses.is_empty(), "{:?} is missed\n{about}", figures.misses.first());
            if let Some(late) = &late {
                tally.tardiness_bounds += u64::from(keeps_tardiness(&figures, late, &about));
            }
            tally.response_bounds += u64::from(set.keeps_responses(&figures, &answered, &about));
        }
    }
    println!("{tally:?}");
    assert!(tally.proven * 10 > support::sets() && tally.with_overheads > 0 && tally.response_bounds > 0, "{tally:?}");
}

fn keeps_tardiness(figures: &Figures, late: &Lateness, about: &str) -> bool {
    let Some(bounds) = &late.bounds else { return false };
    for (task, bound) in figures.tasks.iter().zip(bounds) {
        assert!(task.tardiness_max.as_ns() <= bound * NS_PER_TICK, "{task:?} is later than {bound} ticks\n{about}");
    }
    true
}

impl Drawn {
    /// With overheads, tardiness is bounded only where they could be charged.
    fn has_tardiness_bounds(&self, answered: &Answer) -> bool {
        let is_charged = self.overheads.is_none() || (self.is_global && answered.charged.is_some());
        matches!(self.ranking, Ranking::Edf) && is_charged
    }

    /// Response-time bounds under fixed priorities on one processor, most urgent task first.
    fn keeps_responses(&self, figures: &Figures, answered: &Answer, about: &str) -> bool {
        let Some(responses) = answered.responses.as_ref().filter(|responses| responses.len() == self.tasks.len())
        else {
            return false;
        };
        let Some(order) = &answered.priorities else { return false };
        for (task, bound) in order.iter().map(|task| &figures.tasks[*task]).zip(responses) {
            let bound_ns = bound.map_or(u64::MAX, |ticks| ticks * NS_PER_TICK);
            assert!(task.response_max.as_ns() <= bound_ns, "{task:?} takes longer than {bound:?} ticks\n{about}");
        }
        true
    }
}
