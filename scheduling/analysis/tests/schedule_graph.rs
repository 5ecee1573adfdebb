//! The schedule graph against every execution of tiny sets at whole ticks, halves and thirds of a tick: nothing proven misses, and each
//! disproof's execution is legal, and run one part after the other it makes that job late.
//!
//! `PRAZO_SETS=20000 cargo test --release --test schedule_graph` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::certificate;
use prazo_analysis::question::{Caveat, JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::reach::Ranking;
use prazo_analysis::schedule_graph::{self, PeriodicQueue};
use prazo_analysis::{Budget, ExecutedJob, Finding, LateExecution, Reason, Task, TaskSet, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviours, Departure, NonPreemptive, Phase};
use prazo_oracle::periodic::{PeriodicTask, Seen, Starts, search};
use prazo_oracle::{Job, Platform, random, schedule};
use sealed::{refuses_longer_lines, resealed};
use std::collections::BTreeMap;

/// A set on one clock.
#[derive(Debug)]
struct Periodic {
    tasks: Vec<Task>,
    phases: Vec<Phase>,
}

impl Periodic {
    /// Cost, best case, period, deadline, jitter and offset of each task.
    fn new(tasks: &[[u64; 6]]) -> Self {
        let task =
            |&[cost, _, period, deadline, jitter, _]: &[u64; 6]| Task { jitter, ..Task::new(cost, period, deadline) };
        let phase = |&[_, best_case, _, _, _, offset]: &[u64; 6]| Phase { offset, best_case };
        Self { tasks: tasks.iter().map(task).collect(), phases: tasks.iter().map(phase).collect() }
    }

    fn queue(&self, processors: u32, ranking: Ranking, time: TimeModel) -> PeriodicQueue<'_> {
        PeriodicQueue { tasks: TaskSet::new(&self.tasks).unwrap(), phases: &self.phases, processors, ranking, time }
    }

    fn found(&self, processors: u32, ranking: Ranking) -> Finding {
        schedule_graph::test(self.queue(processors, ranking, TimeModel::Continuous), &mut Budget::new(1_000_000))
    }

    fn in_parts(&self, parts: u64) -> Vec<PeriodicTask> {
        let one = |(task, phase): (&Task, &Phase)| PeriodicTask {
            task: prazo_oracle::scaled(&[*task], parts)[0],
            offset: (phase.offset * parts) as i64,
            least: (phase.best_case * parts) as i64,
        };
        self.tasks.iter().zip(&self.phases).map(one).collect()
    }
}

/// Up to `most` tasks; long and short jobs, with and without offsets, jitter and a best case.
fn tiny_set(random: &mut fastrand::Rng, most: usize, is_constrained: bool) -> Periodic {
    let has = [random.bool(), random.bool(), random.bool()];
    let mut task = || {
        let period = *random.choice(&[2, 3, 4, 6]).unwrap();
        let most = if random.bool() { 4 } else { 1 };
        let cost = random.u64(1..=period.min(most));
        let longest = if is_constrained { period } else { 2 * period };
        let deadline = if random.bool() { period } else { random.u64(cost..=longest) };
        let best_case = if has[0] { random.u64(0..=cost) } else { cost };
        let jitter = if has[1] { random.u64(0..=2) } else { 0 };
        let offset = if has[2] { random.u64(0..=3) } else { 0 };
        [cost, best_case, period, deadline, jitter, offset]
    };
    let count = 2 + usize::from(most > 2);
    Periodic::new(&(0..count).map(|_| task()).collect::<Vec<_>>())
}

/// True if each job of the execution is one that the set may have, and the job is late when they run.
fn is_late(set: &Periodic, processors: u32, ranking: Ranking, execution: &LateExecution) -> bool {
    let mut numbers = vec![0; set.tasks.len()];
    let parts = execution.parts;
    let mut is_legal = |job: &ExecutedJob| {
        let (task, phase) = (&set.tasks[job.task], &set.phases[job.task]);
        let arrival = (phase.offset + numbers[job.task] * task.period) * parts;
        numbers[job.task] += 1;
        job.arrival == arrival
            && (arrival..=arrival + task.jitter * parts).contains(&job.release)
            && ((phase.best_case * parts).max(1)..=task.cost * parts).contains(&job.cost)
    };
    if !execution.jobs.iter().all(&mut is_legal) {
        return false;
    }
    let job = |job: &ExecutedJob| Job {
        task: job.task,
        arrival: job.arrival as i64,
        release: job.release as i64,
        due: (job.arrival + set.tasks[job.task].deadline * parts) as i64,
        cost: job.cost,
    };
    let jobs: Vec<Job> = execution.jobs.iter().map(job).collect();
    let all: u64 = jobs.iter().map(|job| job.cost).sum();
    let until = jobs.iter().map(|job| job.due.max(job.release)).max().unwrap_or(0) + all as i64;
    let platform = Platform { processors, is_preemptive: false };
    let ran = match ranking {
        Ranking::Edf => schedule(jobs, platform, until, |job| (job.due, job.task)),
        Ranking::AsOrdered => schedule(jobs, platform, until, |job| (0, job.task)),
    };
    let late = &execution.late;
    ran.ended.iter().any(|ended| {
        ended.is_late()
            && (ended.job.task, ended.number as u64, ended.job.arrival as u64) == (late.task, late.job, late.arrival)
    })
}

/// What the twin says at 1, 2 and 3 parts of a tick.
fn seen(set: &Periodic, processors: u32, starts: Starts, most: usize) -> [Seen; 3] {
    [1, 2, 3].map(|parts| search(&set.in_parts(parts), processors as usize, starts, most))
}

fn starts(ranking: Ranking, finding: &Finding) -> Starts {
    match ranking {
        Ranking::AsOrdered => Starts::Fixed,
        Ranking::Edf if finding.test == schedule_graph::NAME && finding.is_proven() => Starts::EdfAnyTie,
        Ranking::Edf => Starts::Edf,
    }
}

#[test]
fn on_one_processor_both_verdicts_are_right() {
    let mut random = random::seeded("schedule graph", 201);
    let sets = random::sets(600);
    let (mut counts, mut parts) = (BTreeMap::new(), BTreeMap::new());
    for round in 0..sets {
        let set = tiny_set(&mut random, 2 + round % 2, round % 4 < 2);
        for ranking in [Ranking::Edf, Ranking::AsOrdered] {
            let found = set.found(1, ranking);
            let seen = seen(&set, 1, starts(ranking, &found), 3_000);
            match &found.reason {
                Reason::Holds => assert!(!seen.contains(&Seen::Miss), "{set:?}, {ranking:?}: {found:?}, {seen:?}"),
                Reason::MissedBy(execution) => {
                    assert!(is_late(&set, 1, ranking, execution), "{set:?}, {ranking:?}: {found:?}");
                    // What is possible in parts of this size is seen by who tries everything in parts of this size.
                    let at = seen.get(execution.parts as usize - 1);
                    assert_ne!(at, Some(&Seen::NoMiss), "{set:?}, {ranking:?}: {found:?}");
                    *parts.entry(execution.parts).or_insert(0) += 1;
                }
                Reason::Overdemand { .. } => assert!(!seen.contains(&Seen::NoMiss), "{set:?}, {ranking:?}: {seen:?}"),
                _ => panic!("{set:?}, {ranking:?}: {found:?}"),
            }
            let misses = seen.map(|seen| seen == Seen::Miss);
            *counts.entry((ranking == Ranking::Edf, found.verdict.name(), found.test, misses)).or_insert(0) += 1;
        }
    }
    eprintln!("{sets} sets: {counts:#?}; disproven in parts of a tick: {parts:?}");
    let only_between =
        counts.keys().any(|(_, verdict, _, [whole, half, _])| *verdict == "disproven" && !whole && *half);
    assert!(only_between || sets < 600, "no set misses between ticks only");
}

#[test]
fn on_several_processors_what_is_proven_never_misses_and_what_is_disproven_does() {
    let mut random = random::seeded("global schedule graph", 202);
    let sets = random::sets(200);
    let mut counts = BTreeMap::new();
    for _ in 0..sets {
        let set = tiny_set(&mut random, 3, true);
        for ranking in [Ranking::Edf, Ranking::AsOrdered] {
            let found = set.found(2, ranking);
            let seen = seen(&set, 2, starts(ranking, &found), 3_000);
            if found.is_proven() {
                assert!(!seen.contains(&Seen::Miss), "{set:?}, {ranking:?}: {found:?}, {seen:?}");
            }
            if let Reason::MissedBy(execution) = &found.reason {
                assert!(is_late(&set, 2, ranking, execution), "{set:?}, {ranking:?}: {found:?}");
            }
            let misses = seen.contains(&Seen::Miss);
            *counts.entry((ranking == Ranking::Edf, found.verdict.name(), misses)).or_insert(0) += 1;
        }
    }
    eprintln!("{sets} sets on 2 processors (EDF, verdict, a miss at a third of a tick or coarser): {counts:?}");
    assert!(counts.keys().any(|(_, verdict, _)| *verdict == "proven"), "{counts:?}");
}

#[test]
fn whole_ticks_are_asked_for_by_name() {
    let mut random = random::seeded("discrete schedule graph", 203);
    let mut differ = 0;
    for round in 0..random::sets(300) {
        let set = tiny_set(&mut random, 2 + round % 2, round % 4 < 2);
        for ranking in [Ranking::Edf, Ranking::AsOrdered] {
            let queue = set.queue(1, ranking, TimeModel::Discrete);
            let found = schedule_graph::test(queue, &mut Budget::new(1_000_000));
            let seen = search(&set.in_parts(1), 1, starts(ranking, &found), 3_000);
            let agrees = match seen {
                Seen::Miss => Verdict::Disproven,
                Seen::NoMiss => Verdict::Proven,
                Seen::TooMany => continue,
            };
            assert_eq!(found.verdict, agrees, "{set:?}, {ranking:?}: {found:?}");
            differ += usize::from(set.found(1, ranking).verdict != found.verdict);
        }
    }
    assert!(differ > 0, "no set differs between whole ticks and any instant");
}

/// Under fixed priorities the short job is released at 1 at the latest, so a long one can begin at any instant before, and never at it.
#[test]
fn a_job_that_may_begin_just_before_another_blocks_for_its_whole_length() {
    let set = |deadline: u64| Periodic::new(&[[1, 1, 10, deadline, 0, 1], [4, 4, 10, 10, 2, 0]]);
    let found = set(4).found(1, Ranking::AsOrdered);
    let Reason::MissedBy(execution) = &found.reason else { panic!("{found:?}") };
    assert_eq!((execution.parts, execution.late.task), (2, 0));
    // At whole ticks it begins at 0 at the latest and ends at 4, so the other ends at 5 = 1 + 4.
    let whole =
        schedule_graph::test(set(4).queue(1, Ranking::AsOrdered, TimeModel::Discrete), &mut Budget::unlimited());
    assert!(whole.is_proven(), "{whole:?}");
    // It begins before 1 and ends before 5, so the other ends before 6.
    assert!(set(5).found(1, Ranking::AsOrdered).is_proven());
}

/// First arrivals decide: a long job that begins at 1 has ended when the short one arrives at 4, and one that begins at 2 has not.
#[test]
fn offsets_decide() {
    let set = |offset: u64| Periodic::new(&[[1, 1, 4, 1, 0, 0], [3, 3, 8, 8, 0, offset]]);
    assert_eq!(set(1).found(1, Ranking::AsOrdered).verdict, Verdict::Proven);
    assert_eq!(set(2).found(1, Ranking::AsOrdered).verdict, Verdict::Disproven);
}

#[test]
fn more_work_than_the_budget_is_unknown() {
    let set = Periodic::new(&[[1, 1, 7, 7, 1, 0], [1, 1, 11, 11, 0, 2], [2, 1, 13, 13, 3, 0]]);
    let queue = set.queue(1, Ranking::Edf, TimeModel::Continuous);
    let found = schedule_graph::test(queue, &mut Budget::new(100));
    assert_eq!((found.verdict, found.reason), (Verdict::Unknown, Reason::BudgetSpent));
    assert_eq!(set.found(1, Ranking::Edf).verdict, Verdict::Proven);
}

#[test]
fn sets_that_it_does_not_cover_are_named() {
    let why = |set: &Periodic, processors| {
        let queue = PeriodicQueue { phases: &set.phases, ..set.queue(processors, Ranking::Edf, TimeModel::Continuous) };
        match schedule_graph::test(queue, &mut Budget::unlimited()).reason {
            Reason::NotApplicable(why) => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(why(&Periodic::new(&[[1, 2, 4, 4, 0, 0]]), 1).contains("best_case"));
    assert!(why(&Periodic::new(&[[1, 1, 4, 5, 0, 0]]), 2).contains("D <= T"));
    let long = [(1 << 40) - 1, (1 << 40) - 3].map(|period| [1, 1, period, period, 0, 0]);
    assert!(why(&Periodic::new(&long), 1).contains("hyperperiod"));
    let without = Periodic { phases: Vec::new(), ..Periodic::new(&[[1, 1, 4, 4, 0, 0]]) };
    assert!(why(&without, 1).contains("offset"));
}

const WHOLE: Departure = Departure {
    non_preemptive: NonPreemptive::WHOLE,
    burst: None,
    curve: None,
    suspension: 0,
    cost_high: None,
    sections_end: 0,
};

fn question<'a>(set: &'a Periodic, policy: JobRanking<'a>, of_tasks: &'a [Departure]) -> Question<'a> {
    Question {
        tasks: &set.tasks,
        policy,
        shape: Shape::Global { processors: 1 },
        places: None,
        behaviours: Behaviours { of_tasks, phases: &set.phases, ..Behaviours::PLAIN },
        overheads: None,
        time: TimeModel::Continuous,
    }
}

#[test]
fn on_one_clock_the_graph_decides_what_other_tests_disprove_for_any_first_arrivals() {
    // Ranks are not those of the indices.
    let set = Periodic::new(&[[3, 1, 10, 10, 0, 1], [1, 1, 5, 2, 0, 0]]);
    let given = JobRanking::FixedPriority(Priorities::Given(&[1, 0]));
    for policy in [JobRanking::Edf, given, JobRanking::FixedPriority(Priorities::DeadlineMonotonic)] {
        let asked = question(&set, policy, &[WHOLE; 2]);
        let free = Question { behaviours: Behaviours { phases: &[], ..asked.behaviours }, ..asked };
        assert_eq!(answer(&free, &Method::default()).unwrap().verdict, Verdict::Disproven);
        let found = answer(&asked, &Method::default()).unwrap();
        assert_eq!(found.verdict, Verdict::Proven, "{found:?}");
        assert_eq!(found.decided_by.unwrap().test, schedule_graph::NAME);
        assert!(found.findings.iter().all(|finding| finding.verdict != Verdict::Disproven), "{:?}", found.findings);
        // Together with the other one it blocks for too long.
        let together = Periodic::new(&[[3, 1, 10, 10, 0, 4], [1, 1, 5, 2, 0, 0]]);
        let found = answer(&question(&together, policy, &[WHOLE; 2]), &Method::default()).unwrap();
        assert_eq!(found.verdict, Verdict::Disproven);
        let decided = found.decided_by.unwrap();
        let Reason::MissedBy(execution) = &decided.reason else { panic!("{decided:?}") };
        assert_eq!((decided.task, execution.late.task), (Some(1), 1));
        assert!(execution.jobs.iter().any(|job| job.task == 0 && job.cost > 1));
    }
}

#[test]
fn what_the_graph_does_not_cover_is_not_disproven_by_other_first_arrivals() {
    // One runs in the first half of its period, the other in the second: only together are they late.
    let set = Periodic::new(&[[2, 2, 4, 2, 0, 0], [2, 2, 4, 2, 0, 2]]);
    for of_tasks in [&[][..], &[WHOLE, Departure::default()]] {
        for (shape, verdict) in
            [(Shape::Global { processors: 1 }, Verdict::Unknown), (Shape::Clusters(&[1, 1]), Verdict::Proven)]
        {
            let asked = Question { shape, ..question(&set, JobRanking::Edf, of_tasks) };
            assert_eq!(answer(&asked, &Method::default()).unwrap().verdict, verdict);
        }
    }
    let too_much = Periodic::new(&[[3, 3, 4, 4, 0, 0], [2, 2, 4, 4, 0, 2]]);
    let found = answer(&question(&too_much, JobRanking::Edf, &[]), &Method::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Disproven, "U > 1 needs no arrivals");
    let tied = Periodic::new(&[[1, 1, 4, 1, 0, 0], [1, 1, 4, 1, 0, 0]]);
    assert_eq!(
        answer(&question(&tied, JobRanking::Edf, &[WHOLE; 2]), &Method::default()).unwrap().verdict,
        Verdict::Disproven
    );
}

/// The set with one number changed.
fn altered(set: &Periodic, random: &mut fastrand::Rng) -> Periodic {
    let mut other = Periodic { tasks: set.tasks.clone(), phases: set.phases.clone() };
    let one = random.usize(0..set.tasks.len());
    let (task, phase) = (&mut other.tasks[one], &mut other.phases[one]);
    match random.u8(0..5) {
        0 => task.cost += 1,
        1 => task.deadline = (task.deadline - 1).max(1),
        2 => task.jitter += 1,
        3 => phase.offset += 1,
        _ => phase.best_case = phase.best_case.saturating_sub(1),
    }
    other
}

#[test]
fn every_verdict_has_a_certificate_that_is_of_this_set_alone() {
    let mut random = random::seeded("schedule graph certificates", 205);
    let (mut shown, mut refused, mut still_true, mut of_another) = ([0; 2], 0, 0, 0);
    for round in 0..random::sets(400) {
        let processors = 1 + u32::from(round % 4 == 0);
        let set = tiny_set(&mut random, 2 + round % 2, round % 4 < 2);
        let time = if round % 5 == 0 { TimeModel::Discrete } else { TimeModel::Continuous };
        let policy =
            if random.bool() { JobRanking::Edf } else { JobRanking::FixedPriority(Priorities::DeadlineMonotonic) };
        let of_tasks = vec![WHOLE; set.tasks.len()];
        let shape = Shape::Global { processors };
        let asked = Question { shape, time, ..question(&set, policy, &of_tasks) };
        let found = answer(&asked, &Method::default()).unwrap();
        let by_graph = found.decided_by.as_ref().is_some_and(|finding| schedule_graph::NAMES.contains(&finding.test));
        if !by_graph {
            continue;
        }
        let text = certificate::write(&asked, &found).unwrap_or_else(|why| panic!("{set:?}: {why}"));
        let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{set:?}: {why}\n{text}"));
        let is_proven = found.verdict == Verdict::Proven;
        let expected = if is_proven { prazo_checker::Verdict::Proven } else { prazo_checker::Verdict::Disproven };
        assert_eq!(accepted.verdict, expected);
        shown[usize::from(is_proven)] += 1;
        if text.len() < 4_000 {
            refuses_longer_lines(&text);
        }
        // Another number in the evidence, and the same evidence for another set.
        let evidence = text.find("\nverdict").unwrap();
        let places: Vec<usize> =
            (evidence..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()).collect();
        for _ in 0..40 {
            let place = places[random.usize(0..places.len())];
            let other = ["0", "1", "7", ""][random.usize(0..4)];
            let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
            match prazo_checker::check(&changed) {
                Err(_) => refused += 1,
                Ok(_) => still_true += usize::from(changed != text),
            }
        }
        for _ in 0..4 {
            let other = altered(&set, &mut random);
            let asked = Question { shape, time, ..question(&other, policy, &of_tasks) };
            let Ok(there) = answer(&asked, &Method::default()) else { continue };
            let Ok(head) = certificate::write(&asked, &there) else { continue };
            let digest = head.find("\ndigest").unwrap();
            let moved = format!("{}{}", &head[..digest], &text[text.find("\ndigest").unwrap()..]);
            match prazo_checker::check(&resealed(&moved)) {
                Err(_) => refused += 1,
                Ok(_) => {
                    assert_eq!(there.verdict, found.verdict, "{other:?}\n{moved}");
                    of_another += 1;
                }
            }
        }
    }
    eprintln!(
        "disproven, proven: {shown:?} shown; {refused} refused, {still_true} still true, {of_another} of another set"
    );
    assert!(shown.iter().all(|count| *count > 40) && refused > 1_000, "{shown:?} {refused}");
}

/// Whichever of two equal deadlines goes first at 0 decides whether the processor is free at 1.
#[test]
fn a_proof_that_needs_the_rule_for_ties_says_so() {
    let set = |last: u64| Periodic::new(&[[1, 1, 8, 4, 0, 0], [2, 2, 8, 4, 0, 0], [1, 1, 8, last, 0, 1]]);
    let found = answer(&question(&set(1), JobRanking::Edf, &[WHOLE; 3]), &Method::default()).unwrap();
    assert_eq!((found.verdict, found.caveats), (Verdict::Proven, vec![Caveat::TiesByIndex]));
    assert_eq!(found.decided_by.unwrap().test, schedule_graph::NAME_BY_INDEX);
    let found = answer(&question(&set(2), JobRanking::Edf, &[WHOLE; 3]), &Method::default()).unwrap();
    assert_eq!((found.verdict, found.caveats), (Verdict::Proven, vec![]));
}

/// Sets of 5 to 10 tasks with the periods of a control unit, loaded to 0.3 to 0.7; prints how large their graphs are and how fast.
#[test]
fn larger_sets_take_little_work() {
    const PERIODS: [u64; 8] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000];
    let mut random = random::seeded("size of schedule graphs", 204);
    let sets = random::sets(200).div_ceil(10);
    for count in 5..=10 {
        let (mut states, mut edges, mut decided) = (0, 0, BTreeMap::new());
        let begin = std::time::Instant::now();
        for _ in 0..sets {
            let share = random.u64(30..=70);
            let task = |random: &mut fastrand::Rng| {
                let period = PERIODS[random.usize(0..PERIODS.len())];
                let cost = (period * share * random.u64(50..=150) / 10_000 / count).clamp(1, 600);
                [cost, cost / 4, period, period, random.u64(0..=100).min(period / 10), random.u64(0..period)]
            };
            let set = Periodic::new(&(0..count).map(|_| task(&mut random)).collect::<Vec<_>>());
            let ranking = if random.bool() { Ranking::Edf } else { Ranking::AsOrdered };
            let queue = set.queue(1, ranking, TimeModel::Continuous);
            let (found, size) = schedule_graph::measured(queue, &mut Budget::new(5_000_000));
            (states, edges) = (states + size.states, edges + size.edges);
            *decided.entry(found.verdict.name()).or_insert(0) += 1;
        }
        let spent = begin.elapsed();
        let each = |all: usize| all / sets;
        eprintln!(
            "{count} tasks: {:.0} sets a second, {} states and {} edges a set, {decided:?}",
            sets as f64 / spent.as_secs_f64(),
            each(states),
            each(edges)
        );
        let unknown = decided.get("unknown").copied().unwrap_or(0);
        assert!(unknown * 10 <= sets, "{count} tasks: {decided:?}");
    }
}
