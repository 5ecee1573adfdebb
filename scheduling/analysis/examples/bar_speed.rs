//! How many light task sets a second BAR decides on one thread, up to where the processors are full.

#[path = "../testing/light.rs"]
mod light;

use prazo_analysis::{Budget, TaskSet, Verdict, gedf};
use std::time::Instant;

fn main() {
    for (processors, points) in [
        (8, &[2000, 5000, 7300, 7500, 7700, 7900, 7950, 7990, 7999, 8000][..]),
        (2, &[1000, 1800, 1900, 1950, 1990, 1999, 2000]),
    ] {
        for &millis in points {
            let mut random = fastrand::Rng::with_seed(millis);
            let sets: Vec<_> = (0..200).map(|_| light::set(&mut random, millis)).collect();
            let mut slowest = 0f64;
            let (mut proven, mut spent, mut work) = (0, 0, 0);
            let start = Instant::now();
            for tasks in &sets {
                let begin = Instant::now();
                let mut budget = Budget::new(5_000_000);
                let finding = gedf::bar::test(TaskSet::new(tasks).unwrap(), processors, &mut budget);
                slowest = slowest.max(begin.elapsed().as_secs_f64());
                proven += u32::from(finding.verdict == Verdict::Proven);
                spent += u32::from(finding.reason == prazo_analysis::Reason::BudgetSpent);
                work += finding.work;
            }
            let n = sets.iter().map(Vec::len).sum::<usize>() as f64 / 200.0;
            let per = start.elapsed().as_secs_f64() / 200.0;
            println!(
                "m={processors} U={millis} n={n:.0} proven {proven} spent {spent} {:.0} sets/s slowest {:.3} ms, {} units, {:.2} ns/unit",
                1.0 / per,
                slowest * 1e3,
                work / 200,
                per * 1e9 / (work as f64 / 200.0)
            );
        }
    }
}
