//! Carries decisions out: a processor takes its queue's lock, lets the core decide, and becomes the thread that was chosen.
//!
//! ```text
//! timer ─► release_due ─► settle ─► interrupt those that must switch ─► switch ─► wait_next returns
//! ```
//!
//! The lock is held over the switch; the thread that resumes lets go of it. See [`queue`](crate::queue) for what it covers.

use crate::arch::{self, Guard, PROCESSORS_MAX, Stamp, Uninterrupted};
use crate::configuration::{QUEUE, QUEUE_OF};
use crate::measure::{self, Measure};
use crate::queue::{Processors, Queue};
use crate::run;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use prazo_core::cpu::Cpu;
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;

/// By processor: the stack that it idles on.
static IDLE_STACK: [AtomicU32; PROCESSORS_MAX] = [const { AtomicU32::new(0) }; PROCESSORS_MAX];

/// By processor: reschedule interrupts served, and those of them after which it ran what it ran before.
static INTERRUPTED: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];
static IN_VAIN: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];

/// By processor: its name in core.
const CPU: [Cpu; PROCESSORS_MAX] = {
    let mut cpus = [Cpu::LOWEST; PROCESSORS_MAX];
    let mut here = 0;
    while here < PROCESSORS_MAX {
        cpus[here] = Cpu::LOWEST.plus(here);
        here += 1;
    }
    cpus
};

/// The lock of the queue that serves processor `here`.
fn queue_of(here: usize, off: &Uninterrupted) -> Guard<'static, Queue> {
    QUEUE[QUEUE_OF[here]].lock_within(off)
}

/// Why a processor switches, with the stamp from which that is measured.
#[derive(Clone, Copy, Debug)]
pub enum Cause {
    /// Its timer's handler released the thread, or another one.
    Timer(Stamp),
    /// Another processor's handler did.
    Remote(Stamp),
    /// The thread that ran waits for its next release.
    Waiting(Stamp),
    /// The processor begins.
    Begin,
}

impl Cause {
    /// From when it is measured; 0 for the beginning, which is not.
    pub const fn stamp(self) -> Stamp {
        match self {
            Self::Timer(stamp) | Self::Remote(stamp) | Self::Waiting(stamp) => stamp,
            Self::Begin => Stamp(0),
        }
    }
}

/// Counts for the calling processor, whose own `counter` is: a plain load and store do.
#[inline]
fn count(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Reschedule interrupts of all processors: those served, and those of them that switched nothing.
pub fn reschedule_interrupts() -> (u64, u64) {
    let sum = |counters: &[AtomicU64]| counters.iter().map(|counter| counter.load(Ordering::Relaxed)).sum();
    (sum(&INTERRUPTED), sum(&IN_VAIN))
}

/// Processor `here` takes part from now on, idling on `stack`; never returns.
pub fn idle(here: usize, stack: usize) -> ! {
    IDLE_STACK[here].store(stack as u32, Ordering::Relaxed);
    arch::uninterrupted(|off| {
        let mut queue = queue_of(here, off);
        queue.begin(here, stack);
        let now = arch::now();
        queue.begin_alarms(here, now);
        dispatch(queue, here, now, Cause::Begin);
    });
    loop {
        arch::idle_until_interrupt();
    }
}

/// Alarms may be due.
pub fn timer_interrupt(entry: Stamp, off: &Uninterrupted) {
    let here = arch::current_processor();
    let mut queue = queue_of(here, off);
    let now = arch::now();
    let watched = queue.watch_due(now);
    let released = queue.release_due(now);
    queue.keep_alarms(here, now);
    if queue.is_over() {
        run::over(queue);
    }
    measure::handled(entry, released.jobs);
    let is_settled = released.jobs <= 1 && watched.is_none();
    let decided = watched.unwrap_or(0) | released.concerned;
    let concerned = if is_settled { decided } else { decided | settle(&mut queue, now) };
    tell(&mut queue, here, concerned, entry);
    let cause = dispatch(queue, here, now, Cause::Timer(entry));
    measure::caused(cause);
}

/// Decides after several releases.
#[inline(never)]
fn settle(queue: &mut Queue, now: Instant) -> Processors {
    let before = measure::begin(Measure::Scheduling);
    let concerned = queue.settle(now);
    measure::end(Measure::Scheduling, before);
    concerned
}

/// Another processor decided that this one shall run something else, or has left the thread that this one waited for.
pub fn reschedule_interrupt(entry: Stamp, off: &Uninterrupted) {
    let here = arch::current_processor();
    let mut queue = queue_of(here, off);
    measure::interrupted(here, entry);
    count(&INTERRUPTED[here]);
    let notified = core::mem::replace(&mut queue.notified[here], Stamp(0));
    let cause = dispatch(queue, here, arch::now(), Cause::Remote(notified));
    if cause.is_none() {
        count(&IN_VAIN[here]);
    }
    measure::caused(cause);
}

/// The job of the calling thread `task` has ended; returns when its next one runs.
pub fn wait_next(task: TaskIndex) {
    let cause = arch::uninterrupted(|off| {
        let called = arch::stamp();
        let here = arch::current_processor();
        let mut queue = queue_of(here, off);
        let now = arch::now();
        let before = measure::begin(Measure::Scheduling);
        let concerned = if queue.take_abortion(task) { 0 } else { queue.complete(task, here, now) };
        measure::end(Measure::Scheduling, before);
        tell(&mut queue, here, concerned, called);
        dispatch(queue, here, now, Cause::Waiting(called))
    });
    measure::caused(cause);
}

/// The calling thread `task` waits for something else than a processor; `guard` is let go of when nothing can be missed.
pub fn suspend<T>(task: TaskIndex, guard: Guard<'_, T>, off: &Uninterrupted) {
    change(arch::current_processor(), off, |queue, now| {
        let concerned = queue.suspend(task, now);
        drop(guard);
        concerned
    });
}

/// What `task`, of this queue or another, waited for has come.
pub fn resume(task: TaskIndex, off: &Uninterrupted) {
    let here = arch::current_processor();
    let home = run::queue_of(task);
    if home == QUEUE_OF[here] {
        return change(here, off, |queue, now| queue.resume(task, now));
    }
    let mut queue = QUEUE[home].lock_within(off);
    let concerned = queue.resume(task, arch::now());
    tell(&mut queue, here, concerned, arch::stamp());
}

/// The calling thread `task` waits, and `next`, which waits so too, goes on.
pub fn hand_over(task: TaskIndex, next: Option<TaskIndex>) {
    let suspend_and_resume = |queue: &mut Queue, now| {
        let concerned = queue.suspend(task, now);
        next.map_or(concerned, |next| concerned | queue.resume(next, now))
    };
    arch::uninterrupted(|off| change(arch::current_processor(), off, suspend_and_resume));
}

/// The calling thread `task` wants mutex `mutex` of its queue; returns when it has it.
pub fn lock(task: TaskIndex, mutex: usize) {
    arch::uninterrupted(|off| change(arch::current_processor(), off, |queue, now| queue.lock(mutex, task, now)));
}

/// The calling thread `task` gives mutex `mutex` of its queue back.
pub fn unlock(task: TaskIndex, mutex: usize) {
    arch::uninterrupted(|off| change(arch::current_processor(), off, |queue, now| queue.unlock(mutex, task, now)));
}

/// Changes something in the queue of processor `here` and does what follows from it.
fn change(here: usize, off: &Uninterrupted, what: impl FnOnce(&mut Queue, Instant) -> Processors) {
    let called = arch::stamp();
    let mut queue = queue_of(here, off);
    let now = arch::now();
    let concerned = what(&mut queue, now);
    tell(&mut queue, here, concerned, called);
    let cause = dispatch(queue, here, now, Cause::Waiting(called));
    measure::caused(cause);
}

/// Interrupts the other processors that must switch, with the stamp of what made it necessary.
#[inline]
fn tell(queue: &mut Guard<'_, Queue>, here: usize, concerned: Processors, origin: Stamp) {
    let mut others = concerned & !(1 << here);
    while others != 0 {
        let other = others.trailing_zeros() as usize;
        others &= others - 1;
        queue.notified[other] = origin;
        measure::sending(other);
        arch::interrupt_processor(other);
    }
}

/// Becomes the thread that the core has chosen for processor `here`, if it is not that already.
///
/// Returns, later and perhaps elsewhere, as the thread that called, with the cause that brought it back.
#[inline(always)]
fn dispatch(mut queue: Guard<'_, Queue>, here: usize, now: Instant, cause: Cause) -> Option<Cause> {
    queue.watch_alarms(here, now);
    let idle = IDLE_STACK[here].load(Ordering::Relaxed) as usize;
    let (from, to) = queue.next(here, CPU[here], idle, cause);
    if from == to {
        return None;
    }
    if let Some(waiting) = queue.carry(here, from, to) {
        measure::sending(waiting);
        arch::interrupt_processor(waiting);
    }
    run::account(here, from, now);
    queue.cause = cause;
    measure::mark(Measure::Switch, &mut queue.left);
    arch::switch(&mut queue, from, to);
    measure::since(Measure::Switch, queue.left);
    Some(queue.cause)
}
