//! How the time of each test for global EDF grows with the number of tasks: measures, and writes a plot.
//!
//! `cargo run --release -p prazo-analysis --example scaling -- docs/pictures/sched-scaling.svg`

mod plot;

use plot::{Plot, Series};
use prazo_analysis::gedf::{Test, apply};
use prazo_analysis::{Budget, Task, TaskSet, TimeModel};
use prazo_core::ratio::Ratio;
use prazo_scenario::generate::{Deadlines, Family, Periods, RandFixedSum, Spread, Utilizations, set_rng};
use std::num::NonZeroU16;
use std::time::Instant;

const PROCESSORS: u32 = 8;
const UTILIZATION: u64 = 6;
const SETS: u64 = 31;
const SEED: u64 = 2013;
const TASKS: [u16; 8] = [10, 20, 40, 80, 160, 320, 640, 1280];

fn main() {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("name the SVG file to write");
        std::process::exit(2);
    };
    let sizes: Vec<(u16, Vec<Vec<Task>>)> = TASKS.iter().map(|tasks| (*tasks, sets(*tasks))).collect();
    let series = Test::VALUES.iter().map(|test| {
        let points = sizes.iter().map(|(tasks, sets)| (f64::from(*tasks), median_us(*test, sets)));
        Series { name: test.name(), points: points.collect() }
    });
    let series: Vec<Series> = series.collect();
    for line in &series {
        println!(
            "{:>8} {}",
            line.name,
            line.points.iter().map(|(n, us)| format!("{n}: {us:.1} us  ")).collect::<String>()
        );
    }
    let title = format!("One set with U = {UTILIZATION} on {PROCESSORS} processors, D = T: median of {SETS} sets");
    if let Err(error) = std::fs::write(&file, Plot { title: &title, series: &series }.to_svg()) {
        eprintln!("cannot write {file}: {error}");
        std::process::exit(4);
    }
}

/// Utilizations evenly over all sets of so many tasks, periods of 10 to 100 ms, each order of magnitude as likely.
fn sets(tasks: u16) -> Vec<Vec<Task>> {
    let family = Family {
        utilization: Utilizations::RandFixedSum(RandFixedSum {
            tasks: NonZeroU16::new(tasks).expect("not zero"),
            range: None,
        }),
        periods: Periods::MODERATE.spread(Spread::LogUniform),
        deadlines: Deadlines::Implicit,
    };
    (0..SETS).map(|index| family.draw(&mut set_rng(SEED, tasks.into(), index), Ratio::whole(UTILIZATION))).collect()
}

fn median_us(test: Test, sets: &[Vec<Task>]) -> f64 {
    let mut times: Vec<f64> = sets.iter().map(|tasks| best_of_three_us(test, tasks)).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The shortest of three, because the machine has other work to do and the test has none of its own to vary.
fn best_of_three_us(test: Test, tasks: &[Task]) -> f64 {
    let set = TaskSet::new(tasks).expect("drawn sets can be computed with");
    let run = |_| {
        let start = Instant::now();
        std::hint::black_box(apply(test, set, PROCESSORS, TimeModel::Continuous, &mut Budget::new(5_000_000)));
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..3).map(run).fold(f64::INFINITY, f64::min)
}
