//! Events a second: 20 tasks on 4 processors under global, clustered and partitioned EDF, without a trace.
//!
//! `cargo run --release -p prazo-sim --example speed`. An event is a release, dispatch, preemption or completion.
//! With `-- --json MILLISECONDS`, one run under global EDF with its tasks, for `scripts/bench-sim.py`.
//! With `-- --sizes ROUNDS`, 5 to 200 tasks on 1 to 8 processors under EDF and fixed priorities, the best of so many
//! rounds. Times are processor times.

use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_core::time::Instant;
use prazo_sim::random::{Draws, Purpose};
use prazo_sim::sink::Nowhere;
use prazo_sim::{Figures, Limits, Model, Policy, Request, Variation, simulate};

const TASKS: usize = 20;

/// Utilizations near 0.18 each, 3.6 in all, and periods of 3 to 33 ms.
fn tasks() -> Vec<Task> {
    drawn(TASKS, 180)
}

/// `count` tasks, each with near so many thousandths of a processor, and periods of 3 to 33 ms.
fn drawn(count: usize, thousandths: u64) -> Vec<Task> {
    let (period, share) = (Draws::new(4, 0, Purpose::Distance), Draws::new(4, 0, Purpose::Execution));
    let task = |job| {
        let period_us = 3_000 + period.up_to(job, 30_000);
        let share = thousandths * 5 / 6 + share.up_to(job, thousandths / 3);
        Task::implicit((period_us * share / 1_000).max(1), period_us)
    };
    (0..count as u64).map(task).collect()
}

fn model(tasks: &[Task], clusters: &[u32], policy: &Policy) -> Model {
    let places: Vec<u32> = (0..tasks.len()).map(|task| task as u32 % clusters.len() as u32).collect();
    let request = Request {
        tasks,
        conduct: &[],
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: 1_000,
        clusters,
        places: &places,
        policy,
        overheads: Overheads::NONE,
        variation: Variation::default(),
    };
    Model::new(&request).expect("the tasks can be simulated")
}

/// One run with the seconds of processor time that it took.
fn timed(model: &Model, limits: &Limits) -> (Figures, f64) {
    let start = processor_seconds();
    let outcome = simulate(model, limits, Nowhere);
    (outcome.figures, processor_seconds() - start)
}

/// Of this process so far: what other work takes from the machine does not count.
fn processor_seconds() -> f64 {
    let line = std::fs::read_to_string("/proc/self/schedstat").expect("Linux says how long a process has run");
    let ns = line.split(' ').next().and_then(|ns| ns.parse::<u64>().ok());
    ns.expect("the first number is in nanoseconds") as f64 / 1e9
}

fn all_shapes() {
    for (name, clusters) in [("global", vec![4]), ("clustered", vec![2, 2]), ("partitioned", vec![1; 4])] {
        let limits = Limits { events: 20_000_000, ..Limits::until(Instant::from_ns(u64::MAX >> 1)) };
        let (figures, seconds) = timed(&model(&tasks(), &clusters, &Policy::EarliestDeadlineFirst), &limits);
        println!(
            "{name:12} {} events in {seconds:.3} s: {:.1} million a second; {} preemptions, {} misses",
            figures.events,
            figures.events as f64 / seconds / 1e6,
            figures.total(|task| task.preemptions),
            figures.total(|task| task.missed)
        );
    }
}

/// Global queues of several sizes, half loaded and nearly full.
fn sizes(rounds: u32) {
    let limits = Limits { events: 4_000_000, ..Limits::until(Instant::from_ns(u64::MAX >> 1)) };
    for (count, processors) in [5, 10, 50, 200].into_iter().flat_map(|count| [1, 2, 8].map(|cpus| (count, cpus))) {
        for (load, percent) in [("half", 50), ("full", 90)] {
            let tasks = drawn(count, 10 * percent * u64::from(processors) / count as u64);
            for (name, policy) in [("EDF", Policy::EarliestDeadlineFirst), ("DM", Policy::DeadlineMonotonic)] {
                if tasks.iter().any(|task| task.cost > task.period) {
                    continue;
                }
                let model = model(&tasks, &[processors], &policy);
                let best = (0..rounds).map(|_| timed(&model, &limits)).min_by(|a, b| a.1.total_cmp(&b.1));
                let Some((figures, seconds)) = best else { continue };
                let rate = figures.events as f64 / seconds / 1e6;
                println!("n {count:3}  m {processors}  {load}  {name:3}  {rate:5.1} million a second");
            }
        }
    }
}

/// Global EDF up to a given instant, for a comparison with others.
fn as_json(until_ms: u64) {
    let tasks = tasks();
    let model = model(&tasks, &[4], &Policy::EarliestDeadlineFirst);
    let (figures, seconds) = timed(&model, &Limits::until(Instant::from_ns(until_ms * 1_000_000)));
    let times: Vec<String> = tasks.iter().map(|task| format!("[{},{}]", task.cost, task.period)).collect();
    println!(
        "{{\"events\":{},\"seconds\":{seconds},\"releases\":{},\"completions\":{},\"tasks_us\":[{}]}}",
        figures.events,
        figures.total(|task| task.released),
        figures.total(|task| task.completed),
        times.join(",")
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [json, until_ms] if json == "--json" => as_json(until_ms.parse().expect("--json MILLISECONDS")),
        [sizes_of, rounds] if sizes_of == "--sizes" => sizes(rounds.parse().expect("--sizes ROUNDS")),
        _ => all_shapes(),
    }
}
