//! How many ready queues there are, and how many processors each one serves.
//!
//! Global is one queue with m heads, partitioned is m queues with one head, clustered is anything between, also unequal
//! (Vitor 2013 section III-B). Queue after queue takes the next processors in order: heads of 2, 1 and 1 serve 0-1, 2
//! and 3. A [`Fixed`] shape is a constant, wrong ones do not compile; a [`Value`] is checked when it is made.
//!
//! Processor affinity is the choice of a queue: a task that may run on a set of processors goes to a queue that serves none
//! but those. Sets that cut through a queue are refused; to honour them is another problem (Cerqueira, Gujarati and
//! Brandenburg 2014), in which preempting one job can move a third.

mod error;
mod fixed;
mod value;

pub use error::{QUEUES_MAX, ShapeError};
pub use fixed::Fixed;
pub use value::Value;

use crate::cpu::{Cpu, CpuSet};

/// Queues and the processors they serve.
pub trait Shape {
    /// How many queues; at least one.
    fn queues(&self) -> usize;

    /// How many processors `queue` serves; at least one. Panics beyond the last queue.
    fn heads(&self, queue: usize) -> usize;

    /// How many processors there are: the heads of all queues.
    fn processors(&self) -> usize {
        (0..self.queues()).map(|queue| self.heads(queue)).sum()
    }

    /// The lowest-numbered processor of `queue`; the others follow it.
    fn first_cpu(&self, queue: usize) -> Cpu {
        Cpu::LOWEST.plus((0..queue).map(|before| self.heads(before)).sum())
    }

    /// The queue that serves `cpu`; `None` beyond the last processor.
    fn queue_of(&self, cpu: Cpu) -> Option<usize> {
        (0..self.queues()).find(|queue| self.serves(*queue, cpu))
    }

    /// True if `queue` serves `cpu`.
    fn serves(&self, queue: usize, cpu: Cpu) -> bool {
        let first = self.first_cpu(queue).number() as usize;
        (first..first + self.heads(queue)).contains(&(cpu.number() as usize))
    }

    /// The first queue all of whose processors are in `affinity`; `None` where every queue has one outside.
    fn queue_within(&self, affinity: &CpuSet) -> Option<usize> {
        let inside = |queue: &usize| {
            let first = self.first_cpu(*queue);
            (0..self.heads(*queue)).all(|head| affinity.contains(first.plus(head)))
        };
        (0..self.queues()).find(inside)
    }
}
