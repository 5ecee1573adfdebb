//! Random small sets: whatever can be shown is true of a schedule seen tick by tick, and exact tests show all that is
//! true.

use crate::{TESTS, answer, claim, is_shown, question, refined};
use prazo_analysis::demand::total_demand_bound;
use prazo_analysis::question::{Answer, JobRanking, Priorities, Question};
use prazo_analysis::{Finding, MissedJob, Task, TimeModel, certificate};
use prazo_oracle::random as oracle;
use prazo_oracle::{Order, any_miss, first_miss};

/// Sets for each test function; more with PRAZO_SETS.
pub(crate) fn sets() -> usize {
    oracle::sets(2_000)
}

/// The sets of every ordinary run; PRAZO_SEED draws others.
const SEED: u64 = 20_261_121;

/// A generator whose seed is printed.
pub(crate) fn random() -> fastrand::Rng {
    oracle::seeded("certificates", SEED)
}

/// One heavy task with a deadline beyond its period among short constrained ones: where tests that take C/D for a density
/// accept what misses.
fn heavy_and_late(random: &mut fastrand::Rng) -> Vec<Task> {
    let short = |random: &mut fastrand::Rng| {
        let period = random.u64(2..=9);
        let deadline = random.u64(1..=period);
        Task::new(random.u64(1..=deadline.div_ceil(2)), period, deadline)
    };
    let period = random.u64(5..=30);
    let heavy = Task::new(period - random.u64(0..=3), period, random.u64(period..=period * 4));
    (0..random.usize(1..=4)).map(|_| short(random)).chain([heavy]).collect()
}

/// Up to six tasks with periods up to 12; deadlines implicit, constrained or arbitrary.
pub(crate) fn set(random: &mut fastrand::Rng, kind: usize) -> Vec<Task> {
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(2..=12);
        let share = random.u64(1..=3);
        let cost = random.u64(1..=period.div_ceil(share));
        let deadline = match kind {
            0 => period,
            1 => random.u64(cost..=period),
            _ => random.u64(cost..=period * 3),
        };
        Task::new(cost, period, deadline)
    };
    (0..random.usize(1..=6)).map(|_| task(random)).collect()
}

#[test]
fn what_is_shown_of_global_edf_never_misses() {
    let (mut random, mut shown) = (random(), [0; TESTS.len()]);
    for round in 0..sets() {
        let tasks = if round % 4 == 3 { heavy_and_late(&mut random) } else { set(&mut random, round % 4) };
        let processors = random.u32(1..=4);
        let time = TimeModel::VALUES[round / 4 % 2];
        let question = Question { time, ..question(&tasks, JobRanking::Edf, processors) };
        let proven: Vec<usize> = (0..TESTS.len()).filter(|&place| is_shown(&question, TESTS[place])).collect();
        proven.iter().for_each(|&place| shown[place] += 1);
        if !proven.is_empty() {
            let names: Vec<&str> = proven.iter().map(|&place| TESTS[place]).collect();
            let tasks = refined(&tasks, time);
            assert_eq!(any_miss(&tasks, processors, Order::Edf, 1_000), None, "{names:?} m={processors} {tasks:?}");
        }
    }
    println!("shown: {TESTS:?} {shown:?}");
}

/// dbf(t) <= t up to a bound beyond every hyperperiod of such small sets; U <= 1 by the same.
fn meets_demand(tasks: &[Task]) -> bool {
    (0..60_000).all(|t| {
        tasks.iter().map(|task| total_demand_bound(std::slice::from_ref(task), t + task.jitter)).sum::<u128>()
            <= t.into()
    })
}

#[test]
fn on_one_processor_edf_is_shown_exactly_where_it_holds() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() / 4 {
        let mut tasks = set(&mut random, round % 3);
        tasks.truncate(3);
        for task in &mut tasks {
            task.jitter = random.u64(0..=3) * random.u64(0..=1);
        }
        let holds = meets_demand(&tasks);
        assert_eq!(is_shown(&question(&tasks, JobRanking::Edf, 1), "QPA"), holds, "{tasks:?}");
        shown += usize::from(holds);
    }
    println!("{shown} shown");
}

/// The worst response of each task in any order is in the synchronous schedule when there is no jitter.
fn meets_by_schedule(tasks: &[Task], order: &[usize]) -> bool {
    let mut ranks = vec![0; tasks.len()];
    order.iter().enumerate().for_each(|(rank, &task)| ranks[task] = rank as u32);
    any_miss(tasks, 1, Order::Fixed(&ranks), 60_000).is_none()
}

#[test]
fn on_one_processor_fixed_priorities_are_shown_exactly_where_they_hold() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() / 20 {
        let mut tasks = set(&mut random, round % 3);
        tasks.truncate(3);
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by_key(|&task| tasks[task].deadline);
        let priorities = JobRanking::FixedPriority(Priorities::DeadlineMonotonic);
        let holds = meets_by_schedule(&tasks, &order);
        assert_eq!(is_shown(&question(&tasks, priorities, 1), "response times"), holds, "{tasks:?}");
        shown += usize::from(holds);
    }
    println!("{shown} shown");
}

#[test]
fn with_jitter_fixed_priorities_that_are_shown_never_miss() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() {
        let mut tasks = set(&mut random, round % 3);
        tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=2));
        let audsley = question(&tasks, JobRanking::FixedPriority(Priorities::Audsley), 1);
        let Some(text) = claim(&audsley, "response times") else { continue };
        prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let order = text.lines().find_map(|line| line.strip_prefix("order ")).unwrap();
        let mut ranks = vec![0; tasks.len()];
        order.split(' ').enumerate().for_each(|(rank, task)| ranks[task.parse::<usize>().unwrap()] = rank as u32);
        assert_eq!(any_miss(&tasks, 1, Order::Fixed(&ranks), 1_000), None, "{text}");
        shown += 1;
    }
    println!("{shown} shown");
}

#[test]
fn what_is_shown_of_global_fixed_priorities_never_misses() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() {
        let (tasks, processors) = (set(&mut random, round % 2), random.u32(2..=3));
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let priorities = JobRanking::FixedPriority(Priorities::Given(&ranks));
        let question = Question { time: TimeModel::VALUES[round / 2 % 2], ..question(&tasks, priorities, processors) };
        if is_shown(&question, "Guan") {
            let tasks = refined(&tasks, question.time);
            assert_eq!(any_miss(&tasks, processors, Order::Fixed(&ranks), 1_000), None, "m={processors} {tasks:?}");
            shown += 1;
        }
    }
    println!("{shown} shown");
}

/// The first job of the synchronous schedule that misses, as an answer.
pub(crate) fn missed(tasks: &[Task], processors: u32) -> Option<Answer> {
    let deadline = first_miss(tasks, processors, Order::Edf, 2_000)? as u64;
    let due = |task: &Task| deadline.checked_sub(task.deadline).filter(|rest| rest % task.period == 0);
    let candidates = tasks.iter().enumerate().filter_map(|(index, task)| Some((index, due(task)?, task.period)));
    let job = |(task, arrival, period): (usize, u64, u64)| MissedJob { task, job: arrival / period, arrival, deadline };
    let answers = candidates.map(job).map(|job| answer(Finding::missed("simulation", job, 0), None));
    let question = question(tasks, JobRanking::Edf, processors);
    answers.into_iter().find(|answer| prazo_checker::check(&certificate::write(&question, answer).unwrap()).is_ok())
}

#[test]
fn every_miss_that_is_seen_is_shown_and_no_other() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() {
        let (tasks, processors) = (set(&mut random, round % 3), random.u32(1..=3));
        let miss = first_miss(&tasks, processors, Order::Edf, 2_000).map(|deadline| deadline as u64);
        assert_eq!(missed(&tasks, processors).is_some(), miss.is_some(), "m={processors} {tasks:?}");
        shown += usize::from(miss.is_some());
        for job in 0..3.min(miss.unwrap_or(30) / tasks[0].period) {
            let arrival = job * tasks[0].period;
            let deadline = arrival + tasks[0].deadline;
            if deadline < miss.unwrap_or(1_000) {
                let early = MissedJob { task: 0, job, arrival, deadline };
                let answer = answer(Finding::missed("simulation", early, 0), None);
                let text = certificate::write(&question(&tasks, JobRanking::Edf, processors), &answer).unwrap();
                assert!(prazo_checker::check(&text).is_err(), "{text}");
            }
        }
    }
    println!("{shown} shown");
}
