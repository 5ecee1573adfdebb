//! A POSIX mutex that one thread waits for and the other gives back.
//!
//! Only its holder may give a mutex back, so there are two, which take turns: the waking thread takes the other one before it gives
//! this one back, and so holds what the woken thread waits for next.
//!
//! ```text
//! waking thread   holds 0 ─► takes 1, stamp, gives 0 back ─► takes 0, stamp, gives 1 back
//! woken thread    waits for 0 ────────────────► has 0, stamp, gives 0 back, waits for 1 ─► has 1 ...
//! ```

use super::Method;
use prazo_sys::lock::{Lock, PosixProtocol};
use prazo_sys::wake::Called;
use std::io;

/// Two mutexes that take turns.
#[derive(Debug)]
pub(crate) struct Mutex([Lock; 2]);

impl Mutex {
    /// Two that nobody holds.
    pub(crate) fn new(protocol: PosixProtocol) -> io::Result<Self> {
        Ok(Self([Lock::new(protocol)?, Lock::new(protocol)?]))
    }

    #[inline]
    fn turn(&self, wakes: u64) -> &Lock {
        &self.0[(wakes % 2) as usize]
    }
}

#[inline]
fn called(answer: io::Result<()>) -> Called {
    answer.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))
}

impl Method for Mutex {
    fn begin(&self) -> Called {
        called(self.turn(0).lock())
    }

    #[inline]
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
        called(self.turn(wakes + 1).lock())?;
        stamp();
        called(self.turn(wakes).unlock())
    }

    #[inline]
    fn wait(&self, wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        called(self.turn(wakes).lock())
    }

    #[inline]
    fn woken(&self, wakes: u64) -> Called {
        called(self.turn(wakes).unlock())
    }

    fn end(&self, wakes: u64) -> Called {
        called(self.turn(wakes).unlock())
    }
}
