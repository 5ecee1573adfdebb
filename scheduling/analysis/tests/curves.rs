//! Tasks whose arrivals a curve of several steps bounds, held against schedules at halves of a tick: the densest arrivals, and random ones that
//! keep to the definition.
//!
//! `PRAZO_SETS=100000 cargo test --release --test curves` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::certificate;
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Finding, Reason, SetError, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{ArrivalCurve, ArrivalStep, Behaviour, Behaviours, Departure, Locking};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::suspended::first_miss;
use prazo_oracle::{Job, random};
use sealed::{refuses_longer_lines, resealed};

/// A task with its steps; without any, a period is the only one.
type Drawn = (Task, Option<ArrivalCurve>);

fn drawn(random: &mut fastrand::Rng) -> Vec<Drawn> {
    let count = random.usize(1..=3);
    (0..count).map(|_| if random.u8(0..4) == 0 { periodic(random) } else { stepped(random, count as u64) }).collect()
}

fn periodic(random: &mut fastrand::Rng) -> Drawn {
    let period = random.u64(3..=12);
    (Task { jitter: random.u64(0..=1), ..Task::new(random.u64(1..=2), period, random.u64(2..=2 * period)) }, None)
}

fn stepped(random: &mut fastrand::Rng, count: u64) -> Drawn {
    let (cost, mut jobs, mut within) = (random.u64(1..=2), 0, 0);
    let steps: Vec<ArrivalStep> = (0..random.usize(1..=3))
        .map(|_| {
            jobs += random.u64(1..=2);
            within = (within + random.u64(1..=9)).max(if random.bool() { jobs * cost * count } else { 0 });
            ArrivalStep { jobs, within }
        })
        .collect();
    let curve = ArrivalCurve::new(&steps).unwrap();
    let ArrivalStep { jobs, within } = curve.longest();
    let deadline = random.u64(cost..=2 * within + cost);
    let task = Task { jitter: random.u64(0..=1), ..Task::new(cost, within.div_ceil(jobs), deadline) };
    (task, Some(curve))
}

fn judged(set: &[Drawn], order: Order) -> Finding {
    let of_tasks = set.iter().map(|(_, curve)| Behaviour { curve: *curve, ..Behaviour::default() }).collect();
    let system = System::new(set.iter().map(|(task, _)| *task).collect(), of_tasks, Locking::Srp);
    let budget = &mut Budget::new(100_000);
    match order {
        Order::Edf | Order::EdfByIndex => edf::test(&system, budget),
        Order::Fixed => fixed_priority::test(&system, budget),
    }
}

/// A tick is two here.
const FINE: u64 = 2;
const UNTIL: i64 = 500;

/// Arrivals as early as every step allows after those before them, or later by lots; released together at 0 as late as they may, or at
/// any time.
fn jobs(index: usize, (task, curve): &Drawn, is_densest: bool, random: &mut fastrand::Rng) -> Vec<(Job, u64)> {
    let period = [ArrivalStep { jobs: 1, within: task.period }];
    let steps = curve.as_ref().map_or(&period[..], ArrivalCurve::steps);
    let fine = |ticks: Ticks| (ticks * FINE) as i64;
    let first = if is_densest { -fine(task.jitter) } else { random.i64(-9..9) };
    let (mut all, mut arrivals, mut release) = (Vec::new(), Vec::<i64>::new(), i64::MIN);
    loop {
        let after = |step: &ArrivalStep| {
            let at = arrivals.len().checked_sub(step.jobs as usize)?;
            Some(arrivals[at] + fine(step.within))
        };
        let earliest = steps.iter().filter_map(after).chain(arrivals.last().copied()).max().unwrap_or(first);
        let wait = if is_densest || random.u8(0..4) > 0 { 0 } else { random.i64(0..=12) };
        let arrival = earliest + wait;
        if arrival >= UNTIL {
            return all;
        }
        let late = if is_densest { arrival.max(0) } else { arrival + random.i64(0..=fine(task.jitter)) };
        release = late.max(release);
        arrivals.push(arrival);
        let due = arrival + fine(task.deadline);
        all.push((Job { task: index, arrival, release, due, cost: task.cost * FINE }, 0));
    }
}

fn misses(set: &[Drawn], order: Order, is_densest: bool, random: &mut fastrand::Rng) -> bool {
    let of = |(index, one): (usize, &Drawn)| jobs(index, one, is_densest, random);
    let jobs: Vec<(Job, u64)> = set.iter().enumerate().flat_map(of).collect();
    // What is due beyond the last arrivals has not seen all that could come before it.
    first_miss(&jobs, order, UNTIL - 1, &mut || false).is_some()
}

#[test]
fn proven_sets_miss_nowhere_and_disproven_ones_where_all_come_densest() {
    let mut random = random::seeded("curves", 61);
    let mut verdicts = [[0u32; 3]; 2];
    for _ in 0..random::sets(4_000) {
        let set = drawn(&mut random);
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&set, order);
            verdicts[by][finding.verdict as usize] += 1;
            match (finding.verdict, &finding.reason) {
                (Verdict::Proven, _) => {
                    assert!(!misses(&set, order, true, &mut random), "{order:?} {set:?} {finding:?}");
                    for _ in 0..3 {
                        assert!(!misses(&set, order, false, &mut random), "{order:?} {set:?} {finding:?}");
                    }
                }
                (_, Reason::Overdemand { window: None }) => {}
                (Verdict::Disproven, _) => {
                    assert!(misses(&set, order, true, &mut random), "{order:?} {set:?} {finding:?}");
                }
                (Verdict::Unknown, _) => {}
            }
        }
    }
    eprintln!("by verdict; EDF, fixed priorities: {verdicts:?}");
    assert!(verdicts.iter().all(|of| of[Verdict::Proven as usize] > 300 && of[Verdict::Disproven as usize] > 300));
}

fn asked<'a>(tasks: &'a [Task], of_tasks: &'a [Departure], order: Order, ranks: &'a [u32]) -> Question<'a> {
    Question {
        tasks,
        policy: match order {
            Order::Edf | Order::EdfByIndex => JobRanking::Edf,
            Order::Fixed => JobRanking::FixedPriority(Priorities::Given(ranks)),
        },
        shape: Shape::Global { processors: 1 },
        places: None,
        behaviours: Behaviours { of_tasks, ..Behaviours::PLAIN },
        overheads: None,
        time: TimeModel::Continuous,
    }
}

#[test]
fn every_verdict_has_a_certificate_and_what_is_changed_in_it_is_refused_or_shows_the_same() {
    let mut random = random::seeded("curve certificates", 62);
    let (mut shown, mut refused, mut others) = ([[0u32; 2]; 2], 0u32, 0u32);
    for _ in 0..random::sets(120) {
        let set = drawn(&mut random);
        if set.iter().all(|(_, curve)| curve.is_none()) {
            continue;
        }
        let tasks: Vec<Task> = set.iter().map(|(task, _)| *task).collect();
        let of_tasks: Vec<Departure> =
            set.iter().map(|(_, curve)| Departure { curve: *curve, ..Departure::default() }).collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let question = asked(&tasks, &of_tasks, order, &ranks);
            let answer = answer(&question, &Method { budget: 100_000, ..Method::default() }).unwrap();
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            let text = certificate::write(&question, &answer).unwrap_or_else(|why| panic!("{why} {answer:?}"));
            let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            refuses_longer_lines(&text);
            let is_proven = accepted.verdict == prazo_checker::Verdict::Proven;
            assert_eq!(is_proven, answer.verdict == Verdict::Proven);
            shown[by][usize::from(is_proven)] += 1;
            for place in (0..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                // Another number: either the evidence no longer shows anything, or it shows the same.
                match prazo_checker::check(&resealed(&changed)) {
                    Err(_) => refused += 1,
                    Ok(other) if other.verdict == accepted.verdict => others += 1,
                    Ok(other) => panic!("{:?}\n{text}\n{changed}", other.verdict),
                }
            }
        }
    }
    eprintln!("disproven, proven; EDF, fixed priorities: {shown:?}; {refused} refused, {others} still true");
    assert!(shown.iter().flatten().all(|count| *count > 15) && refused > 1_000, "{shown:?}");
}

#[test]
fn a_curve_of_several_steps_proves_what_its_last_step_alone_does_not() {
    // A packet takes 1; at most 2 in 5, 4 in 20. A control task takes 6 of 12.
    let steps = |all: &[(u64, Ticks)]| {
        ArrivalCurve::new(&all.iter().map(|&(jobs, within)| ArrivalStep { jobs, within }).collect::<Vec<_>>())
    };
    let with = |curve: Option<ArrivalCurve>| {
        judged(&[(Task::new(1, 5, 5), curve), (Task::new(6, 12, 9), None)], Order::Fixed).verdict
    };
    assert_eq!(with(steps(&[(4, 20)])), Verdict::Disproven);
    assert_eq!(with(steps(&[(2, 5), (4, 20)])), Verdict::Disproven);
    assert_eq!(with(steps(&[(2, 9), (4, 20)])), Verdict::Proven);
}

#[test]
fn work_that_would_overflow_and_two_ways_to_arrive_are_refused() {
    let curve = ArrivalCurve::new(&[ArrivalStep { jobs: 64, within: 1 << 40 }]);
    let tasks = [Task::new(1 << 43, 1 << 34, 1 << 47)];
    let of = [Departure { curve, ..Departure::default() }];
    let refused = answer(&asked(&tasks, &of, Order::Edf, &[0]), &Method::default());
    assert_eq!(refused, Err(SetError::Behaviour(0)));
}
