//! What any test proves never misses: random small sets, every schedule of them looked at tick by tick.
//!
//! `PRAZO_SETS=1000000 cargo test --release --test soundness` is the long form; `PRAZO_SEED` repeats a run.

mod support;

use prazo_analysis::disproof::{global_edf, global_fixed_priority, necessary};
use prazo_analysis::gfp::{self, System, rm_us};
use prazo_analysis::partition::{Allowance, Candidate, Heuristic, Order as TaskOrder, Strategy};
use prazo_analysis::uniprocessor::priority::{PriorityOrder, deadline_monotonic, rate_monotonic};
use prazo_analysis::uniprocessor::{edf, fixed_priority};
use prazo_analysis::{Budget, Finding, Task, TaskSet, TimeModel, Verdict, gedf};
use prazo_oracle::arrivals::{as_often_as_they_may, sporadic, together};
use prazo_oracle::{Job, Order, Platform, random, schedule};

/// A shared queue with its tasks, as a test has proven it.
struct Queue {
    tasks: Vec<Task>,
    processors: u32,
    /// Fixed priorities without ties, 0 the most urgent; `None` for EDF.
    ranks: Option<Vec<u32>>,
}

/// `None` unless a test proves these tasks on so many processors, and otherwise the queues it proved.
type Prove = Box<dyn Fn(TaskSet<'_>, u32) -> Option<Vec<Queue>>>;

/// A test with its name.
type Prover = (String, Prove);

/// Work each test may cost.
const BUDGET: u64 = 200_000;

/// All tests for global EDF up to the first proof.
const PLAN: gedf::Plan<'_> =
    gedf::Plan { tests: gedf::Test::VALUES, all: false, time: TimeModel::Continuous, budget_each: BUDGET };

fn edf_queue(tasks: &[Task], processors: u32) -> Queue {
    Queue { tasks: tasks.to_vec(), processors, ranks: None }
}

fn ranked_queue(tasks: &[Task], processors: u32, order: &PriorityOrder) -> Queue {
    let mut ranks = vec![0; tasks.len()];
    order.indices().iter().enumerate().for_each(|(rank, task)| ranks[*task] = rank as u32);
    Queue { tasks: tasks.to_vec(), processors, ranks: Some(ranks) }
}

fn every_prover() -> Vec<Prover> {
    [global_edf_tests(), global_fixed_priority_tests(), uniprocessor_tests(), packings()]
        .into_iter()
        .flatten()
        .collect()
}

fn global_edf_tests() -> Vec<Prover> {
    let prover = |test: gedf::Test| -> Prover {
        let prove = move |tasks: TaskSet<'_>, processors: u32| {
            let finding = gedf::apply(test, tasks, processors, TimeModel::Continuous, &mut Budget::new(BUDGET));
            finding.is_proven().then(|| vec![edf_queue(&tasks, processors)])
        };
        (format!("G-EDF {}", test.name()), Box::new(prove))
    };
    gedf::Test::VALUES.iter().copied().map(prover).collect()
}

/// A way to give priorities, with its name.
type NamedOrder = (&'static str, fn(&[Task], u32) -> PriorityOrder);

const ORDERS: [NamedOrder; 3] =
    [("RM", |tasks, _| rate_monotonic(tasks)), ("DM", |tasks, _| deadline_monotonic(tasks)), ("RM-US", rm_us::order)];

fn global_fixed_priority_tests() -> Vec<Prover> {
    let prover = |test: gfp::Test, (name, order): NamedOrder| -> Prover {
        let prove = move |tasks: TaskSet<'_>, processors: u32| {
            let order = order(&tasks, processors);
            let system = System { tasks, order: &order, processors, time: TimeModel::Continuous };
            let finding = gfp::apply(test, system, &mut Budget::new(BUDGET));
            finding.is_proven().then(|| vec![ranked_queue(&tasks, processors, &order)])
        };
        (format!("G-FP {} {name}", test.name()), Box::new(prove))
    };
    gfp::Test::VALUES.iter().flat_map(|&test| ORDERS.map(|order| prover(test, order))).collect()
}

fn uniprocessor_tests() -> Vec<Prover> {
    let by_edf = |tasks: TaskSet<'_>, processors: u32| {
        let is_proven = processors == 1 && edf::test(tasks, &mut Budget::new(BUDGET)).is_proven();
        is_proven.then(|| vec![edf_queue(&tasks, 1)])
    };
    let by_fixed_priority = |tasks: TaskSet<'_>, processors: u32| {
        let order = deadline_monotonic(&tasks);
        let is_proven = || fixed_priority::response_time::test(tasks, &order, &mut Budget::new(BUDGET)).is_proven();
        (processors == 1 && is_proven()).then(|| vec![ranked_queue(&tasks, 1, &order)])
    };
    vec![("EDF".into(), Box::new(by_edf)), ("FP DM".into(), Box::new(by_fixed_priority))]
}

/// Each heuristic with one processor a bin, and with one processor beside a cluster of the others.
fn packings() -> Vec<Prover> {
    let prover = |heuristic: Heuristic, is_partitioned: bool| -> Prover {
        let prove = move |tasks: TaskSet<'_>, processors: u32| {
            let beside = [1, processors.max(2) - 1];
            let sizes = if is_partitioned { vec![1; processors as usize] } else { beside.to_vec() };
            let strategy = Strategy { heuristic, order: TaskOrder::DecreasingUtilization };
            let packed = strategy.pack(&tasks, &sizes, &mut bin_test, Allowance::UNLIMITED);
            packed.proven.then(|| queues(&tasks, &sizes, &packed.assignment))
        };
        (format!("{} {}", if is_partitioned { "P-EDF" } else { "C-EDF" }, heuristic.name()), Box::new(prove))
    };
    Heuristic::VALUES.iter().flat_map(|&heuristic| [prover(heuristic, true), prover(heuristic, false)]).collect()
}

fn bin_test(candidate: &Candidate<'_>) -> Finding {
    let tasks = TaskSet::new(candidate.tasks).unwrap();
    match candidate.processors {
        1 => edf::test(tasks, &mut Budget::new(BUDGET)),
        several => gedf::combined(tasks, several, PLAN).pop().unwrap(),
    }
}

fn queues(tasks: &[Task], sizes: &[u32], assignment: &[Option<u32>]) -> Vec<Queue> {
    let of_bin = |bin: usize| {
        let members = tasks.iter().zip(assignment).filter(|(_, assigned)| **assigned == Some(bin as u32));
        edf_queue(&members.map(|(task, _)| *task).collect::<Vec<_>>(), sizes[bin])
    };
    (0..sizes.len()).map(of_bin).collect()
}

/// Nobody's test: no demand that no schedule could serve.
fn demand_only(tasks: TaskSet<'_>, processors: u32) -> Option<Vec<Queue>> {
    let overdemand = necessary::overdemand(tasks, processors, &mut Budget::unlimited());
    overdemand.is_none().then(|| vec![edf_queue(&tasks, processors)])
}

/// A schedule of the queue in which a job misses its deadline, if one of those tried has one.
fn miss(queue: &Queue, random: &mut fastrand::Rng) -> Option<String> {
    const HORIZON: i64 = 150;
    let order = queue.ranks.as_deref().map_or(Order::Edf, Order::Fixed);
    let on = Platform::preemptive(queue.processors);
    let patterns = [
        together(&queue.tasks, HORIZON),
        sporadic(&queue.tasks, HORIZON, |task| task.period, random),
        sporadic(&queue.tasks, HORIZON, |task| task.period, random),
    ];
    patterns.into_iter().find_map(|jobs| {
        let late = schedule(jobs.clone(), on, HORIZON, |job| order.rank(job)).first_late()?;
        Some(format!("{:?} on {} misses: {late:?} of {jobs:?}", queue.tasks, queue.processors))
    })
}

/// What speaks against the proof: a miss, or a disproof by another way.
fn contradiction(queues: &[Queue], random: &mut fastrand::Rng) -> Option<String> {
    queues.iter().filter(|queue| !queue.tasks.is_empty()).find_map(|queue| {
        let against = disproof(queue).map(|finding| format!("{finding:?}"));
        against.or_else(|| miss(queue, random))
    })
}

fn disproof(queue: &Queue) -> Option<Finding> {
    let (tasks, processors) = (TaskSet::new(&queue.tasks).unwrap(), queue.processors);
    let mut budget = Budget::new(2_000);
    let overdemand = necessary::overdemand(tasks, processors, &mut Budget::new(10_000));
    let schedule = match &queue.ranks {
        None => global_edf::find_miss(tasks, processors, &mut budget),
        Some(ranks) => global_fixed_priority::find_miss(tasks, ranks, processors, &mut budget),
    };
    overdemand.or(Some(schedule)).filter(|finding| finding.verdict == Verdict::Disproven)
}

/// How many of `sets` random sets each prover proves, or the first that is proven and misses.
fn proven(provers: &[Prover], sets: usize, random: &mut fastrand::Rng) -> Result<Vec<u32>, String> {
    let mut counts = vec![0; provers.len()];
    for _ in 0..sets {
        let kind = random::deadlines(random);
        let (mut tasks, processors) = (random::small_set(random, 8, kind), random.u32(1..=4));
        if random.u8(0..8) == 0 {
            tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=3));
        }
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
    let (provers, sets) = (every_prover(), random::sets(10_000));
    let counts = proven(&provers, sets, &mut random).unwrap_or_else(|found| panic!("{found}"));
    for ((name, _), count) in provers.iter().zip(counts) {
        eprintln!("{name}: {count} of {sets} sets proven, none misses");
        assert!(count > 0, "{name} proves nothing, so that nothing was shown");
    }
}

#[test]
fn an_unsound_test_is_caught() {
    let mut random = random::seeded("unsound", 32);
    let unsound: Prover = ("demand only".into(), Box::new(demand_only));
    eprintln!("{}", proven(&[unsound], 10_000, &mut random).unwrap_err());
}

/// The queue with one more processor, one tick less of a cost, one tick more of a period; deadlines and ranks as they were.
fn easier(queue: &Queue, random: &mut fastrand::Rng) -> [Queue; 3] {
    let index = random.usize(0..queue.tasks.len());
    let with = |change: fn(&mut Task)| {
        let mut tasks = queue.tasks.clone();
        change(&mut tasks[index]);
        Queue { tasks, ranks: queue.ranks.clone(), ..*queue }
    };
    let processor = Queue { processors: queue.processors + 1, ..with(|_| ()) };
    [processor, with(|task| task.cost = (task.cost - 1).max(1)), with(|task| task.period += 1)]
}

/// Preemptive scheduling by fixed priorities of jobs never suffers from less to do or more to do it with (Ha and Liu, ICDCS 1994).
#[test]
fn what_is_easier_than_a_proven_set_is_never_disproven() {
    let mut random = random::seeded("easier sets", 33);
    let provers = every_prover();
    for _ in 0..random::sets(10_000) / 10 {
        let kind = random::deadlines(&mut random);
        let (tasks, processors) = (random::small_set(&mut random, 6, kind), random.u32(1..=3));
        for (name, prove) in &provers {
            let queues = prove(TaskSet::new(&tasks).unwrap(), processors).unwrap_or_default();
            for queue in queues.iter().filter(|queue| !queue.tasks.is_empty()) {
                for easier in easier(queue, &mut random) {
                    let found = disproof(&easier);
                    assert_eq!(found, None, "{name} proves {:?}, not {:?}", queue.tasks, easier.tasks);
                }
            }
        }
    }
}

/// What rate-monotonic analysis proves holds for an order without ties. Equal ranks that do not preempt each other are another
/// policy: here task 0 finds task 1 running and waits.
#[test]
fn ranks_with_ties_can_miss_where_the_order_by_index_is_proven() {
    let tasks = [Task::new(1, 10, 2), Task::new(5, 10, 10)];
    let (set, order) = (TaskSet::new(&tasks).unwrap(), rate_monotonic(&tasks));
    assert!(fixed_priority::response_time::test(set, &order, &mut Budget::unlimited()).is_proven());
    let jobs = [as_often_as_they_may(0, &tasks[0], 1, 2), as_often_as_they_may(1, &tasks[1], 0, 1)].concat();
    let late = |ranks| {
        let rank = |job: &Job| Order::Fixed(ranks).rank(job);
        schedule(jobs.clone(), Platform::preemptive(1), 20, rank).first_late()
    };
    assert_eq!(late(&[0, 1]), None);
    let late = late(&[0, 0]);
    assert_eq!(late.map(|job| job.task), Some(0));
}
