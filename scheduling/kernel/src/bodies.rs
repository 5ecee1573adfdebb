//! Threads that do something else than consume time: they wake each other.

use crate::arch::{self, PROCESSORS_MAX, Stamp};
use crate::configuration::{QUEUES, TASKS};
use crate::dispatcher;
use crate::measure::{self, Measure};
use crate::run::Periodic;
use crate::semaphore::Semaphore;
use core::sync::atomic::{AtomicU64, Ordering};
use prazo_core::job::TaskIndex;
use prazo_core::time::{Duration, Instant};

/// A period longer than any run, for threads of one job.
pub const ONCE: Duration = Duration::from_s(3_600);

static TURN: [Semaphore; TASKS] = [const { Semaphore::new(0) }; TASKS];
/// By task: how often it was woken by its partner.
static TURNS: [AtomicU64; TASKS] = [const { AtomicU64::new(0) }; TASKS];
/// By task: when it was last woken so; 0 for never.
static LAST_TURN_NS: [AtomicU64; TASKS] = [const { AtomicU64::new(0) }; TASKS];

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
        LAST_TURN_NS[own].store(arch::now().as_ns(), Ordering::Relaxed);
        TURN[own ^ 1].signal();
    }
}

/// How often the threads `0..threads` were woken: the rarest, and all together.
pub fn turns(threads: usize) -> (u64, u64) {
    let turns = || TURNS.iter().take(threads).map(|turns| turns.load(Ordering::Relaxed));
    (turns().min().unwrap_or(0), turns().sum())
}

/// The last turn of that of the threads `0..threads` which has had none for the longest time.
pub fn oldest_last_turn(threads: usize) -> Instant {
    let last_ns = LAST_TURN_NS.iter().take(threads).map(|last| last.load(Ordering::Relaxed)).min();
    Instant::from_ns(last_ns.unwrap_or(0))
}
