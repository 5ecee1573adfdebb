//! Tasks that suspend themselves, held against every pattern of arrivals and suspensions of small sets, and against schedules at halves
//! of a tick for bursts.
//!
//! `PRAZO_SETS=30000 cargo test --release --test suspension` is the long form; `PRAZO_SEED` repeats a run.

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Finding, Reason, Task, Ticks, Verdict};
use prazo_core::behaviour::{Behaviour, Burst, Locking};
use prazo_oracle::any_arrival::{MissSearch, Order};
use prazo_oracle::random;
use prazo_oracle::suspended::search;

fn system(tasks: &[(Task, Ticks)]) -> System<'static> {
    let of_tasks = tasks.iter().map(|(_, suspension)| Behaviour { suspension: *suspension, ..Behaviour::default() });
    System::new(tasks.iter().map(|(task, _)| *task).collect(), of_tasks.collect(), Locking::Srp)
}

fn judged(system: &System<'_>, order: Order) -> Finding {
    let budget = &mut Budget::new(200_000);
    match order {
        Order::Edf => edf::test(system, budget),
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
            (Task { jitter, ..Task::new(cost, period, if random.bool() { period.max(deadline) } else { deadline }) }, suspension)
        })
        .collect()
}

/// The same in ticks of half the length.
fn halved((task, suspension): &(Task, Ticks)) -> (Task, Ticks) {
    let Task { cost, period, deadline, jitter, .. } = *task;
    (Task { jitter: 2 * jitter, ..Task::new(2 * cost, 2 * period, 2 * deadline) }, 2 * suspension)
}

#[test]
fn no_proven_set_misses_and_each_disproven_one_does() {
    let mut random = random::seeded("suspension", 40);
    // By policy: verdict; of the unknown ones a miss, none in any pattern, too many patterns.
    let (mut verdicts, mut unknown) = ([[0u32; 3]; 2], [[0u32; 3]; 2]);
    for number in 0..random::sets(1_500) {
        let most = if number % 3 == 0 { 2 } else { 3 };
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
            match (finding.verdict, found) {
                (Verdict::Proven, found) => assert_ne!(found, MissSearch::Miss, "{order:?} {whole:?} {finding:?}"),
                (Verdict::Disproven, found) => assert_ne!(found, MissSearch::NoMiss, "{order:?} {whole:?} {finding:?}"),
                (Verdict::Unknown, found) => unknown[by][found as usize] += 1,
            }
        }
    }
    eprintln!("by verdict; EDF, fixed priorities: {verdicts:?}");
    eprintln!("unknown that miss, do not, or have too many patterns: {unknown:?}");
    assert!(verdicts.iter().flatten().all(|count| *count > 30), "{verdicts:?}");
}
