//! How long packing takes at 40, 100 and 160 light tasks on eight processors, with and without overheads charged for each
//! bin: `cargo bench --package prazo-analysis --bench packing`.

use prazo_analysis::overheads::PreemptionCentric;
use prazo_analysis::partition::{Allowance, Candidate, Heuristic, Inflating, Order, Strategy, UtilizationFirst};
use prazo_analysis::{Finding, Task};
use prazo_core::overheads::{Function, Overhead, Overheads};
use prazo_core::ratio::Ratio;
use std::hint::black_box;
use std::time::Instant;

const PROCESSORS: [u32; 8] = [1; 8];
const SEED: u64 = 2_013;

/// Vitor 2013: periods of 3 to 33 ms, utilizations of 0.001 to 0.1, in microseconds; D = T.
fn light_tasks(count: usize) -> Vec<Task> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut task = || {
        let period = random.u64(3_000..=33_000);
        let cost = (period * random.u64(1_000..=95_000) / 1_000_000).max(1);
        Task { working_set_kib: random.u64(0..64), ..Task::implicit(cost, period) }
    };
    (0..count).map(|_| task()).collect()
}

fn small_overheads() -> Overheads<'static> {
    let constant = |over, under| Overhead::constant(Ratio::new(over, under).expect("not zero"));
    let delay = Function::Affine { base: Ratio::ONE, slope: Ratio::new(1, 10).expect("not zero") };
    Overheads {
        release: constant(3, 10),
        scheduling: constant(1, 5),
        context_switch: constant(7, 20),
        tick: constant(1, 4),
        tick_period: Some(1_000),
        event_latency: constant(1, 2),
        cache_delay: Overhead { amount: delay, ..Overhead::NONE },
        ..Overheads::NONE
    }
}

/// Never asked here: all deadlines are periods.
fn no_other_test(_: &Candidate<'_>) -> Finding {
    Finding::not_applicable("none", "every deadline is a period")
}

/// Median of the microseconds that `work` takes.
fn median_us(mut work: impl FnMut()) -> f64 {
    let mut samples: Vec<f64> = (0..500)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn main() {
    println!("microseconds, median of 500, seed {SEED}");
    let overheads = small_overheads();
    for count in [40, 100, 160] {
        let tasks = light_tasks(count);
        for &heuristic in Heuristic::VALUES {
            let strategy = Strategy { heuristic, order: Order::DecreasingUtilization };
            let plain = median_us(|| {
                black_box(strategy.pack(
                    black_box(&tasks),
                    &PROCESSORS,
                    &mut UtilizationFirst(no_other_test),
                    Allowance::UNLIMITED,
                ));
            });
            let charged = median_us(|| {
                let accounting = PreemptionCentric::new(&tasks, &overheads).expect("every table has amounts");
                let mut test = Inflating::new(accounting, UtilizationFirst(no_other_test));
                black_box(strategy.pack(black_box(&tasks), &PROCESSORS, &mut test, Allowance::UNLIMITED));
            });
            let name = heuristic.name();
            println!("{name:10} decreasing  n {count:3}  without overheads {plain:7.1}  with {charged:8.1}");
        }
    }
}
