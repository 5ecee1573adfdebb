//! Tardiness bounds: against the reference figures, against fractions of any length, and against schedules of random sets.

mod support;

use num_bigint::BigInt;
use prazo_analysis::tardiness::compliant_vector::{Points, compliant_vector};
use prazo_analysis::tardiness::devi_anderson::{Preemption, devi_anderson};
use prazo_analysis::tardiness::{NoBound, overload};
use prazo_analysis::{Budget, DeadlineKind, TICKS_MAX, Task, TaskSet, Ticks};
use prazo_oracle::arrivals::{as_often_as_they_may, sporadic, together};
use prazo_oracle::{Ended, Job, Order, Platform, random, schedule};
use serde_json::Value;
use support::records;

fn set(tasks: &[Task]) -> TaskSet<'_> {
    TaskSet::new(tasks).unwrap()
}

fn whole_numbers(value: &Value) -> Option<Vec<Ticks>> {
    value.as_array().map(|numbers| numbers.iter().map(|number| number.as_u64().unwrap()).collect())
}

#[test]
fn reference_figures_of_devi_and_anderson_agree_exactly() {
    for record in records::of("schedcat-tardiness.jsonl") {
        let (tasks, processors) = (records::tasks(&record), record["m"].as_u64().unwrap() as u32);
        for (field, preemption) in [("da_x", Preemption::Full), ("da_np_x", Preemption::None)] {
            let ours = devi_anderson(set(&tasks), processors, preemption).ok();
            assert_eq!(ours, record[field].as_u64(), "{} {field}", record["id"]);
        }
    }
}

/// On one processor the reference does not use compliant vectors but answers T for a schedulable set.
#[test]
fn reference_figures_of_compliant_vectors_agree_exactly() {
    for record in records::of("schedcat-tardiness.jsonl") {
        let (tasks, processors) = (records::tasks(&record), record["m"].as_u64().unwrap() as u32);
        for (field, points) in [("gedf_pl", Points::Deadline), ("gfl_pl", Points::FairLateness)] {
            let ours = compliant_vector(set(&tasks), processors, points).ok();
            match (ours, whole_numbers(&record[field])) {
                (Some(ours), Some(reference)) if processors == 1 => {
                    assert!(ours.iter().zip(&reference).all(|(ours, reference)| ours <= reference), "{}", record["id"]);
                }
                (ours, reference) => assert_eq!(ours, reference, "{} {field}", record["id"]),
            }
        }
    }
}

#[test]
fn no_bound_lies_below_the_tardiness_that_the_reference_observed() {
    for record in records::of("schedcat-tardiness.jsonl") {
        let (tasks, processors) = (records::tasks(&record), record["m"].as_u64().unwrap() as u32);
        let Some(observed) = record["sim_max_tardiness"].as_u64() else { continue }; // U > m
        let Ok(x) = devi_anderson(set(&tasks), processors, Preemption::Full) else { continue };
        assert!(tasks.iter().any(|task| x + task.cost >= observed), "{}", record["id"]);
        let responses = compliant_vector(set(&tasks), processors, Points::Deadline).unwrap();
        let mut tardiness = tasks.iter().zip(responses).map(|(task, bound)| bound.saturating_sub(task.deadline));
        assert!(tardiness.any(|bound| bound >= observed), "{}", record["id"]);
    }
}

/// Sets with U <= m, in the end close to it.
fn bounded_set(random: &mut fastrand::Rng, kind: DeadlineKind, processors: u32) -> Vec<Task> {
    let fits = |tasks: &[Task]| {
        let utilization: f64 = tasks.iter().map(|task| task.cost as f64 / task.period as f64).sum();
        utilization <= f64::from(processors)
    };
    let mut tasks = vec![];
    while tasks.len() < 8 {
        tasks.extend(random::small_set(random, 1, kind));
        if !fits(&tasks) {
            tasks.pop();
            break;
        }
    }
    if tasks.is_empty() { vec![Task::implicit(1, 1)] } else { tasks }
}

/// All tasks together, and at random.
fn patterns(tasks: &[Task], random: &mut fastrand::Rng) -> [Vec<Job>; 2] {
    [together(tasks, 300), sporadic(tasks, 300, |task| task.period, random)]
}

#[test]
fn no_job_is_later_than_devi_and_anderson_allow() {
    let mut random = random::seeded("Devi and Anderson", 21);
    for _ in 0..random::sets(1_000) {
        let processors = random.u32(1..=4);
        let tasks = bounded_set(&mut random, DeadlineKind::Implicit, processors);
        for preemption in [Preemption::Full, Preemption::None] {
            let on = Platform { processors, is_preemptive: preemption == Preemption::Full };
            let x = devi_anderson(set(&tasks), processors, preemption).unwrap();
            for jobs in patterns(&tasks, &mut random) {
                for ended in schedule(jobs, on, 300, |job| job.due).ended {
                    let late = ended.tardiness();
                    let bound = x + match preemption {
                        Preemption::Full => tasks[ended.job.task].cost,
                        Preemption::None => tasks.iter().map(|task| task.cost).max().unwrap(), // seen, not proven
                    };
                    assert!(late <= bound, "{tasks:?} on {processors} {preemption:?}: {ended:?}, {bound}");
                }
            }
        }
    }
}

#[test]
fn without_preemption_x_plus_the_own_cost_is_no_bound() {
    let tasks = [Task::implicit(10, 20), Task::implicit(10, 20), Task::implicit(1, 2)];
    assert_eq!(devi_anderson(set(&tasks), 2, Preemption::None), Ok(5));
    let jobs = (0..3).flat_map(|task| as_often_as_they_may(task, &tasks[task], i64::from(task < 2), 40)).collect();
    let on = Platform { processors: 2, is_preemptive: false };
    let seen = schedule(jobs, on, 40, |job| job.due);
    assert_eq!(seen.ended.iter().filter(|ended| ended.job.task == 2).map(Ended::tardiness).max(), Some(8));
}

#[test]
fn no_response_is_longer_than_the_compliant_vector_allows() {
    let mut random = random::seeded("compliant vectors", 22);
    for _ in 0..random::sets(1_000) {
        let (processors, kind) = (random.u32(1..=4), random::deadlines(&mut random));
        let tasks = bounded_set(&mut random, kind, processors);
        for points in [Points::Deadline, Points::FairLateness] {
            let bounds = compliant_vector(set(&tasks), processors, points).unwrap();
            let distances = distances(&tasks, processors, points);
            let rank = |job: &Job| Order::Points(&distances).rank(job);
            for jobs in patterns(&tasks, &mut random) {
                for ended in schedule(jobs, Platform::preemptive(processors), 300, rank).ended {
                    assert!(
                        ended.response_time() <= bounds[ended.job.task],
                        "{tasks:?} on {processors} {points:?}: {ended:?} {bounds:?}"
                    );
                }
            }
        }
    }
}

/// Distances of the priority points from the arrivals, all moved by the longest cost so that none lies before.
fn distances(tasks: &[Task], processors: u32, points: Points) -> Vec<Ticks> {
    let processors = u64::from(processors);
    let early = |task: &Task| match points {
        Points::Deadline => 0,
        Points::FairLateness => (processors - 1) * task.cost / processors,
    };
    tasks.iter().map(|task| 12 + task.deadline - early(task)).collect()
}

/// sigma by fractions of any length and without bisection: the largest root among the lines of all choices of up to K tasks.
fn slow_compliant_vector(tasks: &[Task], processors: u32) -> Vec<Ticks> {
    let m = i64::from(processors);
    let product: BigInt = tasks.iter().map(|task| BigInt::from(task.period)).product();
    let earliest = tasks.iter().map(|task| task.deadline).min().unwrap();
    let (distance, whole) = (|task: &Task| task.deadline - earliest, |task: &Task| &product / task.period * task.cost);
    let utilization: BigInt = tasks.iter().map(whole).sum();
    let carried: BigInt = (utilization + &product - 1) / &product - 1;
    let excess = |task: &Task| whole(task) * m * task.period.saturating_sub(distance(task));
    let constant: BigInt = tasks.iter().map(excess).sum();
    let mut sigma = BigInt::from(0);
    for choice in 0u32..1 << tasks.len() {
        if BigInt::from(choice.count_ones()) > carried {
            continue;
        }
        let chosen = || tasks.iter().enumerate().filter(|(index, _)| choice >> index & 1 == 1).map(|(_, task)| task);
        let line = |task: &Task| whole(task) * (m * task.period.min(distance(task)) as i64 - task.cost as i64);
        let over: BigInt = chosen().map(line).sum::<BigInt>() + &constant;
        let under: BigInt = &product * m - chosen().map(whole).sum::<BigInt>();
        sigma = sigma.max((over + &under - 1) / under);
    }
    let sigma = i64::try_from(sigma).unwrap();
    let response = |task: &Task| (distance(task) + task.cost) as i64 - (task.cost as i64 - sigma).div_euclid(m);
    tasks.iter().map(|task| response(task) as Ticks).collect()
}

#[test]
fn compliant_vectors_agree_with_all_choices_tried_in_fractions_of_any_length() {
    let mut random = random::seeded("compliant vectors by all choices", 23);
    for _ in 0..random::sets(500) {
        let (processors, kind) = (random.u32(1..=4), random::deadlines(&mut random));
        let tasks = bounded_set(&mut random, kind, processors);
        let fast = compliant_vector(set(&tasks), processors, Points::Deadline).unwrap();
        assert_eq!(fast, slow_compliant_vector(&tasks, processors), "{tasks:?} on {processors}");
    }
}

#[test]
fn whole_utilization_is_not_rounded_to_the_next_processor() {
    // U = 2 exactly, from thirds and sevenths: L = 1, x = (9 - 1) / (3 - 0) rounded up.
    let tasks = [(3, 9), (3, 9), (3, 9), (9, 21), (9, 21), (1, 7)].map(|(c, t)| Task::implicit(c, t));
    assert_eq!(devi_anderson(set(&tasks), 3, Preemption::Full), Ok(3));
    // One more sixty-third makes L = 2: (9 + 9 - 1) / (3 - 9/21).
    let more = [tasks.as_slice(), &[Task::implicit(1, 63)]].concat();
    assert_eq!(devi_anderson(set(&more), 3, Preemption::Full), Ok(7));
}

#[test]
fn what_has_no_bound_says_why() {
    let both = |tasks: &[Task], processors| {
        let vector = compliant_vector(set(tasks), processors, Points::Deadline);
        (devi_anderson(set(tasks), processors, Preemption::Full).err(), vector.err())
    };
    let above = NoBound::TaskAboveOne(1);
    assert_eq!(both(&[Task::implicit(1, 2), Task::implicit(3, 2)], 4), (Some(above), Some(above)));
    assert_eq!(both(&[Task::implicit(2, 2); 3], 2), (Some(NoBound::Overload), Some(NoBound::Overload)));
    assert_eq!(both(&[Task::new(1, 3, 2)], 2), (Some(NoBound::DeadlinesNotImplicit), None));
    let late = Task { jitter: 1, ..Task::implicit(1, 3) };
    assert_eq!(both(&[late], 2), (Some(NoBound::Jitter), Some(NoBound::Jitter)));
}

#[test]
fn the_longest_times_do_not_overflow() {
    let tasks = vec![Task::implicit(TICKS_MAX - 1, TICKS_MAX); 64];
    assert!(devi_anderson(set(&tasks), 64, Preemption::Full).is_ok());
    assert!(compliant_vector(set(&tasks), 64, Points::FairLateness).is_ok());
    let many = vec![Task::implicit(TICKS_MAX, TICKS_MAX); 65_536];
    assert_eq!(compliant_vector(set(&many), 65_536, Points::Deadline), Err(NoBound::TooLong));
}

/// Vitor 2013 II-B: "even with a total utilization above m, it can guarantee bounds on tardiness".
#[test]
fn vitor_2013_section_2_b_tardiness_above_u_equal_m_grows_without_end() {
    let tasks = [Task::implicit(5, 7); 3]; // U = 15/7 on two processors: one tick in seven more than there is
    let tardiness = overload::tardiness_by_stretch(set(&tasks), 2, 70, 6, &mut Budget::unlimited());
    assert_eq!(tardiness, [7, 11, 16, 21, 25, 30]);
    let late = |end: i64| {
        let seen = schedule(together(&tasks, end), Platform::preemptive(2), end, |job| job.due);
        seen.ended.iter().map(Ended::tardiness).max().unwrap()
    };
    assert_eq!([70, 140, 210, 280, 350, 420].map(late), tardiness[..]);
}

#[test]
fn at_u_equal_m_tardiness_stays_below_its_bound() {
    let tasks = [Task::implicit(2, 3); 3]; // U = 2
    let tardiness = overload::tardiness_by_stretch(set(&tasks), 2, 30, 40, &mut Budget::unlimited());
    let x = devi_anderson(set(&tasks), 2, Preemption::Full).unwrap();
    assert!(tardiness.iter().all(|late| *late <= x + 2), "{tardiness:?}");
}
