//! All clusters of a shape together, for who drives them in one thread.

use super::cluster::Cluster;
use super::decision::Decision;
use crate::cpu::Cpu;
use crate::criterion::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::shape::Shape;
use crate::time::{Duration, Instant};

/// The scheduler of a whole machine; the clusters are borrowed, one for each queue of the shape.
#[derive(Debug)]
pub struct Scheduler<'a, C, S, const TASKS: usize, const HEADS: usize> {
    shape: S,
    clusters: &'a mut [Cluster<C, TASKS, HEADS>],
    /// By task: the queue it belongs to.
    queues: [u16; TASKS],
}

impl<'a, C: Criterion, S: Shape, const TASKS: usize, const HEADS: usize> Scheduler<'a, C, S, TASKS, HEADS> {
    /// A scheduler of `shape` over `clusters`. Panics if these are not the clusters of that shape.
    pub fn new(shape: S, clusters: &'a mut [Cluster<C, TASKS, HEADS>]) -> Self {
        assert!(clusters.len() == shape.queues(), "a shape has one cluster for each queue");
        for (queue, cluster) in clusters.iter().enumerate() {
            let heads = (0..shape.heads(queue)).map(|head| shape.first_cpu(queue).plus(head));
            assert!(cluster.cpus().eq(heads), "a cluster serves the processors of its queue");
        }
        Self { shape, clusters, queues: [0; TASKS] }
    }

    /// How the queues serve the processors.
    pub fn shape(&self) -> &S {
        &self.shape
    }

    /// The queue that `task` was admitted to.
    #[inline]
    pub fn queue_of(&self, task: TaskIndex) -> usize {
        usize::from(self.queues[task.index()])
    }

    /// The cluster of `task`, for the operations that need no other.
    #[inline]
    pub fn cluster_of(&mut self, task: TaskIndex) -> &mut Cluster<C, TASKS, HEADS> {
        &mut self.clusters[usize::from(self.queues[task.index()])]
    }

    /// The cluster that serves `cpu`. Panics where no queue does.
    pub fn cluster_at(&mut self, cpu: Cpu) -> &mut Cluster<C, TASKS, HEADS> {
        let queue = self.shape.queue_of(cpu).expect("no queue serves this processor");
        &mut self.clusters[queue]
    }

    /// The clusters, one for each queue.
    pub fn clusters(&mut self) -> &mut [Cluster<C, TASKS, HEADS>] {
        self.clusters
    }

    /// `task` belongs to `queue` from now on.
    pub fn admit(&mut self, task: TaskIndex, queue: usize, parameters: Parameters) {
        self.clusters[queue].admit(task, parameters);
        self.queues[task.index()] = queue as u16;
    }

    /// `job` of `task` becomes ready at `now`.
    #[inline]
    pub fn insert(&mut self, task: TaskIndex, job: Job, now: Instant) -> Decision {
        self.cluster_of(task).insert(task, job, now)
    }

    /// `task` leaves the machine, its pending job with it.
    pub fn remove(&mut self, task: TaskIndex) -> Decision {
        self.cluster_of(task).remove(task)
    }

    /// The pending job of `task` has ended.
    #[inline]
    pub fn complete(&mut self, task: TaskIndex) -> Decision {
        self.cluster_of(task).complete(task)
    }

    /// The pending job of `task` waits for something else than a processor.
    pub fn suspend(&mut self, task: TaskIndex) -> Decision {
        self.cluster_of(task).suspend(task)
    }

    /// What the suspended job of `task` waited for has come.
    pub fn resume(&mut self, task: TaskIndex, now: Instant) -> Decision {
        self.cluster_of(task).resume(task, now)
    }

    /// Who shall run on `cpu`, decided anew.
    pub fn choose(&mut self, cpu: Cpu) -> Decision {
        self.cluster_at(cpu).choose(cpu)
    }

    /// The most urgent waiting job takes `cpu`, be it less urgent than the running one.
    pub fn choose_another(&mut self, cpu: Cpu) -> Decision {
        self.cluster_at(cpu).choose_another(cpu)
    }

    /// The job on `cpu` steps behind its equals.
    pub fn yield_now(&mut self, cpu: Cpu, now: Instant) -> Decision {
        self.cluster_at(cpu).yield_now(cpu, now)
    }

    /// `task` has another period from now on.
    pub fn change_period(&mut self, task: TaskIndex, period: Duration) -> Decision {
        self.cluster_of(task).change_period(task, period)
    }
}
