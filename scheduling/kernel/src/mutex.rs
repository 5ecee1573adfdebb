//! A mutex between the threads of one queue, with priority inheritance as core has it.
//!
//! The state of all mutexes of a queue stands behind that queue's lock. A thread of another queue is refused: inheriting its
//! urgency would mean nothing here, where it competes with nobody. That needs a protocol for several queues, in which a
//! holder is raised above all of its own queue (Block, Leontyev, Brandenburg and Anderson, "A flexible real-time locking
//! protocol for multiprocessors", RTCSA 2007; Brandenburg's OMLP), and core has none.

use crate::{dispatcher, run};
use prazo_core::job::TaskIndex;

/// Mutexes of one queue, at most.
pub const MUTEXES: usize = 8;

/// One mutex of one queue.
#[derive(Clone, Copy, Debug)]
pub struct Mutex {
    queue: usize,
    number: usize,
}

impl Mutex {
    /// Mutex `number`, below [`MUTEXES`], for the threads of queue `queue`.
    pub const fn new(queue: usize, number: usize) -> Self {
        assert!(number < MUTEXES, "a queue has eight mutexes");
        Self { queue, number }
    }

    /// Runs `body` as the calling thread `task`, while no other thread is within this mutex.
    ///
    /// Panics where the thread is of another queue, or would wait for itself over any number of others.
    pub fn within<T>(self, task: TaskIndex, body: impl FnOnce() -> T) -> T {
        let Self { queue, number } = self;
        let home = run::queue_of(task);
        let thread = task.number();
        assert!(
            home == queue,
            "mutex {number} is for threads of queue {queue}, and thread {thread} is of queue {home}: urgency is not inherited across queues"
        );
        dispatcher::lock(task, number);
        let value = body();
        dispatcher::unlock(task, number);
        value
    }
}
