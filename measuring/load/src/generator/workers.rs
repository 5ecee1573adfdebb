//! The worker processes of a generator: copies of it, each with its own share of the work.

use std::convert::Infallible;
use std::io;

use prazo_sys::child::fork_tied;

/// What comes back of work that never ends by itself: the reason why it cannot go on.
pub(super) type Endless = io::Result<Infallible>;

/// Has each of `count` workers do `work` with its number; comes back when one of them has ended.
pub(super) fn each(count: u32, work: impl Fn(u32) -> Endless) -> Endless {
    if count <= 1 {
        return work(0);
    }
    (0..count).try_for_each(|worker| start(|| work(worker)))?;
    wait()
}

/// Has a copy of this process do `work`; it ends with this process.
pub(super) fn start(work: impl FnOnce() -> Endless) -> io::Result<()> {
    if fork_tied()?.is_some() {
        return Ok(());
    }
    let Err(error) = work();
    eprintln!("{error}");
    std::process::exit(1)
}

/// Waits until one of the copies has ended, which none should.
pub(super) fn wait() -> Endless {
    let (pid, status) = prazo_sys::process::reap()?;
    Err(io::Error::other(format!("worker process {pid} of the load ended: {status}")))
}
