//! Priority inheritance: who holds a mutex runs at the urgency of the most urgent job that waits for it.
//!
//! Otherwise a job of middling urgency could keep the holder, and through it the waiting job, from running for as long as
//! it likes. What is lent passes on through chains: who waits for B, held by one who waits for A, lends to the holder of A. Each
//! mutex keeps its waiting jobs in a queue of its own, so that the next holder and the urgency lent are read at its root.
//! Invariant: what a job has inherited is the rank of the most urgent job waiting for any mutex that it holds.
//!
//! Sha, Rajkumar and Lehoczky, "Priority inheritance protocols", IEEE Transactions on Computers 39(9), 1990.

use crate::job::TaskIndex;
use crate::queue::Queue;
use crate::rank::Rank;

/// Mutexes `0..MUTEXES` and the tasks that hold them or wait for them.
#[derive(Clone, Debug)]
pub struct Inheritance<const TASKS: usize, const MUTEXES: usize> {
    mutexes: [Mutex<TASKS>; MUTEXES],
    tasks: [MutexUser; TASKS],
}

#[derive(Clone, Debug)]
struct Mutex<const TASKS: usize> {
    holder: Option<TaskIndex>,
    waiting: Queue<TASKS>,
}

/// One task as the mutexes see it.
#[derive(Clone, Copy, Debug)]
struct MutexUser {
    own: Rank,
    inherited: Rank,
    waits_for: Option<u16>,
}

/// What a task gets that wants a mutex.
#[must_use = "a task that does not hold the mutex must not go on"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// It holds the mutex.
    Holds,
    /// It must be suspended until [`Inheritance::unlock`] names it.
    Waits,
    /// It would wait for itself, over any number of others; nothing has changed.
    Deadlock,
}

impl<const TASKS: usize, const MUTEXES: usize> Inheritance<TASKS, MUTEXES> {
    /// No mutex is held; for tasks `0..tasks`.
    pub const fn new(tasks: usize) -> Self {
        let party = MutexUser { own: Rank::NOBODY, inherited: Rank::NOBODY, waits_for: None };
        let mut mutexes = [const { Mutex { holder: None, waiting: Queue::new(TASKS) } }; MUTEXES];
        let mut mutex = 0;
        while mutex < MUTEXES {
            mutexes[mutex].waiting = Queue::new(tasks);
            mutex += 1;
        }
        Self { mutexes, tasks: [party; TASKS] }
    }

    /// `task`, whose own rank is `rank`, wants `mutex`. Every task whose inherited rank changes is told to `lend`.
    pub fn lock(
        &mut self,
        mutex: usize,
        task: TaskIndex,
        rank: Rank,
        lend: impl FnMut(TaskIndex, Option<Rank>),
    ) -> Locking {
        let Some(holder) = self.mutexes[mutex].holder else {
            self.mutexes[mutex].holder = Some(task);
            self.tasks[task.index()].own = rank;
            return Locking::Holds;
        };
        if self.would_wait_for(holder, task) {
            return Locking::Deadlock;
        }
        (self.tasks[task.index()].own, self.tasks[task.index()].waits_for) = (rank, Some(mutex as u16));
        self.pass_on(task, lend);
        Locking::Waits
    }

    /// `task` gives `mutex` back; answers the task that holds it now and must be resumed. Panics if `task` did not hold it.
    pub fn unlock(
        &mut self,
        mutex: usize,
        task: TaskIndex,
        mut lend: impl FnMut(TaskIndex, Option<Rank>),
    ) -> Option<TaskIndex> {
        assert!(self.mutexes[mutex].holder == Some(task), "a mutex is given back by the task that holds it");
        let (next, rank) = self.mutexes[mutex].waiting.first();
        let next = (rank != Rank::NOBODY).then_some(next);
        self.mutexes[mutex].holder = next;
        if let Some(next) = next {
            self.mutexes[mutex].waiting.remove(next);
            self.tasks[next.index()].waits_for = None;
            self.inherit(next, &mut lend);
        }
        self.inherit(task, &mut lend);
        next
    }

    /// `task` has another rank of its own from now on: what it lends while it waits changes with it.
    pub fn rerank(&mut self, task: TaskIndex, rank: Rank, lend: impl FnMut(TaskIndex, Option<Rank>)) {
        self.tasks[task.index()].own = rank;
        self.pass_on(task, lend);
    }

    /// Who holds `mutex`.
    pub fn holder(&self, mutex: usize) -> Option<TaskIndex> {
        self.mutexes[mutex].holder
    }

    /// The rank lent to `task`.
    pub fn inherited(&self, task: TaskIndex) -> Option<Rank> {
        let rank = self.tasks[task.index()].inherited;
        (rank != Rank::NOBODY).then_some(rank)
    }

    /// True if `holder` is `task`, or waits for it over any number of others.
    fn would_wait_for(&self, mut holder: TaskIndex, task: TaskIndex) -> bool {
        while holder != task {
            let Some(next) = self.holder_before(holder) else { return false };
            holder = next;
        }
        true
    }

    /// Who holds the mutex that `task` waits for.
    fn holder_before(&self, task: TaskIndex) -> Option<TaskIndex> {
        self.mutexes[usize::from(self.tasks[task.index()].waits_for?)].holder
    }

    /// The rank of `task` goes to whom it waits for, and on from there as far as anything changes.
    fn pass_on(&mut self, mut task: TaskIndex, mut lend: impl FnMut(TaskIndex, Option<Rank>)) {
        while let Some(mutex) = self.tasks[task.index()].waits_for {
            let MutexUser { own, inherited, .. } = self.tasks[task.index()];
            let mutex = &mut self.mutexes[usize::from(mutex)];
            mutex.waiting.remove(task);
            mutex.waiting.insert(task, own.or_more_urgent(inherited));
            let Some(holder) = mutex.holder else { return };
            if !self.inherit(holder, &mut lend) {
                return;
            }
            task = holder;
        }
    }

    /// What `task` inherits is computed anew; true if it changed.
    fn inherit(&mut self, task: TaskIndex, lend: &mut impl FnMut(TaskIndex, Option<Rank>)) -> bool {
        let held = self.mutexes.iter().filter(|mutex| mutex.holder == Some(task));
        let rank = held.map(|mutex| mutex.waiting.first().1).fold(Rank::NOBODY, Rank::or_more_urgent);
        let before = core::mem::replace(&mut self.tasks[task.index()].inherited, rank);
        if before != rank {
            lend(task, self.inherited(task));
        }
        before != rank
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn task(number: usize) -> TaskIndex {
        TaskIndex::new(number).unwrap()
    }

    fn rank(value: u64) -> Rank {
        Rank::new(value)
    }

    type Lent = Vec<(usize, Option<Rank>)>;

    /// The locks and the ranks lent so far.
    struct Bench {
        mutexes: Inheritance<8, 2>,
        lent: Lent,
    }

    impl Bench {
        fn new() -> Self {
            Self { mutexes: Inheritance::new(8), lent: vec![] }
        }

        /// `number`, whose rank is its number, wants `mutex`.
        fn lock(&mut self, mutex: usize, number: usize) -> Locking {
            let note = |task: TaskIndex, rank| self.lent.push((task.index(), rank));
            self.mutexes.lock(mutex, task(number), rank(number as u64), note)
        }

        fn unlock(&mut self, mutex: usize, number: usize) -> Option<usize> {
            let note = |task: TaskIndex, rank| self.lent.push((task.index(), rank));
            self.mutexes.unlock(mutex, task(number), note).map(TaskIndex::index)
        }

        fn lent(&mut self) -> Lent {
            core::mem::take(&mut self.lent)
        }
    }

    #[test]
    fn the_holder_runs_at_the_urgency_of_the_most_urgent_waiting_job() {
        let mut bench = Bench::new();
        assert_eq!(bench.lock(0, 5), Locking::Holds);
        assert_eq!(bench.lock(0, 3), Locking::Waits);
        assert_eq!(bench.lock(0, 4), Locking::Waits);
        assert_eq!(bench.lock(0, 1), Locking::Waits);
        assert_eq!(bench.lent(), [(5, Some(rank(3))), (5, Some(rank(1)))]);
        assert_eq!(bench.unlock(0, 5), Some(1));
        assert_eq!(bench.lent(), [(1, Some(rank(3))), (5, None)]);
        assert_eq!(bench.unlock(0, 1), Some(3));
        assert_eq!(bench.unlock(0, 3), Some(4));
        assert_eq!(bench.unlock(0, 4), None);
    }

    #[test]
    fn what_is_lent_passes_through_a_chain() {
        let mut bench = Bench::new();
        assert_eq!(bench.lock(0, 7), Locking::Holds);
        assert_eq!(bench.lock(1, 6), Locking::Holds);
        assert_eq!(bench.lock(0, 6), Locking::Waits);
        assert_eq!(bench.lock(1, 2), Locking::Waits);
        assert_eq!(bench.lent(), [(7, Some(rank(6))), (6, Some(rank(2))), (7, Some(rank(2)))]);
        assert_eq!(bench.unlock(0, 7), Some(6));
        assert_eq!(bench.lent(), [(7, None)], "6 keeps what 2 lends it through the other mutex");
    }

    #[test]
    fn a_circle_of_waiting_tasks_is_refused() {
        let mut bench = Bench::new();
        assert_eq!(bench.lock(0, 1), Locking::Holds);
        assert_eq!(bench.lock(1, 2), Locking::Holds);
        assert_eq!(bench.lock(1, 1), Locking::Waits);
        assert_eq!(bench.lock(0, 2), Locking::Deadlock);
        assert_eq!(bench.lock(0, 1), Locking::Deadlock, "nor may a task wait for itself");
    }

    #[test]
    fn a_rank_that_changes_while_it_waits_changes_what_is_lent() {
        let mut bench = Bench::new();
        assert_eq!(bench.lock(0, 7), Locking::Holds);
        assert_eq!(bench.lock(0, 6), Locking::Waits);
        let mut lent = vec![];
        bench.mutexes.rerank(task(6), rank(1), |task, rank| lent.push((task.index(), rank)));
        assert_eq!(lent, [(7, Some(rank(1)))]);
    }
}
