//! What a decision costs: nanoseconds on this machine, and with valgrind the instructions of each single call.
//!
//! ```text
//! cargo run --release -p prazo-core --example decision_cost -- 125 2000000
//! valgrind --tool=callgrind --callgrind-out-file=OUT --toggle-collect=decision_cost::insert \
//!     --dump-before=decision_cost::insert target/release/examples/decision_cost 125 2000
//! grep -h ^summary OUT.* | sort -n -k2
//! ```
//! The second way writes one file for each call of `insert`; `complete`, `release_one`, `finish_one` and `release_all` are
//! counted likewise. Tasks have
//! periods uniform in [3, 33] ms, as in Vitor 2013 section IV; under EDF, releases and completions come in random order.

use prazo_core::cpu::Cpu;
use prazo_core::criterion::EarliestDeadlineFirst;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision};
use prazo_core::time::{Duration, Instant};
use std::hint::black_box;

#[path = "../tests/support/random.rs"]
mod random;
use random::Random;

const SEED: u64 = 2_013;
const HEADS: usize = 4;
type Machine = Cluster<EarliestDeadlineFirst, 128, HEADS>;

#[inline(never)]
fn insert(cluster: &mut Machine, task: TaskIndex, job: Job, now: Instant) -> Decision {
    cluster.insert(task, job, now)
}

#[inline(never)]
fn complete(cluster: &mut Machine, task: TaskIndex) -> Decision {
    cluster.complete(task)
}

/// A release as an interrupt serves it: whoever is due is enqueued, then everybody is told what to do.
#[inline(never)]
fn release_one(cluster: &mut Machine, task: TaskIndex, job: Job, now: Instant) -> u32 {
    cluster.enqueue(task, job, now);
    settle(cluster)
}

/// A completion in the same way.
#[inline(never)]
fn finish_one(cluster: &mut Machine, task: TaskIndex) -> u32 {
    cluster.finish(task);
    settle(cluster)
}

#[inline]
fn settle(cluster: &mut Machine) -> u32 {
    let mut switches = 0;
    while black_box(cluster.settle()) != Decision::Stay {
        switches += 1;
    }
    switches
}

/// All tasks are released together, and then everybody is told what to do.
#[inline(never)]
fn release_all(cluster: &mut Machine, jobs: &[(TaskIndex, Job)], now: Instant) -> u32 {
    jobs.iter().for_each(|(task, job)| cluster.enqueue(*task, *job, now));
    settle(cluster)
}

fn machine(tasks: usize, heads: usize, random: &mut Random) -> Machine {
    let mut cluster = Machine::new(EarliestDeadlineFirst, Cpu::LOWEST, heads, tasks);
    for task in (0..tasks).filter_map(TaskIndex::new) {
        let period = Duration::from_ns(3_000_000 + random.below(30_000_000) as u64);
        cluster.admit(task, Parameters::implicit(period));
    }
    cluster
}

/// Releases and completions in random order: whoever has a job loses it, whoever has none gets one.
fn turns(tasks: usize, heads: usize, calls: u64) {
    let mut random = Random(SEED);
    let mut cluster = machine(tasks, heads, &mut random);
    let start = std::time::Instant::now();
    for call in 0..calls {
        let (task, now) = (TaskIndex::new(random.below(tasks)).expect("in range"), Instant::from_ns(call * 1_000));
        let decision = match cluster.pending(task) {
            Some(_) => complete(&mut cluster, task),
            None => {
                let job = Job::arriving(call, now, cluster.parameters(task));
                insert(&mut cluster, task, job, now)
            }
        };
        let _ = black_box(decision);
    }
    let ns = start.elapsed().as_secs_f64() * 1e9 / calls as f64;
    println!("{tasks} tasks, {heads} heads: {ns:.1} ns for an insertion or a completion, mean of {calls}, seed {SEED}");
}

/// The same one by one as interrupts do it, with five jobs pending at most: a machine that is not overloaded.
fn quietly(tasks: usize, heads: usize, calls: u64) {
    let mut random = Random(SEED);
    let mut cluster = machine(tasks, heads, &mut random);
    let mut pending = 0;
    for call in 0..calls {
        let (task, now) = (TaskIndex::new(random.below(tasks)).expect("in range"), Instant::from_ns(call * 1_000_000));
        let running = cluster.running(Cpu::LOWEST.plus(random.below(heads)));
        match running {
            Some(running) if pending > random.below(5) => {
                finish_one(&mut cluster, running);
                pending -= 1;
            }
            _ if cluster.pending(task).is_none() => {
                let job = Job::arriving(call, now, cluster.parameters(task));
                release_one(&mut cluster, task, job, now);
                pending += 1;
            }
            _ => {}
        }
    }
}

fn together(tasks: usize, heads: usize) {
    let mut cluster = machine(tasks, heads, &mut Random(SEED));
    let now = Instant::from_ns(0);
    let job = |task| Job::arriving(0, now, cluster.parameters(task));
    let jobs: Vec<_> = (0..tasks).filter_map(TaskIndex::new).map(|task| (task, job(task))).collect();
    let switches = release_all(&mut cluster, &jobs, now);
    println!("{tasks} tasks, {heads} heads: released together, {switches} processors switch");
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("tasks and calls are numbers"));
    let (tasks, calls) = (arguments.next().unwrap_or(125), arguments.next().unwrap_or(2_000_000));
    for heads in [1, HEADS] {
        turns(tasks as usize, heads, calls);
        quietly(tasks as usize, heads, calls);
        together(tasks as usize, heads);
    }
}
