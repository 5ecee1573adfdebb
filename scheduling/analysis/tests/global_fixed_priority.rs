//! Global fixed priorities: whatever a test proves, no schedule computed tick by tick may miss.

use prazo_analysis::gfp::{self, System, Test, guan, rm_us};
use prazo_analysis::uniprocessor::fixed_priority;
use prazo_analysis::uniprocessor::priority::{PriorityOrder, deadline_monotonic, rate_monotonic};
use prazo_analysis::{Budget, Finding, Task, TaskSet, TimeModel, Verdict};
use prazo_oracle::arrivals::{self, together};
use prazo_oracle::random::{self, Family};
use prazo_oracle::{Job, Platform, hyperperiod, schedule};

const PERIODS: &[u64] = &[3, 4, 5, 6, 8, 10, 12];

fn apply(test: Test, tasks: &[Task], order: &PriorityOrder, processors: u32) -> Finding {
    apply_in(TimeModel::Continuous, test, tasks, order, processors)
}

fn apply_in(time: TimeModel, test: Test, tasks: &[Task], order: &PriorityOrder, processors: u32) -> Finding {
    gfp::apply(test, System { tasks: TaskSet::new(tasks).unwrap(), order, processors, time }, &mut Budget::unlimited())
}

fn sets() -> usize {
    random::sets(10_000)
}

fn each_random_set(seed: u64, count: usize, deadline_periods: u64, mut check: impl FnMut(&[Task], u32)) {
    println!("seed {seed}, {count} sets");
    let mut generator = fastrand::Rng::with_seed(seed);
    for _ in 0..count {
        let lightness = generator.u64(1..=3);
        let family = Family { tasks: 6, periods: PERIODS, deadline_periods, jitter: 0, lightness };
        let tasks = random::set(&mut generator, family);
        check(&tasks, generator.u32(1..=3));
    }
}

/// Jobs that arrive at random, never sooner than their periods allow, and about as often.
fn sporadic(tasks: &[Task], until: i64, generator: &mut fastrand::Rng) -> Vec<Job> {
    arrivals::sporadic(tasks, until, |_| 3, generator)
}

fn is_late(jobs: Vec<Job>, processors: u32, until: i64, rank: impl Fn(&Job) -> usize) -> bool {
    schedule(jobs, Platform::preemptive(processors), until, rank).first_late().is_some()
}

fn assert_never_misses(tasks: &[Task], order: &PriorityOrder, processors: u32, generator: &mut fastrand::Rng) {
    let mut place = vec![0; tasks.len()];
    order.indices().iter().enumerate().for_each(|(at, index)| place[*index] = at);
    let until = hyperperiod(tasks).min(240) + 12;
    let patterns = std::iter::once(together(tasks, until)).chain((0..3).map(|_| sporadic(tasks, until, generator)));
    for jobs in patterns.collect::<Vec<_>>() {
        let misses = is_late(jobs.clone(), processors, until, |job| place[job.task]);
        assert!(!misses, "{processors} processors, {order:?}, {tasks:?}: {jobs:?}");
    }
}

#[test]
fn no_schedule_contradicts_a_proof() {
    let (mut proven, mut by_any, mut unknown) = ([0; 3], 0, 0);
    let mut generator = fastrand::Rng::with_seed(43);
    for deadline_periods in [0, 1, 3] {
        each_random_set(43, sets() / 3, deadline_periods, |tasks, processors| {
            let orders = [rate_monotonic(tasks), deadline_monotonic(tasks), rm_us::order(tasks, processors)];
            for order in orders {
                let mut any = false;
                for (count, test) in proven.iter_mut().zip(Test::VALUES) {
                    let finding = apply(*test, tasks, &order, processors);
                    assert_ne!(finding.verdict, Verdict::Disproven);
                    *count += usize::from(finding.is_proven());
                    any |= finding.is_proven();
                }
                by_any += usize::from(any);
                unknown += usize::from(!any);
                if any {
                    assert_never_misses(tasks, &order, processors, &mut generator);
                }
            }
        });
    }
    eprintln!("sets with an order: {by_any} proven, {unknown} unknown; by test {:?} {proven:?}", Test::VALUES);
    assert!(proven.iter().all(|count| *count > sets() / 50));
}

#[test]
fn on_one_processor_the_response_times_are_exact() {
    each_random_set(47, sets() / 2, 1, |tasks, _| {
        let order = deadline_monotonic(tasks);
        let exact = fixed_priority::test(TaskSet::new(tasks).unwrap(), &order, &mut Budget::unlimited());
        for &time in TimeModel::VALUES {
            let proven = apply_in(time, Test::Guan, tasks, &order, 1).is_proven();
            assert_eq!(proven, exact.is_proven(), "{time}: {tasks:?}");
        }
    });
}

#[test]
fn the_m_most_urgent_tasks_respond_in_their_cost() {
    let tasks = [Task::implicit(9, 10), Task::implicit(8, 10), Task::implicit(1, 30)];
    let order = PriorityOrder::as_given(3);
    let (tasks, time) = (TaskSet::new(&tasks).unwrap(), TimeModel::Continuous);
    let system = System { tasks, order: &order, processors: 2, time };
    let found = guan::response_times(system, &mut Budget::unlimited()).unwrap();
    assert_eq!(found[..2], [9, 8]);
}

#[test]
fn dhalls_effect_is_not_proven_under_rate_monotonic_and_proven_the_other_way() {
    // Dhall, Liu, Operations Research 26(1), 1978: m light tasks, and one of almost a whole processor behind them.
    let tasks = [Task::implicit(1, 10), Task::implicit(1, 10), Task::implicit(11, 11)];
    let behind = rate_monotonic(&tasks);
    assert!(Test::VALUES.iter().all(|test| !apply(*test, &tasks, &behind, 2).is_proven()));
    let until = 110;
    assert!(is_late(together(&tasks, until), 2, until, |job| job.task));
    assert!(apply(Test::Guan, &tasks, &rm_us::order(&tasks, 2), 2).is_proven());
}

#[test]
fn what_is_carried_into_a_window_counts() {
    // Without it the response times of all six would be within their deadlines.
    let tasks = [(1, 5), (5, 5), (5, 8), (7, 10), (1, 10), (2, 12)].map(|(cost, period)| Task::implicit(cost, period));
    let mut generator = fastrand::Rng::with_seed(59);
    let misses = |jobs| is_late(jobs, 3, 120, |job| job.task);
    assert!(misses(together(&tasks, 120)) || (0..1000).any(|_| misses(sporadic(&tasks, 120, &mut generator))));
    assert!(!apply(Test::Guan, &tasks, &PriorityOrder::as_given(6), 3).is_proven());
}

#[test]
fn less_cost_longer_periods_and_more_processors_never_lose_a_proof_by_response_times() {
    let mut generator = fastrand::Rng::with_seed(53);
    each_random_set(53, sets(), 1, |tasks, processors| {
        let order = deadline_monotonic(tasks);
        if !apply(Test::Guan, tasks, &order, processors).is_proven() {
            return;
        }
        assert!(apply(Test::Guan, tasks, &order, processors + 1).is_proven(), "{processors} + 1: {tasks:?}");
        let mut easier = tasks.to_vec();
        let task = &mut easier[generator.usize(..tasks.len())];
        match generator.u8(..2) {
            0 => task.cost = task.cost.div_ceil(2),
            _ => task.period += generator.u64(..5),
        }
        assert!(apply(Test::Guan, &easier, &order, processors).is_proven(), "{tasks:?} {easier:?}");
    });
}

#[test]
fn what_a_test_does_not_know_it_does_not_prove() {
    let late = [Task { jitter: 10, ..Task::implicit(1, 10) }];
    for &test in Test::VALUES {
        assert!(!apply(test, &late, &PriorityOrder::as_given(1), 2).is_proven(), "{test:?}");
    }
    let impossible = [Task::new(7, 10, 6), Task::implicit(11, 10)];
    for &test in Test::VALUES {
        assert!(!apply(test, &impossible, &PriorityOrder::as_given(2), 4).is_proven(), "{test:?}");
    }
}
