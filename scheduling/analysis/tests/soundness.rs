//! What any test proves never misses: random small sets, every schedule of them looked at tick by tick.
//!
//! `PRAZO_SETS=1000000 cargo test --release --test soundness` is the long form; `PRAZO_SEED` repeats a run.

mod support;

use prazo_analysis::disproof::{global_edf, necessary};
use prazo_analysis::{Budget, DeadlineKind, Task, TaskSet, Ticks, Verdict};
use prazo_core::ratio::Ratio;
use support::random;
use support::unit_step::{self, Order};

/// A shared queue with its tasks, as a test has proven it.
struct Queue {
    tasks: Vec<Task>,
    processors: u32,
    /// Fixed priorities, 0 the most urgent; `None` for EDF.
    ranks: Option<Vec<u32>>,
}

/// A test: `None` unless it proves these tasks on so many processors, and otherwise the queues it proved.
type Prover = (&'static str, fn(TaskSet<'_>, u32) -> Option<Vec<Queue>>);

const PROVERS: [Prover; 1] = [("density in fractions", density)];

fn global(tasks: TaskSet<'_>, processors: u32) -> Vec<Queue> {
    vec![Queue { tasks: tasks.to_vec(), processors, ranks: None }]
}

/// GFB's condition, term by term in fractions; with D > T the density is C/T and nothing is claimed.
fn density(tasks: TaskSet<'_>, processors: u32) -> Option<Vec<Queue>> {
    if tasks.deadlines() == DeadlineKind::Arbitrary {
        return None;
    }
    let densities: Vec<Ratio> =
        tasks.iter().map(|task| Ratio::new(task.cost.into(), task.deadline.into())).collect::<Option<_>>()?;
    let sum = densities.iter().try_fold(Ratio::ZERO, |sum, density| sum.checked_add(*density))?;
    let largest = *densities.iter().max()?;
    let left = sum.checked_add(largest.checked_mul(Ratio::whole(u64::from(processors) - 1))?)?;
    (left <= Ratio::whole(processors.into())).then(|| global(tasks, processors))
}

/// Nobody's test: U <= m and each task fits alone.
fn utilization_only(tasks: TaskSet<'_>, processors: u32) -> Option<Vec<Queue>> {
    (necessary::overdemand(tasks, processors, &mut Budget::unlimited()).is_none()).then(|| global(tasks, processors))
}

/// A schedule of the queue in which a job misses its deadline, if one of those tried has one.
fn miss(queue: &Queue, random: &mut fastrand::Rng) -> Option<String> {
    const HORIZON: Ticks = 150;
    let order = queue.ranks.as_deref().map_or(Order::Edf, Order::Fixed);
    let sequences = [
        unit_step::synchronous(&queue.tasks, HORIZON),
        unit_step::sporadic(&queue.tasks, HORIZON, random),
        unit_step::sporadic(&queue.tasks, HORIZON, random),
    ];
    sequences.iter().find_map(|arrivals| {
        let late = unit_step::any_late(&queue.tasks, arrivals, order, queue.processors, HORIZON)?;
        Some(format!("{:?} on {} misses: {late:?} of {arrivals:?}", queue.tasks, queue.processors))
    })
}

/// What speaks against the proof: a miss, or a disproof by another way.
fn contradiction(queues: &[Queue], random: &mut fastrand::Rng) -> Option<String> {
    queues.iter().filter(|queue| !queue.tasks.is_empty()).find_map(|queue| {
        let tasks = TaskSet::new(&queue.tasks).unwrap();
        let overdemand = necessary::overdemand(tasks, queue.processors, &mut Budget::new(10_000));
        if overdemand.is_some() {
            return Some(format!("{:?}: {overdemand:?}", queue.tasks));
        }
        if queue.ranks.is_none() {
            let found = global_edf::find_miss(tasks, queue.processors, &mut Budget::new(2_000));
            if found.verdict == Verdict::Disproven {
                return Some(format!("{:?} on {}: {found:?}", queue.tasks, queue.processors));
            }
        }
        miss(queue, random)
    })
}

/// How many of `sets` random sets each prover proves, or the first that is proven and misses.
fn proven(provers: &[Prover], sets: u32, random: &mut fastrand::Rng) -> Result<Vec<u32>, String> {
    let mut counts = vec![0; provers.len()];
    for _ in 0..sets {
        let kind = random::deadlines(random);
        let (tasks, processors) = (random::small_set(random, 8, kind), random.u32(1..=4));
        let set = TaskSet::new(&tasks).unwrap();
        for ((name, prove), count) in provers.iter().zip(&mut counts) {
            let Some(queues) = prove(set, processors) else { continue };
            *count += 1;
            if let Some(against) = contradiction(&queues, random) {
                return Err(format!("{name} proves {tasks:?} on {processors}, but {against}"));
            }
        }
    }
    Ok(counts)
}

#[test]
fn what_any_test_proves_never_misses() {
    let mut random = random::seeded("soundness", 31);
    let sets = random::sets(10_000);
    let counts = proven(&PROVERS, sets, &mut random).unwrap_or_else(|found| panic!("{found}"));
    for ((name, _), count) in PROVERS.iter().zip(counts) {
        eprintln!("{name}: {count} of {sets} sets proven, none misses");
        assert!(count > 0, "{name} proves nothing, so that nothing was shown");
    }
}

#[test]
fn an_unsound_test_is_caught() {
    let mut random = random::seeded("unsound", 32);
    let found = proven(&[("utilization only", utilization_only)], 10_000, &mut random);
    eprintln!("{}", found.unwrap_err());
}
