//! ROS 2 executors: no job of a simulated executor takes longer than its bound, and the published example is as published.

use prazo_analysis::Budget;
use prazo_analysis::executor::{self, NoBound};
use prazo_core::behaviour::{Burst, Supply};
use prazo_core::ratio::Ratio;
use prazo_oracle::executors::{Callback, Draws, Rule, run};
use prazo_oracle::random::{seeded, sets};
use prazo_oracle::supplied::Promise;
use prazo_scenario::executors::{
    Activator, CallbackChain, ExecutorKind, ExecutorSet, NamedCallback, NamedExecutor, SubscriptionOrder,
};

fn random_set(random: &mut fastrand::Rng) -> ExecutorSet {
    let executors: Vec<NamedExecutor> = (0..random.usize(1..=2))
        .map(|index| {
            let period = random.u64(2..=6);
            let reserved = Supply::Periodic { budget: random.u64(1..=period), period };
            let delayed = Supply::BoundedDelay { rate: reserved.rate(), delay: random.u64(1..=8) };
            NamedExecutor {
                name: format!("e{index}"),
                kind: if random.u8(0..3) == 0 { ExecutorKind::Events } else { ExecutorKind::SingleThreaded },
                order: if random.bool() { SubscriptionOrder::Registration } else { SubscriptionOrder::Any },
                supply: [None, None, None, None, Some(reserved), Some(delayed)][random.usize(0..6)],
                supply_words: None,
            }
        })
        .collect();
    // Half of the sets keep their executors busy, so that bursts arrive before those before are done.
    let (costs, room) = if random.bool() { (1..=4, 20) } else { (2..=6, 30) };
    let mut callbacks: Vec<NamedCallback> = Vec::new();
    for index in 0..random.usize(2..=5) {
        let activation = match random.u8(0..4) {
            0 => Activator::Timer { period: random.u64(4..=24) },
            1 | 2 if index > 0 => {
                Activator::Callback { topic: String::new(), by: random.usize(0..index), delay: random.u64(0..=2) }
            }
            _ => {
                let jobs = random.u64(1..=3);
                let distance = random.u64(0..=3);
                let within = (jobs * distance).max(1) + random.u64(3..=room);
                let arrivals = match jobs {
                    1 => Burst { jobs, within, distance: within },
                    _ => Burst { jobs, within, distance },
                };
                let jitter = if random.bool() { 0 } else { random.u64(0..=12) };
                Activator::External { topic: String::new(), arrivals, jitter }
            }
        };
        callbacks.push(NamedCallback {
            name: format!("c{index}"),
            executor: random.usize(0..executors.len()),
            cost: random.u64(costs.clone()),
            activation,
            publishes: Vec::new(),
        });
    }
    // Any order of registration.
    let mut order: Vec<usize> = (0..callbacks.len()).collect();
    random.shuffle(&mut order);
    let place = |old: usize| order.iter().position(|other| *other == old).unwrap();
    let mut shuffled: Vec<NamedCallback> = order.iter().map(|&old| callbacks[old].clone()).collect();
    for callback in &mut shuffled {
        if let Activator::Callback { by, .. } = &mut callback.activation {
            *by = place(*by);
        }
    }
    ExecutorSet { executors, callbacks: shuffled, ..ExecutorSet::default() }
}

/// Arrivals in halves of a tick: as dense as allowed, or less, each late by up to its jitter.
fn arrivals(random: &mut fastrand::Rng, set: &ExecutorSet, end: u64) -> Vec<(u64, usize)> {
    let mut all = Vec::new();
    let (together, dense) = (random.bool(), random.u8(0..3) > 0);
    for (index, callback) in set.callbacks.iter().enumerate() {
        let (burst, jitter, is_timer) = match callback.activation {
            Activator::Timer { period } => (Burst { jobs: 1, within: period, distance: period }, 0, true),
            Activator::External { arrivals, jitter, .. } => (arrivals, jitter, false),
            Activator::Callback { .. } => continue,
        };
        let start = if together { 2 * 12 } else { random.u64(0..2 * burst.within) };
        let mut slack = 0;
        for job in 0.. {
            let earliest = 2 * (job / burst.jobs * burst.within + job % burst.jobs * burst.distance);
            if !dense && !is_timer {
                slack += random.u64(0..=3);
            }
            // All late at first, then on time: the densest that jitter allows.
            let late = match random.u8(0..3) {
                0 => random.u64(0..=2 * jitter),
                _ if job == 0 => 2 * jitter,
                _ => (2 * jitter).saturating_sub(earliest),
            };
            let at = start + earliest + slack + late;
            if start + earliest > end {
                break;
            }
            all.push((at, index));
        }
    }
    all
}

/// Which ticks of half a tick an executor has: its budget in each period at any place.
fn supplied(random: &mut fastrand::Rng, set: &ExecutorSet, end: u64) -> Vec<Vec<bool>> {
    let of = |random: &mut fastrand::Rng, supply: Option<Supply>| {
        let (budget, period) = match supply {
            None => return vec![true; end as usize],
            Some(Supply::Periodic { budget, period }) => (budget, period),
            Some(Supply::BoundedDelay { rate, delay }) => return at_rate(random, rate, 2 * delay, end),
        };
        let mut ticks = Vec::new();
        let early_then_late = random.bool();
        while ticks.len() < end as usize {
            let mut one = vec![true; 2 * budget as usize];
            one.resize(2 * period as usize, false);
            if early_then_late {
                if !ticks.is_empty() {
                    one.reverse();
                }
            } else {
                random.shuffle(&mut one);
            }
            ticks.extend(one);
        }
        ticks
    };
    set.executors.iter().map(|executor| of(random, executor.supply)).collect()
}

/// Any supply that keeps its promise: for some time it is rather there, for some rather away.
fn at_rate(random: &mut fastrand::Rng, rate: Ratio, delay: u64, end: u64) -> Vec<bool> {
    let supply = Supply::BoundedDelay { rate, delay };
    let (mut promise, mut wants) = (Promise::of(supply), true);
    let mut next = || {
        wants ^= random.u8(0..8) == 0;
        let is_served = wants || promise.after(supply, false).is_none();
        promise = promise.after(supply, is_served).unwrap();
        is_served
    };
    (0..end).map(|_| next()).collect()
}

#[test]
fn no_job_and_no_chain_takes_longer_than_its_bound() {
    let mut random = seeded("executors", 31);
    const END: u64 = 400;
    let (mut bounded, mut jobs, mut overlapping, mut reached, mut ratio) = (0, 0, 0, 0, (0, 0));
    // Sets whose order is any somewhere, rounds in another order than that of registration, and jobs that take longer than in that order.
    let (mut any, mut others, mut beyond) = (0, 0, 0);
    for _ in 0..sets(3_000) {
        let set = random_set(&mut random);
        let found = executor::responses(&set, &mut Budget::new(2_000_000));
        if found.iter().all(Result::is_err) {
            continue;
        }
        bounded += 1;
        let is_any = |executor: &NamedExecutor| {
            executor.order == SubscriptionOrder::Any && executor.kind == ExecutorKind::SingleThreaded
        };
        any += u32::from(set.executors.iter().any(is_any));
        let mut in_the_order_of_the_file = set.clone();
        in_the_order_of_the_file.executors.iter_mut().for_each(|one| one.order = SubscriptionOrder::Registration);
        let registered = executor::responses(&in_the_order_of_the_file, &mut Budget::new(2_000_000));
        let callbacks: Vec<Callback> = set
            .callbacks
            .iter()
            .map(|callback| Callback {
                executor: callback.executor,
                is_timer: matches!(callback.activation, Activator::Timer { .. }),
                by: match callback.activation {
                    Activator::Callback { by, delay, .. } => Some((by, 2 * delay)),
                    _ => None,
                },
            })
            .collect();
        // From the first callback of a path to the end of this one.
        let path = |index: usize| {
            let mut path = vec![index];
            while let Activator::Callback { by, .. } = set.callbacks[path[0]].activation {
                path.insert(0, by);
            }
            CallbackChain { name: String::new(), callbacks: path, deadline: None }
        };
        let chains: Vec<_> = (0..callbacks.len()).map(|index| executor::chain(&set, &path(index), &found)).collect();
        let mut longest = vec![0; callbacks.len()];
        for round in 0..8 {
            let rules: Vec<Rule> = set
                .executors
                .iter()
                .map(|executor| match (executor.kind, round % 2) {
                    (ExecutorKind::Events, _) => Rule::Events,
                    (ExecutorKind::SingleThreaded, 0) => Rule::TimersAtOnce,
                    (ExecutorKind::SingleThreaded, _) => Rule::TimersSampled,
                })
                .collect();
            let arrivals = arrivals(&mut random, &set, END);
            let has = supplied(&mut random, &set, END);
            let full = random.u8(0..3) > 0;
            let costs: Vec<u64> = set.callbacks.iter().map(|callback| 2 * callback.cost).collect();
            let (mut one, mut two, mut three) = (random.fork(), random.fork(), random.fork());
            let mut cost = |callback: usize| if full { costs[callback] } else { one.u64(1..=costs[callback]) };
            let mut delay = |most: u64| if full { most } else { two.u64(0..=most) };
            // Any order, another one in each round; or that of the file.
            let mut order = |executor: usize, round: &mut [usize]| {
                if set.executors[executor].order == SubscriptionOrder::Any {
                    let before = round.to_vec();
                    three.shuffle(round);
                    others += u64::from(before != round);
                }
            };
            let mut draws = Draws { cost: &mut cost, delay: &mut delay, order: &mut order };
            let ended = run(&rules, &callbacks, &arrivals, &|at, now| has[at][now as usize], END, &mut draws);
            let mut before = vec![0; callbacks.len()];
            for job in ended {
                jobs += 1;
                overlapping += u64::from(job.arrival < before[job.callback]);
                before[job.callback] = job.end;
                let took = job.end - job.arrival;
                longest[job.callback] = longest[job.callback].max(took);
                let is_beyond = |response: executor::Response| took > 2 * response.bound;
                beyond += u32::from(registered[job.callback].is_ok_and(is_beyond));
                if let Ok(response) = found[job.callback] {
                    assert!(took <= 2 * response.bound, "{job:?} {response:?} {set:#?} {rules:?} {arrivals:?}");
                }
                if let Ok(bound) = chains[job.callback].at_most {
                    assert!(job.end - job.origin <= 2 * bound, "{job:?} {bound} {set:#?}");
                }
            }
        }
        for (longest, response) in longest.iter().zip(&found) {
            if let Ok(response) = response {
                reached += u64::from(*longest == 2 * response.bound);
                ratio = (ratio.0 + longest, ratio.1 + 2 * response.bound);
            }
        }
    }
    println!(
        "{bounded} sets with a bound, {jobs} jobs, {overlapping} of which arrive while one of the same callback waits; longest seen {} % of the bound, reached by {reached} callbacks",
        100 * ratio.0 / ratio.1.max(1)
    );
    println!(
        "{any} of the sets with any order; {others} rounds in another order than that of registration, and {beyond} jobs that exceed the bound for that order"
    );
    assert!(any > 300 && others > 5_000 && beyond > 0);
    assert!(bounded > 500 && reached > 200 && overlapping * 20 > jobs);
}

#[test]
fn an_overloaded_executor_has_no_bound_and_nor_has_what_it_activates() {
    let text = "unit = 'none'\n[executor.a]\nsupply = { budget = 1, period = 2 }\n[executor.b]\n[executor.c]\n\
                [callback.fast]\nexecutor = 'a'\ncost = 6\ntimer = 10\npublishes = 'x'\n\
                [callback.next]\nexecutor = 'b'\ncost = 1\ntopic = 'x'\n\
                [callback.same]\nexecutor = 'b'\ncost = 1\ntimer = 10\n\
                [callback.other]\nexecutor = 'c'\ncost = 1\ntimer = 10\n[chain.all]\ncallbacks = ['fast', 'next']\ndeadline = 6\n";
    let set = prazo_scenario::read::executors::read("x.toml".as_ref(), text).unwrap();
    let found = executor::responses(&set, &mut Budget::unlimited());
    assert_eq!(found[0], Err(NoBound::Overloaded(0)));
    assert_eq!((found[1], found[2]), (Err(NoBound::Activated(0)), Err(NoBound::Activated(0))));
    assert_eq!(found[3].unwrap().bound, 1);
    // Both costs together exceed the deadline, whatever else is known.
    let chain = executor::chain(&set, &set.chains[0], &found);
    assert_eq!((chain.at_least, chain.verdict()), (7, Some(prazo_analysis::Verdict::Disproven)));
}

#[test]
fn a_sampled_timer_runs_twice_before_a_subscription_that_arrives_between_steps() {
    let text = "unit = 'none'\n[executor.main]\n[callback.own]\ncost = 1\ntopic = 'own'\nperiod = 100\n\
                [callback.burst]\ncost = 4\ntopic = 'burst'\nburst = 2\nwithin = 100\n[callback.tick]\ncost = 1\ntimer = 8\n";
    let set = prazo_scenario::read::executors::read("x.toml".as_ref(), text).unwrap();
    let found = executor::responses(&set, &mut Budget::unlimited());
    // Halves of a tick: the burst at 0, the timer at 0.5 and 8.5, the message at 4.5, just after the executor has sampled.
    let callbacks = [false, false, true].map(|is_timer| Callback { executor: 0, is_timer, by: None });
    let arrivals = [(0, 1), (0, 1), (1, 2), (9, 0), (17, 2)];
    let (mut cost, mut delay) = (|callback: usize| [2, 8, 2][callback], |most: u64| most);
    let mut draws = Draws { cost: &mut cost, delay: &mut delay, order: &mut |_, _| () };
    let ended = run(&[Rule::TimersSampled], &callbacks, &arrivals, &|_, _| true, 60, &mut draws);
    let own = ended.iter().find(|job| job.callback == 0).unwrap();
    assert_eq!(own.end - own.arrival, 13);
    // In another order of the subscriptions, both jobs of the burst run before it.
    assert_eq!(found[0].unwrap().bound, 11);
}

#[test]
fn an_executor_that_needs_all_of_a_supply_with_gaps_never_catches_up() {
    let text =
        "unit = 'none'\n[executor.main]\nsupply = { budget = 1, period = 2 }\n[callback.only]\ncost = 1\ntimer = 2\n";
    let set = prazo_scenario::read::executors::read("x.toml".as_ref(), text).unwrap();
    assert_eq!(executor::responses(&set, &mut Budget::new(1_000)), [Err(NoBound::Overloaded(0))]);
}

#[test]
fn the_order_of_registration_never_makes_a_bound_longer_and_often_shorter() {
    let mut random = seeded("executor order", 32);
    let mut shorter = 0;
    for _ in 0..500 {
        let mut set = random_set(&mut random);
        let [any, registered] = [SubscriptionOrder::Any, SubscriptionOrder::Registration].map(|order| {
            set.executors.iter_mut().for_each(|executor| executor.order = order);
            executor::responses(&set, &mut Budget::new(2_000_000))
        });
        for (any, registered) in any.iter().zip(&registered) {
            let (Ok(any), Ok(registered)) = (any, registered) else { continue };
            assert!(registered.bound <= any.bound, "{set:#?}");
            shorter += u32::from(registered.bound < any.bound);
        }
    }
    assert!(shorter > 50, "{shorter}");
}

#[test]
fn each_pass_over_the_callbacks_costs_budget() {
    let callbacks: String =
        (0..2_000).map(|index| format!("[callback.c{index}]\nexecutor = 'e{index}'\ncost = 3\ntimer = 2\n")).collect();
    let executors: String = (0..2_000).map(|index| format!("[executor.e{index}]\n")).collect();
    let text = format!("unit = 'none'\n{executors}{callbacks}");
    let set = prazo_scenario::read::executors::read("x.toml".as_ref(), &text).unwrap();
    let mut budget = Budget::new(100_000);
    assert!(executor::responses(&set, &mut budget).iter().all(|one| matches!(one, Err(NoBound::Overloaded(_)))));
    assert!(budget.spent() >= 2_000, "{} for looking at 2,000 callbacks", budget.spent());
    let spent = executor::responses(&set, &mut Budget::new(10));
    assert!(spent.iter().all(Result::is_err));
}

#[test]
fn a_spent_budget_is_said() {
    let set = random_set(&mut fastrand::Rng::with_seed(1));
    let found = executor::responses(&set, &mut Budget::new(3));
    assert!(
        found
            .iter()
            .all(|one| matches!(one, Err(NoBound::BudgetSpent | NoBound::Overloaded(_) | NoBound::Activated(_))))
    );
}

/// The case study of Casini and others 2019, with two reservations and driven by events.
#[test]
fn the_published_navigation_stack_has_bounds_on_both_of_its_chains() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/executors/move-base.toml");
    let set = prazo_scenario::read::executors::read(file.as_ref(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let bounds = |order: SubscriptionOrder| {
        let mut set = set.clone();
        set.executors.iter_mut().for_each(|executor| executor.order = order);
        let found = executor::responses(&set, &mut Budget::new(5_000_000));
        let bound = |chain: &CallbackChain| {
            let bound = executor::chain(&set, chain, &found);
            println!("{order}, {}: {:?} us, at least {} us", chain.name, bound.at_most, bound.at_least);
            assert_eq!(bound.verdict(), Some(prazo_analysis::Verdict::Proven));
            bound.at_most.unwrap()
        };
        set.chains.iter().map(bound).collect::<Vec<_>>()
    };
    let (any, registered) = (bounds(SubscriptionOrder::Any), bounds(SubscriptionOrder::Registration));
    assert!(registered[0] < any[0] && registered[1] <= any[1], "{any:?} {registered:?}");
}
