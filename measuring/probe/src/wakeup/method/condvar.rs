//! A POSIX condition variable: the stamp is what the woken thread asks for, with the mutex held.

use super::Method;
use prazo_sys::lock::PosixProtocol;
use prazo_sys::wake::{Called, Condition};
use std::io;

/// A condition variable.
#[derive(Debug)]
pub(crate) struct Condvar(Condition);

impl Condvar {
    /// One whose mutex has this protocol.
    pub(crate) fn new(protocol: PosixProtocol) -> io::Result<Self> {
        Condition::new(protocol).map(Self)
    }
}

impl Method for Condvar {
    /// The mutex is given back before the call, so that the woken thread finds it free.
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        self.0.with_lock(stamp)?;
        self.0.signal();
        Ok(())
    }

    #[inline]
    fn wait(&self, _wakes: u64, has_come: impl Fn() -> bool) -> Called {
        self.0.wait_until(has_come)
    }
}
