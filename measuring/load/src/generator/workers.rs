//! The worker processes of a generator, copies of it, and their threads: each with its own share of the work.

use std::convert::Infallible;
use std::io;
use std::thread;

use prazo_sys::child::fork_tied;

/// What comes back of work that never ends by itself: the reason why it cannot go on.
pub(super) type Endless = io::Result<Infallible>;

/// No thread of a generator calls deeply; small stacks leave room for many threads where memory is short.
const STACK_BYTES: usize = 64 << 10;

/// Has each of `count` workers do `work` with its number; comes back when one of them has ended.
pub(super) fn each(count: u32, work: impl Fn(u32) -> Endless) -> Endless {
    if count <= 1 {
        return work(0);
    }
    (0..count).try_for_each(|worker| start(|| work(worker)))?;
    wait()
}

/// Has each of `count` threads of this process do `work` with its number. A thread that cannot go on, or cannot be started, ends
/// the process, because the others would wait for it.
pub(super) fn each_thread(count: u32, work: impl Fn(u32) -> Endless + Sync) -> ! {
    thread::scope(|scope| {
        for number in 0..count {
            let work = &work;
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            if let Err(error) = thread.spawn_scoped(scope, move || fail(work(number))) {
                fail(Err(error));
            }
        }
    });
    unreachable!("the threads have no end")
}

/// Has a copy of this process do `work`; it ends with this process.
pub(super) fn start(work: impl FnOnce() -> Endless) -> io::Result<()> {
    if fork_tied()?.is_some() {
        return Ok(());
    }
    fail(work())
}

/// Ends this process with the reason why its work cannot go on.
pub(super) fn fail(work: Endless) -> ! {
    let Err(error) = work;
    eprintln!("{error}");
    std::process::exit(1)
}

/// Waits until one of the copies has ended, which none should.
pub(super) fn wait() -> Endless {
    let (pid, status) = prazo_sys::process::reap()?;
    Err(io::Error::other(format!("worker process {pid} of the load ended: {status}")))
}
