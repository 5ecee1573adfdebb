//! Events a second: 20 tasks on 4 processors under global, clustered and partitioned EDF, without a trace.
//!
//! `cargo run --release -p prazo-sim --example speed`. An event is a release, dispatch, preemption or completion.

use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_sim::random::{Draws, Purpose};
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Policy, Request, Variation, simulate};
use std::time::Instant;

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

fn main() {
    let tasks = tasks();
    for (name, clusters) in [("global", vec![4]), ("clustered", vec![2, 2]), ("partitioned", vec![1; 4])] {
        let places: Vec<u32> = (0..TASKS).map(|task| task as u32 % clusters.len() as u32).collect();
        let request = Request {
            tasks: &tasks,
            conduct: &[],
            ns_per_tick: 1_000,
            clusters: &clusters,
            places: &places,
            policy: &Policy::EarliestDeadlineFirst,
            overheads: Overheads::NONE,
            variation: Variation::default(),
        };
        let model = Model::new(&request).expect("the tasks can be simulated");
        let limits = Limits { events: 20_000_000, ..Limits::until(u64::MAX >> 1) };
        let start = Instant::now();
        let outcome = simulate(&model, &limits, Nowhere);
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name:12} {} events in {seconds:.3} s: {:.1} million a second; {} preemptions, {} misses",
            outcome.figures.events,
            outcome.figures.events as f64 / seconds / 1e6,
            outcome.figures.total(|task| task.preemptions),
            outcome.figures.total(|task| task.missed)
        );
    }
}
