//! Locks across processors: proofs, disproofs and bounds on waits held against schedules at quarters of a tick, with random arrivals and
//! random places of the sections, and certificates against the checker.
//!
//! `PRAZO_SETS=1000000 cargo test --release --test locks` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::blocking::shared::Placed;
use prazo_analysis::certificate;
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Reason, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviours, CriticalSection, Departure, Locking};
use prazo_oracle::locked::{Protocol, Ranking, SectionSpan, Sharing, SharingJob};
use prazo_oracle::random;
use sealed::{refuses_longer_lines, resealed};

const LOCKINGS: [Locking; 3] = [Locking::Msrp, Locking::Fmlp, Locking::Mpcp];
const RESOURCES: u32 = 3;
const PROCESSORS: usize = 3;
/// Parts of a tick.
const FINE: i64 = 4;
const HORIZON: i64 = 90 * FINE;

/// A set whose tasks all have a processor.
#[derive(Clone, Debug)]
struct Set {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    sections: Vec<CriticalSection>,
    locking: Locking,
    places: Vec<Option<u32>>,
    ranking: Ranking,
}

impl Set {
    fn drawn(random: &mut fastrand::Rng) -> Self {
        let locking = LOCKINGS[random.usize(0..3)];
        let ranking = if locking == Locking::Mpcp || random.bool() { Ranking::Fixed } else { Ranking::Edf };
        let places = Vec::new();
        let mut set =
            Self { tasks: Vec::new(), departures: Vec::new(), sections: Vec::new(), locking, places, ranking };
        let has_jitter = random.u8(0..4) == 0;
        for _ in 0..random.usize(2..=5) {
            let period = random.u64(6..=24);
            let cost = random.u64(1..=(period / 4).max(1));
            let deadline = match random.u8(0..8) {
                0 => random.u64(cost..=2 * period),
                1..=3 => random.u64(cost..=period),
                _ => period,
            };
            let jitter = if has_jitter { random.u64(0..=2.min(deadline - cost)) } else { 0 };
            let mut left = cost;
            for resource in 0..RESOURCES {
                let length = random.u64(1..=2);
                if left >= length && random.u8(0..5) < 3 {
                    let requests = random.u64(1..=2.min(left / length)) as u32;
                    set.sections.push(CriticalSection { resource, length, requests });
                    left -= length * u64::from(requests);
                }
            }
            set.tasks.push(Task { jitter, ..Task::new(cost, period, deadline) });
            set.departures.push(Departure { sections_end: set.sections.len(), ..Departure::default() });
            set.places.push(Some(random.u32(0..PROCESSORS as u32)));
        }
        set
    }

    fn behaviours(&self) -> Behaviours<'_> {
        Behaviours { of_tasks: &self.departures, sections: &self.sections, locking: self.locking, ..Behaviours::PLAIN }
    }

    fn homes(&self) -> Vec<usize> {
        self.places.iter().map(|place| place.unwrap() as usize).collect()
    }

    fn asked<T>(&self, then: impl FnOnce(&Question<'_>) -> T) -> T {
        let ranks: Vec<u32> = (0..self.tasks.len() as u32).collect();
        let edf = self.ranking == Ranking::Edf;
        let question = Question {
            tasks: &self.tasks,
            policy: if edf { JobRanking::Edf } else { JobRanking::FixedPriority(Priorities::Given(&ranks)) },
            shape: Shape::Clusters(&[1; PROCESSORS]),
            places: Some(&self.places),
            behaviours: self.behaviours(),
            overheads: None,
            time: TimeModel::Continuous,
        };
        then(&question)
    }

    fn answer(&self) -> Answer {
        self.asked(|question| answer(question, &Method { budget: 200_000, ..Method::default() }).unwrap())
    }

    /// How long the jobs of each task wait, with and without a bound on their response.
    fn waits(&self) -> Option<Vec<(i64, i64)>> {
        let places: Vec<u32> = self.places.iter().map(|place| place.unwrap()).collect();
        let order: Vec<usize> = (0..self.tasks.len()).collect();
        let order = (self.ranking == Ranking::Fixed).then_some(&order[..]);
        let placed = Placed { tasks: &self.tasks, behaviours: self.behaviours(), places: &places, order };
        let (_, waits) = placed.alone(&mut Budget::unlimited()).ok()?;
        Some(waits.iter().map(|wait| (wait.remote as i64, wait.local as i64)).collect())
    }

    /// Sections in a random order, with the rest of the job anywhere around them.
    fn laid_out(&self, task: usize, random: &mut fastrand::Rng) -> Vec<SectionSpan> {
        let mut lengths: Vec<(usize, i64)> = Vec::new();
        for section in self.behaviours().of(task).sections {
            let one = (section.resource as usize, section.length as i64 * FINE);
            lengths.extend(std::iter::repeat_n(one, section.requests as usize));
        }
        random.shuffle(&mut lengths);
        if random.u8(0..6) == 0 {
            lengths.truncate(random.usize(0..=lengths.len()));
        }
        let rest = self.tasks[task].cost as i64 * FINE - lengths.iter().map(|(_, length)| length).sum::<i64>();
        // Often there is nothing between two of them.
        let mut cuts: Vec<i64> = lengths.iter().map(|_| random.i64(-rest..=rest + 1).clamp(0, rest)).collect();
        cuts.sort_unstable();
        let mut at = 0;
        let place = |((resource, length), cut): ((usize, i64), i64)| {
            let from = cut + at;
            at += length;
            SectionSpan { from, to: from + length, resource }
        };
        lengths.into_iter().zip(cuts).map(place).collect()
    }

    /// Jobs at any quarters of a tick; some tasks come late, some as often as they may.
    fn jobs(&self, random: &mut fastrand::Rng) -> Vec<SharingJob> {
        let mut jobs = Vec::new();
        for (task, of) in self.tasks.iter().enumerate() {
            let latest = [2, 8, 30][random.usize(0..3)];
            let mut arrival = random.i64(0..=latest);
            let extra = [0, 0, 1, 12][random.usize(0..4)];
            while arrival < HORIZON {
                let release = arrival + random.i64(0..=of.jitter as i64 * FINE);
                jobs.push(SharingJob {
                    task,
                    arrival,
                    release,
                    due: arrival + of.deadline as i64 * FINE,
                    cost: of.cost as i64 * FINE,
                    sections: self.laid_out(task, random),
                });
                arrival += of.period as i64 * FINE + random.i64(0..=extra);
            }
        }
        jobs
    }

    fn is_late(&self, jobs: &[SharingJob], ends: &[prazo_oracle::locked::SharedEnd], until: i64) -> bool {
        let mut ended = vec![None; jobs.len()];
        ends.iter().for_each(|end| ended[end.job] = Some(end.at));
        jobs.iter().zip(ended).any(|(job, end)| end.map_or(job.due <= until, |end| end > job.due))
    }

    fn run(&self, jobs: &[SharingJob], until: i64) -> Vec<prazo_oracle::locked::SharedEnd> {
        let users = prazo_oracle::users(self.behaviours(), self.tasks.len(), RESOURCES);
        let deadlines: Vec<i64> = self.tasks.iter().map(|task| task.deadline as i64).collect();
        let protocol = Protocol::of(self.locking);
        let homes = self.homes();
        let (ranking, users) = (self.ranking, &users);
        Sharing { jobs, homes: &homes, deadlines: &deadlines, users, protocol, ranking }.ends(until)
    }
}

/// Of one protocol under one ranking.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sets: usize,
    proven: usize,
    disproven: usize,
    unknown_and_late: usize,
    /// Jobs with as much of a wait as its bound says.
    tight: usize,
}

#[test]
fn no_proven_set_misses_and_no_job_waits_longer_than_its_bound() {
    let mut random = random::seeded("locks", 41);
    let mut counts = [[Count::default(); 2]; 3];
    let sets = random::sets(24_000);
    for _ in 0..sets {
        let set = Set::drawn(&mut random);
        let by = LOCKINGS.iter().position(|locking| *locking == set.locking).unwrap();
        let count = &mut counts[by][usize::from(set.ranking == Ranking::Edf)];
        let found = set.answer();
        count.sets += 1;
        count.proven += usize::from(found.verdict == Verdict::Proven);
        count.disproven += usize::from(found.verdict == Verdict::Disproven);
        let waits = set.waits();
        let mut any_late = false;
        for _ in 0..4 {
            let jobs = set.jobs(&mut random);
            let ends = set.run(&jobs, HORIZON);
            let is_late = set.is_late(&jobs, &ends, HORIZON);
            any_late |= is_late;
            assert!(!(is_late && found.verdict == Verdict::Proven), "{set:?}\n{jobs:?}");
            // Bounds of MPCP assume that no job is late.
            let Some(waits) = waits.as_ref().filter(|_| set.locking != Locking::Mpcp || !is_late) else { continue };
            for end in &ends {
                let (task, (remote, local)) = (jobs[end.job].task, waits[jobs[end.job].task]);
                let about = || format!("{set:?}\n{:?} {end:?} {waits:?}\n{jobs:?}", jobs[end.job]);
                if set.locking == Locking::Msrp {
                    assert!(end.requesting <= remote * FINE, "{}", about());
                    let overlaps = set.tasks[task].deadline > set.tasks[task].period || is_late;
                    // Under EDF, SRP with release jitter is not covered.
                    let is_open = set.ranking == Ranking::Edf && set.tasks.iter().any(|task| task.jitter > 0);
                    assert!(overlaps || is_open || end.blocked <= local * FINE, "{}", about());
                } else {
                    assert!(end.requesting + end.blocked <= (remote + local) * FINE, "{}", about());
                }
                let waited = end.requesting + end.blocked;
                count.tight += usize::from(waited > 0 && waited == (remote + local) * FINE);
                let bound = found.locks.as_ref().and_then(|locks| locks[task].response);
                let in_time = bound.is_none_or(|bound| end.at - jobs[end.job].arrival <= bound as i64 * FINE);
                assert!(in_time || found.verdict != Verdict::Proven, "{}", about());
            }
        }
        count.unknown_and_late += usize::from(any_late && found.verdict == Verdict::Unknown);
        if found.verdict == Verdict::Disproven {
            assert!(misses(&set, &found), "{set:?} {:?}", found.decided_by);
        }
    }
    eprintln!("{sets} sets; msrp, fmlp+, mpcp by fixed priorities and EDF: {counts:#?}");
    let cases = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)].map(|(by, ranking)| counts[by][ranking]);
    assert!(cases.iter().all(|count| count.proven > count.sets / 20 && count.disproven > 0));
    assert!(cases.iter().all(|count| count.tight > 0 && count.unknown_and_late > 0));
}

/// True if the disproof's processor misses alone: a less urgent job begins one request just before all others arrive.
fn misses(set: &Set, found: &Answer) -> bool {
    let reason = found.decided_by.as_ref().map(|finding| finding.reason.clone());
    if matches!(reason, Some(Reason::Overdemand { window: None })) {
        return true;
    }
    let homes = set.homes();
    let until = 600 * FINE;
    (0..PROCESSORS).any(|processor| {
        let here: Vec<usize> = (0..homes.len()).filter(|task| homes[*task] == processor).collect();
        let blockers = std::iter::once(None).chain(here.iter().map(|task| Some(*task)));
        blockers.into_iter().any(|blocker| {
            let kinds = blocker.map_or(1, |task| set.behaviours().of(task).sections.len().max(1));
            (0..kinds).any(|kind| {
                let jobs = worst(set, &here, blocker, kind, until);
                let ends = set.run(&jobs, until);
                set.is_late(&jobs, &ends, until)
            })
        })
    })
}

/// All of `here` released together as late as they may, but for a blocker, which has just begun its section number `kind`. Only it
/// and its section's users need anything.
fn worst(set: &Set, here: &[usize], blocker: Option<usize>, kind: usize, until: i64) -> Vec<SharingJob> {
    let mut jobs = Vec::new();
    for &task in here {
        let of = &set.tasks[task];
        let (is_blocker, jitter) = (Some(task) == blocker, of.jitter as i64 * FINE);
        let first = if is_blocker { 100 * FINE - 1 } else { 100 * FINE };
        let section = set.behaviours().of(task).sections.get(kind).filter(|_| is_blocker);
        let part = |section: &CriticalSection| SectionSpan {
            from: 0,
            to: section.length as i64 * FINE,
            resource: section.resource as usize,
        };
        let mut arrival = first - jitter;
        while arrival < until {
            let (release, sections) = (arrival.max(first), section.map(part).into_iter().collect());
            let due = arrival + of.deadline as i64 * FINE;
            jobs.push(SharingJob { task, arrival, release, due, cost: of.cost as i64 * FINE, sections });
            arrival += of.period as i64 * FINE;
        }
    }
    jobs
}

#[test]
fn every_proof_has_a_certificate_and_changed_numbers_are_refused() {
    let mut random = random::seeded("lock certificates", 43);
    let (mut shown, mut refused, mut still_true) = ([0; 3], 0, 0);
    for _ in 0..random::sets(1_500) {
        let set = Set::drawn(&mut random);
        let found = set.answer();
        if set.sections.is_empty() || found.verdict != Verdict::Proven {
            continue;
        }
        let text = set.asked(|question| certificate::write(question, &found).unwrap());
        let accepted = prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(accepted.verdict, prazo_checker::Verdict::Proven);
        refuses_longer_lines(&text);
        shown[LOCKINGS.iter().position(|locking| *locking == set.locking).unwrap()] += 1;
        let digest = text.find("digest").unwrap();
        for place in (digest + 80..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
            for other in ["0", "1", "7", ""] {
                let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
                match prazo_checker::check(&changed) {
                    Err(_) => refused += 1,
                    Ok(_) => still_true += usize::from(changed != text),
                }
            }
        }
        // Longer sections, more requests, another protocol: what is accepted must be what the analysis says of that set.
        let mut longer = set.clone();
        longer.locking = LOCKINGS[random.usize(0..3)];
        let one = random.usize(0..longer.sections.len());
        longer.sections[one].length += random.u64(0..2);
        longer.sections[one].requests += random.u32(0..2);
        let changed = longer.asked(|question| certificate::write(question, &found));
        if let Ok(changed) = changed
            && prazo_checker::check(&resealed(&changed)).is_ok()
        {
            assert_eq!(longer.answer().verdict, Verdict::Proven, "{changed}");
        }
    }
    eprintln!("msrp, fmlp+, mpcp: {shown:?} shown; {refused} refused, {still_true} still true");
    assert!(shown.iter().all(|count| *count > 50) && refused > 10_000);
}

/// Two tasks share a bus; the second processor's holds it for 3 ticks, the first one's for 2.
fn pair(locking: Locking, requests: u32) -> Set {
    let sections = vec![
        CriticalSection { resource: 0, length: 2, requests },
        CriticalSection { resource: 0, length: 3, requests: 1 },
    ];
    let ends = [0, 1, 2];
    Set {
        tasks: vec![Task::new(1, 8, 8), Task::new(5, 40, 40), Task::new(4, 40, 40)],
        departures: ends.map(|sections_end| Departure { sections_end, ..Departure::default() }).to_vec(),
        sections,
        locking,
        places: vec![Some(0), Some(0), Some(1)],
        ranking: Ranking::Fixed,
    }
}

fn bounds(set: &Set) -> Vec<(Ticks, Ticks, Option<Ticks>)> {
    set.answer().locks.unwrap().iter().map(|bound| (bound.remote, bound.local, bound.response)).collect()
}

/// By hand: task 1 spins 3 for each of 2 requests, so it costs 11, and task 0 waits for one spin and section, 3 + 2.
#[test]
fn under_msrp_a_request_blocks_with_its_spinning() {
    let found = bounds(&pair(Locking::Msrp, 2));
    assert_eq!(found, [(0, 5, Some(6)), (6, 0, Some(13)), (2, 0, Some(6))]);
}

/// By hand: each of task 1's 2 requests waits for 3 at most, task 0 for one section of 2, task 2 for one of 2. Task 1 executes 5, is
/// suspended for 6, and meets ceil((w + 2) / 8) jobs of task 0, or 2 more of suspension and ceil(w / 8) of them.
#[test]
fn under_fmlp_and_mpcp_a_waiting_job_is_suspended() {
    let found = bounds(&pair(Locking::Fmlp, 2));
    assert_eq!(found, [(0, 2, Some(3)), (6, 0, Some(13)), (2, 0, Some(6))]);
    // Task 2 may find two jobs of task 1 before it, of 2 requests each: one that holds, and the next one.
    let found = bounds(&pair(Locking::Mpcp, 2));
    assert_eq!(found, [(0, 2, Some(3)), (6, 0, Some(13)), (8, 0, Some(12))]);
}

#[test]
fn what_is_not_covered_is_unknown_with_the_reason() {
    let why = |set: &Set| {
        let found = set.answer();
        assert_eq!(found.verdict, Verdict::Unknown);
        match found.findings[0].reason {
            Reason::NotApplicable(why) => why,
            _ => panic!("{found:?}"),
        }
    };
    assert!(why(&pair(Locking::Fmlp, 3)).contains("nest"), "3 requests of 2 ticks in a job of 5");
    assert!(why(&pair(Locking::Srp, 1)).contains("msrp"));
    assert!(why(&Set { ranking: Ranking::Edf, ..pair(Locking::Mpcp, 1) }).contains("fixed priorities"));
    let mut parted = pair(Locking::Msrp, 1);
    parted.departures[0].non_preemptive.longest = 1;
    assert!(why(&parted).contains("non_preemptive"));
    parted.departures[0] = Departure { suspension: 1, ..Departure::default() };
    assert!(why(&parted).contains("self-suspension"));
}

/// Whoever places the tasks, a set is judged with all of them where they are.
#[test]
fn heuristics_place_tasks_that_share_resources() {
    for locking in LOCKINGS {
        let set = Set { places: vec![None; 3], ..pair(locking, 1) };
        let found = set.answer();
        assert_eq!(found.verdict, Verdict::Proven, "{locking}");
        let packed = found.packings.iter().find(|packed| packed.proven).unwrap();
        assert!(packed.misfits.is_empty() && found.locks.is_some());
        let text = set.asked(|question| certificate::write(question, &found).unwrap());
        prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}
