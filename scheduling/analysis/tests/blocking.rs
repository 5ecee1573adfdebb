//! Blocking, parts that are not preempted, critical sections and bursts on one processor: every proof and every disproof held
//! against schedules at halves of a tick, the worst arrivals and random ones.
//!
//! `PRAZO_SETS=1000000 cargo test --release --test blocking` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::certificate;
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Finding, Reason, Response, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviour, Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive};
use prazo_oracle::blocked::{Blocked, Part, PartedJob, Protocol, Rank};
use prazo_oracle::random;
use sealed::{refuses_longer_lines, resealed};

/// A task with the parts of its jobs, in ticks; `parts` are back to back from 0 where they are fixed.
#[derive(Clone, Debug)]
struct Drawn {
    task: Task,
    burst: Option<Burst>,
    non_preemptive: NonPreemptive,
    /// Lengths of fixed parts.
    fixed: Vec<Ticks>,
    sections: Vec<CriticalSection>,
}

/// What a set has beyond plain tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    Whole,
    Parts,
    Sections(Locking),
    Bursts,
    Mixed,
}

const MODELS: [Model; 7] = [
    Model::Whole,
    Model::Parts,
    Model::Sections(Locking::Srp),
    Model::Sections(Locking::Pcp),
    Model::Sections(Locking::Pip),
    Model::Bursts,
    Model::Mixed,
];

fn drawn(random: &mut fastrand::Rng, model: Model) -> Drawn {
    let period = random.u64(2..=12);
    let cost = random.u64(1..=(period / 2).max(1));
    let deadline = match random.u8(0..4) {
        0 => period,
        1 => random.u64(cost..=2 * period),
        _ => random.u64(cost..=period),
    };
    let has_sections = matches!(model, Model::Sections(_));
    let jitter = if has_sections || random.u8(0..3) > 0 { 0 } else { random.u64(0..=2.min(deadline - cost)) };
    let mut one = Drawn {
        task: Task { jitter, ..Task::new(cost, period, deadline) },
        burst: None,
        non_preemptive: NonPreemptive::default(),
        fixed: Vec::new(),
        sections: Vec::new(),
    };
    let kind = if model == Model::Mixed { random.u8(0..4) } else { 9 };
    if kind == 0 || model == Model::Whole && random.u8(0..4) > 0 {
        one.fixed = vec![cost];
    } else if kind == 1 || model == Model::Parts {
        if random.bool() {
            one.non_preemptive = NonPreemptive::floating(random.u64(0..=cost));
        } else {
            let first = random.u64(0..cost);
            one.fixed = [first, cost - first].into_iter().filter(|part| *part > 0).collect();
        }
    } else if has_sections {
        let mut left = cost;
        for resource in 0..2 {
            if left > 0 && random.bool() {
                let length = random.u64(1..=left);
                one.sections.push(CriticalSection::once(resource, length));
                left -= length;
            }
        }
    }
    if kind == 2 || model == Model::Bursts && random.u8(0..3) > 0 {
        let (jobs, distance) = (random.u64(1..=3), random.u64(0..=2));
        let within = (period * jobs).max((jobs - 1) * distance + 1);
        one.burst = Some(Burst { jobs, within, distance });
    }
    if let (Some(longest), Some(last)) = (one.fixed.iter().max(), one.fixed.last()) {
        one.non_preemptive = NonPreemptive { longest: *longest, last: *last };
    }
    one
}

fn behaviours(set: &[Drawn]) -> Vec<Behaviour<'_>> {
    let of = |one: &'_ Drawn| (one.non_preemptive, one.burst);
    set.iter()
        .map(|one| {
            let (non_preemptive, burst) = of(one);
            Behaviour { non_preemptive, burst, sections: &one.sections, ..Behaviour::default() }
        })
        .collect()
}

fn judged(set: &[Drawn], rank: Rank, locking: Locking) -> Finding {
    let tasks: Vec<Task> = set.iter().map(|one| one.task).collect();
    let system = System::new(tasks, behaviours(set), locking);
    let budget = &mut Budget::new(200_000);
    match rank {
        Rank::Edf => edf::test(&system, budget),
        Rank::Fixed => fixed_priority::test(&system, budget),
    }
}

/// Parts of a tick: what is a whole tick to the analysis is so many to the twin.
const FINE: i64 = 2;

/// How the parts of a job that may float are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// At the beginning, for as long as they may be; the first or the second resource first.
    Blocks(u32),
    /// At the beginning, as short as they may be.
    Suffers,
    /// Anywhere.
    Random,
}

/// The parts of one job, in fine ticks.
fn parts(one: &Drawn, random: &mut fastrand::Rng, layout: Layout) -> Vec<Part> {
    let fine = |ticks: Ticks| ticks as i64 * FINE;
    let mut at = 0;
    let mut row = |length: i64, resource| {
        let part = Part { from: at, to: at + length, resource };
        at += length;
        part
    };
    if !one.fixed.is_empty() {
        return one.fixed.iter().map(|length| row(fine(*length), None)).collect();
    }
    if one.non_preemptive.longest > 0 && layout != Layout::Suffers {
        let length = fine(one.non_preemptive.longest);
        let room = fine(one.task.cost) - length;
        let from = if layout == Layout::Random { random.i64(0..=room) } else { 0 };
        return vec![Part { from, to: from + length, resource: None }];
    }
    let mut sections = one.sections.clone();
    if layout == Layout::Blocks(1) || layout == Layout::Random && random.bool() {
        sections.reverse();
    }
    let used: Ticks = sections.iter().map(|section| section.length).sum();
    let mut room = fine(one.task.cost - used);
    sections
        .iter()
        .map(|section| {
            let gap = if layout == Layout::Random { random.i64(0..=room) } else { 0 };
            room -= gap;
            row(gap, None);
            row(if layout == Layout::Suffers { 1 } else { fine(section.length) }, Some(section.resource))
        })
        .collect()
}

/// The jobs of one task from `first` on, as dense as they may be and released as late as that allows up to `first`, or
/// thinned by chance.
fn jobs(
    index: usize,
    one: &Drawn,
    first: i64,
    until: i64,
    random: &mut fastrand::Rng,
    layout: Layout,
) -> Vec<PartedJob> {
    let Burst { jobs, within, distance } =
        one.burst.unwrap_or(Burst { jobs: 1, within: one.task.period, distance: one.task.period });
    let fine = |ticks: Ticks| ticks as i64 * FINE;
    let (jitter, mut recent) = (fine(one.task.jitter), Vec::<i64>::new());
    let mut all = Vec::new();
    let mut release = first;
    loop {
        let count = recent.len();
        let after_last = recent.last().map_or(first - jitter, |last| last + fine(distance));
        let after_window = count.checked_sub(jobs as usize).map_or(i64::MIN, |at| recent[at] + fine(within));
        let mut arrival = after_last.max(after_window);
        release = if layout == Layout::Random {
            arrival += if random.bool() { 0 } else { random.i64(0..=fine(within)) };
            (arrival + random.i64(0..=jitter)).max(release)
        } else {
            arrival.max(first)
        };
        if arrival >= until {
            return all;
        }
        recent.push(arrival);
        all.push(PartedJob {
            task: index,
            release,
            due: arrival + fine(one.task.deadline),
            cost: fine(one.task.cost),
            parts: parts(one, random, layout),
        });
    }
}

/// How much of a job runs before its longest fixed part begins.
fn before_longest(one: &Drawn) -> i64 {
    let longest = one.fixed.iter().position(|part| Some(part) == one.fixed.iter().max()).unwrap_or(0);
    one.fixed[..longest].iter().sum::<Ticks>() as i64 * FINE
}

/// A miss, where `blocker` comes half a tick before all others, which come together; or at random.
fn misses(set: &[Drawn], rank: Rank, locking: Locking, until: i64, random: &mut fastrand::Rng) -> bool {
    let deadlines: Vec<i64> = set.iter().map(|one| one.task.deadline as i64 * FINE).collect();
    let uses =
        |resource| (0..set.len()).filter(move |task| set[*task].sections.iter().any(|one| one.resource == resource));
    let users: Vec<Vec<usize>> = (0..2).map(|resource| uses(resource).collect()).collect();
    let protocol = Protocol::of(locking);
    let shows = |jobs: Vec<PartedJob>| {
        let on = Blocked { jobs: &jobs, deadlines: &deadlines, users: &users, rank, protocol };
        on.first_miss(-40, until).is_some()
    };
    let blockers = (0..set.len()).flat_map(|task| [Some((task, 0)), Some((task, 1))]).chain([None]);
    for blocker in blockers {
        let is_idle = |task: usize| set[task].sections.len() < 2;
        if blocker.is_some_and(|(task, layout)| layout == 1 && is_idle(task)) {
            continue;
        }
        let of = |(index, one): (usize, &Drawn)| match blocker {
            Some((task, layout)) if task == index => {
                let jitter_free = Drawn { task: Task { jitter: 0, ..one.task }, ..one.clone() };
                jobs(
                    index,
                    &jitter_free,
                    -1 - before_longest(one),
                    until,
                    &mut fastrand::Rng::with_seed(1),
                    Layout::Blocks(layout),
                )
            }
            _ => jobs(index, one, 0, until, &mut fastrand::Rng::with_seed(1), Layout::Suffers),
        };
        if shows(set.iter().enumerate().flat_map(of).collect()) {
            return true;
        }
    }
    (0..3).any(|_| {
        let jobs = set.iter().enumerate().flat_map(|(index, one)| {
            let first = random.i64(-8..=8);
            jobs(index, one, first, until, random, Layout::Random)
        });
        let jobs = jobs.collect();
        shows(jobs)
    })
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    proven: u32,
    disproven: u32,
    unknown: u32,
}

#[test]
fn every_verdict_is_what_schedules_at_halves_of_a_tick_show() {
    let mut random = random::seeded("blocking", 20);
    let sets = random::sets(100_000);
    let mut counts = [[Count::default(); MODELS.len()]; 2];
    for round in 0..sets {
        let which = round % MODELS.len();
        let model = MODELS[which];
        let locking = if let Model::Sections(locking) = model { locking } else { Locking::Srp };
        let set: Vec<Drawn> = (0..random.usize(2..=4)).map(|_| drawn(&mut random, model)).collect();
        for (by, rank) in [Rank::Edf, Rank::Fixed].into_iter().enumerate() {
            let finding = judged(&set, rank, locking);
            let count = &mut counts[by][which];
            match finding.verdict {
                Verdict::Proven => {
                    count.proven += 1;
                    assert!(!misses(&set, rank, locking, 80, &mut random), "{rank:?} {locking:?} {set:?} {finding:?}");
                }
                Verdict::Disproven => {
                    count.disproven += 1;
                    let until = match finding.reason {
                        Reason::Overdemand { window: None } => continue,
                        Reason::Overdemand { window: Some(window) } => window as i64 + 1,
                        Reason::Late(_) => 150,
                        ref other => panic!("{other:?}"),
                    };
                    let seen = misses(&set, rank, locking, until * FINE, &mut random);
                    assert!(seen, "no miss of {rank:?} {locking:?} {set:?} {finding:?}");
                }
                Verdict::Unknown => count.unknown += 1,
            }
        }
    }
    for (rank, counts) in ["EDF", "FP"].iter().zip(&counts) {
        MODELS.iter().zip(counts).for_each(|(model, count)| eprintln!("{rank} {model:?}: {count:?}"));
    }
    for (by, which) in [(0, 0), (0, 1), (0, 2), (0, 5), (0, 6), (1, 0), (1, 1), (1, 2), (1, 3), (1, 5), (1, 6)] {
        let count = counts[by][which];
        assert!(count.proven > 50 && count.disproven > 50, "{count:?}");
        assert!(
            count.unknown * 20 < count.proven,
            "the tests are exact, but for what the budget does not reach: {count:?}"
        );
    }
}

fn whole(cost: Ticks, period: Ticks, deadline: Ticks) -> Drawn {
    let non_preemptive = NonPreemptive { longest: cost, last: cost };
    Drawn { task: Task::new(cost, period, deadline), burst: None, non_preemptive, fixed: vec![cost], sections: vec![] }
}

#[test]
fn davis_2007_table_3() {
    // Three CAN messages in units of a quarter of a transmission: the second instance of C is the late one.
    let set = [whole(4, 10, 10), whole(4, 14, 13), whole(4, 14, 13)];
    let finding = judged(&set, Rank::Fixed, Locking::Srp);
    assert_eq!(finding.verdict, Verdict::Disproven);
    assert!(matches!(finding.reason, Reason::Late(late) if (late.task, late.job) == (2, 1)), "{finding:?}");
    let relaxed = [whole(4, 10, 10), whole(4, 14, 13), whole(4, 14, 14)];
    let tasks = relaxed.iter().map(|one| one.task).collect();
    let system = System::new(tasks, behaviours(&relaxed), Locking::Srp);
    let bounds = fixed_priority::responses(&system, &mut Budget::unlimited()).unwrap();
    assert_eq!(bounds, [8, 12, 14].map(Response::Within));
}

#[test]
fn a_part_blocks_for_its_whole_length_and_not_a_tick_less() {
    // In whole ticks the urgent task waits for two at most; between ticks for nearly three.
    let set = [whole(1, 8, 3), whole(3, 8, 8)];
    for rank in [Rank::Edf, Rank::Fixed] {
        assert_eq!(judged(&set, rank, Locking::Srp).verdict, Verdict::Disproven);
        let enough = [whole(1, 8, 4), whole(3, 8, 8)];
        assert_eq!(judged(&enough, rank, Locking::Srp).verdict, Verdict::Proven);
    }
}

/// The question about the drawn set on one processor.
fn asked<'a>(tasks: &'a [Task], behaviours: Behaviours<'a>, rank: Rank, ranks: &'a [u32]) -> Question<'a> {
    Question {
        tasks,
        policy: match rank {
            Rank::Edf => JobRanking::Edf,
            Rank::Fixed => JobRanking::FixedPriority(Priorities::Given(ranks)),
        },
        shape: Shape::Global { processors: 1 },
        places: None,
        behaviours,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

/// The behaviours with the sections of all in one row.
fn flat(behaviours: &[Behaviour<'_>]) -> (Vec<Departure>, Vec<CriticalSection>) {
    let mut sections = Vec::new();
    let departure = |one: &Behaviour<'_>| {
        sections.extend_from_slice(one.sections);
        let Behaviour { non_preemptive, burst, suspension, .. } = *one;
        Departure { non_preemptive, burst, suspension, sections_end: sections.len(), ..Departure::default() }
    };
    (behaviours.iter().map(departure).collect(), sections)
}

/// The tasks as a question has them: beside a burst, the period is that of evenly spaced jobs.
fn written(set: &[Drawn]) -> Vec<Task> {
    let period = |one: &Drawn| one.burst.map_or(one.task.period, |burst| burst.within.div_ceil(burst.jobs));
    set.iter().map(|one| Task { period: period(one), ..one.task }).collect()
}

#[test]
fn every_verdict_has_a_certificate_and_changed_numbers_are_refused() {
    let mut random = random::seeded("blocking certificates", 21);
    let (mut shown, mut refused, mut still_true) = ([0u32; 2], 0u32, 0u32);
    for round in 0..random::sets(1_050) {
        let model = MODELS[round % MODELS.len()];
        let locking = if let Model::Sections(locking) = model { locking } else { Locking::Srp };
        let set: Vec<Drawn> = (0..random.usize(1..=4)).map(|_| drawn(&mut random, model)).collect();
        let (tasks, of_tasks, ranks) = (written(&set), behaviours(&set), (0..set.len() as u32).collect::<Vec<_>>());
        let (departures, sections) = flat(&of_tasks);
        let all = Behaviours { of_tasks: &departures, sections: &sections, locking, supply: None, phases: &[] };
        if all.is_plain() {
            continue;
        }
        for rank in [Rank::Edf, Rank::Fixed] {
            let question = asked(&tasks, all, rank, &ranks);
            let answer = answer(&question, &Method { budget: 100_000, ..Method::default() }).unwrap();
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            let text = certificate::write(&question, &answer).unwrap();
            let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            refuses_longer_lines(&text);
            let is_proven = accepted.verdict == prazo_checker::Verdict::Proven;
            assert_eq!(is_proven, answer.verdict == Verdict::Proven);
            shown[usize::from(is_proven)] += 1;
            if round % 7 < 3 && round > 300 {
                continue;
            }
            let digest = text.find("digest").unwrap();
            for place in (digest + 80..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                for other in ["0", "1", "3", "7", "12", ""] {
                    let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
                    match prazo_checker::check(&changed) {
                        Err(_) => refused += 1,
                        // Another number may show the same: a later start that is still in time, another late job.
                        Ok(other) => {
                            assert_eq!(other.verdict, accepted.verdict, "{changed}");
                            still_true += u32::from(changed != text);
                        }
                    }
                }
            }
            // A changed question with the evidence of the old one: what is accepted must be true of the changed tasks.
            for place in (0..digest).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                let changed = format!("{}{}{}", &text[..place], random.u8(0..10), &text[place + 1..]);
                assert!(changed == text || prazo_checker::check(&changed).is_err(), "another digest is accepted");
                let Ok(accepted) = prazo_checker::check(&resealed(&changed)) else { continue };
                if let Some(verdict) = recomputed(&accepted) {
                    assert_eq!(
                        verdict == Verdict::Proven,
                        accepted.verdict == prazo_checker::Verdict::Proven,
                        "{changed}"
                    );
                }
            }
        }
    }
    eprintln!("disproven, proven: {shown:?}; {refused} refused, {still_true} still true");
    assert!(shown[0] > 100 && shown[1] > 100 && refused > 10_000);
}

/// What the analysis, which schedules have confirmed, says of a certificate's own tasks; nothing where it knows nothing.
fn recomputed(accepted: &prazo_checker::Accepted) -> Option<Verdict> {
    let behaviours = accepted.behaviours.as_ref()?;
    let section = |&(resource, length, requests): &(u32, Ticks, u32)| CriticalSection { resource, length, requests };
    let sections: Vec<Vec<CriticalSection>> =
        behaviours.of_tasks.iter().map(|one| one.sections.iter().map(section).collect()).collect();
    let of = |(one, sections): (&prazo_checker::Behaviour, &'_ Vec<CriticalSection>)| {
        let burst = one.burst.map(|(jobs, within, distance)| Burst { jobs, within, distance });
        (NonPreemptive { longest: one.longest, last: one.last }, burst, sections.len())
    };
    let of_tasks = behaviours.of_tasks.iter().zip(&sections).map(|(one, sections)| {
        let (non_preemptive, burst, _) = of((one, sections));
        Behaviour { non_preemptive, burst, sections, ..Behaviour::default() }
    });
    let of_tasks: Vec<Behaviour<'_>> = of_tasks.collect();
    let mut order: Vec<usize> = (0..accepted.tasks.len()).collect();
    if let prazo_checker::JobRanking::FixedPriority(prazo_checker::Priorities::Given(ranks)) = &accepted.ranking {
        order.sort_by_key(|&task| (ranks[task], task));
    }
    let system = System::new(accepted.tasks.clone(), of_tasks, behaviours.locking).with_supply(behaviours.supply);
    let budget = &mut Budget::new(1_000_000);
    let found = match accepted.policy {
        "edf" => edf::test(&system, budget),
        _ => fixed_priority::test(&system.arranged(&order), budget),
    };
    Some(found.verdict).filter(|verdict| *verdict != Verdict::Unknown)
}
