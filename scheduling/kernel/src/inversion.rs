//! Three threads that want what less urgent ones hold: Marsal 2013's priority inversion, with and without inheritance.
//!
//! Task 0 is the most urgent and task 2 the least, by their deadlines. The simulator has the same threads, and a test holds the two
//! orders of dispatches against each other.

use crate::bodies::ONCE;
use crate::configuration::QUEUES;
use crate::dispatcher;
use crate::mutex::Mutex;
use crate::run::{Periodic, consume};
use crate::semaphore::Semaphore;
use crate::words::Words;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use prazo_core::job::TaskIndex;
use prazo_core::time::Duration;

const MS: u64 = 1_000_000;
const FIRST: Mutex = Mutex::new(0, 0);
const SECOND: Mutex = Mutex::new(0, 1);
/// In the place of the mutex, where nothing shall be lent.
static GATE: Semaphore = Semaphore::new(1);
static IS_PLAIN: AtomicBool = AtomicBool::new(false);
static MIDDLE_NS: AtomicU64 = AtomicU64::new(0);
static HAS_LOCKS: AtomicBool = AtomicBool::new(true);

/// Tasks 0 and 2 share a lock; 1 would keep 2 from giving it back.
pub fn three(words: &Words) -> impl Iterator<Item = Periodic> {
    // ORDERING: the threads are started behind a lock that the caller takes afterwards.
    IS_PLAIN.store(words.plain != 0, Ordering::Relaxed);
    MIDDLE_NS.store(words.middle_ms.saturating_mul(MS), Ordering::Relaxed);
    once([(10, 60), (14, 120), (0, 300)])
}

/// The three of [`three`], the most urgent one in the last queue, from where it cannot have the mutex.
pub fn stray(words: &Words) -> impl Iterator<Item = Periodic> {
    three(words)
        .enumerate()
        .map(|(number, thread)| if number == 0 { Periodic { queue: QUEUES - 1, ..thread } } else { thread })
}

/// Task 1 preempts 2 within the first mutex, 0 preempts 1 within the second; or the same without mutexes.
pub fn nested(words: &Words) -> impl Iterator<Item = Periodic> {
    // ORDERING: as above.
    HAS_LOCKS.store(words.locks != 0, Ordering::Relaxed);
    once([(20, 80), (10, 190), (0, 300)])
}

/// Threads of one job each, by offset and deadline in milliseconds.
fn once(times: [(u64, u64); 3]) -> impl Iterator<Item = Periodic> {
    times.into_iter().map(|(offset, deadline)| Periodic {
        cost: Duration::ZERO,
        period: ONCE,
        relative_deadline: Duration::from_ms(deadline),
        offset: Duration::from_ms(offset),
        queue: 0,
    })
}

/// What each of [`three`] does, once.
pub fn invert(task: TaskIndex) {
    let _used_ns = match task.index() {
        0 => shared(task, || consume(task, 4 * MS)),
        1 => consume(task, MIDDLE_NS.load(Ordering::Relaxed)),
        _ => shared(task, || consume(task, 20 * MS)),
    };
    dispatcher::wait_next(task);
}

fn shared<T>(task: TaskIndex, body: impl FnOnce() -> T) -> T {
    if !IS_PLAIN.load(Ordering::Relaxed) {
        return FIRST.within(task, body);
    }
    GATE.wait(task);
    let value = body();
    GATE.signal();
    value
}

/// What each of [`nested`] does, once: amounts are of the thread's life.
pub fn nest(task: TaskIndex) {
    let _used_ns = match task.index() {
        0 => {
            consume(task, 4 * MS);
            within(SECOND, task, || consume(task, 10 * MS))
        }
        1 => within(SECOND, task, || {
            consume(task, 15 * MS);
            within(FIRST, task, || consume(task, 20 * MS))
        }),
        _ => within(FIRST, task, || consume(task, 40 * MS)),
    };
    dispatcher::wait_next(task);
}

fn within<T>(mutex: Mutex, task: TaskIndex, body: impl FnOnce() -> T) -> T {
    if HAS_LOCKS.load(Ordering::Relaxed) { mutex.within(task, body) } else { body() }
}
