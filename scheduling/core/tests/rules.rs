//! The house rules one by one, decision by decision: ties, processors, interrupts, shapes, affinity.

use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::criterion::{EarliestDeadlineFirst, FixedPriority, RoundRobin};
use prazo_core::inheritance::{Inheritance, Locking};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision, Switch};
use prazo_core::shape::{Fixed, Shape, ShapeError, Value};
use prazo_core::time::{Duration, Instant};

fn task(number: usize) -> TaskIndex {
    TaskIndex::new(number).unwrap()
}

fn cpu(number: usize) -> Cpu {
    Cpu::LOWEST.plus(number)
}

fn at(ns: u64) -> Instant {
    Instant::from_ns(ns)
}

fn job(deadline: u64) -> Job {
    Job { number: 0, arrival: at(0), release: at(0), absolute_deadline: at(deadline) }
}

fn priority(priority: u32) -> Parameters {
    Parameters { priority, ..Parameters::implicit(Duration::from_ns(100)) }
}

/// `runs` takes `on` from `preempted`.
fn takes(runs: usize, on: usize, preempted: Option<usize>) -> Decision {
    let (cpu, preempted) = (cpu(on), preempted.map(task));
    Decision::Switch(Switch { cpu, runs: Some(task(runs)), preempted, migrated_from: None })
}

fn idles(on: usize) -> Decision {
    Decision::Switch(Switch { cpu: cpu(on), runs: None, preempted: None, migrated_from: None })
}

fn edf(heads: usize) -> Cluster<EarliestDeadlineFirst, 8, 4> {
    let mut cluster = Cluster::new(EarliestDeadlineFirst, Cpu::LOWEST, heads, 8);
    (0..8).for_each(|number| cluster.admit(task(number), priority(0)));
    cluster
}

#[test]
fn idle_processors_are_taken_from_the_lowest() {
    let mut cluster = edf(3);
    assert_eq!(cluster.insert(task(5), job(30), at(0)), takes(5, 0, None));
    assert_eq!(cluster.insert(task(4), job(20), at(0)), takes(4, 1, None));
    assert_eq!(cluster.complete(task(5)), idles(0));
    assert_eq!(cluster.insert(task(3), job(10), at(0)), takes(3, 0, None));
    assert_eq!(cluster.insert(task(2), job(40), at(0)), takes(2, 2, None));
}

#[test]
fn a_job_goes_to_its_last_processor_before_a_lower_one() {
    let mut cluster = edf(3);
    assert_eq!(cluster.insert(task(0), job(10), at(0)), takes(0, 0, None));
    assert_eq!(cluster.insert(task(1), job(20), at(0)), takes(1, 1, None));
    assert_eq!(cluster.complete(task(0)), idles(0));
    assert_eq!(cluster.complete(task(1)), idles(1));
    assert_eq!(cluster.insert(task(1), job(50), at(1)), takes(1, 1, None));
}

#[test]
fn of_equally_urgent_running_jobs_the_highest_index_makes_room() {
    let mut cluster = edf(3);
    for (place, number) in [2, 6, 4].into_iter().enumerate() {
        assert_eq!(cluster.insert(task(number), job(50), at(0)), takes(number, place, None));
    }
    assert_eq!(cluster.insert(task(0), job(50), at(1)), Decision::Stay, "a tie never preempts");
    assert_eq!(cluster.insert(task(1), job(49), at(1)), takes(1, 1, Some(6)));
}

#[test]
fn only_the_processor_that_switches_is_interrupted() {
    let mut cluster = edf(2);
    assert_eq!(cluster.insert(task(0), job(10), at(0)).interrupt(cpu(0)), None);
    assert_eq!(cluster.insert(task(1), job(20), at(0)).interrupt(cpu(0)), Some(cpu(1)));
    let less_urgent = cluster.insert(task(2), job(30), at(0));
    assert_eq!(less_urgent.interrupt(cpu(0)), None);
    let more_urgent = cluster.insert(task(3), job(15), at(0));
    assert_eq!((more_urgent.interrupt(cpu(0)), more_urgent.interrupt(cpu(1))), (Some(cpu(1)), None));
}

#[test]
fn at_one_instant_nobody_is_dispatched_only_to_be_preempted() {
    let mut cluster = edf(1);
    cluster.enqueue(task(3), job(30), at(0));
    cluster.enqueue(task(1), job(10), at(0));
    cluster.enqueue(task(2), job(20), at(0));
    assert_eq!(cluster.settle(), takes(1, 0, None));
    assert_eq!(cluster.settle(), Decision::Stay);
}

#[test]
fn round_robin_goes_round() {
    let mut cluster = Cluster::<_, 8, 1>::new(RoundRobin, Cpu::LOWEST, 1, 3);
    (0..3).for_each(|number| cluster.admit(task(number), priority(0)));
    assert_eq!(cluster.insert(task(2), job(0), at(0)), takes(2, 0, None));
    assert_eq!(cluster.insert(task(1), job(0), at(1)), Decision::Stay);
    assert_eq!(cluster.insert(task(0), job(0), at(2)), Decision::Stay);
    let mut order = vec![];
    for quantum in 1..=4 {
        order.push(cluster.yield_now(cpu(0), at(10 * quantum)));
    }
    let round = [(1, 2), (0, 1), (2, 0), (1, 2)].map(|(runs, behind)| takes(runs, 0, Some(behind)));
    assert_eq!(order, round);
}

#[test]
fn another_runs_until_the_next_choice() {
    let mut cluster = edf(1);
    assert_eq!(cluster.insert(task(0), job(10), at(0)), takes(0, 0, None));
    assert_eq!(cluster.choose_another(cpu(0)), Decision::Stay, "there is no other");
    assert_eq!(cluster.insert(task(1), job(20), at(0)), Decision::Stay);
    assert_eq!(cluster.choose_another(cpu(0)), takes(1, 0, Some(0)));
    assert_eq!(cluster.choose(cpu(0)), takes(0, 0, Some(1)));
}

#[test]
fn a_suspended_job_comes_back_with_its_own_deadline() {
    let mut cluster = edf(1);
    assert_eq!(cluster.insert(task(0), job(10), at(0)), takes(0, 0, None));
    assert_eq!(cluster.insert(task(1), job(20), at(0)), Decision::Stay);
    assert_eq!(cluster.suspend(task(0)), takes(1, 0, None));
    assert_eq!(cluster.resume(task(0), at(5)), takes(0, 0, Some(1)));
    assert_eq!(cluster.resume(task(0), at(6)), Decision::Stay, "it is not suspended");
}

/// Low holds the mutex that high wants: middling may not keep low, and through it high, from running.
#[test]
fn inheritance_bounds_priority_inversion() {
    let [high, middling, low] = [0, 1, 2].map(task);
    let mut cluster = Cluster::<_, 8, 1>::new(FixedPriority, Cpu::LOWEST, 1, 3);
    (0..3).for_each(|number| cluster.admit(task(number), priority(number as u32)));
    let mut mutexes = Inheritance::<8, 1>::new(3);
    assert_eq!(cluster.insert(low, job(0), at(0)), takes(2, 0, None));
    let rank = cluster.rank_of(low).unwrap();
    assert_eq!(mutexes.lock(0, low, rank, |_, _| {}), Locking::Holds);
    assert_eq!(cluster.insert(high, job(0), at(1)), takes(0, 0, Some(2)));
    let rank = cluster.rank_of(high).unwrap();
    let mut decisions = vec![];
    let waits = mutexes.lock(0, high, rank, |task, rank| decisions.push(cluster.inherit(task, rank)));
    assert_eq!((waits, cluster.suspend(high)), (Locking::Waits, takes(2, 0, None)));
    assert_eq!(cluster.insert(middling, job(0), at(2)), Decision::Stay);
    assert_eq!(mutexes.unlock(0, low, |task, rank| decisions.push(cluster.inherit(task, rank))), Some(high));
    assert_eq!(cluster.resume(high, at(3)).switch().unwrap().runs, Some(high));
    assert_eq!(cluster.complete(high), takes(1, 0, None), "low is back at its own urgency");
}

#[test]
fn queue_after_queue_takes_the_next_processors() {
    const SHAPE: Fixed<3, 4> = Fixed::of([1, 2, 1]);
    let queues: Vec<_> = (0..5).map(|number| SHAPE.queue_of(cpu(number))).collect();
    assert_eq!(queues, [Some(0), Some(1), Some(1), Some(2), None]);
    assert_eq!((SHAPE.processors(), SHAPE.first_cpu(1)), (4, cpu(1)));
    assert_eq!(Value::of(&[1, 2, 1], 4).unwrap().first_cpu(2), SHAPE.first_cpu(2));
}

#[test]
fn affinity_chooses_the_first_queue_that_lies_within() {
    let shape = Value::of(&[1, 2, 1], 4).unwrap();
    let queue = |text: &str| shape.queue_within(&text.parse::<CpuSet>().unwrap());
    assert_eq!(["0", "1-2", "1-3", "3"].map(queue), [Some(0), Some(1), Some(1), Some(2)]);
    assert_eq!(queue("1"), None, "the queue of processor 1 also serves 2");
}

#[test]
fn a_wrong_shape_is_refused_with_the_reason() {
    assert_eq!(Value::of(&[2, 1], 4), Err(ShapeError::Heads { heads: 3, processors: 4 }));
    assert_eq!(Value::of(&[4, 0], 4), Err(ShapeError::NoHead(1)));
    assert_eq!(Value::of(&[], 0), Err(ShapeError::Queues(0)));
    assert_eq!(Value::clustered(4, 3), Err(ShapeError::Remainder { processors: 4, size: 3 }));
    assert_eq!(Value::partitioned(65), Err(ShapeError::Queues(65)));
}
