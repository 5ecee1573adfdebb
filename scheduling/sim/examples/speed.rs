//! Events a second: 20 tasks on 4 processors under global, clustered and partitioned EDF, without a trace.
//!
//! `cargo run --release -p prazo-sim --example speed`. An event is a release, dispatch, preemption or completion.
//! With `-- --json MILLISECONDS`, one run under global EDF with its tasks, for `scripts/bench-sim.py`.

use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_core::time::Instant;
use prazo_sim::random::{Draws, Purpose};
use prazo_sim::sink::Nowhere;
use prazo_sim::{Figures, Limits, Model, Policy, Request, Variation, simulate};

const TASKS: usize = 20;

/// Utilizations near 0.18 each, 3.6 in all, and periods of 3 to 33 ms.
fn tasks() -> Vec<Task> {
    let (period, share) = (Draws::new(4, 0, Purpose::Distance), Draws::new(4, 0, Purpose::Execution));
    let task = |job| {
        let period_us = 3_000 + period.up_to(job, 30_000);
        Task::implicit(period_us * (150 + share.up_to(job, 60)) / 1_000, period_us)
    };
    (0..TASKS as u64).map(task).collect()
}

fn model(tasks: &[Task], clusters: &[u32]) -> Model {
    let places: Vec<u32> = (0..TASKS).map(|task| task as u32 % clusters.len() as u32).collect();
    let request = Request {
        tasks,
        conduct: &[],
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: 1_000,
        clusters,
        places: &places,
        policy: &Policy::EarliestDeadlineFirst,
        overheads: Overheads::NONE,
        variation: Variation::default(),
    };
    Model::new(&request).expect("the tasks can be simulated")
}

/// One run with the seconds that it took.
fn timed(model: &Model, limits: &Limits) -> (Figures, f64) {
    let start = std::time::Instant::now();
    let outcome = simulate(model, limits, Nowhere);
    (outcome.figures, start.elapsed().as_secs_f64())
}

fn all_shapes() {
    for (name, clusters) in [("global", vec![4]), ("clustered", vec![2, 2]), ("partitioned", vec![1; 4])] {
        let limits = Limits { events: 20_000_000, ..Limits::until(Instant::from_ns(u64::MAX >> 1)) };
        let (figures, seconds) = timed(&model(&tasks(), &clusters), &limits);
        println!(
            "{name:12} {} events in {seconds:.3} s: {:.1} million a second; {} preemptions, {} misses",
            figures.events,
            figures.events as f64 / seconds / 1e6,
            figures.total(|task| task.preemptions),
            figures.total(|task| task.missed)
        );
    }
}

/// Global EDF up to a given instant, for a comparison with others.
fn as_json(until_ms: u64) {
    let tasks = tasks();
    let (figures, seconds) = timed(&model(&tasks, &[4]), &Limits::until(Instant::from_ns(until_ms * 1_000_000)));
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
        _ => all_shapes(),
    }
}
