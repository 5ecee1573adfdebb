//! Threads that do something else than consume time: they wake each other, or share a mutex.

use crate::arch::{self, PROCESSORS_MAX, Stamp};
use crate::configuration::{QUEUES, TASKS};
use crate::dispatcher;
use crate::measure::{self, Measure};
use crate::mutex::Mutex;
use crate::run::{Periodic, consume};
use crate::semaphore::Semaphore;
use core::sync::atomic::{AtomicU64, Ordering};
use prazo_core::job::TaskIndex;
use prazo_core::time::Duration;

/// A period longer than any run, for threads of one job.
const ONCE: Duration = Duration::from_s(3_600);

static TURN: [Semaphore; TASKS] = [const { Semaphore::new(0) }; TASKS];
/// By task: how often it was woken by its partner.
static TURNS: [AtomicU64; TASKS] = [const { AtomicU64::new(0) }; TASKS];
const SHARED: Mutex = Mutex::new(0, 0);

/// By processor: when a thread of the pair was last about to block there; zero once the other has read it.
static LEFT: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];

/// Two threads of queue 0 that take turns, and `threads - 2` of all queues whose release does not come in any run.
///
/// The second arrives when the first has blocked, so that both begin on the queue's lowest processor, and core keeps them.
pub fn pair(threads: usize) -> impl Iterator<Item = Periodic> {
    (0..threads.max(2)).map(|number| {
        let offset = match number {
            0 => Duration::ZERO,
            1 => Duration::from_ms(1),
            _ => ONCE,
        };
        let queue = if number < 2 { 0 } else { number % QUEUES };
        Periodic { cost: Duration::ZERO, period: ONCE, relative_deadline: ONCE, offset, queue }
    })
}

/// The two of [`pair`] take turns for ever: one stamps and blocks, the other stamps as it goes on.
pub fn take_turns(task: TaskIndex) -> ! {
    let other = TaskIndex::new(task.index() ^ 1);
    let mut next = other.filter(|other| other.index() < task.index());
    loop {
        LEFT[arch::current_processor()].store(arch::stamp().0, Ordering::Relaxed);
        dispatcher::hand_over(task, next);
        next = other;
        let left = LEFT[arch::current_processor()].swap(0, Ordering::Relaxed);
        assert!(left != 0, "the two threads of the pair are on different processors");
        measure::since(Measure::SwitchOfPair, Stamp(left));
    }
}

/// `threads` threads of one job each, in pairs of neighbours; every other pair has its two threads in different queues.
pub fn pairs(threads: usize) -> impl Iterator<Item = Periodic> {
    (0..threads & !1).map(|number| {
        let pair = number / 2;
        // Of equals the lower index runs, so a queue of one processor that two pairs share would serve only one of them.
        let queue = if pair % 2 == 0 { pair / 2 } else { QUEUES / 2 + number } % QUEUES;
        Periodic { cost: Duration::ZERO, period: ONCE, relative_deadline: ONCE, offset: Duration::ZERO, queue }
    })
}

/// The even thread of a pair begins; then each waits for the other and wakes it, for ever.
pub fn ping_pong(task: TaskIndex) -> ! {
    let own = task.index();
    if own.is_multiple_of(2) {
        TURN[own ^ 1].signal();
    }
    loop {
        TURN[own].wait(task);
        TURNS[own].fetch_add(1, Ordering::Relaxed);
        TURN[own ^ 1].signal();
    }
}

/// How often the threads `0..threads` were woken: the rarest, and all together.
pub fn turns(threads: usize) -> (u64, u64) {
    let turns = || TURNS.iter().take(threads).map(|turns| turns.load(Ordering::Relaxed));
    (turns().min().unwrap_or(0), turns().sum())
}

/// The three of [`inversion`], the most urgent one in the last queue, from where it cannot have the mutex.
pub fn stray() -> impl Iterator<Item = Periodic> {
    inversion()
        .enumerate()
        .map(|(number, thread)| if number == 0 { Periodic { queue: QUEUES - 1, ..thread } } else { thread })
}

/// Task 0 is the most urgent and task 2 the least; 0 and 2 share a mutex, 1 would keep 2 from giving it back.
pub fn inversion() -> impl Iterator<Item = Periodic> {
    [(10, 60), (14, 120), (0, 300)].into_iter().map(|(offset, deadline)| Periodic {
        cost: Duration::ZERO,
        period: ONCE,
        relative_deadline: Duration::from_ms(deadline),
        offset: Duration::from_ms(offset),
        queue: 0,
    })
}

/// What the three do, once.
pub fn invert(task: TaskIndex) {
    const MS: u64 = 1_000_000;
    let _used_ns = match task.index() {
        0 => SHARED.within(task, || consume(task, 4 * MS)),
        1 => consume(task, 40 * MS),
        _ => SHARED.within(task, || consume(task, 20 * MS)),
    };
    dispatcher::wait_next(task);
}
