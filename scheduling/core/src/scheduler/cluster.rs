//! One ready queue with the processors it serves: all the state that one lock must cover.
//!
//! Whenever an operation has returned its decision, the cluster is *settled*: no job waits while a head is idle, and under a
//! preemptive criterion none waits that is more urgent than a running one. Where several things happen at one instant, the
//! quiet operations (`enqueue`, `finish`) change without deciding, and `settle` then decides, most urgent job first, so that
//! nobody is dispatched only to be preempted at the same instant, and the order of simultaneous releases does not matter.

use super::decision::{Decision, Switch};
use super::membership::{Member, Membership};
use crate::cpu::Cpu;
use crate::criterion::Criterion;
use crate::heads::{Head, Heads};
use crate::job::{Job, Parameters, TaskIndex};
use crate::queue::Queue;
use crate::rank::Rank;
use crate::shape::Shape;
use crate::time::Instant;

/// The jobs of at most `TASKS` tasks on at most `HEADS` processors, under one criterion.
#[derive(Clone, Debug)]
pub struct Cluster<C, const TASKS: usize, const HEADS: usize> {
    pub(super) criterion: C,
    first_cpu: Cpu,
    pub(super) heads: Heads<HEADS>,
    pub(super) waiting: Queue<TASKS>,
    pub(super) members: [Member; TASKS],
}

impl<C, const TASKS: usize, const HEADS: usize> Cluster<C, TASKS, HEADS> {
    /// A cluster of the processors `first_cpu` and the `heads - 1` after it, for tasks `0..tasks`; none is a member yet.
    pub const fn new(criterion: C, first_cpu: Cpu, heads: usize, tasks: usize) -> Self {
        Self {
            criterion,
            first_cpu,
            heads: Heads::new(heads),
            waiting: Queue::new(tasks),
            members: [Member::NOBODY; TASKS],
        }
    }

    /// The cluster behind queue `queue` of `shape`.
    pub fn of(criterion: C, shape: &impl Shape, queue: usize, tasks: usize) -> Self {
        Self::new(criterion, shape.first_cpu(queue), shape.heads(queue), tasks)
    }

    /// The processors that this cluster serves, lowest first.
    pub fn cpus(&self) -> impl Iterator<Item = Cpu> + use<C, TASKS, HEADS> {
        let first_cpu = self.first_cpu;
        (0..self.heads.count()).map(move |head| first_cpu.plus(head))
    }

    /// Whose job shall run on `cpu`; `None` if it idles.
    #[inline]
    pub fn running(&self, cpu: Cpu) -> Option<TaskIndex> {
        self.heads.running(self.head(cpu)).map(|head| head.task)
    }

    /// The job of `task` that is pending, running or not.
    pub fn pending(&self, task: TaskIndex) -> Option<&Job> {
        let member = &self.members[task.index()];
        (!matches!(member.place, Membership::Elsewhere | Membership::Dormant)).then_some(&member.job)
    }

    /// True if `task` is a member.
    pub fn is_member(&self, task: TaskIndex) -> bool {
        self.members[task.index()].place != Membership::Elsewhere
    }

    /// What is known of the member `task`.
    #[inline]
    pub fn parameters(&self, task: TaskIndex) -> &Parameters {
        &self.members[task.index()].parameters
    }

    /// Which head `cpu` is. Panics where the cluster does not serve it.
    #[inline]
    pub(super) fn head(&self, cpu: Cpu) -> usize {
        self.head_of(cpu).expect("the cluster does not serve this processor")
    }

    #[inline]
    fn head_of(&self, cpu: Cpu) -> Option<usize> {
        let head = cpu.number().wrapping_sub(self.first_cpu.number()) as usize;
        (head < self.heads.count()).then_some(head)
    }
}

impl<C: Criterion, const TASKS: usize, const HEADS: usize> Cluster<C, TASKS, HEADS> {
    /// Decides for one processor; repeated until it answers [`Decision::Stay`], the cluster is settled.
    ///
    /// The most urgent waiting job goes to its last processor if that is idle, else to the lowest-numbered idle one, else to
    /// that of the least urgent running job if that is strictly less urgent. No processor switches twice in a row of calls.
    #[inline]
    pub fn settle(&mut self) -> Decision {
        let Some(next) = self.next() else { return Decision::Stay };
        if let Some(head) = self.idle_head_for(next.task) {
            return self.take(head, next);
        }
        if C::PREEMPTIVE { self.choose_at(self.heads.least_urgent().0, next) } else { Decision::Stay }
    }

    /// The most urgent waiting job.
    #[inline]
    pub(super) fn next(&self) -> Option<Head> {
        let (task, rank) = self.waiting.first();
        (rank != Rank::NOBODY).then_some(Head { task, rank })
    }

    /// `next`, the most urgent waiting job, takes `head` if that is idle, or preempts if the criterion lets it and it is
    /// strictly more urgent.
    #[inline]
    pub(super) fn choose_at(&mut self, head: usize, next: Head) -> Decision {
        match self.heads.running(head) {
            None => self.take(head, next),
            Some(running) if C::PREEMPTIVE && next.rank.is_more_urgent_than(running.rank) => {
                self.replace(head, running, next)
            }
            Some(_) => Decision::Stay,
        }
    }

    /// `next`, the most urgent waiting job, takes `head` from `running`, which waits instead.
    #[inline]
    pub(super) fn replace(&mut self, head: usize, running: Head, next: Head) -> Decision {
        self.waiting.remove(next.task);
        self.put_back(running);
        self.start(head, next, Some(running.task))
    }

    /// A head that has become free takes the most urgent waiting job, or idles.
    #[inline(always)]
    pub(super) fn fill(&mut self, head: usize) -> Decision {
        if let Some(next) = self.next() {
            return self.take(head, next);
        }
        self.heads.vacate(head);
        let cpu = self.first_cpu.plus(head);
        Decision::Switch(Switch { cpu, runs: None, preempted: None, migrated_from: None })
    }

    /// `next`, the most urgent waiting job, takes `head`, which is free.
    #[inline]
    fn take(&mut self, head: usize, next: Head) -> Decision {
        self.waiting.remove(next.task);
        self.start(head, next, None)
    }

    /// The job of `task`, ready since now, goes to a head or into the queue.
    ///
    /// In a settled cluster, a job that runs at once never enters the queue. Always inlined: short but for what stands out
    /// of line, and a call would cost a release as much as its decision does.
    #[inline(always)]
    pub(super) fn join(&mut self, task: TaskIndex, now: Instant) -> Decision {
        let rank = self.rank_at(task, now);
        match self.idle_head_for(task) {
            Some(head) if self.waiting.is_empty() => self.start(head, Head { task, rank }, None),
            Some(_) => self.join_unsettled(task, rank),
            None if C::PREEMPTIVE => self.join_busy(Head { task, rank }),
            None => {
                self.wait(task, rank);
                Decision::Stay
            }
        }
    }

    /// `job` comes while every head is busy. Out of line, so that one that runs at once does not pay for it.
    #[inline(never)]
    fn join_busy(&mut self, job: Head) -> Decision {
        let (_, best) = self.waiting.first();
        let (least, running) = self.heads.least_urgent();
        if best.is_more_urgent_than(running.rank) {
            return self.join_unsettled(job.task, job.rank);
        }
        if job.rank.is_more_urgent_than(running.rank) {
            self.put_back(running);
            self.heads.change(least, job);
            return self.run(least, job.task, Some(running.task));
        }
        self.put_back(job);
        Decision::Stay
    }

    /// The job of `task` joins the queue of a cluster that is not settled.
    #[cold]
    fn join_unsettled(&mut self, task: TaskIndex, rank: Rank) -> Decision {
        self.wait(task, rank);
        self.settle()
    }

    /// The job of `task` joins the queue at `now`, and nobody decides.
    #[inline]
    pub(super) fn join_quietly(&mut self, task: TaskIndex, now: Instant) {
        let rank = self.rank_at(task, now);
        self.wait(task, rank);
    }

    /// The rank of the job of `task` if it joins at `now`, which is remembered.
    #[inline]
    pub(super) fn rank_at(&mut self, task: TaskIndex, now: Instant) -> Rank {
        self.members[task.index()].joined = now;
        self.rank(task)
    }

    /// The rank of the job of `task`, the urgency lent to it included.
    #[inline]
    pub(super) fn rank(&self, task: TaskIndex) -> Rank {
        let member = &self.members[task.index()];
        self.criterion.rank(task, &member.parameters, &member.job, member.joined).or_more_urgent(member.inherited)
    }

    #[inline]
    fn wait(&mut self, task: TaskIndex, rank: Rank) {
        self.members[Queue::<TASKS>::within(task.index())].place = Membership::Waiting;
        self.waiting.insert(task, rank);
    }

    #[inline]
    fn put_back(&mut self, running: Head) {
        self.wait(running.task, running.rank);
    }

    /// The last processor of `task` if that is idle, else the lowest-numbered idle one.
    #[inline]
    fn idle_head_for(&self, task: TaskIndex) -> Option<usize> {
        let lowest = self.heads.lowest_idle()?;
        let last = self.members[task.index()].last_cpu.and_then(|cpu| self.head_of(cpu));
        Some(last.filter(|last| self.heads.is_idle(*last)).unwrap_or(lowest))
    }

    /// `job` runs at `head` from now on.
    #[inline]
    fn start(&mut self, head: usize, job: Head, preempted: Option<TaskIndex>) -> Decision {
        self.heads.start(head, job);
        self.run(head, job.task, preempted)
    }

    /// The job of `task` runs at `head` from now on, as the heads know already.
    #[inline]
    fn run(&mut self, head: usize, task: TaskIndex, preempted: Option<TaskIndex>) -> Decision {
        let cpu = self.first_cpu.plus(head);
        let member = &mut self.members[Queue::<TASKS>::within(task.index())];
        member.place = Membership::Running(head as u8);
        let migrated_from = member.last_cpu.replace(cpu).filter(|last| *last != cpu);
        Decision::Switch(Switch { cpu, runs: Some(task), preempted, migrated_from })
    }
}
