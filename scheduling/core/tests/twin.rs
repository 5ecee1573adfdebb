//! The scheduler against a slow, obvious twin, decision for decision, on random sequences of operations.

mod support;

use prazo_core::cpu::Cpu;
use prazo_core::criterion::{
    Criterion, DeadlineMonotonic, EarliestDeadlineFirst, FirstComeFirstServed, FixedPriority, RateMonotonic, RoundRobin,
};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision, Scheduler};
use prazo_core::shape::{Shape, Value};
use prazo_core::time::{Duration, Instant};
use support::naive::{Naive, Policy, State};
use support::random::Random;

const SEED: u64 = 20_131_105;
/// For each criterion: 10^5 sequences in all.
const SEQUENCES: u64 = 100_000 / 6 + 1;
const OPERATIONS: usize = 40;
const TASKS: usize = 16;
const HEADS: usize = 4;

/// Every way to give up to four processors to queues.
const SHAPES: [&[u16]; 8] = [&[1], &[4], &[1, 1, 1, 1], &[2, 2], &[2, 1, 1], &[1, 3], &[3], &[1, 2]];

/// Both schedulers, and the numbers that drive them.
struct Bench<'a, C> {
    real: Scheduler<'a, C, Value, TASKS, HEADS>,
    naive: Naive,
    random: Random,
    now: u64,
    tasks: usize,
    number: u64,
}

impl<C: Criterion> Bench<'_, C> {
    fn now(&self) -> Instant {
        Instant::from_ns(self.now)
    }

    fn task(&mut self) -> TaskIndex {
        TaskIndex::new(self.random.below(self.tasks)).unwrap()
    }

    fn cpu(&mut self) -> Cpu {
        Cpu::new(self.random.below(self.real.shape().processors()) as u32).unwrap()
    }

    /// Few values, so that ties are common.
    fn parameters(&mut self) -> Parameters {
        let mut some = || Duration::from_ns(1 + self.random.below(4) as u64);
        let (period, relative_deadline) = (some(), some());
        Parameters { period, relative_deadline, priority: self.random.below(3) as u32 }
    }

    fn job(&mut self, task: TaskIndex) -> Job {
        self.number += 1;
        Job::arriving(self.number, self.now(), &self.naive.entry(task).parameters)
    }

    fn admit(&mut self, task: TaskIndex) {
        let (queue, parameters) = (self.random.below(self.real.shape().queues()), self.parameters());
        self.real.admit(task, queue, parameters);
        self.naive.admit(task, queue, parameters);
    }

    /// One operation on both; answers what each decided.
    fn operate(&mut self) -> (&'static str, Vec<(Decision, Decision)>) {
        self.now += self.random.below(3) as u64;
        let (task, cpu) = (self.task(), self.cpu());
        match self.random.below(16) {
            0..=4 => ("insert", self.insert(task)),
            5..=6 => ("complete", vec![(self.real.complete(task), self.complete(task))]),
            7 => ("suspend", self.suspend(task)),
            8 => ("resume", self.resume(task)),
            9 => ("several at once", self.several()),
            10 => ("yield", self.yield_now(cpu)),
            11 => ("choose", self.choose(cpu)),
            12 => ("change", self.change(task)),
            13 => ("inherit", self.inherit(task)),
            14 => ("all at once", self.all()),
            _ => ("remove", self.remove(task)),
        }
    }

    fn insert(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        if self.naive.entry(task).state != State::Dormant {
            return vec![];
        }
        let (job, now) = (self.job(task), self.now());
        self.naive.enqueue(task, job, now);
        let queue = self.naive.entry(task).queue;
        vec![(self.real.insert(task, job, now), self.naive.settle(queue))]
    }

    fn complete(&mut self, task: TaskIndex) -> Decision {
        self.naive.leave(task, State::Dormant)
    }

    fn suspend(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        let pending = self.naive.entry(task).state != State::Dormant;
        let state = if pending { State::Suspended } else { State::Dormant };
        vec![(self.real.suspend(task), self.naive.leave(task, state))]
    }

    fn resume(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        let now = self.now();
        let real = self.real.resume(task, now);
        if self.naive.entry(task).state != State::Suspended {
            return vec![(real, Decision::Stay)];
        }
        self.naive.join(task, now);
        let queue = self.naive.entry(task).queue;
        vec![(real, self.naive.settle(queue))]
    }

    /// Jobs end and are released at one instant, in any order, and only then is decided.
    fn several(&mut self) -> Vec<(Decision, Decision)> {
        for _ in 0..self.random.below(6) {
            let task = self.task();
            if self.naive.entry(task).state == State::Dormant {
                let (job, now) = (self.job(task), self.now());
                self.real.cluster_of(task).enqueue(task, job, now);
                self.naive.enqueue(task, job, now);
            } else {
                self.real.cluster_of(task).finish(task);
                self.naive.withdraw(task, State::Dormant);
            }
        }
        self.settle()
    }

    /// Some of the tasks without a job, or all of them, get one, in one go.
    fn all(&mut self) -> Vec<(Decision, Decision)> {
        let (now, chance) = (self.now(), 1 + self.random.below(4));
        let mut jobs = [None; TASKS];
        for task in (0..self.tasks).filter_map(TaskIndex::new) {
            if self.naive.entry(task).state == State::Dormant && self.random.below(chance) == 0 {
                let job = self.job(task);
                self.naive.enqueue(task, job, now);
                jobs[task.index()] = Some(job);
            }
        }
        for cluster in self.real.clusters() {
            cluster.enqueue_all(now, |task, _| jobs[task.index()]);
        }
        self.settle()
    }

    fn settle(&mut self) -> Vec<(Decision, Decision)> {
        let mut decisions = vec![];
        for queue in 0..self.naive.cpus.len() {
            let mut switched = vec![];
            loop {
                let (real, naive) = (self.real.clusters()[queue].settle(), self.naive.settle(queue));
                decisions.push((real, naive));
                let Decision::Switch(switch) = real else { break };
                assert!(!switched.contains(&switch.cpu), "{} switches twice at one instant", switch.cpu);
                switched.push(switch.cpu);
            }
        }
        decisions
    }

    fn yield_now(&mut self, cpu: Cpu) -> Vec<(Decision, Decision)> {
        let (now, queue) = (self.now(), self.real.shape().queue_of(cpu).unwrap());
        vec![(self.real.yield_now(cpu, now), self.naive.yield_now(queue, cpu, now))]
    }

    /// Another one than the most urgent runs, and then the next decision may bring that back.
    fn choose(&mut self, cpu: Cpu) -> Vec<(Decision, Decision)> {
        let queue = self.real.shape().queue_of(cpu).unwrap();
        let another = (self.real.choose_another(cpu), self.naive.choose_another(queue, cpu));
        if self.random.below(2) == 0 {
            return vec![another];
        }
        vec![another, (self.real.choose(cpu), self.naive.choose(queue, cpu))]
    }

    fn change(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        let Parameters { period, relative_deadline, .. } = self.parameters();
        let real = match self.random.below(2) {
            0 => {
                self.naive.entry(task).parameters.period = period;
                self.real.change_period(task, period)
            }
            _ => {
                let deadline = self.now() + relative_deadline;
                if let Some(job) = &mut self.naive.entry(task).job {
                    job.absolute_deadline = deadline;
                }
                self.real.cluster_of(task).change_deadline(task, deadline)
            }
        };
        vec![(real, self.naive.rerank(task))]
    }

    /// A task is lent the urgency of another that has a job, or gives back what it was lent.
    fn inherit(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        let lender = self.task();
        let rank = self.real.cluster_of(lender).rank_of(lender);
        let urgency = rank.is_some().then(|| self.naive.urgency(lender));
        vec![(self.real.cluster_of(task).inherit(task, rank), self.naive.inherit(task, urgency))]
    }

    fn remove(&mut self, task: TaskIndex) -> Vec<(Decision, Decision)> {
        let decisions = vec![(self.real.remove(task), self.naive.leave(task, State::Dormant))];
        self.naive.entries.retain(|entry| entry.task != task);
        self.admit(task);
        decisions
    }

    fn agree_on_who_runs(&mut self) {
        for cpu in (0..self.real.shape().processors()).map(|cpu| Cpu::LOWEST.plus(cpu)) {
            let naive = self.naive.running(cpu).map(|entry| entry.task);
            assert_eq!(self.real.cluster_at(cpu).running(cpu), naive, "on processor {cpu}");
        }
    }
}

fn sequence<C: Criterion + Copy>(criterion: C, policy: Policy, seed: u64) {
    let mut random = Random(seed);
    let heads = SHAPES[random.below(SHAPES.len())];
    let shape = Value::of(heads, heads.iter().map(|heads| usize::from(*heads)).sum()).unwrap();
    let tasks = 1 + random.below(TASKS);
    let mut clusters: Vec<_> = (0..shape.queues()).map(|queue| Cluster::of(criterion, &shape, queue, tasks)).collect();
    let cpus = clusters.iter().map(|cluster: &Cluster<C, TASKS, HEADS>| cluster.cpus().collect()).collect();
    let naive = Naive { policy, cpus, entries: vec![] };
    let real = Scheduler::new(shape, &mut clusters);
    let mut bench = Bench { real, naive, random, now: 0, tasks, number: 0 };
    (0..tasks).for_each(|task| bench.admit(TaskIndex::new(task).unwrap()));
    for step in 0..OPERATIONS {
        let (operation, decisions) = bench.operate();
        for (real, naive) in decisions {
            assert_eq!(real, naive, "{operation}, step {step}, {policy:?}, heads {heads:?}, seed {seed}");
        }
        bench.agree_on_who_runs();
    }
}

fn agrees<C: Criterion + Copy>(criterion: C, policy: Policy) {
    eprintln!("seeds {SEED}..{}", SEED + SEQUENCES);
    (SEED..SEED + SEQUENCES).for_each(|seed| sequence(criterion, policy, seed));
}

#[test]
fn first_come_first_served_decides_as_its_twin() {
    agrees(FirstComeFirstServed, Policy::FirstComeFirstServed);
}

#[test]
fn round_robin_decides_as_its_twin() {
    agrees(RoundRobin, Policy::RoundRobin);
}

#[test]
fn fixed_priority_decides_as_its_twin() {
    agrees(FixedPriority, Policy::FixedPriority);
}

#[test]
fn rate_monotonic_decides_as_its_twin() {
    agrees(RateMonotonic, Policy::RateMonotonic);
}

#[test]
fn deadline_monotonic_decides_as_its_twin() {
    agrees(DeadlineMonotonic, Policy::DeadlineMonotonic);
}

#[test]
fn earliest_deadline_first_decides_as_its_twin() {
    agrees(EarliestDeadlineFirst, Policy::EarliestDeadlineFirst);
}
