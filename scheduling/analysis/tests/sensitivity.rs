//! Sensitivity searches against asking every number, with tests that are monotone and with some that are not.

mod support;

use prazo_analysis::disproof::global_edf;
use prazo_analysis::exact::compare_sum;
use prazo_analysis::sensitivity::critical_task::critical_task;
use prazo_analysis::sensitivity::fewest_processors::{Processors, fewest_processors};
use prazo_analysis::sensitivity::largest_cost_factor::{Thousandths, largest_cost_factor};
use prazo_analysis::sensitivity::largest_overhead::{largest_overhead, largest_overhead_factor};
use prazo_analysis::sensitivity::largest_task_cost::{factor, largest_task_cost};
use prazo_analysis::sensitivity::search::{Boundary, Range, largest};
use prazo_analysis::{Budget, DeadlineKind, Task, TaskSet, Ticks, Verdict};
use prazo_core::overheads::{Function, Overhead, OverheadField, Overheads};
use prazo_core::ratio::Ratio;
use prazo_oracle::random;
use std::cmp::Ordering;

fn set(tasks: &[Task]) -> TaskSet<'_> {
    TaskSet::new(tasks).unwrap()
}

fn verdict(is_proven: bool) -> Verdict {
    if is_proven { Verdict::Proven } else { Verdict::Unknown }
}

/// Exact for EDF on one processor with D = T; more processors as one fast one.
fn utilization_test(tasks: &[Task], processors: u32) -> Verdict {
    let terms = tasks.iter().map(|task| (task.cost, task.period));
    verdict(compare_sum(terms, Ratio::whole(processors.into())) != Ordering::Greater)
}

/// No test that anybody should use: a synchronous schedule without a miss. It is not sustainable.
fn no_miss_seen(tasks: &[Task], processors: u32) -> Verdict {
    let found = global_edf::find_miss(set(tasks), processors, &mut Budget::new(2_000));
    verdict(found.verdict != Verdict::Disproven)
}

fn implicit_set(random: &mut fastrand::Rng) -> Vec<Task> {
    let grain = random.u64(1..=40);
    let finer = |task: Task| Task::implicit((task.cost * grain).div_ceil(3), task.period * grain);
    random::small_set(random, 5, DeadlineKind::Implicit).into_iter().map(finer).collect()
}

/// The largest number up to `last` that is proven, by asking each.
fn slow_largest(last: u64, ask: impl Fn(u64) -> Verdict) -> Option<u64> {
    (1..=last).rev().find(|number| ask(*number) == Verdict::Proven)
}

#[test]
fn the_largest_cost_factor_is_the_one_found_by_asking_each_thousandth() {
    let mut random = random::seeded("cost factor", 41);
    for _ in 0..random::sets(150) {
        let tasks = implicit_set(&mut random);
        let found = largest_cost_factor(set(&tasks), &mut |tasks| utilization_test(tasks, 1)).unwrap();
        let last = tasks.iter().map(|task| task.period * 1_000 / task.cost).min().unwrap();
        let scaled = |factor: u64| -> Vec<Task> {
            let scale = |task: &Task| Task { cost: (task.cost * factor).div_ceil(1_000), ..*task };
            tasks.iter().map(scale).collect()
        };
        let slow = slow_largest(last, |factor| utilization_test(&scaled(factor), 1));
        assert_eq!(found.proven, slow, "{tasks:?}: {found:?}");
        assert_eq!(found.not_proven, slow.map_or(Some(1), |slow| Some(slow + 1)).filter(|next| *next <= last));
        assert_eq!(found.contradicted_by, None);
        assert!(found.questions < 50, "{found:?}");
    }
}

#[test]
fn the_largest_cost_of_one_task_is_the_one_found_by_asking_each_tick() {
    let mut random = random::seeded("task cost", 42);
    for _ in 0..random::sets(500) {
        let tasks = implicit_set(&mut random);
        let index = random.usize(0..tasks.len());
        let found = largest_task_cost(set(&tasks), index, &mut |tasks| utilization_test(tasks, 2));
        let with = |cost: Ticks| {
            let mut tasks = tasks.clone();
            tasks[index].cost = cost;
            utilization_test(&tasks, 2)
        };
        assert_eq!(found.proven, slow_largest(tasks[index].period, with), "{tasks:?} task {index}: {found:?}");
    }
    assert_eq!(factor(6, 4), Ratio::new(3, 2));
}

#[test]
fn the_critical_task_is_the_one_with_the_least_distance() {
    let mut random = random::seeded("critical task", 43);
    for _ in 0..random::sets(500) {
        let tasks = implicit_set(&mut random);
        let found = critical_task(set(&tasks), &mut |tasks| utilization_test(tasks, 1));
        let distance = |index: usize| {
            let boundary = largest_task_cost(set(&tasks), index, &mut |tasks| utilization_test(tasks, 1));
            Some((boundary.proven?.abs_diff(tasks[index].cost), index))
        };
        let slow = (0..tasks.len()).filter_map(distance).min();
        assert_eq!(found.map(|found| found.task), slow.map(|slow| slow.1), "{tasks:?}: {found:?}");
    }
}

#[test]
fn the_critical_task_says_what_to_change() {
    let tasks = [Task::implicit(4, 10), Task::implicit(30, 100), Task::implicit(400, 1_000)];
    let found = critical_task(set(&tasks), &mut |tasks| utilization_test(tasks, 1)).unwrap();
    // U = 1.1: one tick of the first task is worth a tenth.
    assert_eq!((found.task, found.is_proven, found.cost.proven, found.cost.not_proven), (0, false, Some(3), Some(4)));
    let nothing_helps = [Task::implicit(10, 10), Task::implicit(10, 10), Task::implicit(10, 10)];
    assert_eq!(critical_task(set(&nothing_helps), &mut |tasks| utilization_test(tasks, 1)), None);
}

#[test]
fn a_verdict_that_is_not_monotone_is_said_to_be() {
    // 101/16 above and below the boundary are numbers that are asked in doubt.
    let range = Range { first: 1, last: 1_000, start: 50 };
    let found = largest(range, &mut |number| verdict(number <= 100 || number == 107));
    assert_eq!((found.proven, found.not_proven, found.contradicted_by), (Some(100), Some(101), Some(107)));
    let holed = largest(range, &mut |number| verdict(number <= 100 && number != 94));
    assert_eq!((holed.proven, holed.not_proven, holed.contradicted_by), (Some(100), Some(101), Some(94)));
}

/// Whatever the test: both sides of the boundary were asked, and say what the answer says they said.
#[test]
fn boundaries_hold_also_for_a_test_that_is_not_sustainable() {
    let mut random = random::seeded("not sustainable", 44);
    let mut contradicted = 0;
    for _ in 0..random::sets(500) {
        let kind = random::deadlines(&mut random);
        let (tasks, processors) = (random::small_set(&mut random, 6, kind), random.u32(1..=3));
        let Some(found) = largest_cost_factor(set(&tasks), &mut |tasks| no_miss_seen(tasks, processors)) else {
            continue;
        };
        let at = |factor: u64| {
            let scale = |task: &Task| Task { cost: Thousandths(factor).scale_up(task.cost), ..*task };
            no_miss_seen(&tasks.iter().map(scale).collect::<Vec<_>>(), processors)
        };
        assert_eq!(found.proven.map(at).unwrap_or(Verdict::Proven), Verdict::Proven, "{tasks:?}: {found:?}");
        assert_eq!(found.not_proven.map(at).unwrap_or(Verdict::Unknown), Verdict::Unknown, "{tasks:?}: {found:?}");
        if let Some(number) = found.contradicted_by {
            let is_above = found.proven.is_none_or(|proven| number > proven);
            assert_eq!(at(number), verdict(is_above), "{tasks:?}: {found:?}");
            contradicted += 1;
        }
    }
    eprintln!("{contradicted} boundaries contradicted");
}

/// A scheduling anomaly: with all tasks arriving at once on two processors, no job misses; with one cost less, one does, for four
/// jobs have the same deadline and a tie never preempts. A test that looks at this schedule only is not monotone in the cost,
/// and the search says so.
#[test]
fn a_smaller_cost_that_misses_contradicts_the_larger_one_that_does_not() {
    let tasks = [(5, 10), (4, 5), (3, 10), (3, 10)].map(|(c, t)| Task::implicit(c, t));
    let found = largest_task_cost(set(&tasks), 0, &mut |tasks| no_miss_seen(tasks, 2));
    assert_eq!((found.proven, found.not_proven, found.contradicted_by), (Some(6), Some(7), Some(4)));
}

#[test]
fn the_ends_of_a_range_are_answers_too() {
    let range = Range { first: 1, last: 9, start: 4 };
    let always = largest(range, &mut |_| Verdict::Proven);
    assert_eq!((always.proven, always.not_proven), (Some(9), None));
    let never = largest(range, &mut |_| Verdict::Unknown);
    assert_eq!((never.proven, never.not_proven), (None, Some(1)));
}

#[test]
fn the_fewest_processors_are_counted_up_from_the_utilization() {
    let tasks = [Task::implicit(2, 3); 4]; // U = 8/3
    let found = fewest_processors(set(&tasks), 8, &mut |m| utilization_test(&tasks, m));
    assert_eq!(found, Processors { fewest: Some(3), contradicted_by: None, questions: 4 });
    let none = fewest_processors(set(&tasks), 2, &mut |m| utilization_test(&tasks, m));
    assert_eq!((none.fewest, none.questions), (None, 0));
    let odd = fewest_processors(set(&tasks), 8, &mut |m| verdict(m % 2 == 1));
    assert_eq!((odd.fewest, odd.contradicted_by), (Some(3), Some(4)));
}

const TABLE: [(u64, Ratio); 2] = [(1, Ratio::whole(2)), (10, Ratio::whole(4))];

/// One task of 100 in 200 ticks, which pays two releases.
fn two_releases_fit(overheads: &Overheads<'_>) -> Verdict {
    let release = overheads.release.at(5).unwrap().value;
    verdict(release.checked_mul(Ratio::whole(2)).unwrap() <= Ratio::whole(100))
}

#[test]
fn the_largest_overhead_is_found_as_a_factor_on_the_table_and_as_an_amount() {
    let release = Overhead { amount: Function::Table(&TABLE), ..Overhead::NONE };
    let overheads = Overheads { release, ..Overheads::NONE };
    let found = largest_overhead_factor(&overheads, &[OverheadField::Release], &mut two_releases_fit).unwrap();
    assert_eq!((found.proven, found.not_proven), (Some(12_500), Some(12_501)));
    assert_eq!(largest_overhead_factor(&overheads, OverheadField::VALUES, &mut two_releases_fit), Some(found));
    let amount = largest_overhead(&overheads, OverheadField::Release, 1_000, &mut two_releases_fit);
    assert_eq!((amount.proven, amount.not_proven), (Some(50), Some(51)));
}

#[test]
fn what_is_not_charged_has_no_factor() {
    let tick = Overheads { tick: Overhead::constant(Ratio::ONE), ..Overheads::NONE };
    assert_eq!(largest_overhead_factor(&tick, OverheadField::VALUES, &mut |_| Verdict::Proven), None);
    let charged = Overheads { tick_period: Some(1_000), ..tick };
    let found = largest_overhead_factor(&charged, &[OverheadField::Tick], &mut |_| Verdict::Proven).unwrap();
    assert!(matches!(found, Boundary { proven: Some(1_000_000), not_proven: None, .. }));
}
