//! Tasks in a supply, held against every pattern of arrivals and every supply of small sets, and against schedules at halves
//! of a tick for bursts, jitter and long deadlines.
//!
//! `PRAZO_SETS=100000 cargo test --release --test supply` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::Response;
use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::certificate;
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer, edge, lateness};
use prazo_analysis::{Budget, Finding, Reason, SetError, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviour, Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive, Supply};
use prazo_core::ratio::Ratio;
use prazo_oracle::any_arrival::Order;
use prazo_oracle::supplied::{Promise, first_miss, longest_responses};
use prazo_oracle::{Job, random};
use sealed::{refuses_longer_lines, resealed};

fn system(tasks: &[Task], bursts: &[Option<Burst>], supply: Supply) -> System<'static> {
    let of_tasks = bursts.iter().map(|burst| Behaviour { burst: *burst, ..Behaviour::default() }).collect();
    System::new(tasks.to_vec(), of_tasks, Locking::Srp).with_supply(Some(supply))
}

fn judged(system: &System<'_>, order: Order) -> Finding {
    let budget = &mut Budget::new(200_000);
    match order {
        Order::Edf | Order::EdfByIndex => edf::test(system, budget),
        Order::Fixed => fixed_priority::test(system, budget),
    }
}

/// A budget in every period.
fn periodic(random: &mut fastrand::Rng, longest: Ticks) -> Supply {
    let period = random.u64(1..=longest);
    // Most with enough for some tasks.
    Supply::Periodic { budget: random.u64(period.div_ceil(3)..=period), period }
}

/// A rate whose denominator divides `parts`, after a delay; a rate below 1 needs a delay to be that of a processor that comes and goes.
fn bounded_delay(random: &mut fastrand::Rng, parts: u64, longest: Ticks) -> Supply {
    let under = random.u64(1..=parts);
    let under = if parts.is_multiple_of(under) { under } else { parts };
    let over = random.u64(under.div_ceil(3)..=under);
    let delay = random.u64(u64::from(over < under)..=longest);
    Supply::BoundedDelay { rate: Ratio::new(over.into(), under.into()).unwrap(), delay }
}

fn either(random: &mut fastrand::Rng, longest: Ticks) -> Supply {
    if random.bool() { periodic(random, longest) } else { bounded_delay(random, 12, longest) }
}

#[test]
fn every_verdict_and_every_bound_is_that_of_all_arrivals_and_all_supplies() {
    let mut random = random::seeded("supply", 30);
    let mut counts = [[0u32; 2]; 2];
    for _ in 0..random::sets(4_000) {
        let supply = periodic(&mut random, 5);
        let tasks: Vec<Task> = (0..random.usize(1..=3))
            .map(|_| {
                let period = random.u64(2..=9);
                let cost = random.u64(1..=period.div_ceil(4));
                Task::new(cost, period, if random.bool() { period } else { random.u64(cost..=period) })
            })
            .collect();
        let system = system(&tasks, &vec![None; tasks.len()], supply);
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system, order);
            let longest = longest_responses(&tasks, supply, order);
            let expected = if longest.is_some() { Verdict::Proven } else { Verdict::Disproven };
            assert_eq!(finding.verdict, expected, "{order:?} {tasks:?} {supply:?} {finding:?}");
            counts[by][usize::from(longest.is_some())] += 1;
            if let (Order::Fixed, Some(longest)) = (order, longest) {
                let bounds = fixed_priority::responses(&system, &mut Budget::unlimited()).unwrap();
                let longest: Vec<Response> = longest.into_iter().map(Response::Within).collect();
                assert_eq!(bounds, longest, "{tasks:?} {supply:?}");
            }
        }
    }
    eprintln!("missed, in time; EDF, fixed priorities: {counts:?}");
    assert!(counts.iter().flatten().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn every_verdict_with_a_bounded_delay_is_that_of_all_arrivals_and_supplies_at_parts_of_a_tick() {
    let mut random = random::seeded("bounded delay", 34);
    let mut counts = [[0u32; 2]; 2];
    for _ in 0..random::sets(1_500) {
        // At whole ticks, a supply in so many parts can be as little as the rate allows.
        let parts = random.u64(1..=3);
        let Supply::BoundedDelay { rate, delay } = bounded_delay(&mut random, parts, 3) else { unreachable!() };
        let tasks: Vec<Task> = (0..random.usize(1..=if parts == 1 { 3 } else { 2 }))
            .map(|_| {
                let period = random.u64(2..=9);
                let cost = random.u64(1..=period.div_ceil(4));
                Task::new(cost, period, if random.bool() { period } else { random.u64(cost..=period) })
            })
            .collect();
        let system = system(&tasks, &vec![None; tasks.len()], Supply::BoundedDelay { rate, delay });
        let finer: Vec<Task> =
            tasks.iter().map(|task| Task::new(task.cost * parts, task.period * parts, task.deadline * parts)).collect();
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system, order);
            let longest = longest_responses(&finer, Supply::BoundedDelay { rate, delay: delay * parts }, order);
            let expected = if longest.is_some() { Verdict::Proven } else { Verdict::Disproven };
            assert_eq!(finding.verdict, expected, "{order:?} {tasks:?} {rate} {delay} {finding:?}");
            counts[by][usize::from(longest.is_some())] += 1;
            if let (Order::Fixed, Some(longest)) = (order, longest) {
                let bounds = fixed_priority::responses(&system, &mut Budget::unlimited()).unwrap();
                let longest: Vec<Response> =
                    longest.into_iter().map(|longest| Response::Within(longest.div_ceil(parts))).collect();
                assert_eq!(bounds, longest, "{tasks:?} {rate} {delay}");
            }
        }
    }
    eprintln!("missed, in time; EDF, fixed priorities: {counts:?}");
    assert!(counts.iter().flatten().all(|count| *count > 100), "{counts:?}");
}

/// Jobs that arrive as densely as they may from `first` on and are released as late as that allows up to `first`; or thinned.
fn jobs(
    index: usize,
    task: &Task,
    burst: Option<Burst>,
    range: std::ops::Range<i64>,
    parts: i64,
    chance: Option<&mut fastrand::Rng>,
) -> Vec<Job> {
    let (first, until) = (range.start, range.end);
    let Burst { jobs, within, distance } =
        burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: task.period });
    let fine = |ticks: Ticks| ticks as i64 * parts;
    let (mut all, mut arrivals, mut chance) = (Vec::new(), Vec::<i64>::new(), chance);
    let mut release = i64::MIN;
    loop {
        let after_last = arrivals.last().map_or(first - fine(task.jitter), |last| last + fine(distance));
        let window = arrivals.len().checked_sub(jobs as usize).map_or(i64::MIN, |at| arrivals[at] + fine(within));
        let mut arrival = after_last.max(window);
        release = match &mut chance {
            None => arrival.max(first),
            Some(random) => {
                arrival += if random.bool() { 0 } else { random.i64(0..=fine(within)) };
                (arrival + random.i64(0..=fine(task.jitter))).max(release)
            }
        };
        if arrival >= until {
            return all;
        }
        arrivals.push(arrival);
        let due = arrival + fine(task.deadline);
        all.push(Job { task: index, arrival, release, due, cost: task.cost * parts as u64 });
    }
}

/// Is the processor there in the part of a tick that begins then, where the supply is as late as it may be from 0 on?
fn worst(supply: Supply, parts: i64) -> impl Fn(i64) -> bool {
    move |now| match supply {
        Supply::Periodic { budget, period } => {
            let (budget, period) = (budget as i64 * parts, period as i64 * parts);
            now >= period - budget && (now - (period - budget)) % period >= period - budget
        }
        Supply::BoundedDelay { rate, delay } => {
            let (over, under) = (rate.numerator() as i64, rate.denominator() as i64);
            // As late as the rate allows: in each part in which the rounded sum of all parts rises.
            let by = |parts: i64| (parts * over + under - 1) / under;
            let since = now - delay as i64 * parts;
            since >= 0 && by(since + 1) > by(since)
        }
    }
}

/// In which parts of a tick the processor is there, from 40 before 0 on.
fn drawn(random: &mut fastrand::Rng, supply: Supply, parts: i64, until: i64) -> Vec<bool> {
    let length = (until + 41) as usize;
    match supply {
        Supply::Periodic { budget, period } => {
            // A budget in one piece somewhere in each period, which begins somewhere.
            let (budget, period) = (budget as i64 * parts, period as i64 * parts);
            let phase = random.i64(0..period);
            let places: Vec<i64> = (0..200).map(|_| random.i64(0..=period - budget)).collect();
            let is_served = |now: i64| {
                let at = now + phase;
                let place = places[(at / period) as usize % places.len()];
                (place..place + budget).contains(&(at % period))
            };
            (0..length as i64).map(is_served).collect()
        }
        Supply::BoundedDelay { rate, delay } => {
            // Any supply that keeps its promise; now it is rather there, now rather away.
            let finer = Supply::BoundedDelay { rate, delay: delay * parts as u64 };
            let (mut promise, mut wants) = (Promise::of(finer), true);
            let mut all = Vec::with_capacity(length);
            while all.len() < length {
                wants ^= random.u8(0..8) == 0;
                let is_served = wants || promise.after(finer, false).is_none();
                promise = promise.after(finer, is_served).unwrap();
                all.push(is_served);
            }
            all
        }
    }
}

#[test]
fn bursts_jitter_and_long_deadlines_are_what_schedules_at_halves_of_a_tick_show() {
    schedules_agree(random::seeded("supply schedules", 31), random::sets(6_000), 2, |random| periodic(random, 8));
}

#[test]
fn bursts_jitter_and_long_deadlines_with_a_bounded_delay_are_what_schedules_at_sixths_of_a_tick_show() {
    let random = random::seeded("bounded delay schedules", 35);
    schedules_agree(random, random::sets(3_000), 6, |random| bounded_delay(random, 6, 6));
}

/// What is proven misses in no schedule, and what is disproven in the worst one, in `parts` of a tick.
fn schedules_agree(mut random: fastrand::Rng, sets: usize, parts: i64, draw: impl Fn(&mut fastrand::Rng) -> Supply) {
    let mut counts = [[0u32; 3]; 2];
    for _ in 0..sets {
        let supply = draw(&mut random);
        let (mut tasks, mut bursts) = (Vec::new(), Vec::new());
        for _ in 0..random.usize(1..=3) {
            let period = random.u64(2..=14);
            let cost = random.u64(1..=period.div_ceil(4));
            let deadline = random.u64(cost..=3 * period);
            let jitter = if random.bool() { 0 } else { random.u64(0..=3) };
            let burst = (random.u8(0..3) == 0).then(|| {
                let (jobs, distance) = (random.u64(1..=3), random.u64(0..=2));
                Burst { jobs, within: (period * jobs).max((jobs - 1) * distance + 1), distance }
            });
            tasks.push(Task { jitter, ..Task::new(cost, period, deadline) });
            bursts.push(burst);
        }
        let system = system(&tasks, &bursts, supply);
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system, order);
            let all = |first: i64, until: i64, mut chance: Option<&mut fastrand::Rng>| -> Vec<Job> {
                let of = |index: usize| {
                    jobs(index, &tasks[index], bursts[index], first..until, parts, chance.as_deref_mut())
                };
                (0..tasks.len()).flat_map(of).collect()
            };
            // All together at 0, when a budget ends that was served first in its period.
            let misses_at_worst =
                |until: i64| first_miss(&all(0, until, None), order, until, &worst(supply, parts)).is_some();
            counts[by][finding.verdict as usize] += 1;
            match finding.verdict {
                Verdict::Proven => {
                    assert!(!misses_at_worst(150 * parts), "{order:?} {tasks:?} {bursts:?} {supply:?} {finding:?}");
                    for _ in 0..3 {
                        let until = 100 * parts;
                        let served = drawn(&mut random, supply, parts, until);
                        let is_served = |now: i64| served[(now + 40) as usize];
                        let first = random.i64(0..8);
                        let drawn = all(first, until, Some(&mut random));
                        let missed = first_miss(&drawn, order, until, &is_served);
                        assert_eq!(missed, None, "{order:?} {tasks:?} {bursts:?} {supply:?} {finding:?}");
                    }
                }
                Verdict::Disproven => {
                    let until = match finding.reason {
                        Reason::Overdemand { window: None } => continue,
                        Reason::Overdemand { window: Some(window) } => window as i64 * parts,
                        _ => 300 * parts,
                    };
                    assert!(misses_at_worst(until), "{order:?} {tasks:?} {bursts:?} {supply:?} {finding:?}");
                }
                Verdict::Unknown => {}
            }
        }
    }
    eprintln!("by verdict; EDF, fixed priorities: {counts:?}");
    let [proven, disproven, unknown] = [Verdict::Proven, Verdict::Disproven, Verdict::Unknown].map(|one| one as usize);
    for count in counts {
        assert!(count[proven] > 100 && count[disproven] > 100 && count[unknown] * 10 < count[proven], "{count:?}");
    }
}

fn asked<'a>(tasks: &'a [Task], behaviours: Behaviours<'a>, order: Order, ranks: &'a [u32]) -> Question<'a> {
    let policy = match order {
        Order::Edf | Order::EdfByIndex => JobRanking::Edf,
        Order::Fixed => JobRanking::FixedPriority(Priorities::Given(ranks)),
    };
    let (shape, time) = (Shape::Global { processors: 1 }, TimeModel::Continuous);
    Question { tasks, policy, shape, places: None, behaviours, overheads: None, time }
}

#[test]
fn every_verdict_has_a_certificate_and_changed_numbers_are_refused() {
    let mut random = random::seeded("supply certificates", 32);
    let (mut shown, mut refused, mut recomputed) = ([0u32; 2], 0u32, 0u32);
    for _ in 0..random::sets(400) {
        let supply = either(&mut random, 9);
        let tasks: Vec<Task> = (0..random.usize(1..=3))
            .map(|_| {
                let period = random.u64(2..=15);
                let cost = random.u64(1..=period.div_ceil(5));
                Task { jitter: random.u64(0..=2), ..Task::new(cost, period, random.u64(cost..=2 * period)) }
            })
            .collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let all = Behaviours { supply: Some(supply), ..Behaviours::PLAIN };
        for order in [Order::Edf, Order::Fixed] {
            let question = asked(&tasks, all, order, &ranks);
            let answer = answer(&question, &Method { budget: 100_000, ..Method::default() }).unwrap();
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            let text = certificate::write(&question, &answer).unwrap();
            let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            refuses_longer_lines(&text);
            let is_proven = accepted.verdict == prazo_checker::Verdict::Proven;
            assert_eq!(is_proven, answer.verdict == Verdict::Proven);
            shown[usize::from(is_proven)] += 1;
            let digest = text.find("digest").unwrap();
            for place in (digest + 80..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                match prazo_checker::check(&changed) {
                    Err(_) => refused += 1,
                    Ok(other) => assert_eq!(other.verdict, accepted.verdict, "{changed}"),
                }
            }
            // Another question with this evidence: what is accepted must be true of it.
            for place in (0..digest).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                assert!(changed == text || prazo_checker::check(&changed).is_err(), "another digest is accepted");
                let Ok(accepted) = prazo_checker::check(&resealed(&changed)) else { continue };
                let stated = accepted.behaviours.as_ref().and_then(|all| all.supply).unwrap();
                let again = self::system(&accepted.tasks, &vec![None; accepted.tasks.len()], stated);
                let prazo_checker::JobRanking::FixedPriority(prazo_checker::Priorities::Given(ranks)) =
                    &accepted.ranking
                else {
                    agree(judged(&again, Order::Edf).verdict, accepted.verdict, &changed);
                    recomputed += 1;
                    continue;
                };
                let mut by_rank: Vec<usize> = (0..accepted.tasks.len()).collect();
                by_rank.sort_by_key(|&task| (ranks[task], task));
                agree(judged(&again.arranged(&by_rank), Order::Fixed).verdict, accepted.verdict, &changed);
                recomputed += 1;
            }
        }
    }
    eprintln!("disproven, proven: {shown:?}; {refused} refused, {recomputed} computed again");
    assert!(shown[0] > 50 && shown[1] > 50 && refused > 2_000 && recomputed > 500);
}

fn agree(found: Verdict, accepted: prazo_checker::Verdict, text: &str) {
    let same = (found == Verdict::Proven) == (accepted == prazo_checker::Verdict::Proven);
    assert!(same || found == Verdict::Unknown, "{found:?}\n{text}");
}

#[test]
fn three_in_five_serve_nothing_for_four_and_then_three_at_a_time() {
    let service = prazo_analysis::blocking::service::Service::of(Some(Supply::Periodic { budget: 3, period: 5 }));
    assert_eq!((1..=10).map(|length| service.least(length)).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 2, 3, 3, 3, 4]);
}

#[test]
fn what_is_proven_with_the_rate_after_two_gaps_is_proven_in_the_reservation() {
    let mut random = random::seeded("reservation and rate", 36);
    let mut counts = [0u32; 2];
    for _ in 0..random::sets(2_000) {
        let Supply::Periodic { budget, period } = periodic(&mut random, 9) else { unreachable!() };
        let tasks = random::small_set(&mut random, 3, prazo_core::task::DeadlineKind::Arbitrary);
        let reserved = Supply::Periodic { budget, period };
        let linear = Supply::BoundedDelay { rate: reserved.rate(), delay: 2 * (period - budget) };
        for order in [Order::Edf, Order::Fixed] {
            let found = |supply| judged(&system(&tasks, &vec![None; tasks.len()], supply), order);
            let [linear, reserved] = [linear, reserved].map(found);
            assert!(!linear.is_proven() || reserved.is_proven(), "{tasks:?} {budget} in {period}");
            counts[0] += u32::from(linear.is_proven());
            counts[1] += u32::from(reserved.is_proven());
        }
    }
    eprintln!("proven by the rate, in the reservation: {counts:?}");
    assert!(counts[0] > 50 && counts[0] < counts[1], "{counts:?}");
}

#[test]
fn a_whole_supply_is_a_processor() {
    let mut random = random::seeded("whole supply", 33);
    for _ in 0..500 {
        let tasks = random::small_set(&mut random, 4, prazo_core::task::DeadlineKind::Arbitrary);
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let whole = Behaviours { supply: Some(Supply::Periodic { budget: 7, period: 7 }), ..Behaviours::PLAIN };
        for order in [Order::Edf, Order::Fixed] {
            let [plain, supplied] = [Behaviours::PLAIN, whole]
                .map(|all| answer(&asked(&tasks, all, order, &ranks), &Method::default()).unwrap());
            assert_eq!(plain.verdict, supplied.verdict, "{tasks:?}");
            if plain.verdict == Verdict::Proven {
                assert_eq!(plain.responses_by_task(), supplied.responses_by_task(), "{tasks:?}");
            }
        }
    }
}

#[test]
fn what_is_not_covered_is_unknown_with_the_reason() {
    let tasks = [Task::implicit(1, 20), Task::implicit(1, 30)];
    let supply = Supply::Periodic { budget: 2, period: 4 };
    let plain = Behaviours { supply: Some(supply), ..Behaviours::PLAIN };
    let edf = asked(&tasks, plain, Order::Edf, &[]);
    assert_eq!(answer(&edf, &Method::default()).unwrap().verdict, Verdict::Proven);
    assert!(lateness(&edf, &answer(&edf, &Method::default()).unwrap()).bounds.is_none());
    assert_eq!(edge(&edf, &Method::default()).unwrap().processors, None);
    let reason = |question: Question<'_>| {
        let answer = answer(&question, &Method::default()).unwrap();
        assert_eq!(answer.verdict, Verdict::Unknown);
        match answer.findings[0].reason {
            Reason::NotApplicable(why) => why,
            ref other => panic!("{other:?}"),
        }
    };
    for shape in [Shape::Global { processors: 2 }, Shape::Clusters(&[1, 1]), Shape::Clusters(&[2])] {
        assert!(reason(Question { shape, ..edf }).contains("a supply applies to one processor"));
    }
    let overheads = Some(prazo_core::overheads::Overheads::NONE);
    assert!(reason(Question { overheads, ..edf }).contains("with overheads"));
    assert!(reason(Question { policy: JobRanking::FixedPriority(Priorities::Audsley), ..edf }).contains("Audsley"));
    let sections = [CriticalSection::once(0, 1)];
    let whole = Departure { non_preemptive: NonPreemptive::WHOLE, ..Departure::default() };
    let holder = Departure { sections_end: 1, ..Departure::default() };
    for (of_tasks, sections) in [([whole; 2], &[][..]), ([holder; 2], &sections[..])] {
        let behaviours = Behaviours { of_tasks: &of_tasks, sections, ..plain };
        assert!(reason(Question { behaviours, ..edf }).contains("non-preemptive parts or critical sections"));
        let of_tasks = behaviours.iter().collect();
        let system = System::new(tasks.to_vec(), of_tasks, Locking::Srp).with_supply(Some(supply));
        for order in [Order::Edf, Order::Fixed] {
            assert!(matches!(judged(&system, order).reason, Reason::NotApplicable(_)));
        }
    }
    let at_rate = |over, under, delay| Supply::BoundedDelay { rate: Ratio::new(over, under).unwrap(), delay };
    let rates = [at_rate(0, 1, 3), at_rate(5, 4, 3), at_rate(1, 1 << 49, 3), at_rate(1, 2, 1 << 49)];
    let budgets = [(0, 4), (5, 4), (1, 1 << 49)].map(|(budget, period)| Supply::Periodic { budget, period });
    for supply in rates.into_iter().chain(budgets) {
        let behaviours = Behaviours { supply: Some(supply), ..Behaviours::PLAIN };
        assert_eq!(answer(&Question { behaviours, ..edf }, &Method::default()), Err(SetError::Supply));
    }
}
