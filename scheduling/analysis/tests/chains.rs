//! Bounds of chains held against data that are followed from job to job, in schedules at halves of a tick with random arrivals, execution times and
//! delays; and the times that disprove a requirement against arrivals that were made to approach them.
//!
//! `PRAZO_SETS=100000 cargo test --release --test chains` is the long form; `PRAZO_SEED` repeats a run.

use prazo_analysis::chain::{Bound, ChainBounds, NoBound, activation, bounds, members};
use prazo_analysis::question::{Answer, Method, Policy, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Task, Ticks, TimeModel, Verdict};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::chained::{ChainJob, ChainTask, FollowedChain, run};
use prazo_oracle::random;
use prazo_scenario::read::{nothing_beside, toml};
use prazo_scenario::set::{Arrival, Conduct, NamedTask, Scenario};
use prazo_scenario::{Chain, Communication, Preemption, ResolvedBehaviours, Stage, TaskBehaviour};

/// What is asked of a scenario: a queue for each processor, tasks by index under fixed priorities.
struct Posed {
    scenario: Scenario,
    tasks: Vec<Task>,
    ranks: Vec<u32>,
    places: Vec<Option<u32>>,
    ones: Vec<u32>,
    behaviours: ResolvedBehaviours,
    order: Order,
}

impl Posed {
    fn new(scenario: Scenario, order: Order) -> Self {
        let processors = scenario.processors.unwrap_or(1);
        Self {
            tasks: scenario.tasks(),
            ranks: (0..scenario.tasks.len() as u32).collect(),
            places: scenario.tasks.iter().map(|named| Some(named.cluster.unwrap_or(0))).collect(),
            ones: vec![1; processors as usize],
            behaviours: ResolvedBehaviours::of(&scenario),
            scenario,
            order,
        }
    }

    fn question(&self) -> Question<'_> {
        Question {
            tasks: &self.tasks,
            policy: match self.order {
                Order::Edf => Policy::Edf,
                Order::Fixed => Policy::FixedPriority(Priorities::Given(&self.ranks)),
            },
            shape: Shape::Clusters(&self.ones),
            places: Some(&self.places),
            behaviours: self.behaviours.borrow(),
            overheads: None,
            time: TimeModel::Continuous,
        }
    }

    /// The bounds of the first chain; none where the jitter of an activated task is not known.
    fn bounds(&mut self) -> Option<(ChainBounds, Answer)> {
        let method = Method { budget: 200_000, disprove: false, ..Method::default() };
        self.tasks = activation::settled(&self.scenario, &self.question(), &method).ok()?;
        let answered = answer(&self.question(), &method).unwrap();
        let of_chains = members(&self.scenario, &self.question(), &answered, &method);
        let found = bounds(&self.scenario.chains[0], &of_chains[0], &mut Budget::new(200_000));
        Some((found, answered))
    }
}

/// Up to five tasks on one or two processors, and a chain through some of them.
fn drawn(random: &mut fastrand::Rng) -> Scenario {
    let (count, processors) = (random.usize(1..=5), random.u32(1..=2));
    let mut tasks: Vec<NamedTask> = (0..count).map(|index| named(random, index, processors)).collect();
    let mut order: Vec<usize> = (0..count).collect();
    random.shuffle(&mut order);
    order.truncate(random.usize(1..=count.min(4)));
    let is_let = random.u8(0..4) == 0;
    let synchronized = random.u8(0..4) == 0;
    let stage = |task: usize, random: &mut fastrand::Rng| Stage {
        task,
        activated: !is_let && !synchronized && random.u8(0..3) == 0,
        hop: if random.bool() && task != order[0] { random.u64(0..=4) } else { 0 },
    };
    let stages: Vec<Stage> = order.iter().map(|&task| stage(task, random)).collect();
    for pair in stages.windows(2).filter(|pair| pair[1].activated) {
        let before = tasks[pair[0].task].clone();
        let after = &mut tasks[pair[1].task];
        (after.task.period, after.arrival, after.task.jitter) = (before.task.period, before.arrival, 0);
        after.task.deadline = before.task.deadline + random.u64(1..=2 * before.task.period);
        after.task.cost = random.u64(1..=2);
        after.behaviour = TaskBehaviour { burst: None, ..after.behaviour.clone() };
        after.conduct.max_inter_arrival = before.conduct.max_inter_arrival;
    }
    for stage in stages.iter().filter(|_| synchronized) {
        let named = &mut tasks[stage.task];
        (named.arrival, named.conduct.max_inter_arrival) = (Arrival::Periodic, None);
        named.conduct.offset = Some(random.u64(0..12));
    }
    let communication = if is_let { Communication::Let } else { Communication::Implicit };
    let name = "chain".to_owned();
    let chain = Chain { name, stages, communication, synchronized, max_reaction: None, max_age: None };
    Scenario { tasks, processors: Some(processors), chains: vec![chain], ..Scenario::default() }
}

fn named(random: &mut fastrand::Rng, index: usize, processors: u32) -> NamedTask {
    let period = random.u64(3..=12);
    let cost = random.u64(1..=(period / 3).max(1));
    let is_sporadic = random.u8(0..3) == 0;
    let jitter = if random.u8(0..4) == 0 { random.u64(0..=2) } else { 0 };
    let deadline = random.u64((cost + jitter).min(period)..=2 * period);
    let is_whole = random.u8(0..5) == 0;
    NamedTask {
        name: index.to_string(),
        task: Task { jitter, ..Task::new(cost, period, deadline) },
        arrival: if is_sporadic { Arrival::Sporadic } else { Arrival::Periodic },
        priority: None,
        cluster: Some(random.u32(0..processors)),
        affinity: None,
        behaviour: TaskBehaviour {
            preemption: if is_whole { Preemption::Never } else { Preemption::Anywhere },
            ..TaskBehaviour::default()
        },
        conduct: Conduct {
            max_inter_arrival: is_sporadic.then(|| period + random.u64(0..=3)),
            ..Conduct::default()
        },
    }
}

/// A tick is two here.
const FINE: u64 = 2;
const UNTIL: i64 = 260;

/// One random schedule of the posed tasks, in fine ticks.
fn scheduled(posed: &Posed, random: &mut fastrand::Rng) -> Vec<ChainTask> {
    let activations = posed.scenario.activations();
    let hop_of = |task: usize| {
        let pairs = posed.scenario.chains[0].stages.windows(2);
        pairs.filter(|pair| pair[0].task == task).map(|pair| pair[1].hop).max().unwrap_or(0)
    };
    let mut tasks: Vec<ChainTask> = Vec::new();
    // Those that are activated arrive with the first of their chain, which may stand behind them.
    let mut arrivals: Vec<Vec<i64>> = (0..posed.tasks.len()).map(|index| arrivals(posed, index, random)).collect();
    for index in 0..posed.tasks.len() {
        let mut head = index;
        while let Some(one) = activations[head] {
            head = one.by;
        }
        arrivals[index] = arrivals[head].clone();
    }
    let (is_long, is_late) = (random.u8(0..3), random.bool());
    for (index, task) in posed.scenario.tasks.iter().map(|named| named.task).enumerate() {
        let job = |&arrival: &i64, random: &mut fastrand::Rng| ChainJob {
            arrival,
            release: arrival + random.u64(0..=FINE * task.jitter) as i64,
            due: arrival + (FINE * task.deadline) as i64,
            cost: match is_long {
                0 => FINE * task.cost,
                1 => random.u64(1..=FINE * task.cost),
                _ => *random.choice(&[1, FINE * task.cost]).unwrap(),
            },
            hop: if is_late { FINE * hop_of(index) } else { random.u64(0..=FINE * hop_of(index)) } as i64,
            began: None,
            ended: None,
        };
        let jobs = arrivals[index].iter().map(|arrival| job(arrival, random)).collect();
        tasks.push(ChainTask {
            processor: posed.scenario.tasks[index].cluster.unwrap_or(0) as usize,
            is_whole: posed.scenario.tasks[index].behaviour.preemption == Preemption::Never,
            activated_by: activations[index].map(|one| one.by),
            jobs,
        });
    }
    run(&mut tasks, posed.order, UNTIL);
    tasks
}

fn arrivals(posed: &Posed, index: usize, random: &mut fastrand::Rng) -> Vec<i64> {
    let NamedTask { task, conduct, .. } = &posed.scenario.tasks[index];
    let is_rare = random.bool();
    let offset = conduct.offset.map_or_else(|| random.u64(0..2 * task.period), |offset| FINE * offset);
    let mut all = Vec::new();
    let mut at = offset;
    while (at as i64) < UNTIL {
        all.push(at as i64);
        let longest = FINE * conduct.max_inter_arrival.unwrap_or(task.period);
        at += if is_rare { longest } else { random.u64(FINE * task.period..=longest) };
    }
    all
}

fn followed(chain: &Chain) -> FollowedChain {
    FollowedChain {
        stages: chain.stages.iter().map(|stage| stage.task).collect(),
        is_let: chain.communication == Communication::Let,
        is_event: chain.stages[0].activated,
    }
}

#[test]
fn no_datum_takes_longer_than_the_bound() {
    let mut random = random::seeded("chains", 3);
    // By kind of chain: sets, sum of the longest that was seen, sum of the bounds, how often the bound was reached up to a tick.
    let mut kinds = [[0u64; 4]; 4];
    let mut missing = 0;
    for _ in 0..random::sets(1_500) {
        let order = if random.bool() { Order::Edf } else { Order::Fixed };
        let mut posed = Posed::new(drawn(&mut random), order);
        let Some((found, _)) = posed.bounds() else {
            missing += 1;
            continue;
        };
        let chain = &posed.scenario.chains[0];
        let followed = followed(chain);
        let is_activated = chain.stages.iter().any(|stage| stage.activated);
        let kind = match (followed.is_let, chain.synchronized) {
            (_, true) => 3,
            (true, _) => 2,
            _ => usize::from(is_activated),
        };
        let mut longest = [0i64; 2];
        for _ in 0..10 {
            let tasks = scheduled(&posed, &mut random);
            let seen = [followed.reaction(&tasks), followed.age(&tasks)].map(|seen| seen.unwrap_or(0));
            for ((seen, bound), name) in seen.iter().zip([found.reaction, found.age]).zip(["reaction", "age"]) {
                if let Ok(at_most) = bound.at_most {
                    let context = || format!("{name}: {seen} of {at_most} x {FINE}\n{order:?} {:#?}", posed.scenario);
                    assert!(*seen <= (FINE * at_most) as i64, "{}", context());
                    assert!(bound.at_least <= at_most, "{bound:?} {}", context());
                }
            }
            // An output grows no older until the next one than the longest reaction.
            if let (Ok(at_most), false) = (found.reaction.at_most, followed.is_event) {
                assert!(followed.age_in_use(&tasks).unwrap_or(0) <= (FINE * at_most) as i64, "{:#?}", posed.scenario);
            }
            longest = [longest[0].max(seen[0]), longest[1].max(seen[1])];
        }
        match found.reaction.at_most {
            Ok(at_most) => {
                let reached = u64::from(longest[0] + FINE as i64 >= (FINE * at_most) as i64);
                let sums = [1, longest[0] as u64, FINE * at_most, reached];
                kinds[kind].iter_mut().zip(sums).for_each(|(sum, one)| *sum += one);
            }
            Err(_) => missing += 1,
        }
    }
    for (name, [sets, seen, bounds, reached]) in ["plain", "activated", "LET", "synchronized"].iter().zip(kinds) {
        let share = 100 * seen / bounds.max(1);
        eprintln!("{name}: {sets} bounds; longest seen {share} % of them, {reached} reached up to a tick");
    }
    eprintln!("without a bound: {missing}");
    assert!(kinds.iter().all(|[sets, ..]| *sets > 40), "{kinds:?}");
}
