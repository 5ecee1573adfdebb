//! What one insertion into the ready queue costs alone: a cluster filled and emptied again and again.
//!
//! Each insertion is a sample, its decision included, from the first job in an idle cluster to the last one behind all
//! others. Deadlines come at random, then each earlier than the one before, then each later: the most and the least work.
//! The heads are told, not those of the shape: on a machine of one processor nothing takes turns with what is counted.
//! Vitor 2013 measures the same (figure 4), and its list is walked: n jobs, n steps.

use crate::arch::{self, Lock};
use crate::configuration::{CRITERION, Criterion, HEADS, TASKS};
use crate::measure::{self, Measure};
use crate::random::Random;
use prazo_core::cpu::Cpu;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision};
use prazo_core::time::{Duration, Instant};

type Measured = Cluster<Criterion, TASKS, HEADS>;

/// Times that the cluster is filled in a random order.
const ROUNDS: usize = 500;

/// Of one head to four.
static MEASURED: [Lock<Measured>; 4] = [cluster(1), cluster(2), cluster(3), cluster(4)];

const fn cluster(heads: usize) -> Lock<Measured> {
    Lock::new(Cluster::new(CRITERION, Cpu::LOWEST, heads, TASKS))
}

/// Fills a cluster with `heads` heads and `threads` tasks in many orders; on one processor, before anything else runs.
pub fn run(heads: usize, threads: usize, seed: u64) {
    assert!((1..=MEASURED.len()).contains(&heads), "insertions are measured with 1 to {} heads", MEASURED.len());
    measure::turn_on(measure::INSERTION);
    let mut cluster = MEASURED[heads - 1].lock();
    for task in tasks(threads) {
        cluster.admit(task, implicit());
    }
    let mut random = Random::new(seed);
    for _ in 0..ROUNDS {
        fill(&mut cluster, threads, |_| random.below(1_000_000));
    }
    fill(&mut cluster, threads, |number| 1_000_000 - number);
    fill(&mut cluster, threads, |number| number);
}

/// Inserts a job of every task, with the deadline in nanoseconds that is told by number, and empties the cluster again.
fn fill(cluster: &mut Measured, threads: usize, mut deadline_ns: impl FnMut(u64) -> u64) {
    let now = Instant::from_ns(0);
    for (task, number) in tasks(threads).zip(0..) {
        let parameters = Parameters { relative_deadline: Duration::from_ns(deadline_ns(number)), ..implicit() };
        let job = Job::arriving(0, now, &parameters);
        let before = arch::stamp();
        let decision = insert(cluster, task, job, now);
        measure::since(Measure::Insertion, before);
        let _ = core::hint::black_box(decision);
    }
    tasks(threads).for_each(|task| cluster.finish(task));
}

const fn implicit() -> Parameters {
    Parameters::implicit(Duration::from_ms(20))
}

/// A call, so that what is measured has a beginning and an end.
#[inline(never)]
fn insert(cluster: &mut Measured, task: TaskIndex, job: Job, now: Instant) -> Decision {
    cluster.insert(task, job, now)
}

fn tasks(threads: usize) -> impl Iterator<Item = TaskIndex> {
    (0..threads.min(TASKS)).filter_map(TaskIndex::new)
}
