//! The mutexes of a queue: core's inheritance says whose urgency is lent to whom, and the cluster is told.

use super::{Processors, Queue};
use crate::configuration::CRITERION;
use crate::mutex::MUTEXES;
use crate::trace::TraceEvent;
use prazo_core::criterion::Criterion as _;
use prazo_core::inheritance::Locking;
use prazo_core::job::TaskIndex;
use prazo_core::rank::Rank;
use prazo_core::time::Instant;

/// Changes of inherited urgency, in order; a chain of mutexes changes as many as it is long.
struct Lent {
    changes: [Option<(TaskIndex, Option<Rank>)>; 2 * MUTEXES],
    count: usize,
}

impl Lent {
    const fn new() -> Self {
        Self { changes: [None; 2 * MUTEXES], count: 0 }
    }

    fn push(&mut self, task: TaskIndex, rank: Option<Rank>) {
        self.changes[self.count] = Some((task, rank));
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = (TaskIndex, Option<Rank>)> {
        self.changes.iter().take(self.count).flatten().copied()
    }
}

impl Queue {
    /// `task` wants mutex `mutex`, and is suspended if it must wait for it. Panics where it would wait for itself.
    pub fn lock(&mut self, mutex: usize, task: TaskIndex, now: Instant) -> Processors {
        let job = self.cluster.pending(task).expect("the calling thread's job is pending");
        let rank = CRITERION.rank(task, self.cluster.parameters(task), job, job.release);
        let mut lent = Lent::new();
        match self.mutexes.lock(mutex, task, rank, |task, rank| lent.push(task, rank)) {
            Locking::Holds => self.lend(&lent, now),
            Locking::Waits => self.lend(&lent, now) | self.suspend(task, now),
            Locking::Deadlock => panic!("task {} would wait for itself at mutex {mutex}", task.number()),
        }
    }

    /// `task` gives mutex `mutex` back; who waits for it goes on.
    pub fn unlock(&mut self, mutex: usize, task: TaskIndex, now: Instant) -> Processors {
        let mut lent = Lent::new();
        let next = self.mutexes.unlock(mutex, task, |task, rank| lent.push(task, rank));
        // The next holder first: as urgent as what was lent, it preempts nobody before that is taken back, and only once then.
        let concerned = next.map_or(0, |next| self.resume(next, now));
        concerned | self.lend(&lent, now)
    }

    /// Tells the cluster what is lent to whom from now on.
    fn lend(&mut self, lent: &Lent, now: Instant) -> Processors {
        let mut concerned = 0;
        for (task, rank) in lent.iter() {
            let what = if rank.is_some() { TraceEvent::Inheritance } else { TraceEvent::Disinheritance };
            self.trace.record(now, what, task, self.activities[task.index()].served, 0);
            let decision = self.cluster.inherit(task, rank);
            concerned |= self.take(decision, now);
        }
        concerned
    }
}
