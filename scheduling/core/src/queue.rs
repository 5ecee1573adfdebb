//! Ready jobs of one cluster, ordered by urgency: a tournament in which every task has a place of its own.
//!
//! Each inner node of a binary tree remembers the more urgent of the two winners below it, so the most urgent job stands at
//! the root and reading it costs one load. A change at a leaf replays the matches on its way up, log2(n) of them at most, and
//! stops where the outcome is the same as before. Equal ranks are won by the lower task index: that is the house's tie rule.
//!
//! ```text
//!                 1: task 2                winners[1] = [0, 2]
//!           2: task 0    3: task 2         winners[2] = [0, 1], winners[3] = [2, 3]
//!           rank 7  9      4  7            tasks 0 to 3, at nodes 4 to 7
//! ```
//!
//! A list, as papers/004 has it, is walked on insertion, which is what its figure 4 shows; a heap is as good as this on
//! average, but must keep a table of positions to find the job that is suspended.

use crate::job::TaskIndex;
use crate::rank::Rank;

/// The waiting jobs of at most `TASKS` tasks, one job a task.
#[derive(Clone, Debug)]
pub struct Queue<const TASKS: usize> {
    /// By task; [`Rank::NOBODY`] where none waits.
    ranks: [Rank; TASKS],
    /// By inner node: who wins on its left and on its right side. Node 0 stands above the root, which is on its right.
    winners: [[u16; 2]; TASKS],
    /// Leaves in use, a power of two: node `leaves + task` is the task's leaf.
    leaves: usize,
}

/// The side of a node on which its lower task indices are.
const LEFT: usize = 0;

impl<const TASKS: usize> Queue<TASKS> {
    /// An empty queue for tasks `0..tasks`: the fewer there are, the lower the tree.
    pub const fn new(tasks: usize) -> Self {
        const { assert!(TASKS.is_power_of_two(), "the capacity of a queue is a power of two") };
        const { assert!(TASKS <= crate::job::TASKS_MAX, "the capacity of a queue is above TASKS_MAX") };
        assert!(tasks <= TASKS, "more tasks than the queue has places");
        let leaves = if tasks == 0 { 1 } else { tasks.next_power_of_two() };
        Self { ranks: [Rank::NOBODY; TASKS], winners: Self::drawn(leaves), leaves }
    }

    /// The tree before anybody waits: every match is drawn, so the lowest task index stands everywhere.
    const fn drawn(leaves: usize) -> [[u16; 2]; TASKS] {
        let mut winners = [[0; 2]; TASKS];
        let mut node = 2 * leaves - 1;
        while node > 0 {
            let winner = if node < leaves { winners[node][LEFT] } else { (node - leaves) as u16 };
            winners[node / 2][node % 2] = winner;
            node -= 1;
        }
        winners
    }

    /// The most urgent waiting task with its rank; nobody's rank where none waits.
    #[inline]
    pub fn first(&self) -> (TaskIndex, Rank) {
        let winner = self.winners[0][1];
        (TaskIndex::stored(winner), self.ranks[usize::from(winner)])
    }

    /// True if no job waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first().1 == Rank::NOBODY
    }

    /// True if the queue has a place for `task`.
    pub const fn holds(&self, task: TaskIndex) -> bool {
        task.index() < self.leaves
    }

    /// `task` waits with `rank` from now on, whether or not it did before.
    #[inline]
    pub fn insert(&mut self, task: TaskIndex, rank: Rank) {
        self.ranks[task.index()] = rank;
        self.replay(task.number(), rank);
    }

    /// `task` waits no longer.
    #[inline]
    pub fn remove(&mut self, task: TaskIndex) {
        self.insert(task, Rank::NOBODY);
    }

    /// Plays the matches between the leaf of `task` and the root again.
    fn replay(&mut self, task: u16, rank: Rank) {
        let (mut winner, mut best) = (task, rank);
        let mut node = self.leaves + usize::from(task);
        loop {
            let (parent, side) = (node / 2, node % 2);
            let sides = &mut self.winners[parent];
            if sides[side] == winner && winner != task {
                return;
            }
            sides[side] = winner;
            if parent == 0 {
                return;
            }
            let rival = sides[1 - side];
            let rival_rank = self.ranks[usize::from(rival)];
            if rival_rank.is_more_urgent_than(best) || (rival_rank == best && side != LEFT) {
                (winner, best) = (rival, rival_rank);
            }
            node = parent;
        }
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
        assert!(queue.is_empty());
        for (number, rank) in [(4, 7), (2, 7), (3, 9)] {
            queue.insert(task(number), Rank::new(rank));
        }
        assert_eq!(queue.first(), (task(2), Rank::new(7)));
        queue.remove(task(2));
        assert_eq!(queue.first(), (task(4), Rank::new(7)));
        queue.insert(task(3), Rank::new(1));
        assert_eq!(queue.first(), (task(3), Rank::new(1)));
    }

    #[test]
    fn one_task_needs_no_tree() {
        let mut queue = Queue::<1>::new(1);
        queue.insert(task(0), Rank::new(3));
        assert_eq!(queue.first(), (task(0), Rank::new(3)));
        queue.remove(task(0));
        assert!(queue.is_empty());
    }
}
