//! What can happen to a cluster, each with the decision that follows from it.

use super::cluster::Cluster;
use super::decision::Decision;
use super::membership::{Member, Membership};
use crate::cpu::Cpu;
use crate::criterion::Criterion;
use crate::heads::Head;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::{Duration, Instant};

impl<C: Criterion, const TASKS: usize, const HEADS: usize> Cluster<C, TASKS, HEADS> {
    /// `task` becomes a member, with no job pending. Panics if it is one already, or beyond the capacity.
    pub fn admit(&mut self, task: TaskIndex, parameters: Parameters) {
        assert!(self.waiting.holds(task), "the cluster was made for fewer tasks");
        assert!(!self.is_member(task), "the task is a member already");
        self.members[task.index()] = Member { parameters, place: Membership::Dormant, ..Member::NOBODY };
    }

    /// `job` of `task` becomes ready at `now`. Panics if a job of the task is pending: jobs of a task run in sequence.
    #[inline]
    pub fn insert(&mut self, task: TaskIndex, job: Job, now: Instant) -> Decision {
        self.accept(task, job);
        self.join(task, now)
    }

    /// As [`insert`](Self::insert), but leaves the decision to [`settle`](Self::settle).
    #[inline]
    pub fn enqueue(&mut self, task: TaskIndex, job: Job, now: Instant) {
        self.accept(task, job);
        self.join_quietly(task, now);
    }

    /// The jobs that `job_of` hands out for the members become ready at `now`; the decision is left to
    /// [`settle`](Self::settle).
    ///
    /// As many steps as the cluster has places: cheaper than [`enqueue`](Self::enqueue) for each where more than one member
    /// in log2 of them gets a job.
    pub fn enqueue_all(&mut self, now: Instant, mut job_of: impl FnMut(TaskIndex, &Parameters) -> Option<Job>) {
        for task in (0..TASKS).filter_map(TaskIndex::new) {
            let member = &self.members[task.index()];
            if member.place == Membership::Elsewhere {
                continue;
            }
            if let Some(job) = job_of(task, &member.parameters) {
                self.accept(task, job);
                self.members[task.index()].place = Membership::Waiting;
                let rank = self.rank_at(task, now);
                self.waiting.place(task, rank);
            }
        }
        self.waiting.play_all();
    }

    #[inline]
    fn accept(&mut self, task: TaskIndex, job: Job) {
        let member = &mut self.members[task.index()];
        assert!(member.place == Membership::Dormant, "a job of the task is pending, or it is no member");
        member.job = job;
    }

    /// The pending job of `task` has ended, or is ended before its time. The head it leaves takes the next.
    #[inline]
    pub fn complete(&mut self, task: TaskIndex) -> Decision {
        match self.withdraw(task, Membership::Dormant) {
            Some(head) => self.fill(head),
            None => Decision::Stay,
        }
    }

    /// As [`complete`](Self::complete), but leaves the decision to [`settle`](Self::settle); the head idles until then.
    #[inline]
    pub fn finish(&mut self, task: TaskIndex) {
        if let Some(head) = self.withdraw(task, Membership::Dormant) {
            self.heads.vacate(head);
        }
    }

    /// The pending job of `task` waits for something else than a processor. Nothing changes where none is pending.
    pub fn suspend(&mut self, task: TaskIndex) -> Decision {
        if self.pending(task).is_none() {
            return Decision::Stay;
        }
        match self.withdraw(task, Membership::Suspended) {
            Some(head) => self.fill(head),
            None => Decision::Stay,
        }
    }

    /// What the suspended job of `task` waited for has come. Nothing changes where it is not suspended.
    pub fn resume(&mut self, task: TaskIndex, now: Instant) -> Decision {
        if self.members[task.index()].place != Membership::Suspended {
            return Decision::Stay;
        }
        self.join(task, now)
    }

    /// `task` leaves the cluster for good, its pending job with it.
    pub fn remove(&mut self, task: TaskIndex) -> Decision {
        match self.withdraw(task, Membership::Elsewhere) {
            Some(head) => self.fill(head),
            None => Decision::Stay,
        }
    }

    /// Takes the job of `task` from queue or head, and answers which head it leaves; that one is still marked busy.
    #[inline]
    fn withdraw(&mut self, task: TaskIndex, to: Membership) -> Option<usize> {
        let from = core::mem::replace(&mut self.members[task.index()].place, to);
        match from {
            Membership::Waiting => self.waiting.remove(task),
            Membership::Running(head) => return Some(usize::from(head)),
            Membership::Elsewhere | Membership::Dormant | Membership::Suspended => {}
        }
        None
    }

    /// Who shall run on `cpu`, decided anew: a strictly more urgent waiting job takes the processor.
    ///
    /// In a settled cluster the answer is always to stay.
    pub fn choose(&mut self, cpu: Cpu) -> Decision {
        let head = self.head(cpu);
        match self.next() {
            Some(next) => self.choose_at(head, next),
            None => Decision::Stay,
        }
    }

    /// The most urgent waiting job takes `cpu`, be it less urgent than the running one, which waits from now on.
    ///
    /// That leaves the cluster unsettled: the next decision may give the processor back.
    pub fn choose_another(&mut self, cpu: Cpu) -> Decision {
        let head = self.head(cpu);
        match (self.next(), self.heads.running(head)) {
            (Some(next), Some(running)) => self.replace(head, running, next),
            (Some(next), None) => self.choose_at(head, next),
            (None, _) => Decision::Stay,
        }
    }

    /// The job on `cpu` steps behind its equals: under round robin behind all others, which is the end of its quantum.
    pub fn yield_now(&mut self, cpu: Cpu, now: Instant) -> Decision {
        let head = self.head(cpu);
        let Some(running) = self.heads.running(head) else { return Decision::Stay };
        let behind = Head { task: running.task, rank: self.rank_at(running.task, now) };
        self.heads.start(head, behind);
        match self.next() {
            Some(next) if !behind.rank.is_more_urgent_than(next.rank) => self.replace(head, behind, next),
            _ => Decision::Stay,
        }
    }

    /// `task` has another period from now on. A pending job keeps its deadline, but not its rank where that is the period.
    pub fn change_period(&mut self, task: TaskIndex, period: Duration) -> Decision {
        self.members[task.index()].parameters.period = period;
        self.rerank(task)
    }

    /// The pending job of `task` has another deadline from now on: its server has postponed it.
    pub fn change_deadline(&mut self, task: TaskIndex, absolute_deadline: Instant) -> Decision {
        self.members[task.index()].job.absolute_deadline = absolute_deadline;
        self.rerank(task)
    }

    /// As [`change_deadline`](Self::change_deadline), but leaves the decision to [`settle`](Self::settle).
    pub fn postpone(&mut self, task: TaskIndex, absolute_deadline: Instant) {
        self.members[task.index()].job.absolute_deadline = absolute_deadline;
        self.rerank_quietly(task);
    }

    /// `task` is as urgent as `rank` from now on, unless it is more so by itself; `None` takes back what was lent.
    pub fn inherit(&mut self, task: TaskIndex, rank: Option<Rank>) -> Decision {
        self.members[task.index()].inherited = rank.unwrap_or(Rank::NOBODY);
        self.rerank(task)
    }

    /// As [`inherit`](Self::inherit), but leaves the decision to [`settle`](Self::settle).
    pub fn inherit_quietly(&mut self, task: TaskIndex, rank: Option<Rank>) {
        self.members[task.index()].inherited = rank.unwrap_or(Rank::NOBODY);
        self.rerank_quietly(task);
    }

    /// The rank of the pending job of `task`, what it inherited included.
    pub fn rank_of(&self, task: TaskIndex) -> Option<Rank> {
        self.pending(task).map(|_| self.rank(task))
    }

    /// Ranks the pending job of `task` anew and decides; where none is ready, nothing changes.
    fn rerank(&mut self, task: TaskIndex) -> Decision {
        if self.rerank_quietly(task) { self.settle() } else { Decision::Stay }
    }

    /// Ranks the pending job of `task` anew; false if none is ready.
    fn rerank_quietly(&mut self, task: TaskIndex) -> bool {
        let rank = self.rank(task);
        match self.members[task.index()].place {
            Membership::Waiting => {
                self.waiting.remove(task);
                self.waiting.insert(task, rank);
            }
            Membership::Running(head) => self.heads.start(usize::from(head), Head { task, rank }),
            Membership::Elsewhere | Membership::Dormant | Membership::Suspended => return false,
        }
        true
    }
}
