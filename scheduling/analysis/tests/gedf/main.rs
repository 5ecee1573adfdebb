//! The five simpler tests for global EDF against slow, obvious twins, a unit-step schedule, and examples from the
//! literature.
//!
//! `PRAZO_SETS` says how many random sets (10,000 if unset), `PRAZO_SEED` repeats a run; every failure names its set
//! and seed.

mod fraction;
mod known;
mod monotone;
mod sets;
mod twins;

use prazo_analysis::gedf::{self, Plan, Test, apply, combined};
use prazo_analysis::{Budget, Finding, Task, TaskSet, TimeModel, Verdict};
use prazo_oracle::{Order, first_miss};
use sets::Sets;

/// The tests of this file.
const FIVE: [Test; 5] = [Test::Gfb, Test::Bak, Test::Bcl, Test::Bcli, Test::Rta];

fn finding(test: Test, tasks: &[Task], processors: u32, time: TimeModel) -> Finding {
    apply(test, TaskSet::new(tasks).unwrap(), processors, time, &mut Budget::unlimited())
}

fn proves(test: Test, tasks: &[Task], processors: u32) -> bool {
    finding(test, tasks, processors, TimeModel::Continuous).is_proven()
}

#[test]
fn every_verdict_is_that_of_the_twin() {
    for &time in TimeModel::VALUES {
        let mut proven = [0; FIVE.len()];
        Sets::small().chain(Sets::long_periods()).each(|tasks, processors, origin| {
            for (count, test) in proven.iter_mut().zip(FIVE) {
                let ours = finding(test, tasks, processors, time).is_proven();
                let twin = twins::accepts(test, tasks, processors, time);
                assert_eq!(ours, twin, "{} on {processors} processors, {time}, {tasks:?}, {origin}", test.name());
                *count += u32::from(ours);
            }
        });
        println!("proven in {time} time: {:?}", FIVE.map(Test::name).into_iter().zip(proven).collect::<Vec<_>>());
        assert!(proven.into_iter().all(|count| count > 100), "too few sets were proven to show anything");
    }
}

/// Without a budget only what is decided early is proven.
#[test]
fn yes_or_no_is_what_the_finding_says() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut early, mut proven, mut all) = (0, 0, 0);
    for _ in 0..4_000 {
        let tasks = light_and_heavy(&mut random);
        let (set, processors) = (TaskSet::new(&tasks).unwrap(), random.u32(1..=8));
        for test in [Test::Gfb, Test::Bcli, Test::Rta] {
            for &time in TimeModel::VALUES {
                let budget = || Budget::new(3_000_000);
                let finding = apply(test, set, processors, time, &mut budget());
                let yes = gedf::proves(test, set, processors, time, &mut budget());
                let is_early = gedf::proves(test, set, processors, time, &mut Budget::new(0));
                assert_eq!(yes, finding.is_proven(), "{test} in {time} time on {processors}, seed {seed}: {tasks:?}");
                assert!(yes || !is_early, "{test} in {time} time on {processors}, seed {seed}: {tasks:?}");
                (early, proven, all) = (early + u32::from(is_early), proven + u32::from(yes), all + 1);
            }
        }
    }
    println!("{early} of {proven} proofs are early, of {all} questions");
    assert!(early > 1_000 && early < proven && proven < all);
}

/// D <= T mostly, some D > T, some jitter; from a few heavy tasks to many light ones, in ticks of every size.
fn light_and_heavy(random: &mut fastrand::Rng) -> Vec<Task> {
    let longest = [3, 12, 100, 33_000, 1 << 33, 1 << 48][random.usize(0..6)];
    let (shift, kind) = (random.u32(0..6), random.u32(0..12));
    let mut task = |_| {
        let period = random.u64(1..=longest);
        let cost = random.u64(1..=(period >> shift).max(1));
        let deadline = match kind {
            0 => random.u64(1..=(2 * period).min(1 << 48)),
            1..6 => period,
            _ => random.u64(cost..=period),
        };
        let jitter = if kind == 11 { random.u64(0..=period / 4) } else { 0 };
        Task { jitter, ..Task::new(cost, period, deadline) }
    };
    (0..1 + longest as usize % 7 + 4 * shift as usize).map(&mut task).collect()
}

#[test]
fn the_longest_times_there_are_do_not_overflow() {
    Sets::longest_times().each(|tasks, processors, origin| {
        for test in [Test::Gfb, Test::Bak, Test::Bcl, Test::Bcli] {
            for &time in TimeModel::VALUES {
                let ours = finding(test, tasks, processors, time).is_proven();
                let twin = twins::accepts(test, tasks, processors, time);
                assert_eq!(ours, twin, "{} on {processors} processors, {time}, {tasks:?}, {origin}", test.name());
            }
        }
        for &time in TimeModel::VALUES {
            let _ = finding(Test::Rta, tasks, processors, time);
        }
    });
}

#[test]
fn no_proven_set_misses_in_a_simulated_schedule() {
    let mut simulated = 0;
    Sets::small().chain(Sets::heavy_and_late()).each(|tasks, processors, origin| {
        if let Some(test) = FIVE.into_iter().find(|test| proves(*test, tasks, processors)) {
            let miss = first_miss(tasks, processors, Order::EdfThenTask, 1_000);
            assert_eq!(miss, None, "{} proves {tasks:?} on {processors} processors, {origin}", test.name());
            simulated += 1;
        }
    });
    assert!(simulated > 100, "only {simulated} sets were proven");
}

#[test]
fn bcl_implies_bcli_implies_rta() {
    Sets::small().chain(Sets::long_periods()).each(|tasks, processors, origin| {
        let [bcl, bcli, rta] = [Test::Bcl, Test::Bcli, Test::Rta].map(|test| proves(test, tasks, processors));
        assert!(!bcl || bcli, "BCL alone proves {tasks:?} on {processors} processors, {origin}");
        assert!(!bcli || rta, "BCLI without RTA proves {tasks:?} on {processors} processors, {origin}");
    });
}

#[test]
fn a_spent_budget_is_unknown_and_a_larger_one_repeats_the_verdict() {
    Sets::small().each(|tasks, processors, origin| {
        for test in FIVE {
            let full = finding(test, tasks, processors, TimeModel::Continuous);
            let (set, time) = (TaskSet::new(tasks).unwrap(), TimeModel::Continuous);
            let with = |units| apply(test, set, processors, time, &mut Budget::new(units));
            assert_eq!(with(full.work), full, "{origin}");
            if full.work > 0 {
                let short = with(full.work - 1);
                assert_eq!((short.verdict, short.work), (Verdict::Unknown, full.work - 1), "{origin}");
            }
        }
    });
}

#[test]
fn the_combination_stops_at_the_first_proof_unless_all_are_asked() {
    let tasks = [Task::implicit(1, 4); 3];
    let set = TaskSet::new(&tasks).unwrap();
    let plan = |all| Plan { tests: &FIVE, all, time: TimeModel::Continuous, budget_each: 1_000 };
    let names = |all| combined(set, 2, plan(all)).iter().map(|finding| finding.test).collect::<Vec<_>>();
    assert_eq!(names(false), ["GFB"]);
    assert_eq!(names(true), ["GFB", "BAK", "BCL", "BCLI", "RTA"]);
}
