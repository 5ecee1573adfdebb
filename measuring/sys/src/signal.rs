//! Signals of the probe: one that its timers use, one that ends a wait early, the processor-time limit's, and the user's.

use crate::check;
use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The signal that a POSIX timer sends to its thread.
pub fn timer_signal() -> i32 {
    libc::SIGRTMIN() + 4
}

/// The signal that ends a wait early; whoever gets it looks at the stop word.
pub fn wake_signal() -> i32 {
    libc::SIGRTMIN() + 5
}

/// The signal by which the user asks a measurement under way for its figures.
pub const FIGURES: i32 = libc::SIGUSR1;

/// A set of the given signals.
pub fn set_of(signals: &[i32]) -> libc::sigset_t {
    // SAFETY: sigset_t is an array of integers, and sigemptyset makes it a valid set.
    let mut set = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid place for a set.
    unsafe { libc::sigemptyset(&mut set) };
    for signal in signals {
        // SAFETY: `set` is a valid set; an unknown number is refused without effect.
        unsafe { libc::sigaddset(&mut set, *signal) };
    }
    set
}

/// Blocks the signals of `set` in the calling thread, so that it can wait for them.
pub fn block(set: &libc::sigset_t) {
    // SAFETY: `set` is a valid set; the old mask is not asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, set, std::ptr::null_mut()) };
}

/// What ended a wait for a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The signal's number.
    pub signal: i32,
    /// Further expirations of the timer that sent it, up to its delivery; 0 for anything but a POSIX timer.
    pub overruns: u64,
}

/// The kernel's view of a signal that a POSIX timer sent; libc names these fields for some targets only.
#[repr(C)]
struct TimerSignal {
    signal: libc::c_int,
    errno: libc::c_int,
    code: libc::c_int,
    sent: TimerFields,
}

/// Behind the three integers, aligned as the union that it is a part of.
#[repr(C)]
struct TimerFields {
    timer: libc::c_int,
    overruns: libc::c_int,
    value: *mut libc::c_void,
}

const SI_TIMER: libc::c_int = -2;
const _: () = assert!(size_of::<TimerSignal>() <= size_of::<libc::siginfo_t>());
const _: () = assert!(align_of::<TimerSignal>() == align_of::<libc::siginfo_t>());

/// `sigwaitinfo(2)`: one system call, which also says how often the timer expired; answers an error number on failure.
#[inline]
pub fn wait(set: &libc::sigset_t) -> Result<Arrived, i32> {
    // SAFETY: siginfo_t is made of integers, for which zero is a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid set and `info` a valid place for the answer.
    let signal = unsafe { libc::sigwaitinfo(set, &mut info) };
    if signal == -1 {
        return Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINTR));
    }
    Ok(Arrived { signal, overruns: overruns(&info) })
}

#[inline]
fn overruns(info: &libc::siginfo_t) -> u64 {
    // SAFETY: the layout is the kernel's ABI, smaller than and aligned as siginfo_t (asserted above), all integers and a
    // pointer that is not followed.
    let sent = unsafe { &*(&raw const *info).cast::<TimerSignal>() };
    if sent.code == SI_TIMER { u64::try_from(sent.sent.overruns).unwrap_or(0) } else { 0 }
}

/// Sends the wake signal to one thread of this process; a thread that has ended is left in peace.
pub fn wake_thread(thread_id: i32) {
    // SAFETY: no pointers; the thread group is our own, so that a reused number cannot reach a stranger.
    unsafe { libc::syscall(libc::SYS_tgkill, std::process::id(), thread_id, wake_signal()) };
}

/// Sends the wake signal to a child process that was not waited for yet, so that its number is still its own.
pub fn wake_child(process_id: u32) {
    // SAFETY: no pointers.
    unsafe { libc::kill(process_id as libc::pid_t, wake_signal()) };
}

thread_local! {
    /// Where this thread's processor-time limit is noted: set before the loop, cleared after it.
    static LIMIT_NOTE: Cell<*const AtomicBool> = const { Cell::new(std::ptr::null()) };
}

extern "C" fn nothing(_: libc::c_int) {}

/// Runs on the thread that exceeded the limit: the kernel directs SIGXCPU at the thread whose tick found it, if it may.
extern "C" fn note_limit(_: libc::c_int) {
    let note = LIMIT_NOTE.with(Cell::get);
    // SAFETY: null or the flag that `with_limit_note` holds borrowed on this very thread; a store to an atomic is
    // async-signal-safe, and the thread-local has neither lazy initialisation nor a destructor.
    if let Some(note) = unsafe { note.as_ref() } {
        note.store(true, Ordering::Relaxed);
    }
}

/// Makes the calling thread one that measures: it can be woken, its processor-time limit is noted, and [`FIGURES`] does not
/// interrupt it.
pub fn prepare_measuring_thread() -> io::Result<()> {
    keep_figures_away();
    install(wake_signal(), nothing)?;
    install(libc::SIGXCPU, note_limit)
}

/// Keeps this process alive through SIGINT, SIGTERM and SIGHUP, as long as it lives. What it starts has their usual effects.
pub fn outlive_interrupts() -> io::Result<()> {
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().try_for_each(|signal| install(signal, nothing))
}

/// Keeps this process alive through SIGINT alone, which a terminal sends to all of its programs.
pub fn outlive_terminal_interrupts() -> io::Result<()> {
    install(libc::SIGINT, nothing)
}

/// Leaves [`FIGURES`] to the other threads of this process.
pub fn keep_figures_away() {
    block(&set_of(&[FIGURES]));
}

/// Without flags, so that the signal ends a system call.
fn install(signal: i32, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    handle(signal, handler, 0)
}

fn handle(signal: i32, handler: extern "C" fn(libc::c_int), flags: libc::c_int) -> io::Result<()> {
    // SAFETY: a sigaction is made of integers, pointers and a set, for which zero is a value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as libc::sighandler_t;
    action.sa_flags = flags;
    // SAFETY: `action` is valid, the handler is async-signal-safe, and the old action is not asked for.
    check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) }).map(drop)
}

/// Runs `body` with `note` as the flag that exceeding the processor-time limit on this thread sets.
pub fn with_limit_note<T>(note: &AtomicBool, body: impl FnOnce() -> T) -> T {
    struct Clear;
    impl Drop for Clear {
        fn drop(&mut self) {
            LIMIT_NOTE.with(|cell| cell.set(std::ptr::null()));
        }
    }
    LIMIT_NOTE.with(|cell| cell.set(note));
    let _clear = Clear;
    body()
}

/// What [`on_interrupt`] calls.
static INTERRUPTED: OnceLock<fn()> = OnceLock::new();

/// Calls `act` at the first SIGINT, SIGTERM or SIGHUP; the next one has its usual effect. `act` must be async-signal-safe.
pub fn on_interrupt(act: fn()) -> io::Result<()> {
    INTERRUPTED.get_or_init(|| act);
    let once = |signal| handle(signal, interrupted, libc::SA_RESETHAND | libc::SA_RESTART);
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().try_for_each(once)
}

extern "C" fn interrupted(_signal: libc::c_int) {
    if let Some(act) = INTERRUPTED.get() {
        act();
    }
}

/// What [`on_figures`] calls.
static ASKED: OnceLock<fn()> = OnceLock::new();

/// Calls `act` at every [`FIGURES`]; system calls go on afterwards. `act` must be async-signal-safe.
pub fn on_figures(act: fn()) -> io::Result<()> {
    ASKED.get_or_init(|| act);
    handle(FIGURES, asked, libc::SA_RESTART)
}

extern "C" fn asked(_signal: libc::c_int) {
    if let Some(act) = ASKED.get() {
        act();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Raises a signal in the calling thread.
    fn raise(signal: i32) {
        // SAFETY: no pointers; the signal has a handler or is blocked.
        unsafe { libc::raise(signal) };
    }

    #[test]
    fn the_limit_is_noted_on_the_thread_that_exceeds_it() {
        prepare_measuring_thread().unwrap();
        let (mine, other) = (AtomicBool::new(false), AtomicBool::new(false));
        with_limit_note(&other, || ());
        with_limit_note(&mine, || raise(libc::SIGXCPU));
        assert!(mine.load(Ordering::Relaxed));
        assert!(!other.load(Ordering::Relaxed));
    }

    #[test]
    fn a_measuring_thread_leaves_the_users_signal_to_the_others() {
        static SEEN: AtomicBool = AtomicBool::new(false);
        on_figures(|| SEEN.store(true, Ordering::Relaxed)).unwrap();
        let measuring = std::thread::spawn(|| {
            prepare_measuring_thread().unwrap();
            raise(FIGURES);
            SEEN.load(Ordering::Relaxed)
        });
        assert!(!measuring.join().unwrap(), "a measuring thread was interrupted");
        raise(FIGURES);
        raise(FIGURES);
        assert!(SEEN.load(Ordering::Relaxed));
    }

    #[test]
    fn a_blocked_signal_is_waited_for() {
        std::thread::spawn(|| {
            let set = set_of(&[wake_signal()]);
            block(&set);
            raise(wake_signal());
            assert_eq!(wait(&set), Ok(Arrived { signal: wake_signal(), overruns: 0 }));
        })
        .join()
        .unwrap();
    }
}
