//! A served task may demand what it likes: the others keep their deadlines as long as the bandwidths add up to 1.
//!
//! Abeni and Buttazzo 1998, theorem 1, unit by unit on random sets, and the same sets without a server for comparison.

#[path = "support/random.rs"]
mod random;

use prazo_core::cpu::Cpu;
use prazo_core::criterion::EarliestDeadlineFirst;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::Cluster;
use prazo_core::server::Server;
use prazo_core::time::{Duration, Instant};
use random::Random;

const SEED: u64 = 1_998;
const SETS: u64 = 2_000;
const UNITS: u64 = 400;
const UNIT: Duration = Duration::from_ns(1);

type Machine = Cluster<EarliestDeadlineFirst, 8, 1>;

/// Hard tasks (C, T) and the last task, which is served by Q in every P.
struct Set {
    hard: Vec<(u64, u64)>,
    budget: u64,
    period: u64,
}

/// Utilizations of 1/k in periods of k, so that the sum is easily kept at 1 or below.
fn draw(random: &mut Random) -> Set {
    let period = 2 + random.below(8) as u64;
    let budget = 1 + random.below(period as usize - 1) as u64;
    let mut left = 1_000 - budget * 1_000 / period - 1;
    let mut hard = vec![];
    for _ in 0..1 + random.below(5) {
        let period = 2 + random.below(18) as u64;
        let cost = (left * period / 1_000).min(1 + random.below(4) as u64);
        if cost > 0 {
            left -= (cost * 1_000).div_ceil(period);
            hard.push((cost, period));
        }
    }
    Set { hard, budget, period }
}

/// How many jobs of the hard tasks miss while the last task demands up to four times its budget at once.
fn misses(set: &Set, served: bool, random: &mut Random) -> usize {
    let mut cluster = machine(set);
    let soft = TaskIndex::new(set.hard.len()).unwrap();
    let mut server = Server::new(Duration::from_ns(set.budget), Duration::from_ns(set.period)).unwrap();
    let mut remaining = vec![0; set.hard.len() + 1];
    let mut missed = 0;
    for now in 0..UNITS {
        missed += hard_arrivals(set, &mut cluster, &mut remaining, now);
        if cluster.pending(soft).is_none() && random.below(3) == 0 {
            remaining[soft.index()] = 1 + random.below(4 * set.budget as usize) as u64;
            arrive(&mut cluster, soft, now);
            if served {
                let _ = cluster.change_deadline(soft, server.arrive(Instant::from_ns(now)));
            }
        }
        run(&mut cluster, &mut remaining, soft, served.then_some(&mut server));
    }
    missed
}

fn machine(set: &Set) -> Machine {
    let mut cluster = Machine::new(EarliestDeadlineFirst, Cpu::LOWEST, 1, set.hard.len() + 1);
    let periods = set.hard.iter().map(|(_, period)| *period).chain([set.period]);
    for (number, period) in periods.enumerate() {
        cluster.admit(TaskIndex::new(number).unwrap(), Parameters::implicit(Duration::from_ns(period)));
    }
    cluster
}

/// Jobs of the hard tasks arrive; answers how many find the one before not ended, which is the end of that.
fn hard_arrivals(set: &Set, cluster: &mut Machine, remaining: &mut [u64], now: u64) -> usize {
    let mut missed = 0;
    for (number, (cost, period)) in set.hard.iter().enumerate() {
        if now.is_multiple_of(*period) {
            let task = TaskIndex::new(number).unwrap();
            missed += usize::from(remaining[number] > 0);
            let _ = cluster.complete(task);
            arrive(cluster, task, now);
            remaining[number] = *cost;
        }
    }
    missed
}

fn arrive(cluster: &mut Machine, task: TaskIndex, now: u64) {
    let job = Job::arriving(now, Instant::from_ns(now), cluster.parameters(task));
    let _ = cluster.insert(task, job, Instant::from_ns(now));
}

/// Whoever is chosen runs for one unit, which the server is charged for if it was the task it serves.
fn run(cluster: &mut Machine, remaining: &mut [u64], soft: TaskIndex, server: Option<&mut Server>) {
    let Some(task) = cluster.running(Cpu::LOWEST) else { return };
    remaining[task.index()] -= 1;
    let postponed = server.filter(|_| task == soft).and_then(|server| server.charge(UNIT));
    if remaining[task.index()] == 0 {
        let _ = cluster.complete(task);
    } else if let Some(deadline) = postponed {
        let _ = cluster.change_deadline(task, deadline);
    }
}

#[test]
fn an_overrun_takes_no_time_from_another_task() {
    eprintln!("seed {SEED}");
    let mut random = Random(SEED);
    let mut without = 0;
    for number in 0..SETS {
        let set = draw(&mut random);
        assert_eq!(misses(&set, true, &mut random), 0, "set {number}, seed {SEED}: {:?}", set.hard);
        without += misses(&set, false, &mut random);
    }
    assert!(without > 0, "the same demand without a server does harm, or this test shows nothing");
}
