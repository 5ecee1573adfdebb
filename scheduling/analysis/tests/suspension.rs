//! Tasks that suspend themselves, held against every pattern of arrivals and suspensions of small sets, and against schedules at halves
//! of a tick for bursts.
//!
//! `PRAZO_SETS=30000 cargo test --release --test suspension` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::Response;
use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::certificate;
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer, lateness};
use prazo_analysis::{Budget, Finding, Reason, SetError, TICKS_MAX, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviour, Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive, Supply};
use prazo_oracle::any_arrival::{MissSearch, Order};
use prazo_oracle::suspended::{first_miss, search};
use prazo_oracle::{Job, random};
use sealed::{refuses_longer_lines, resealed};

fn system(tasks: &[(Task, Ticks)]) -> System<'static> {
    let of_tasks = tasks.iter().map(|(_, suspension)| Behaviour { suspension: *suspension, ..Behaviour::default() });
    System::new(tasks.iter().map(|(task, _)| *task).collect(), of_tasks.collect(), Locking::Srp)
}

fn judged(system: &System<'_>, order: Order) -> Finding {
    let budget = &mut Budget::new(200_000);
    match order {
        Order::Edf | Order::EdfByIndex => edf::test(system, budget),
        Order::Fixed => fixed_priority::test(system, budget),
    }
}

/// Up to `most` tasks with costs of 1 to 3 and suspensions up to 2.
fn drawn(random: &mut fastrand::Rng, most: usize) -> Vec<(Task, Ticks)> {
    let (count, is_late, is_long) = (random.usize(1..=most), random.u8(0..4) == 0, random.u8(0..4) == 0);
    (0..count)
        .map(|_| {
            let (cost, suspension) = (random.u64(1..=3), random.u64(0..=2));
            let period = random.u64((cost + suspension).max(2)..=8);
            let least = (cost + suspension).min(period);
            let deadline = if is_long { random.u64(least..=2 * period) } else { random.u64(least..=period) };
            let jitter = if is_late { random.u64(0..=1) } else { 0 };
            (
                Task { jitter, ..Task::new(cost, period, if random.bool() { period.max(deadline) } else { deadline }) },
                suspension,
            )
        })
        .collect()
}

/// The same in ticks of half the length.
fn halved((task, suspension): &(Task, Ticks)) -> (Task, Ticks) {
    let Task { cost, period, deadline, jitter, .. } = *task;
    (Task { jitter: 2 * jitter, ..Task::new(2 * cost, 2 * period, 2 * deadline) }, 2 * suspension)
}

/// `late_alone` looks for a job that is late even if no other task suspends itself. It has two code paths, one for D <= T and one for all
/// sets. A burst of one job per period adds no constraint, but selects the second.
#[test]
fn a_job_that_is_late_alone_is_found_by_both_code_paths() {
    let mut random = random::seeded("suspension alone", 41);
    let late = |finding: &Finding| match finding.reason {
        Reason::Late(job) => Some(job.task),
        _ => None,
    };
    let (mut all, mut found) = (0, 0);
    for _ in 0..random::sets(15_000) {
        let tasks = drawn(&mut random, 4);
        let is_short = tasks.iter().all(|(task, _)| task.deadline <= task.period);
        if !is_short || tasks.iter().all(|(_, suspension)| *suspension == 0) {
            continue;
        }
        let behaviour = |(task, suspension): &(Task, Ticks)| {
            let burst = Some(Burst { jobs: 1, within: task.period, distance: 0 });
            Behaviour { suspension: *suspension, burst, ..Behaviour::default() }
        };
        let plain = tasks.iter().map(|(task, _)| *task).collect();
        let bursty = System::new(plain, tasks.iter().map(behaviour).collect(), Locking::Srp);
        let [usual, other] = [&system(&tasks), &bursty].map(|system| late(&judged(system, Order::Fixed)));
        assert_eq!(usual, other, "{tasks:?}");
        all += 1;
        found += u32::from(usual.is_some());
    }
    println!("{found} of {all} have a job that is late alone");
    assert!(found > 500 && all - found > 500, "{found} of {all}");
}

#[test]
fn no_proven_set_misses_and_each_disproven_one_does() {
    let mut random = random::seeded("suspension", 40);
    // By policy: verdict; of the unknown ones a miss, none in any pattern, too many patterns; too many of decided ones.
    let (mut verdicts, mut unknown, mut stopped) = ([[0u32; 3]; 2], [[0u32; 3]; 2], [0u32; 2]);
    for number in 0..random::sets(15_000) {
        let most = if number % 3 == 0 { 2 } else { 3 + usize::from(number % 20 == 1) };
        let whole = drawn(&mut random, most);
        if whole.iter().all(|(_, suspension)| *suspension == 0) {
            continue;
        }
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system(&whole), order);
            let fine: Vec<_> = if most == 2 { whole.iter().map(halved).collect() } else { whole.clone() };
            verdicts[by][finding.verdict as usize] += 1;
            if let Reason::Overdemand { window: None } = finding.reason {
                continue;
            }
            let found = search(&fine, order, 60_000);
            let is_decided = finding.verdict != Verdict::Unknown;
            stopped[by] += u32::from(is_decided && found == MissSearch::Stopped);
            match (finding.verdict, found) {
                (Verdict::Proven, found) => assert_ne!(found, MissSearch::Miss, "{order:?} {whole:?} {finding:?}"),
                (Verdict::Disproven, found) => assert_ne!(found, MissSearch::NoMiss, "{order:?} {whole:?} {finding:?}"),
                (Verdict::Unknown, found) => unknown[by][found as usize] += 1,
            }
        }
    }
    eprintln!("by verdict; EDF, fixed priorities: {verdicts:?}");
    eprintln!(
        "unknown that miss, do not, or have too many patterns: {unknown:?}; decided ones that have too many: {stopped:?}"
    );
    assert!(verdicts.iter().flatten().all(|count| *count > 30), "{verdicts:?}");
}

#[test]
fn the_jitter_of_a_suspension_is_not_its_length() {
    // With a jitter of S = 5 for the second task, the bound of the third was 12. It waits for 21 (Bletsas and others 2018).
    let set = |deadline| [(Task::implicit(1, 2), 0), (Task::implicit(5, 20), 5), (Task::new(1, 50, deadline), 0)];
    let responses = fixed_priority::responses(&system(&set(22)), &mut Budget::unlimited()).unwrap();
    assert_eq!(responses, [1, 20, 22].map(Response::Within));
    assert_eq!(search(&set(21), Order::Fixed, usize::MAX), MissSearch::Miss);
    assert_eq!(search(&set(22), Order::Fixed, usize::MAX), MissSearch::NoMiss);
    assert_eq!(judged(&system(&set(21)), Order::Fixed).verdict, Verdict::Unknown);
}

#[test]
fn only_the_last_of_all_suspending_has_the_response_of_a_longer_job() {
    let urgent = [(Task::implicit(1, 4), 0), (Task::implicit(2, 9), 0)];
    let with = |deadline| [&urgent[..], &[(Task::new(2, 30, deadline), 3)]].concat();
    let longer = [&urgent[..], &[(Task::new(5, 30, 30), 0)]].concat();
    let found = fixed_priority::responses(&system(&longer), &mut Budget::unlimited()).unwrap();
    let Response::Within(exact) = found[2] else { panic!("{found:?}") };
    for (deadline, verdict) in [(exact, Verdict::Proven), (exact - 1, Verdict::Disproven)] {
        assert_eq!(judged(&system(&with(deadline)), Order::Fixed).verdict, verdict);
    }
}

/// A tick is two here, so that arrivals and suspensions may lie at halves of one.
const FINE: u64 = 2;

/// Jobs that arrive no closer than they may, thinned by lots.
fn jobs(index: usize, task: &Task, burst: Option<Burst>, until: i64, random: &mut fastrand::Rng) -> Vec<Job> {
    let Burst { jobs, within, distance } =
        burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: task.period });
    let fine = |ticks: Ticks| (ticks * FINE) as i64;
    let (mut all, mut arrivals, mut release) = (Vec::new(), Vec::<i64>::new(), i64::MIN);
    loop {
        let after_last = arrivals.last().map_or(random.i64(-8..8), |last| last + fine(distance));
        let window = arrivals.len().checked_sub(jobs as usize).map_or(i64::MIN, |at| arrivals[at] + fine(within));
        let wait = if random.u8(0..4) > 0 { 0 } else { random.i64(0..=fine(within)) };
        let arrival = after_last.max(window) + wait;
        if arrival >= until {
            return all;
        }
        release = (arrival + random.i64(0..=fine(task.jitter))).max(release);
        arrivals.push(arrival);
        all.push(Job { task: index, arrival, release, due: arrival + fine(task.deadline), cost: task.cost * FINE });
    }
}

#[test]
fn bursts_jitter_and_long_deadlines_are_in_time_at_halves_of_a_tick_where_they_are_proven() {
    let mut random = random::seeded("suspension schedules", 41);
    let mut proven = [0u32; 2];
    for _ in 0..random::sets(4_000) {
        let (mut tasks, mut of_tasks) = (Vec::new(), Vec::new());
        for _ in 0..random.usize(1..=4) {
            let period = random.u64(2..=16);
            let (cost, suspension) = (random.u64(1..=period.div_ceil(5)), random.u64(0..=3));
            let deadline = random.u64(cost..=3 * period);
            let burst = (random.u8(0..3) == 0).then(|| {
                let (jobs, distance) = (random.u64(1..=3), random.u64(0..=2));
                Burst { jobs, within: (period * jobs).max((jobs - 1) * distance + 1), distance }
            });
            tasks.push(Task { jitter: random.u64(0..=2), ..Task::new(cost, period, deadline) });
            of_tasks.push(Behaviour { burst, suspension, ..Behaviour::default() });
        }
        let system = System::new(tasks.clone(), of_tasks.clone(), Locking::Srp);
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let finding = judged(&system, order);
            if finding.verdict != Verdict::Proven {
                continue;
            }
            proven[by] += 1;
            for _ in 0..5 {
                let all: Vec<(Job, u64)> = (0..tasks.len())
                    .flat_map(|index| {
                        let Behaviour { burst, suspension, .. } = of_tasks[index];
                        let of_task = jobs(index, &tasks[index], burst, 150, &mut random);
                        of_task.into_iter().map(move |job| (job, suspension * FINE))
                    })
                    .collect();
                let often = random.u8(1..=4);
                let missed = first_miss(&all, order, 200, &mut || random.u8(0..4) < often);
                assert_eq!(missed, None, "{order:?} {tasks:?} {of_tasks:?} {finding:?}");
            }
        }
    }
    eprintln!("proven; EDF, fixed priorities: {proven:?}");
    assert!(proven.iter().all(|count| *count > 300), "{proven:?}");
}

fn asked<'a>(tasks: &'a [Task], behaviours: Behaviours<'a>, order: Order, ranks: &'a [u32]) -> Question<'a> {
    let policy = match order {
        Order::Edf | Order::EdfByIndex => JobRanking::Edf,
        Order::Fixed => JobRanking::FixedPriority(Priorities::Given(ranks)),
    };
    let (shape, time) = (Shape::Global { processors: 1 }, TimeModel::Continuous);
    Question { tasks, policy, shape, places: None, behaviours, overheads: None, time }
}

fn departures(suspensions: &[Ticks]) -> Vec<Departure> {
    suspensions.iter().map(|&suspension| Departure { suspension, ..Departure::default() }).collect()
}

#[test]
fn every_verdict_has_a_certificate_and_what_is_changed_in_it_is_refused_or_true() {
    let mut random = random::seeded("suspension certificates", 42);
    let (mut shown, mut refused, mut searched) = ([[0u32; 2]; 2], 0u32, [0u32; 3]);
    for _ in 0..random::sets(300) {
        let set = drawn(&mut random, 3);
        let (tasks, suspensions): (Vec<Task>, Vec<Ticks>) = set.iter().copied().unzip();
        if suspensions.iter().all(|suspension| *suspension == 0) {
            continue;
        }
        let (ranks, of_tasks): (Vec<u32>, _) = ((0..tasks.len() as u32).collect(), departures(&suspensions));
        for (by, order) in [Order::Edf, Order::Fixed].into_iter().enumerate() {
            let question = asked(&tasks, Behaviours { of_tasks: &of_tasks, ..Behaviours::PLAIN }, order, &ranks);
            let answer = answer(&question, &Method { budget: 100_000, ..Method::default() }).unwrap();
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            let text = certificate::write(&question, &answer).unwrap_or_else(|why| panic!("{why} {answer:?}"));
            assert!(!text.contains("at-most 0"), "a task that never suspends itself has no such line: {text}");
            let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            refuses_longer_lines(&text);
            let is_proven = accepted.verdict == prazo_checker::Verdict::Proven;
            assert_eq!(is_proven, answer.verdict == Verdict::Proven);
            shown[by][usize::from(is_proven)] += 1;
            let digest = text.find("digest").unwrap();
            for place in (digest + 80..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                match prazo_checker::check(&changed) {
                    Err(_) => refused += 1,
                    Ok(other) => assert_eq!(other.verdict, accepted.verdict, "{changed}"),
                }
            }
            // Another question with this evidence: what is accepted must be true of it.
            for place in (0..digest).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                assert!(changed == text || prazo_checker::check(&changed).is_err(), "another digest is accepted");
                let Ok(accepted) = prazo_checker::check(&resealed(&changed)) else { continue };
                let Some(all) = &accepted.behaviours else { continue };
                let mut again: Vec<(Task, Ticks)> =
                    accepted.tasks.iter().zip(&all.of_tasks).map(|(task, of)| (*task, of.suspension)).collect();
                if again.iter().any(|(task, _)| task.deadline > 2 * task.period) {
                    continue;
                }
                if let prazo_checker::JobRanking::FixedPriority(prazo_checker::Priorities::Given(ranks)) =
                    &accepted.ranking
                {
                    let mut by_rank: Vec<usize> = (0..again.len()).collect();
                    by_rank.sort_by_key(|&task| (ranks[task], task));
                    again = by_rank.iter().map(|&task| again[task]).collect();
                }
                let found = search(&again, order, 20_000);
                let excluded = match accepted.verdict {
                    prazo_checker::Verdict::Proven => MissSearch::Miss,
                    prazo_checker::Verdict::Disproven => MissSearch::NoMiss,
                };
                assert_ne!(found, excluded, "{changed}");
                searched[found as usize] += 1;
            }
        }
    }
    eprintln!(
        "disproven, proven; EDF, fixed priorities: {shown:?}; {refused} refused; misses, none, stopped: {searched:?}"
    );
    assert!(shown.iter().flatten().all(|count| *count > 30) && refused > 1_000 && searched[1] > 300, "{shown:?}");
}

#[test]
fn many_tasks_that_suspend_themselves_are_bounded_by_a_few_choices() {
    let tasks: Vec<Task> = (0..12).map(|index| Task::implicit(1 + index % 3, 60 + 10 * index)).collect();
    let suspensions: Vec<Ticks> = (0..12).map(|index| 1 + index % 2).collect();
    let (ranks, of_tasks): (Vec<u32>, _) = ((0..12).collect(), departures(&suspensions));
    let question = asked(&tasks, Behaviours { of_tasks: &of_tasks, ..Behaviours::PLAIN }, Order::Fixed, &ranks);
    let answer = answer(&question, &Method::default()).unwrap();
    assert_eq!(answer.verdict, Verdict::Proven);
    let text = certificate::write(&question, &answer).unwrap();
    assert!(prazo_checker::check(&text).is_ok(), "{text}");
    // None is worse than where suspensions are execution.
    let system = system(&tasks.iter().copied().zip(suspensions.clone()).collect::<Vec<_>>());
    let longer = tasks.iter().zip(suspensions).map(|(task, more)| (Task { cost: task.cost + more, ..*task }, 0));
    let oblivious = fixed_priority::responses(&self::system(&longer.collect::<Vec<_>>()), &mut Budget::unlimited());
    for pair in fixed_priority::responses(&system, &mut Budget::unlimited()).unwrap().iter().zip(oblivious.unwrap()) {
        let (Response::Within(bound), Response::Within(oblivious)) = pair else { panic!("{pair:?}") };
        assert!(*bound <= oblivious);
    }
}

#[test]
fn what_is_not_covered_is_unknown_with_the_reason() {
    let tasks = [Task::implicit(1, 20), Task::implicit(1, 30)];
    let of_tasks = departures(&[2, 0]);
    let plain = Behaviours { of_tasks: &of_tasks, ..Behaviours::PLAIN };
    let edf = asked(&tasks, plain, Order::Edf, &[]);
    let said = answer(&edf, &Method::default()).unwrap();
    assert_eq!(said.verdict, Verdict::Proven);
    assert!(lateness(&edf, &said).bounds.is_none());
    let partitioned = Question { shape: Shape::Clusters(&[1, 1]), ..edf };
    assert_eq!(
        answer(&partitioned, &Method::default()).unwrap().verdict,
        Verdict::Proven,
        "each queue has one processor"
    );
    let reason = |question: Question<'_>| {
        let answer = answer(&question, &Method::default()).unwrap();
        assert_eq!(answer.verdict, Verdict::Unknown);
        match answer.findings[0].reason {
            Reason::NotApplicable(why) => why,
            ref other => panic!("{other:?}"),
        }
    };
    for shape in [Shape::Global { processors: 2 }, Shape::Clusters(&[2])] {
        assert!(reason(Question { shape, ..edf }).contains("where each processor has its own ready queue"));
    }
    let overheads = Some(prazo_core::overheads::Overheads::NONE);
    assert!(reason(Question { overheads, ..edf }).contains("with overheads"));
    assert!(reason(Question { policy: JobRanking::FixedPriority(Priorities::Audsley), ..edf }).contains("Audsley"));
    let sections = [CriticalSection::once(0, 1)];
    let whole = Departure { non_preemptive: NonPreemptive::WHOLE, suspension: 1, ..Departure::default() };
    let holder = Departure { sections_end: 1, suspension: 1, ..Departure::default() };
    let supply = Some(Supply::Periodic { budget: 2, period: 3 });
    for behaviours in [
        Behaviours { of_tasks: &[whole; 2], ..plain },
        Behaviours { of_tasks: &[holder; 2], sections: &sections, ..plain },
        Behaviours { supply, ..plain },
    ] {
        assert!(reason(Question { behaviours, ..edf }).contains("no test covers self-suspension together with"));
        let system =
            System::new(tasks.to_vec(), behaviours.iter().collect(), Locking::Srp).with_supply(behaviours.supply);
        for order in [Order::Edf, Order::Fixed] {
            assert!(matches!(judged(&system, order).reason, Reason::NotApplicable(_)));
        }
    }
    let endless = departures(&[TICKS_MAX, 0]);
    let behaviours = Behaviours { of_tasks: &endless, ..Behaviours::PLAIN };
    let refused = SetError::TooLong(0, "sum of cost and suspension");
    assert_eq!(answer(&Question { behaviours, ..edf }, &Method::default()), Err(refused));
}
