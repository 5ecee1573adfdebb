//! A served task may take what it likes: the others keep their deadlines. Without its server they do not. It keeps its own
//! where its server covers it.

mod support;

use prazo_core::event::EventKind;
use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_core::time::Instant;
use prazo_scenario::{Conduct, Reservation};
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::sink::Memory;
use prazo_sim::{Limits, Model, Policy, Request, SimulationError, Variation, simulate};
use support::sets::Dice;

const SEED: u64 = 1_998;

fn request<'a>(tasks: &'a [Task], conduct: &'a [Conduct], places: &'a [u32], policy: &'a Policy) -> Request<'a> {
    Request {
        tasks,
        conduct,
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: 1,
        clusters: &[1],
        places,
        policy,
        overheads: Overheads::NONE,
        variation: Variation::default(),
    }
}

/// How often each task misses on one processor up to `horizon`, and what happened.
fn run(tasks: &[Task], conduct: &[Conduct], horizon: u64) -> (Vec<u64>, Memory) {
    run_as(tasks, conduct, horizon, Variation::default())
}

fn run_as(tasks: &[Task], conduct: &[Conduct], horizon: u64, variation: Variation) -> (Vec<u64>, Memory) {
    let places = vec![0; tasks.len()];
    let request = Request { variation, ..request(tasks, conduct, &places, &Policy::EarliestDeadlineFirst) };
    let model = Model::new(&request).unwrap();
    let mut memory = Memory::new(usize::MAX);
    let outcome = simulate(&model, &Limits::until(Instant::from_ns(horizon)), &mut memory);
    (outcome.figures.tasks.iter().map(|task| task.missed).collect(), memory)
}

fn served(execution: u64, budget: u64, period: u64) -> Conduct {
    Conduct { execution: Some(execution), server: Some(Reservation { budget, period }), ..Conduct::default() }
}

/// Hard tasks and, last, one that promises its server's budget and takes up to five times that.
fn drawn(dice: &Dice) -> (Vec<Task>, Vec<Conduct>) {
    let period = dice.between(2, 12);
    let budget = dice.between(1, period - 1);
    let mut left = 10_000 - (budget * 10_000).div_ceil(period);
    let mut tasks = Vec::new();
    for _ in 0..dice.between(1, 5) {
        let period = dice.between(2, 20);
        let cost = (left * period / 10_000).min(dice.between(1, 5));
        if cost > 0 {
            left -= (cost * 10_000).div_ceil(period);
            let jitter = if dice.one_in(3) { dice.between(1, 5) } else { 0 };
            tasks.push(Task { jitter, ..Task::new(cost, period, period + jitter + dice.between(0, 1)) });
        }
    }
    let mut conduct = vec![Conduct::default(); tasks.len()];
    tasks.push(Task::implicit(budget, dice.between(period, 2 * period)));
    conduct.push(served(dice.between(budget + 1, 5 * budget + 1), budget, period));
    (tasks, conduct)
}

#[test]
fn an_overrun_takes_no_time_from_another_task() {
    let (seed, mut postponed, mut harm) = (support::seed("servers", SEED), 0, 0);
    for number in 0..support::sets() / 4 {
        let (tasks, conduct) = drawn(&Dice::new(seed, number));
        let hard = tasks.len() - 1;
        let (misses, memory) = run(&tasks, &conduct, 400);
        assert_eq!(misses[..hard].iter().sum::<u64>(), 0, "seed {seed}, set {number}: {tasks:?} {conduct:?}");
        let (misses, _) = run_as(&tasks, &conduct, 400, sporadic(number));
        assert_eq!(misses[..hard].iter().sum::<u64>(), 0, "seed {seed}, set {number}, sporadic: {tasks:?} {conduct:?}");
        postponed += memory.events.iter().filter(|event| event.kind == EventKind::BudgetExhaustion).count();
        let alone: Vec<Conduct> = conduct.iter().map(|conduct| Conduct { server: None, ..*conduct }).collect();
        harm += u64::from(run(&tasks, &alone, 400).0[..hard].iter().any(|missed| *missed > 0));
    }
    println!("{postponed} budgets used up; {harm} sets miss without a server");
    assert!(postponed > 0 && harm * 4 > support::sets() / 4, "without servers the same sets do harm");
}

/// First jobs anywhere, later ones late, and execution times from a part of the bound to all of it.
fn sporadic(seed: u64) -> Variation {
    Variation {
        seed,
        offsets: Offsets::Random,
        arrivals: Arrivals::Sporadic { extra_thousandths: 300 },
        distribution: Distribution::Uniform { least_thousandths: 300 },
        ..Variation::default()
    }
}

/// Tasks whose servers cover them: C <= Q, P + J <= T, P + J <= D, and bandwidths of 1 at most.
fn covered(dice: &Dice) -> (Vec<Task>, Vec<Conduct>) {
    let (mut left, mut tasks, mut conduct) = (10_000, Vec::new(), Vec::new());
    for _ in 0..dice.between(2, 6) {
        let period = dice.between(2, 16);
        let budget = (left * period / 10_000).min(dice.between(1, 5));
        if budget == 0 {
            continue;
        }
        left -= (budget * 10_000).div_ceil(period);
        let jitter = if dice.one_in(2) { dice.between(1, 5) } else { 0 };
        let [distance, deadline] = [0, 0].map(|_: u64| period + jitter + dice.between(0, 2));
        let cost = dice.between(1, budget);
        tasks.push(Task { jitter, ..Task::new(cost, distance, deadline) });
        conduct.push(Conduct { server: Some(Reservation { budget, period }), ..Conduct::default() });
    }
    (tasks, conduct)
}

#[test]
fn a_task_that_its_server_covers_keeps_its_deadlines() {
    let (seed, mut served) = (support::seed("covered", SEED), 0);
    for number in 0..support::sets() / 4 {
        let (tasks, conduct) = covered(&Dice::new(seed, number));
        for variation in [Variation::default(), sporadic(number)] {
            let (misses, _) = run_as(&tasks, &conduct, 400, variation);
            let about = format!("seed {seed}, set {number}: {tasks:?} {conduct:?} {variation:?}");
            assert_eq!(misses.iter().sum::<u64>(), 0, "{about}");
        }
        served += tasks.len() as u64;
    }
    assert!(served > support::sets() / 2, "only {served} tasks were served");
}

/// Each condition is needed: with less budget or a longer server period some job misses.
#[test]
fn a_task_that_its_server_covers_by_a_tick_too_little_misses() {
    let hard = Task::implicit(10, 20);
    let whole = Reservation { budget: 5, period: 10 };
    let missed = |task: Task, server| {
        let served = Conduct { server: Some(server), ..Conduct::default() };
        run(&[hard, task], &[Conduct::default(), served], 400).0[1]
    };
    assert_eq!(missed(Task::implicit(5, 10), whole), 0);
    assert!(missed(Task::implicit(5, 10), Reservation { budget: 4, ..whole }) > 0, "Q < C");
    assert!(missed(Task::new(5, 10, 9), whole) > 0, "P > D");
    assert!(missed(Task::implicit(5, 10), Reservation { period: 11, ..whole }) > 0, "P > T");
}

/// Budget 2, deadline 5: used up at 2, and with the deadline at 10 the other task, due at 6, goes first. The rest of the job uses
/// up the next budget when it ends, at 6.
#[test]
fn a_used_up_budget_lets_the_other_task_go_first() {
    let (tasks, conduct) = ([Task::implicit(2, 6), Task::implicit(2, 5)], [Conduct::default(), served(4, 2, 5)]);
    let (misses, memory) = run(&tasks, &conduct, 9);
    let trace: Vec<String> = memory
        .events
        .iter()
        .filter(|event| !matches!(event.kind, EventKind::Arrival | EventKind::Release))
        .map(|event| format!("{} {} {}", event.at.as_ns(), event.kind.name(), event.task.index()))
        .collect();
    let expected = [
        "0 dispatch 1",
        "2 budget_exhaustion 1",
        "2 replenishment 1",
        "2 preemption 1",
        "2 dispatch 0",
        "4 completion 0",
        "4 dispatch 1",
        "5 miss 1",
        "6 completion 1",
        "6 budget_exhaustion 1",
        "6 replenishment 1",
    ];
    assert_eq!(trace[..11], expected, "{trace:#?}");
    assert_eq!(misses, [0, 1]);
}

#[test]
fn servers_need_deadlines_to_rank_by() {
    let (tasks, conduct) = ([Task::implicit(2, 6)], [served(2, 2, 5)]);
    let refused = Model::new(&request(&tasks, &conduct, &[0], &Policy::RateMonotonic)).unwrap_err();
    assert_eq!(refused, SimulationError::Server(0));
    assert!(refused.to_string().contains("earliest deadline first"));
}
