//! Each test for global EDF alone, on sets as Vitor 2013 draws them: 8 processors, 40, 100 and 160 light tasks.
//!
//! `cargo bench -p prazo-analysis`, or `cargo bench -p prazo-analysis -- BAR`. One iteration asks of all sets of a size, so that
//! the throughput is in sets a second.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prazo_analysis::gedf::{Test, apply};
use prazo_analysis::{Budget, Task, TaskSet, TimeModel};
use prazo_core::ratio::Ratio;
use prazo_scenario::generate::{Family, set_rng};
use std::hint::black_box;
use std::time::Duration;

const PROCESSORS: u32 = 8;
const SETS: u64 = 20;
const SEED: u64 = 2013;

/// How many tasks a set has, about, and the utilization in tenths that takes as many.
const SIZES: [(u64, u128); 3] = [(40, 20), (100, 50), (160, 79)];

fn sets(tenths: u128) -> Vec<Vec<Task>> {
    let utilization = Ratio::new(tenths, 10).expect("ten is not zero");
    (0..SETS).map(|index| Family::PAPERS_004.draw(&mut set_rng(SEED, tenths as u64, index), utilization)).collect()
}

fn each_test(criterion: &mut Criterion) {
    for &test in Test::VALUES {
        let mut group = criterion.benchmark_group(test.name());
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(20);
        group.throughput(Throughput::Elements(SETS));
        for (tasks, tenths) in SIZES {
            let sets = sets(tenths);
            group.bench_with_input(BenchmarkId::from_parameter(tasks), &sets, |bencher, sets| {
                bencher.iter(|| sets.iter().filter(|tasks| proves(test, tasks)).count());
            });
        }
        group.finish();
    }
}

fn proves(test: Test, tasks: &[Task]) -> bool {
    let tasks = TaskSet::new(black_box(tasks)).expect("drawn sets can be computed with");
    apply(test, tasks, PROCESSORS, TimeModel::Continuous, &mut Budget::new(5_000_000)).is_proven()
}

criterion_group!(benches, each_test);
criterion_main!(benches);
