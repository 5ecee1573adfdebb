//! A semaphore between any threads, those of other queues included.
//!
//! It has a lock of its own, taken before that of a queue. Who must wait is suspended while that lock is held, so that no
//! wake-up falls between the two. Waiting threads are woken in the order in which they came.

use crate::arch::{self, Lock};
use crate::configuration::TASKS;
use crate::dispatcher;
use prazo_core::job::TaskIndex;

/// A count that is never negative, and the threads that wait for it.
pub struct Semaphore(Lock<State>);

struct State {
    count: u32,
    waiting: [u16; TASKS],
    first: usize,
    length: usize,
}

impl Semaphore {
    /// A semaphore that `count` threads may pass.
    pub const fn new(count: u32) -> Self {
        Self(Lock::new(State { count, waiting: [0; TASKS], first: 0, length: 0 }))
    }

    /// The calling thread `task` passes, waiting until it may.
    pub fn wait(&self, task: TaskIndex) {
        arch::uninterrupted(|off| {
            let mut state = self.0.lock_within(off);
            if state.count > 0 {
                state.count -= 1;
                return;
            }
            state.push(task);
            dispatcher::suspend(task, state, off);
        });
    }

    /// One more thread may pass; the one that waits longest goes on.
    pub fn signal(&self) {
        arch::uninterrupted(|off| {
            let mut state = self.0.lock_within(off);
            let Some(task) = state.pop() else {
                state.count += 1;
                return;
            };
            drop(state);
            dispatcher::resume(task, off);
        });
    }
}

impl State {
    /// Every thread waits for one thing at most, so there is room.
    fn push(&mut self, task: TaskIndex) {
        self.waiting[(self.first + self.length) % TASKS] = task.number();
        self.length += 1;
    }

    fn pop(&mut self) -> Option<TaskIndex> {
        self.length = self.length.checked_sub(1)?;
        let task = self.waiting[self.first];
        self.first = (self.first + 1) % TASKS;
        TaskIndex::new(usize::from(task))
    }
}
