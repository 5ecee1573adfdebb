//! Tasks split over processors: what is proven never misses in a schedule computed tick by tick, and its certificate holds.

use prazo_analysis::certificate;
use prazo_analysis::question::{Answer, JobRanking, Method, Question, Shape, answer, unsplittable};
use prazo_analysis::{Task, TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;
use prazo_oracle::random::{seeded, sets};
use prazo_oracle::split::{Part, SplitJob, first_late};

fn question<'a>(tasks: &'a [Task], ones: &'a [u32]) -> Question<'a> {
    Question {
        tasks,
        policy: JobRanking::Edf,
        shape: Shape::Clusters(ones),
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

fn split(tasks: &[Task], ones: &[u32]) -> Answer {
    answer(&question(tasks, ones), &Method { split: true, ..Method::default() }).unwrap()
}

/// Heavy tasks that often fill all processors, some of them with a deadline unlike the period.
fn heavy_set(random: &mut fastrand::Rng, processors: usize) -> Vec<Task> {
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(3..=14);
        let cost = random.u64(period.div_ceil(3)..=(period * 4).div_ceil(5).min(period - 1));
        let deadline = match random.u8(0..6) {
            0 => random.u64(cost..=period),
            1 => random.u64(period..=2 * period),
            _ => period,
        };
        Task::new(cost, period, deadline)
    };
    (0..processors + random.usize(1..=2)).map(|_| task(random)).collect()
}

/// The parts of each task, in order; those of a whole task are all of it. Times are `factor` times as long.
fn parts(tasks: &[Task], found: &Answer, factor: u64) -> Vec<Vec<Part>> {
    let split = found.split.as_ref().unwrap();
    let assignment = split.assignment(tasks.len());
    let of_task = |(index, task): (usize, &Task)| match assignment[index] {
        Some(processor) => vec![Part {
            processor: processor as usize,
            budget: task.cost * factor,
            deadline: task.deadline * factor,
            offset: 0,
        }],
        None => {
            let own = split.pieces.iter().filter(|piece| piece.task == index);
            own.map(|piece| Part {
                processor: piece.processor as usize,
                budget: piece.cost * factor,
                deadline: piece.deadline * factor,
                offset: piece.offset * factor,
            })
            .collect()
        }
    };
    tasks.iter().enumerate().map(of_task).collect()
}

/// Arrivals at half ticks, often as early as they may, and costs that are often all of it.
fn jobs(random: &mut fastrand::Rng, tasks: &[Task]) -> Vec<SplitJob> {
    let (from_zero, at_once) = (random.bool(), random.bool());
    let mut jobs = Vec::new();
    for (task, of) in tasks.iter().enumerate() {
        let mut release = if from_zero { 0 } else { random.u64(0..of.period) };
        while release < 120 {
            let cost = if random.u8(0..4) > 0 { of.cost } else { random.u64(1..=of.cost) };
            jobs.push(SplitJob { task, release, cost });
            release += of.period + if at_once { 0 } else { random.u64(0..=3) };
        }
    }
    jobs
}

#[test]
fn no_job_of_a_split_set_that_is_proven_is_late() {
    let mut random = seeded("split", 11);
    let (mut proven, mut pieces, mut schedules) = (0, 0, 0);
    for _ in 0..sets(4_000) {
        let processors = random.usize(2..=3);
        let tasks = heavy_set(&mut random, processors);
        let found = split(&tasks, &vec![1; processors]);
        let Some(split) = found.split.as_ref().filter(|_| found.verdict == Verdict::Proven) else { continue };
        proven += 1;
        pieces += split.pieces.len();
        let halves = prazo_oracle::scaled(&tasks, 2);
        let parts = parts(&tasks, &found, 2);
        for _ in 0..6 {
            let mut tie: Vec<usize> = (0..tasks.len()).collect();
            random.shuffle(&mut tie);
            let jobs = jobs(&mut random, &halves);
            schedules += 1;
            assert_eq!(first_late(&halves, &parts, &jobs, processors, &tie), None, "{tasks:?} {split:?} {jobs:?}");
        }
    }
    println!("{proven} sets that no packing proves, with {pieces} pieces, in {schedules} schedules");
    assert!(proven > 100);
}

#[test]
fn a_piece_that_is_one_tick_larger_than_the_largest_is_late() {
    // Processor 0 has a task (20, 30), so a piece of 10 fits and one of 11 does not.
    let tasks = [Task::implicit(20, 30), Task::implicit(20, 30)];
    let late = |cost: u64| {
        let part = |processor, budget, deadline, offset| Part { processor, budget, deadline, offset };
        let parts = vec![vec![part(0, 20, 30, 0)], vec![part(0, cost, cost, 0), part(1, 20 - cost, 30 - cost, cost)]];
        let jobs = [SplitJob { task: 0, release: 0, cost: 20 }, SplitJob { task: 1, release: 0, cost: 20 }];
        first_late(&tasks, &parts, &jobs, 2, &[0, 1]).is_some()
    };
    assert_eq!([late(10), late(11)], [false, true]);
}

/// Every certificate holds; one with another number in a piece is refused, or its pieces are in time too.
#[test]
fn the_checker_accepts_what_is_proven_and_no_other_pieces_that_miss() {
    let mut random = seeded("split certificates", 12);
    let (mut accepted, mut refused, mut still_in_time) = (0, 0, 0);
    for _ in 0..sets(1_500) {
        let processors = random.usize(2..=3);
        let tasks = heavy_set(&mut random, processors);
        let ones = vec![1; processors];
        let found = split(&tasks, &ones);
        if found.split.is_none() || found.verdict != Verdict::Proven {
            continue;
        }
        let text = certificate::write(&question(&tasks, &ones), &found).unwrap();
        let checked = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert!(!checked.split.is_empty());
        accepted += 1;
        let lines: Vec<&str> = text.lines().collect();
        let at: Vec<usize> = (0..lines.len()).filter(|&line| lines[line].starts_with("piece")).collect();
        for _ in 0..4 {
            let line = *random.choice(&at).unwrap();
            let mut words: Vec<String> = lines[line].split(' ').map(str::to_owned).collect();
            let word = [1, 3, 5, 7][random.usize(0..4)];
            let value: u64 = words[word].parse().unwrap();
            words[word] = if random.bool() { value + 1 } else { value.saturating_sub(1) }.to_string();
            let mut changed = lines.clone();
            let new = words.join(" ");
            changed[line] = &new;
            if new == lines[line] {
                continue;
            }
            match prazo_checker::check(&(changed.join("\n") + "\n")) {
                Err(_) => refused += 1,
                // The last piece may be due earlier than it must.
                Ok(_) => {
                    still_in_time += 1;
                    assert_eq!(word, 5, "{text}\n{new}");
                    assert_eq!(words[5].parse::<u64>().unwrap() + 1, value);
                }
            }
        }
        // Without a piece the task has no place, or not all of its cost.
        let without: Vec<&str> =
            lines.iter().enumerate().filter(|(line, _)| *line != at[0]).map(|(_, line)| *line).collect();
        assert!(prazo_checker::check(&(without.join("\n") + "\n")).is_err());
    }
    println!("{accepted} accepted; of changed ones {refused} refused, {still_in_time} due earlier");
    assert!(accepted > 50 && refused > 100);
}

#[test]
fn no_assignment_disproves_nothing_of_split_tasks() {
    let tasks = [Task::implicit(20, 30); 3];
    let whole = answer(&question(&tasks, &[1, 1]), &Method::default()).unwrap();
    assert_eq!((whole.verdict, whole.split), (Verdict::Disproven, None));
    let found = split(&tasks, &[1, 1]);
    assert_eq!((found.verdict, found.split.unwrap().pieces.len()), (Verdict::Proven, 2));
    // A task with jitter is not split, and too much work in the long run still disproves.
    let late = [Task { jitter: 1, ..Task::implicit(19, 30) }; 3];
    assert_eq!(split(&late, &[1, 1]).verdict, Verdict::Unknown);
    assert_eq!(split(&[Task::implicit(21, 30); 3], &[1, 1]).verdict, Verdict::Disproven);
}

#[test]
fn what_a_packing_proves_is_not_split() {
    let tasks = [Task::implicit(1, 2); 4];
    let found = split(&tasks, &[1, 1]);
    assert_eq!((found.verdict, found.split), (Verdict::Proven, None));
}

#[test]
fn only_partitioned_edf_can_split() {
    let tasks = [Task::implicit(20, 30); 3];
    let base = question(&tasks, &[1, 1]);
    assert_eq!(unsplittable(&base), None);
    let tied = [None, Some(0), None];
    for other in [
        Question { shape: Shape::Global { processors: 2 }, ..base },
        Question { shape: Shape::Clusters(&[2]), ..base },
        Question { shape: Shape::Clusters(&[1]), ..base },
        Question { policy: JobRanking::FixedPriority(prazo_analysis::question::Priorities::RateMonotonic), ..base },
        Question { places: Some(&tied), ..base },
    ] {
        assert!(unsplittable(&other).is_some(), "{other:?}");
        let found = answer(&other, &Method { split: true, ..Method::default() }).unwrap();
        assert_eq!(found.split, None);
    }
}
