//! Ready jobs of one cluster, ordered by urgency: a tournament in which every task has a place of its own.
//!
//! Each inner node of a binary tree remembers who is the most urgent below it, so reading the most urgent job of all costs one
//! load. A job that joins wins its way up until it loses; one that leaves has the matches that it won played again. Both end
//! after log2(n) steps at the latest. Equal ranks are won by the lower task index: that is the house's tie rule.
//!
//! ```text
//!                 1: task 2                winners = [_, 2, 0, 2]
//!           2: task 0    3: task 2
//!           rank 5  9      4  7            tasks 0 to 3 stand at nodes 4 to 7
//! ```
//!
//! One job may stand aside, the newcomer. Most jobs that join are the most urgent and leave again at once: a release that
//! preempts, a preempted job that goes on when the preempting one ends. They never enter the tree.
//!
//! A list, as Vitor 2013 has it, is walked on insertion, which is what its figure 4 shows; a heap is as good as this on
//! average, but must keep a table of positions to find the job that is suspended.

use crate::job::TaskIndex;
use crate::rank::Rank;

/// The waiting jobs of at most `TASKS` tasks, one job a task.
#[derive(Clone, Debug)]
pub(crate) struct Queue<const TASKS: usize> {
    /// By task; [`Rank::NOBODY`] where none waits.
    ranks: [Rank; TASKS],
    /// By inner node, the root is 1: the task that wins below it.
    winners: [u16; TASKS],
    /// Who stands aside, with its rank; nobody's if none does, and then who did so last, who cannot be in the tree.
    newcomer: u16,
    newcomer_rank: Rank,
    /// Leaves in use, a power of two: node `leaves + task` is the task's leaf.
    leaves: usize,
}

const ROOT: usize = 1;

impl<const TASKS: usize> Queue<TASKS> {
    /// An empty queue for tasks `0..tasks`: the fewer there are, the lower the tree.
    pub(crate) const fn new(tasks: usize) -> Self {
        const { assert!(TASKS.is_power_of_two() && TASKS > 1, "the capacity of a queue is a power of two, at least 2") };
        const { assert!(TASKS <= crate::job::TASKS_MAX, "the capacity of a queue is above TASKS_MAX") };
        assert!(tasks <= TASKS, "more tasks than the queue has places");
        let leaves = if tasks <= 2 { 2 } else { tasks.next_power_of_two() };
        let (ranks, winners) = ([Rank::NOBODY; TASKS], Self::drawn(leaves));
        Self { ranks, winners, newcomer: 0, newcomer_rank: Rank::NOBODY, leaves }
    }

    /// The tree before anybody waits: every match is drawn, so the lowest task index stands everywhere.
    const fn drawn(leaves: usize) -> [u16; TASKS] {
        let mut winners = [0; TASKS];
        let mut node = leaves - 1;
        while node >= ROOT {
            winners[node] = if node >= leaves / 2 { (2 * node - leaves) as u16 } else { winners[2 * node] };
            node -= 1;
        }
        winners
    }

    /// The most urgent waiting task with its rank; nobody's rank where none waits.
    #[inline]
    pub(crate) fn first(&self) -> (TaskIndex, Rank) {
        let winner = self.winners[ROOT];
        let rank = self.rank(winner);
        if self.newcomer_rank.goes_before(rank, self.newcomer < winner) {
            return (TaskIndex::stored(self.newcomer), self.newcomer_rank);
        }
        (TaskIndex::stored(winner), rank)
    }

    /// True if nobody waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.newcomer_rank == Rank::NOBODY && self.rank(self.winners[ROOT]) == Rank::NOBODY
    }

    /// True if the queue has a place for `task`.
    pub(crate) const fn holds(&self, task: TaskIndex) -> bool {
        task.index() < self.leaves
    }

    /// `task`, which did not wait, waits with `rank` from now on.
    #[inline]
    pub(crate) fn insert(&mut self, task: TaskIndex, rank: Rank) {
        let (mut task, mut rank) = (task.number(), rank);
        if rank.is_more_urgent_than(self.newcomer_rank) {
            core::mem::swap(&mut task, &mut self.newcomer);
            core::mem::swap(&mut rank, &mut self.newcomer_rank);
            if rank == Rank::NOBODY {
                return;
            }
        }
        self.enter(task, rank);
    }

    /// `task`, which did not wait, waits with `rank` once [`play_all`](Self::play_all) has been called.
    #[inline]
    pub(crate) fn place(&mut self, task: TaskIndex, rank: Rank) {
        if self.newcomer == task.number() {
            self.newcomer_rank = rank;
        } else {
            self.ranks[Self::within(task.index())] = rank;
        }
    }

    /// Plays all matches anew, from the leaves up: n steps, whatever has changed.
    pub(crate) fn play_all(&mut self) {
        for node in (ROOT..self.leaves).rev() {
            let below = 2 * node;
            let (left, right) = if below < self.leaves {
                (self.winners[Self::within(below)], self.winners[Self::within(below + 1)])
            } else {
                ((below - self.leaves) as u16, (below - self.leaves) as u16 + 1)
            };
            let is_right = self.rank(right).is_more_urgent_than(self.rank(left));
            self.winners[Self::within(node)] = if is_right { right } else { left };
        }
    }

    /// `task` waits no longer.
    #[inline]
    pub(crate) fn remove(&mut self, task: TaskIndex) {
        if self.newcomer == task.number() {
            self.newcomer_rank = Rank::NOBODY;
        } else {
            self.leave(task.number());
        }
    }

    /// `task` enters the tree with `rank`.
    #[inline]
    fn enter(&mut self, task: u16, rank: Rank) {
        debug_assert!(self.rank(task) == Rank::NOBODY, "the task waits already");
        self.ranks[Self::within(task as usize)] = rank;
        let mut node = self.parent(task);
        while node >= ROOT {
            let winner = Self::within(self.winners[Self::within(node)] as usize);
            if !rank.goes_before(self.ranks[winner], task as usize <= winner) {
                return;
            }
            self.winners[Self::within(node)] = task;
            node /= 2;
        }
    }

    /// `task` leaves the tree.
    #[inline]
    fn leave(&mut self, task: u16) {
        self.ranks[Self::within(task as usize)] = Rank::NOBODY;
        let mut node = self.parent(task);
        let mut winner = task ^ 1;
        let mut best = self.rank(winner);
        while self.winners[Self::within(node)] == task {
            self.winners[Self::within(node)] = winner;
            if node == ROOT {
                return;
            }
            let rival = self.winners[Self::within(node ^ 1)];
            let rank = self.rank(rival);
            // Below an odd node all task indices are above those of its sibling.
            if rank.goes_before(best, node % 2 == 1) {
                (winner, best) = (rival, rank);
            }
            node /= 2;
        }
    }

    /// The inner node above the leaf of `task`.
    #[inline]
    const fn parent(&self, task: u16) -> usize {
        Self::within((self.leaves + task as usize) / 2)
    }

    #[inline]
    fn rank(&self, task: u16) -> Rank {
        self.ranks[Self::within(task as usize)]
    }

    /// `index`, which is below the capacity; the mask lets the compiler see it and leave the check out of the loops.
    #[inline]
    pub(crate) const fn within(index: usize) -> usize {
        debug_assert!(index < TASKS, "nodes and tasks are below the capacity");
        index & (TASKS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: usize) -> TaskIndex {
        TaskIndex::new(number).unwrap()
    }

    #[test]
    fn the_most_urgent_stands_first_and_ties_go_to_the_lower_index() {
        let mut queue = Queue::<8>::new(5);
        assert_eq!((queue.first().1, queue.is_empty()), (Rank::NOBODY, true));
        for (number, rank) in [(4, 7), (2, 7), (3, 9)] {
            queue.insert(task(number), Rank::new(rank));
        }
        assert_eq!((queue.first(), queue.is_empty()), ((task(2), Rank::new(7)), false));
        queue.remove(task(2));
        assert_eq!(queue.first(), (task(4), Rank::new(7)));
        queue.remove(task(3));
        queue.insert(task(3), Rank::new(1));
        assert_eq!(queue.first(), (task(3), Rank::new(1)));
    }

    #[test]
    fn one_task_has_a_queue_too() {
        let mut queue = Queue::<2>::new(1);
        queue.insert(task(0), Rank::new(3));
        assert_eq!(queue.first(), (task(0), Rank::new(3)));
        queue.remove(task(0));
        assert_eq!(queue.first().1, Rank::NOBODY);
    }
}
