//! Earliest deadline first on one processor, against a schedule computed tick by tick and against all windows one by one.

use prazo_analysis::uniprocessor::edf::{self, qpa, response_time, utilization};
use prazo_analysis::{Budget, Reason, Task, TaskSet, Verdict};
use prazo_oracle::arrivals::{as_often_as_they_may, together};
use prazo_oracle::random::{self, Family};
use prazo_oracle::{Ended, Job, Platform, fits, hyperperiod, schedule};
use prazo_testing::data;

const PERIODS: &[u64] = &[2, 3, 4, 5, 6, 8, 10, 12];

fn sets() -> usize {
    random::sets(10_000)
}

fn family(deadline_periods: u64, jitter: u64) -> Family {
    Family { tasks: 4, periods: PERIODS, deadline_periods, jitter, lightness: 2 }
}

fn each_random_set(seed: u64, count: usize, family: Family, mut check: impl FnMut(&[Task])) {
    println!("seed {seed}, {count} sets, {family:?}");
    let mut generator = fastrand::Rng::with_seed(seed);
    for _ in 0..count {
        check(&random::set(&mut generator, family));
    }
}

fn verdict(tasks: &[Task]) -> Verdict {
    edf::test(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).verdict
}

/// Every window up to a hyperperiod beyond the longest deadline, one by one.
fn every_window_is_served(tasks: &[Task]) -> bool {
    let until = hyperperiod(tasks) + tasks.iter().map(|task| task.deadline as i64).max().unwrap();
    (0..=until).all(|window| demand(tasks, window) <= window)
}

fn demand(tasks: &[Task], window: i64) -> i64 {
    let of = |task: &Task| {
        let slack = window + task.jitter as i64 - task.deadline as i64;
        if slack < 0 { 0 } else { (slack / task.period as i64 + 1) * task.cost as i64 }
    };
    tasks.iter().map(of).sum()
}

/// The synchronous schedule, with all first jobs at their latest, for as long as it takes to repeat.
fn schedule_misses(tasks: &[Task]) -> bool {
    let until = hyperperiod(tasks) + tasks.iter().map(|task| task.deadline as i64).max().unwrap();
    schedule(together(tasks, until), Platform::preemptive(1), until, |job| job.due).first_late().is_some()
}

#[test]
fn qpa_agrees_with_every_window_and_with_the_schedule() {
    let (mut proven, mut disproven) = (0, 0);
    for (deadline_periods, jitter) in [(0, 0), (1, 0), (2, 0), (6, 0), (1, 4), (3, 6)] {
        each_random_set(7, sets() / 5, family(deadline_periods, jitter), |tasks| {
            let expected = fits(tasks, 1) && every_window_is_served(tasks);
            assert_eq!(verdict(tasks) == Verdict::Proven, expected, "{tasks:?}");
            assert_eq!(verdict(tasks) == Verdict::Disproven, !expected, "{tasks:?}");
            assert_eq!(
                qpa::test(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).is_proven(),
                expected,
                "{tasks:?}"
            );
            if fits(tasks, 1) {
                assert_eq!(schedule_misses(tasks), !expected, "{tasks:?}");
            }
            *if expected { &mut proven } else { &mut disproven } += 1;
        });
    }
    println!("{proven} proven, {disproven} disproven");
    assert!(proven > sets() / 20 && disproven > sets() / 20);
}

#[test]
fn a_disproof_names_a_window_with_too_much_demand() {
    each_random_set(11, sets() / 5, family(2, 3), |tasks| {
        let finding = qpa::test(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited());
        if let Reason::Overdemand { window: Some(window) } = finding.reason {
            assert!(demand(tasks, window as i64) > window as i64, "{tasks:?} {finding:?}");
        }
    });
}

/// For every arrival of the job that is looked at, the schedule in which all other tasks are released together at the start.
fn longest_response_in_schedules(tasks: &[Task], index: usize) -> u64 {
    let task = &tasks[index];
    let until = 3 * hyperperiod(tasks) + tasks.iter().map(|task| (task.deadline + task.jitter) as i64).max().unwrap();
    let mut longest = task.jitter + task.cost;
    for first in -(task.jitter as i64)..task.period as i64 - task.jitter as i64 {
        let mut all: Vec<Job> = Vec::new();
        for (other, of) in tasks.iter().enumerate() {
            let first = if other == index { first } else { -(of.jitter as i64) };
            all.extend(as_often_as_they_may(other, of, first, until));
        }
        // The job that is looked at loses every tie.
        let schedule = schedule(all, Platform::preemptive(1), until, |job| (job.due, job.task == index));
        let own = schedule.ended.iter().filter(|ended| ended.job.task == index);
        longest = own.map(Ended::response_time).chain([longest]).max().unwrap_or(longest);
    }
    longest
}

#[test]
fn response_times_are_reached_and_never_exceeded() {
    let small = Family { tasks: 3, periods: &[2, 3, 4, 6, 8], deadline_periods: 0, jitter: 0, lightness: 2 };
    for (deadline_periods, jitter) in [(0, 0), (1, 0), (2, 0), (2, 3)] {
        each_random_set(13, sets() / 40, Family { deadline_periods, jitter, ..small }, |tasks| {
            let found = response_time::response_times(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).unwrap();
            let Some(found) = found else { return assert!(!fits(tasks, 1)) };
            for (index, time) in found.into_iter().enumerate() {
                assert_eq!(time, longest_response_in_schedules(tasks, index), "task {index} of {tasks:?}");
            }
        });
    }
}

#[test]
fn response_times_within_deadlines_and_the_demand_test_agree() {
    for (deadline_periods, jitter) in [(0, 0), (1, 2), (3, 6)] {
        each_random_set(17, sets() / 10, family(deadline_periods, jitter), |tasks| {
            let found = response_time::response_times(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).unwrap();
            let met = found.is_some_and(|times| times.iter().zip(tasks).all(|(time, task)| *time <= task.deadline));
            assert_eq!(met, verdict(tasks) == Verdict::Proven, "{tasks:?}");
        });
    }
}

#[test]
fn less_cost_and_longer_periods_never_turn_proven_into_disproven() {
    let mut generator = fastrand::Rng::with_seed(19);
    each_random_set(19, sets(), family(2, 3), |tasks| {
        if verdict(tasks) == Verdict::Proven {
            let mut easier = tasks.to_vec();
            let task = &mut easier[generator.usize(..tasks.len())];
            match generator.u8(..4) {
                0 => task.cost = task.cost.div_ceil(2),
                1 => task.period += generator.u64(..5),
                2 => task.deadline += generator.u64(..5),
                _ => task.jitter /= 2,
            }
            assert_eq!(verdict(&easier), Verdict::Proven, "{tasks:?} {easier:?}");
        }
    });
}

#[test]
fn a_spent_budget_is_unknown_and_always_at_the_same_place() {
    let tasks = [Task::new(4, 10, 9), Task::new(5, 11, 11), Task::new(1, 30, 14)];
    let set = TaskSet::new(&tasks).unwrap();
    let whole = qpa::test(set, &mut Budget::unlimited());
    for units in 0..whole.work {
        let finding = qpa::test(set, &mut Budget::new(units));
        assert_eq!((finding.reason, finding.work), (Reason::BudgetSpent, units));
    }
    assert_eq!(qpa::test(set, &mut Budget::new(whole.work)), whole);
}

#[test]
fn a_full_processor_with_a_short_deadline_ends_without_a_slope() {
    let fails = [Task::new(1, 2, 2), Task::new(2, 4, 2)];
    assert_eq!(verdict(&fails), Verdict::Disproven);
    let holds = [Task::new(1, 2, 1), Task::new(2, 4, 4)];
    assert_eq!(verdict(&holds), Verdict::Proven);
}

#[test]
fn a_long_deadline_does_not_hide_an_early_overload() {
    // The slope's line meets t below zero, yet the two short deadlines are asked for 4 in a window of 3.
    let tasks = [Task::new(2, 10, 2), Task::new(2, 10, 3), Task::new(5, 10, 30)];
    let finding = edf::test(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited());
    assert_eq!(finding.reason, Reason::Overdemand { window: Some(3) });
}

#[test]
fn an_overload_just_below_the_bound_is_seen() {
    // The line meets t below 16; in a window of 14 the three are asked for 1 + 9 + 5.
    let tasks = [Task::new(1, 1000, 2), Task::new(9, 1000, 14), Task::new(1, 2, 6)];
    let finding = edf::test(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited());
    assert_eq!(finding.reason, Reason::Overdemand { window: Some(14) });
}

#[test]
fn density_above_one_beyond_the_period_is_seen() {
    // SchedCAT 86211bc's GlobalEDF for one processor accepts: C/D sums to 1, yet a window of 9 is asked for 10.
    let tasks = [Task::new(6, 12, 9), Task::new(1, 2, 3)];
    let finding = edf::test(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited());
    assert_eq!(finding.reason, Reason::Overdemand { window: Some(9) });
}

#[test]
fn every_bin_of_the_reference_packings_is_proven() {
    let mut bins = 0;
    for line in data::text("schedcat/schedcat-partition.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        for heuristic in ["ffd", "wfd", "bfd"] {
            for bin in bins_of(&record, heuristic) {
                let finding = edf::test(TaskSet::new(&bin).unwrap(), &mut Budget::new(5_000_000));
                assert!(finding.is_proven(), "{} {heuristic}: {finding:?}", record["id"]);
                bins += 1;
            }
        }
    }
    println!("{bins} bins");
    assert!(bins > 1000);
}

fn bins_of(record: &serde_json::Value, heuristic: &str) -> Vec<Vec<Task>> {
    let mut bins = vec![Vec::new(); record["m"].as_u64().unwrap() as usize];
    let assignment = record[heuristic][1].as_array().unwrap();
    for (task, bin) in record["t"].as_array().unwrap().iter().zip(assignment) {
        if let Some(bin) = bin.as_u64() {
            let field = |index: usize| task[index].as_u64();
            let period = field(1).unwrap();
            bins[bin as usize].push(Task::new(field(0).unwrap(), period, field(2).unwrap_or(period)));
        }
    }
    bins.retain(|bin| !bin.is_empty());
    bins
}

#[test]
fn utilization_alone_says_nothing_of_constrained_deadlines() {
    let tasks = [Task::new(1, 10, 5)];
    let finding = utilization::test(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited());
    assert!(matches!(finding.reason, Reason::NotApplicable(_)));
}
