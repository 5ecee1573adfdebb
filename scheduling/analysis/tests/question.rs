//! Whole questions: what is proven for queues of any size is held against a schedule of each queue, and what cannot be
//! answered is not made up.

mod support;

use prazo_analysis::overheads::Overload;
use prazo_analysis::partition::PlacedBy;
use prazo_analysis::question::{Answer, Inflate, JobRanking, Method, Priorities, Question, Shape, answer, lateness};
use prazo_analysis::tardiness::NoBound;
use prazo_analysis::{DeadlineKind, Reason, Task, TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_oracle::arrivals::{sporadic, together};
use prazo_oracle::{Order, Platform, random, schedule};

/// EDF on single processors, without overheads, tasks free to go anywhere.
fn partitioned(tasks: &[Task]) -> Question<'_> {
    Question {
        tasks,
        policy: JobRanking::Edf,
        shape: Shape::Clusters(&[1, 1]),
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

fn answer_of(question: &Question<'_>) -> Answer {
    answer(question, &Method::default()).unwrap()
}

fn slow_switches(ticks: u64) -> Overheads<'static> {
    Overheads { context_switch: Overhead::constant(Ratio::whole(ticks)), ..Overheads::NONE }
}

#[test]
fn tasks_tied_to_a_processor_that_they_overfill_are_disproven() {
    let tasks = [Task::implicit(6, 10), Task::implicit(6, 10), Task::implicit(1, 10)];
    for policy in [JobRanking::Edf, JobRanking::FixedPriority(Priorities::DeadlineMonotonic)] {
        let all_tied = [Some(0), Some(0), Some(1)];
        let question = Question { policy, places: Some(&all_tied), ..partitioned(&tasks) };
        let found = answer_of(&question);
        assert_eq!(found.verdict, Verdict::Disproven);
        assert_eq!(found.decided_by.unwrap().reason, Reason::Overdemand { window: None });
        let charged = Question { overheads: Some(Overheads::NONE), ..question };
        assert_eq!(answer_of(&charged).verdict, Verdict::Disproven);
        let one_free = [Some(0), Some(0), None];
        assert_ne!(answer_of(&Question { places: Some(&one_free), ..question }).verdict, Verdict::Proven);
    }
}

#[test]
fn an_assignment_that_fails_only_with_overheads_is_not_disproven() {
    let tasks = [Task::implicit(5, 10), Task::implicit(4, 10)];
    let question = Question { places: Some(&[Some(0), Some(0)]), ..partitioned(&tasks) };
    assert_eq!(answer_of(&question).verdict, Verdict::Proven);
    for inflate in [Inflate::PerBin, Inflate::WholeSetOnce] {
        let charged = Question { overheads: Some(slow_switches(1)), ..question };
        let found = answer(&charged, &Method { inflate, ..Method::default() }).unwrap();
        assert_eq!(found.verdict, Verdict::Unknown, "{inflate:?}");
    }
}

#[test]
fn whatever_the_budget_audsley_disproves_nothing_that_some_order_serves() {
    // Deadline-monotonic fails here, and a budget that ends in the search may still suffice to see that.
    let tasks = [Task { jitter: 5, ..Task::implicit(2, 10) }, Task::new(4, 10, 9)];
    for shape in [Shape::Global { processors: 1 }, Shape::Clusters(&[1])] {
        let policy = JobRanking::FixedPriority(Priorities::Audsley);
        let question = Question { policy, shape, ..partitioned(&tasks) };
        let verdict = |budget| answer(&question, &Method { budget, ..Method::default() }).unwrap().verdict;
        assert_eq!(verdict(1_000), Verdict::Proven);
        for budget in 0..40 {
            assert_ne!(verdict(budget), Verdict::Disproven, "with {budget} units");
        }
    }
}

#[test]
fn an_overload_names_its_task_by_index_not_by_priority() {
    let tasks = [Task::implicit(2, 100), Task::implicit(9, 10), Task::implicit(1, 50)];
    for processors in [1, 2] {
        let question = Question {
            policy: JobRanking::FixedPriority(Priorities::RateMonotonic),
            shape: Shape::Global { processors },
            overheads: Some(slow_switches(1)),
            ..partitioned(&tasks)
        };
        let finding = &answer_of(&question).findings[0];
        assert_eq!(finding.task, Some(1));
        assert_eq!(finding.reason, Reason::Overloaded(Overload::Task { task: 1, cost: 11, window: 10 }));
    }
}

/// Switches that take longer than a task's period cannot be charged; the tasks as they are written would be proven by a search of all states.
#[test]
fn what_cannot_be_charged_is_not_proven_without_its_overheads() {
    let tasks = [Task::implicit(4, 10), Task::implicit(4, 10), Task::implicit(1, 10)];
    let question = Question { shape: Shape::Global { processors: 2 }, ..partitioned(&tasks) };
    for policy in [JobRanking::Edf, JobRanking::FixedPriority(Priorities::RateMonotonic)] {
        let plain = Question { policy, ..question };
        assert_eq!(answer_of(&plain).verdict, Verdict::Proven);
        let heavy = Question { overheads: Some(slow_switches(20)), ..plain };
        assert_eq!(answer_of(&heavy).verdict, Verdict::Unknown, "{policy:?}");
    }
}

#[test]
fn a_test_that_is_tightest_at_an_interrupt_names_no_task() {
    let tasks = [Task::implicit(1, 100)];
    let tick = Overhead::constant(Ratio::whole(9));
    let question = Question {
        policy: JobRanking::FixedPriority(Priorities::DeadlineMonotonic),
        shape: Shape::Global { processors: 1 },
        overheads: Some(Overheads { tick, tick_period: Some(10), ..Overheads::NONE }),
        ..partitioned(&tasks)
    };
    let finding = answer_of(&question).decided_by.unwrap();
    assert_eq!((finding.verdict, finding.task), (Verdict::Proven, None));
}

#[test]
fn no_tardiness_is_bounded_without_the_overheads_that_there_are() {
    let tasks = [Task::implicit(2, 10), Task::implicit(9, 10), Task::implicit(1, 10)];
    let tied = [Some(0), Some(1), Some(0)];
    let overloaded = Question { overheads: Some(slow_switches(1)), ..partitioned(&tasks) };
    let questions = [
        Question { shape: Shape::Global { processors: 2 }, ..overloaded },
        Question { places: Some(&tied), ..overloaded },
    ];
    for question in questions {
        let bounds = lateness(&question, &answer_of(&question));
        assert_eq!((bounds.bounds, bounds.reason), (None, Some(NoBound::NotCharged)));
    }
}

#[test]
fn charging_once_and_for_each_bin_bound_tardiness_alike_where_they_charge_alike() {
    let tasks = [Task::implicit(4, 10), Task::implicit(5, 10), Task::implicit(3, 10)];
    let question = Question { overheads: Some(slow_switches(1)), ..partitioned(&tasks) };
    let question = Question { shape: Shape::Clusters(&[2, 2]), ..question };
    let bounds = [Inflate::PerBin, Inflate::WholeSetOnce].map(|inflate| {
        let found = answer(&question, &Method { inflate, ..Method::default() }).unwrap();
        let bin = &found.packings[0].bins[0];
        assert_eq!(bin.inflated.as_ref().unwrap()[0].cost, tasks[bin.tasks[0]].cost + 2, "two switches of a tick each");
        lateness(&question, &found).response_edf.unwrap()
    });
    assert_eq!(bounds[0], bounds[1]);
}

#[test]
fn tasks_without_a_place_are_no_overload() {
    let tasks = [Task::implicit(2, 3); 3];
    let question = partitioned(&tasks);
    assert_eq!(lateness(&question, &answer_of(&question)).reason, Some(NoBound::NoPlace));
}

/// Each queue's tasks by the packing that is proven, with how many processors serve it.
fn queues(question: &Question<'_>, answer: &Answer) -> Vec<(Vec<usize>, u32)> {
    match question.shape {
        Shape::Global { processors } => vec![((0..question.tasks.len()).collect(), processors)],
        Shape::Clusters(_) => {
            let proven = answer.packings.iter().find(|packed| packed.proven).unwrap();
            proven.bins.iter().map(|bin| (bin.tasks.clone(), bin.processors)).collect()
        }
    }
}

/// A job that is late in one of the queues, under arrivals at once and under random ones.
fn late(question: &Question<'_>, answer: &Answer, random: &mut fastrand::Rng) -> Option<String> {
    queues(question, answer).into_iter().find_map(|(members, processors)| {
        let tasks: Vec<Task> = members.iter().map(|&index| question.tasks[index]).collect();
        let own: Vec<u32>;
        let order = match question.policy {
            JobRanking::FixedPriority(Priorities::Given(ranks)) => {
                own = members.iter().map(|&index| ranks[index]).collect();
                Order::Fixed(&own)
            }
            _ => Order::Edf,
        };
        let patterns = [together(&tasks, 300), sporadic(&tasks, 300, |task| task.period, random)];
        patterns.into_iter().find_map(|jobs| {
            let miss = schedule(jobs, Platform::preemptive(processors), 300, |job| order.rank(job)).first_late()?;
            Some(format!("{members:?} on {processors}: {miss:?}"))
        })
    })
}

#[test]
fn no_queue_of_a_proven_answer_ever_misses() {
    let mut random = random::seeded("no_queue_of_a_proven_answer_ever_misses", 30_071);
    let (mut proven, mut tied_and_proven) = (0, 0);
    for _ in 0..random::sets(1_500) {
        let kind = random::deadlines(&mut random);
        let tasks = random::small_set(&mut random, 7, kind);
        let mut ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        random.shuffle(&mut ranks);
        let sizes = [&[1, 1][..], &[1, 1, 1], &[2, 1], &[2, 2], &[3, 1]][random.usize(0..5)];
        let place = |random: &mut fastrand::Rng| random.bool().then(|| random.u32(0..sizes.len() as u32));
        let places: Vec<Option<u32>> = tasks.iter().map(|_| place(&mut random)).collect();
        let policy = if random.bool() { JobRanking::Edf } else { JobRanking::FixedPriority(Priorities::Given(&ranks)) };
        let shape = match random.u8(0..4) {
            0 => Shape::Global { processors: random.u32(1..=3) },
            _ => Shape::Clusters(sizes),
        };
        let places = if random.bool() { Some(&places[..]) } else { None };
        let question = Question {
            tasks: &tasks,
            policy,
            shape,
            places,
            behaviours: Behaviours::PLAIN,
            overheads: None,
            time: TimeModel::Continuous,
        };
        let found = answer_of(&question);
        if found.verdict == Verdict::Proven {
            proven += 1;
            tied_and_proven += u32::from(places.is_some() && shape == Shape::Clusters(sizes));
            assert_eq!(late(&question, &found, &mut random), None, "{question:?}");
        }
    }
    println!("{proven} proven, {tied_and_proven} of them with tied tasks");
    assert!(proven > 100 && tied_and_proven > 30, "{proven}, {tied_and_proven}");
}

#[test]
fn one_processor_that_misses_without_overheads_is_disproven_with_them() {
    let tasks = [Task::implicit(5, 10), Task::implicit(6, 14)];
    let one = Question { shape: Shape::Global { processors: 1 }, ..partitioned(&tasks) };
    for (from, ticks) in [(Priorities::RateMonotonic, 0), (Priorities::Given(&[0, 1]), 1), (Priorities::Audsley, 1)] {
        let charged =
            Question { policy: JobRanking::FixedPriority(from), overheads: Some(slow_switches(ticks)), ..one };
        let found = answer_of(&charged);
        assert_eq!(found.verdict, Verdict::Disproven);
        assert!(matches!(found.decided_by.unwrap().reason, Reason::Missed(job) if job.task == 1));
    }
}

#[test]
fn audsleys_search_knows_of_the_interrupts_above_all_tasks() {
    let mut random = random::seeded("audsleys_search_knows_of_the_interrupts_above_all_tasks", 1_991);
    let tick = Overhead::constant(Ratio::whole(1));
    let overheads = Overheads { tick, tick_period: Some(7), ..Overheads::NONE };
    let (mut served, mut only_by_search) = (0, 0);
    for _ in 0..random::sets(2_000) {
        let jitter = |random: &mut fastrand::Rng, task: Task| Task { jitter: random.u64(0..=6), ..task };
        let tasks = random::small_set(&mut random, 3, DeadlineKind::Arbitrary);
        let tasks: Vec<Task> = tasks.into_iter().map(|task| jitter(&mut random, task)).collect();
        let proven_by = |from| {
            [Shape::Global { processors: 1 }, Shape::Clusters(&[1])].map(|shape| {
                let policy = JobRanking::FixedPriority(from);
                let question = Question { policy, shape, overheads: Some(overheads), ..partitioned(&tasks) };
                answer_of(&question).verdict == Verdict::Proven
            })
        };
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let by_some_order = orders.iter().any(|ranks| proven_by(Priorities::Given(&ranks[..tasks.len()])) == [true; 2]);
        assert_eq!(proven_by(Priorities::Audsley), [by_some_order; 2], "{tasks:?}");
        served += u32::from(by_some_order);
        only_by_search += u32::from(by_some_order && proven_by(Priorities::DeadlineMonotonic) == [false; 2]);
    }
    println!("{served} served, {only_by_search} of them not by deadline-monotonic priorities");
    assert!(served > 100 && only_by_search > 0, "{served}, {only_by_search}");
}

#[test]
fn every_test_for_global_fixed_priorities_is_asked_when_all_are_wanted() {
    let tasks = [Task::implicit(1, 10); 3];
    let policy = JobRanking::FixedPriority(Priorities::DeadlineMonotonic);
    let question = Question { policy, shape: Shape::Global { processors: 2 }, ..partitioned(&tasks) };
    let names = |all_tests| {
        let found = answer(&question, &Method { all_tests, ..Method::default() }).unwrap();
        found.findings.iter().map(|finding| finding.test).collect::<Vec<_>>()
    };
    assert_eq!(names(false), ["RM-US"]);
    assert_eq!(names(true), ["RM-US", "DM density", "Guan RTA"]);
}

#[test]
fn the_authors_places_are_kept() {
    let tasks = [Task::implicit(1, 10); 3];
    let question = Question { places: Some(&[Some(1), Some(1), Some(0)]), ..partitioned(&tasks) };
    let packed = &answer_of(&question).packings[0];
    assert_eq!((packed.placed_by, &packed.assignment), (PlacedBy::Author, &vec![Some(1), Some(1), Some(0)]));
}

#[test]
fn response_times_are_told_by_task_whoever_is_more_urgent_and_whatever_interrupts() {
    let tasks = [Task::implicit(3, 20), Task::implicit(1, 5)];
    let policy = JobRanking::FixedPriority(Priorities::RateMonotonic);
    let free = Question { policy, shape: Shape::Global { processors: 1 }, ..partitioned(&tasks) };
    assert_eq!(answer_of(&free).responses_by_task(), Some(vec![Some(4), Some(1)]));
    let charged = Question { overheads: Some(slow_switches(1)), ..free };
    let by_task = answer_of(&charged).responses_by_task().expect("one processor");
    assert!(by_task[0] > by_task[1] && by_task.len() == 2, "{by_task:?}");
}
