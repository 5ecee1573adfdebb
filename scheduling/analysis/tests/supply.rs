//! Tasks in a reservation, held against every pattern of arrivals and every supply of small sets, and against schedules at halves
//! of a tick for bursts, jitter and long deadlines.
//!
//! `PRAZO_SETS=100000 cargo test --release --test supply` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::blocking::fixed_priority::Response;
use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::certificate;
use prazo_analysis::question::{Method, Policy, Priorities, Question, Shape, answer, edge, lateness};
use prazo_analysis::{Budget, Finding, Reason, Refused, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviour, Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive, Supply};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::supplied::{first_miss, longest_responses};
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

fn supply(random: &mut fastrand::Rng, longest: Ticks) -> Supply {
    let period = random.u64(1..=longest);
    // Most with enough for some tasks.
    Supply { budget: random.u64(period.div_ceil(3)..=period), period }
}

#[test]
fn every_verdict_and_every_bound_is_that_of_all_arrivals_and_all_supplies() {
    let mut random = random::seeded("supply", 30);
    let mut counts = [[0u32; 2]; 2];
    for _ in 0..random::sets(4_000) {
        let supply = supply(&mut random, 5);
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
            let longest = longest_responses(&tasks, supply.budget, supply.period, order);
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

/// A tick is two here, so that arrivals, jitter and supply may lie at halves of one.
const FINE: i64 = 2;

/// Jobs that arrive as densely as they may from `first` on and are released as late as that allows up to `first`; or thinned.
fn jobs(
    index: usize,
    task: &Task,
    burst: Option<Burst>,
    first: i64,
    until: i64,
    chance: Option<&mut fastrand::Rng>,
) -> Vec<Job> {
    let Burst { jobs, within, distance } =
        burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: task.period });
    let fine = |ticks: Ticks| ticks as i64 * FINE;
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
        all.push(Job { task: index, arrival, release, due, cost: task.cost * FINE as u64 });
    }
}

#[test]
fn bursts_jitter_and_long_deadlines_are_what_schedules_at_halves_of_a_tick_show() {
    let mut random = random::seeded("supply schedules", 31);
    let mut counts = [[0u32; 3]; 2];
    for _ in 0..random::sets(6_000) {
        let supply = supply(&mut random, 8);
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
        let (budget, period) = (supply.budget as i64 * FINE, supply.period as i64 * FINE);
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system, order);
            let all = |first: i64, until: i64, mut chance: Option<&mut fastrand::Rng>| -> Vec<Job> {
                let of = |index: usize| jobs(index, &tasks[index], bursts[index], first, until, chance.as_deref_mut());
                (0..tasks.len()).flat_map(of).collect()
            };
            // All together at 0, when a budget ends that was served first in its period.
            let misses_at_worst = |until: i64| {
                let late = |now: i64| now >= period - budget && (now - (period - budget)) % period >= period - budget;
                first_miss(&all(0, until, None), order, until, &late).is_some()
            };
            counts[by][finding.verdict as usize] += 1;
            match finding.verdict {
                Verdict::Proven => {
                    assert!(!misses_at_worst(300), "{order:?} {tasks:?} {bursts:?} {supply:?} {finding:?}");
                    for _ in 0..3 {
                        // A budget in one piece somewhere in each period, which begins somewhere.
                        let phase = random.i64(0..period);
                        let places: Vec<i64> = (0..200).map(|_| random.i64(0..=period - budget)).collect();
                        let is_served = |now: i64| {
                            let at = now + 40 + phase;
                            let place = places[(at / period) as usize % places.len()];
                            (place..place + budget).contains(&(at % period))
                        };
                        let first = random.i64(0..8);
                        let drawn = all(first, 200, Some(&mut random));
                        let missed = first_miss(&drawn, order, 200, &is_served);
                        assert_eq!(missed, None, "{order:?} {tasks:?} {bursts:?} {supply:?} {finding:?}");
                    }
                }
                Verdict::Disproven => {
                    let until = match finding.reason {
                        Reason::Overdemand { window: None } => continue,
                        Reason::Overdemand { window: Some(window) } => window as i64 * FINE,
                        _ => 600,
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
        Order::Edf | Order::EdfByIndex => Policy::Edf,
        Order::Fixed => Policy::FixedPriority(Priorities::Given(ranks)),
    };
    let (shape, time) = (Shape::Global { processors: 1 }, TimeModel::Continuous);
    Question { tasks, policy, shape, places: None, behaviours, overheads: None, time }
}

#[test]
fn every_verdict_has_a_certificate_and_changed_numbers_are_refused() {
    let mut random = random::seeded("supply certificates", 32);
    let (mut shown, mut refused, mut recomputed) = ([0u32; 2], 0u32, 0u32);
    for _ in 0..random::sets(400) {
        let supply = supply(&mut random, 9);
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
                let prazo_checker::Policy::FixedPriority(prazo_checker::Priorities::Given(ranks)) = &accepted.ranking
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
    let service = prazo_analysis::blocking::service::Service::of(Some(Supply { budget: 3, period: 5 }));
    assert_eq!((1..=10).map(|length| service.least(length)).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 2, 3, 3, 3, 4]);
}

#[test]
fn a_whole_supply_is_a_processor() {
    let mut random = random::seeded("whole supply", 33);
    for _ in 0..500 {
        let tasks = random::small_set(&mut random, 4, prazo_core::task::DeadlineKind::Arbitrary);
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let whole = Behaviours { supply: Some(Supply { budget: 7, period: 7 }), ..Behaviours::PLAIN };
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
    let supply = Supply { budget: 2, period: 4 };
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
    assert!(reason(Question { policy: Policy::FixedPriority(Priorities::Audsley), ..edf }).contains("Audsley"));
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
    for (budget, period) in [(0, 4), (5, 4), (1, 1 << 49)] {
        let behaviours = Behaviours { supply: Some(Supply { budget, period }), ..Behaviours::PLAIN };
        assert_eq!(answer(&Question { behaviours, ..edf }, &Method::default()), Err(Refused::Supply));
    }
}
