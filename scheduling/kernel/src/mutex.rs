//! A mutex between the threads of one queue, with priority inheritance as core has it.
//!
//! The state of all mutexes of a queue stands behind that queue's lock. A mutex between queues would need a protocol for
//! several processors (Brandenburg, OMLP and others), which core does not have.

use crate::dispatcher;
use prazo_core::job::TaskIndex;

/// Mutexes of one queue, at most.
pub const MUTEXES: usize = 8;

/// Mutex number so and so of the calling thread's queue.
#[derive(Clone, Copy, Debug)]
pub struct Mutex(usize);

impl Mutex {
    /// Mutex `number`, below [`MUTEXES`].
    pub const fn new(number: usize) -> Self {
        assert!(number < MUTEXES, "a queue has eight mutexes");
        Self(number)
    }

    /// Runs `body` as the calling thread `task`, while no other thread is within this mutex.
    ///
    /// Panics where the thread would wait for itself, over any number of others.
    pub fn within<T>(self, task: TaskIndex, body: impl FnOnce() -> T) -> T {
        dispatcher::lock(task, self.0);
        let value = body();
        dispatcher::unlock(task, self.0);
        value
    }
}
