//! Fixed priorities on one processor, against schedules computed tick by tick and against reference response times.

use prazo_analysis::uniprocessor::fixed_priority::{self, hyperbolic, liu_layland, response_times};
use prazo_analysis::uniprocessor::priority::{Assigned, PriorityOrder, audsley, deadline_monotonic, rate_monotonic};
use prazo_analysis::{Budget, Finding, Reason, Task, TaskSet, Verdict};
use prazo_oracle::arrivals::together;
use prazo_oracle::random::{self, Family};
use prazo_oracle::{Ended, Job, Platform, fits, hyperperiod, schedule};
use prazo_testing::data;

const PERIODS: &[u64] = &[2, 3, 4, 5, 6, 8, 10, 12];

fn sets() -> usize {
    random::sets(10_000)
}

fn each_random_set(seed: u64, count: usize, (deadline_periods, jitter): (u64, u64), mut check: impl FnMut(&[Task])) {
    let family = Family { tasks: 4, periods: PERIODS, deadline_periods, jitter, lightness: 3 };
    println!("seed {seed}, {count} sets, {family:?}");
    let mut generator = fastrand::Rng::with_seed(seed);
    for _ in 0..count {
        check(&random::set(&mut generator, family));
    }
}

fn test(tasks: &[Task], order: &PriorityOrder) -> Finding {
    fixed_priority::test(TaskSet::new(tasks).unwrap(), order, &mut Budget::unlimited())
}

fn as_given(tasks: &[Task]) -> Finding {
    test(tasks, &PriorityOrder::as_given(tasks.len()))
}

/// The longest response of jobs of the last task that arrive in the first hyperperiod after all were released together.
///
/// `None` where the utilization is above 1: the longest response then lies beyond every horizon.
fn longest_in_schedule(tasks: &[Task]) -> Option<u64> {
    let (last, hyperperiod) = (tasks.len() - 1, hyperperiod(tasks));
    // With U = 1 the backlog of the jitter, a dozen ticks for each task, stays for ever; it is served in this many
    // hyperperiods.
    let until = 8 * hyperperiod + 100;
    let schedule = schedule(together(tasks, until), Platform::preemptive(1), until, |job| job.task);
    let is_early = |job: &Job| job.task == last && job.arrival < hyperperiod;
    if schedule.unfinished.iter().any(is_early) {
        return None;
    }
    let longest = schedule.ended.iter().filter(|ended| is_early(&ended.job)).map(Ended::response_time).max()?;
    fits(tasks, 1).then_some(longest)
}

#[test]
fn response_times_are_those_of_the_synchronous_schedule() {
    let (mut within, mut beyond) = (0, 0);
    for kind in [(0, 0), (1, 0), (3, 0), (1, 3), (3, 9)] {
        each_random_set(23, sets() / 5, kind, |tasks| {
            let found = response_times(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).unwrap();
            for (place, task) in tasks.iter().enumerate() {
                let expected = longest_in_schedule(&tasks[..=place]).filter(|time| *time <= task.deadline);
                assert_eq!(found[place], expected, "task {place} of {tasks:?}");
                *if expected.is_some() { &mut within } else { &mut beyond } += 1;
            }
            let all = found.iter().all(Option::is_some);
            assert_eq!(as_given(tasks).verdict, if all { Verdict::Proven } else { Verdict::Disproven }, "{tasks:?}");
        });
    }
    println!("{within} within, {beyond} beyond their deadlines");
    assert!(within > sets() / 4 && beyond > sets() / 4);
}

#[test]
fn a_disproof_names_a_job_that_misses_in_the_schedule() {
    for kind in [(1, 0), (3, 4)] {
        each_random_set(29, sets() / 10, kind, |tasks| {
            let Reason::Missed(missed) = as_given(tasks).reason else { return };
            let jitter = tasks[missed.task].jitter as i64;
            let until = missed.deadline as i64;
            let jobs = together(tasks, until);
            let arrival = missed.arrival as i64 - jitter;
            assert!(
                jobs.iter().any(|job| (job.task, job.arrival) == (missed.task, arrival)),
                "{missed:?} of {tasks:?}"
            );
            let end = schedule(jobs, Platform::preemptive(1), until, |job| job.task).end_of(missed.task, arrival);
            assert!(end.is_none_or(|end| end > until - jitter), "{missed:?} of {tasks:?}");
        });
    }
}

#[test]
fn a_response_counts_its_jitter() {
    // SchedCAT 86211bc compares w with D and accepts: w = 10 <= 12, but R = w + J = 15.
    let task = Task { jitter: 5, ..Task::new(10, 100, 12) };
    let finding = as_given(&[task]);
    assert_eq!(finding.verdict, Verdict::Disproven);
    assert_eq!(finding.margin.unwrap().demand, 15.0);
}

#[test]
fn lehoczky90_the_first_job_is_not_the_worst() {
    // Lehoczky, RTSS 1990: responses of the second task are 114, 102, 116, 104, 118, 106, 94, and the window ends.
    let tasks = [Task::implicit(26, 70), Task::new(62, 100, 120)];
    let found = response_times(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited()).unwrap();
    assert_eq!(found, [Some(26), Some(118)]);
    let short = [tasks[0], Task::new(62, 100, 117)];
    let Reason::Missed(missed) = as_given(&short).reason else { panic!("the fifth job takes 118") };
    assert_eq!((missed.task, missed.job, missed.arrival), (1, 4, 400));
}

#[test]
fn a_window_that_never_ends_repeats() {
    let task = Task { jitter: 5, ..Task::new(10, 10, 100) };
    let found = response_times(TaskSet::new(&[task]).unwrap(), &mut Budget::new(1000)).unwrap();
    assert_eq!(found, [Some(15)]);
}

#[test]
fn bounds_never_prove_what_response_times_disprove() {
    let (mut by_liu_layland, mut by_hyperbolic, mut exact) = (0, 0, 0);
    each_random_set(31, sets(), (0, 0), |tasks| {
        let (set, order) = (TaskSet::new(tasks).unwrap(), rate_monotonic(tasks));
        let liu_layland = liu_layland::test(set, &order, &mut Budget::unlimited()).is_proven();
        let hyperbolic = hyperbolic::test(set, &order, &mut Budget::unlimited()).is_proven();
        let proven = test(tasks, &order).is_proven();
        assert!(liu_layland <= hyperbolic && hyperbolic <= proven, "{tasks:?}");
        by_liu_layland += usize::from(liu_layland);
        by_hyperbolic += usize::from(hyperbolic);
        exact += usize::from(proven);
    });
    println!("of {}: Liu-Layland {by_liu_layland}, hyperbolic {by_hyperbolic}, exact {exact}", sets());
    assert!(by_liu_layland < by_hyperbolic && by_hyperbolic < exact);
}

#[test]
fn bounds_for_rate_monotonic_priorities_know_when_they_do_not_apply() {
    let tasks = [Task::implicit(1, 9), Task::implicit(1, 5)];
    let set = TaskSet::new(&tasks).unwrap();
    let finding = hyperbolic::test(set, &PriorityOrder::as_given(2), &mut Budget::unlimited());
    assert!(matches!(finding.reason, Reason::NotApplicable(_)));
    let short = [Task::new(1, 9, 8)];
    let finding =
        liu_layland::test(TaskSet::new(&short).unwrap(), &PriorityOrder::as_given(1), &mut Budget::unlimited());
    assert!(matches!(finding.reason, Reason::NotApplicable(_)));
}

/// All orders of `count` tasks.
fn permutations(count: usize) -> Vec<Vec<u32>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |at: usize| {
        shorter.iter().map(move |order| {
            let mut order = order.clone();
            order.insert(at, count as u32 - 1);
            order
        })
    };
    (0..count).flat_map(insert).collect()
}

#[test]
fn audsley_finds_an_order_whenever_there_is_one() {
    let mut beyond_deadline_monotonic = 0;
    for kind in [(1, 0), (3, 0), (2, 6)] {
        each_random_set(37, sets() / 20, kind, |tasks| {
            let exists =
                permutations(tasks.len()).iter().any(|ranks| test(tasks, &PriorityOrder::by_rank(ranks)).is_proven());
            match audsley(TaskSet::new(tasks).unwrap(), &[], &mut Budget::unlimited()).unwrap() {
                Assigned::Order(order) => assert!(test(tasks, &order).is_proven(), "{tasks:?} {order:?}"),
                Assigned::None(_) => assert!(!exists, "{tasks:?}"),
            }
            let by_deadline = test(tasks, &deadline_monotonic(tasks)).is_proven();
            assert!(kind != (1, 0) || by_deadline == exists, "deadline-monotonic is best for D <= T: {tasks:?}");
            beyond_deadline_monotonic += usize::from(exists && !by_deadline);
        });
    }
    println!("{beyond_deadline_monotonic} sets have an order that deadline-monotonic misses");
    assert!(beyond_deadline_monotonic > 0);
}

#[test]
fn less_cost_and_longer_periods_never_turn_proven_into_disproven() {
    let mut generator = fastrand::Rng::with_seed(41);
    each_random_set(41, sets(), (2, 3), |tasks| {
        if as_given(tasks).is_proven() {
            let mut easier = tasks.to_vec();
            let task = &mut easier[generator.usize(..tasks.len())];
            match generator.u8(..4) {
                0 => task.cost = task.cost.div_ceil(2),
                1 => task.period += generator.u64(..5),
                2 => task.deadline += generator.u64(..5),
                _ => task.jitter /= 2,
            }
            assert!(as_given(&easier).is_proven(), "{tasks:?} {easier:?}");
        }
    });
}

#[test]
fn the_reference_response_times_come_out() {
    let mut records = 0;
    for line in data::text("schedcat/schedcat-overheads.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        if record["kind"] == "fp" {
            let inflated = record["inflated"].as_array().unwrap();
            let field = |task: &serde_json::Value, index: usize| task[index].as_u64().unwrap();
            let task = |of| Task { jitter: field(of, 3), ..Task::new(field(of, 0), field(of, 1), field(of, 2)) };
            let tasks: Vec<Task> = inflated.iter().map(task).collect();
            let found = response_times(TaskSet::new(&tasks).unwrap(), &mut Budget::unlimited()).unwrap();
            let expected: Vec<Option<u64>> =
                record["response"].as_array().unwrap().iter().map(|r| r.as_u64()).collect();
            assert_eq!(found, expected, "{}", record["id"]);
            assert_eq!(as_given(&tasks).is_proven(), record["schedulable"] == 1, "{}", record["id"]);
            records += 1;
        }
    }
    println!("{records} records");
    assert!(records > 30);
}
