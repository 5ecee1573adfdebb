//! A lock between threads of this process, with one of POSIX' three protocols: the C library's mutex in a place that does not move.

use std::cell::UnsafeCell;
use std::io;

/// POSIX' protocols, by the C library's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PosixProtocol {
    /// PTHREAD_PRIO_NONE.
    Plain,
    /// PTHREAD_PRIO_INHERIT.
    Inherit,
    /// PTHREAD_PRIO_PROTECT with this ceiling.
    Protect(i32),
}

// SAFETY: POSIX' own declarations of two functions that every C library for Linux has; the libc crate does not list them.
unsafe extern "C" {
    fn pthread_mutexattr_setprotocol(attributes: *mut libc::pthread_mutexattr_t, protocol: libc::c_int) -> libc::c_int;
    fn pthread_mutexattr_setprioceiling(
        attributes: *mut libc::pthread_mutexattr_t,
        ceiling: libc::c_int,
    ) -> libc::c_int;
}

/// A mutex that was initialised, at an address that does not change.
#[derive(Debug)]
pub struct Lock(Box<UnsafeCell<libc::pthread_mutex_t>>);

// SAFETY: a POSIX mutex is made to be used by several threads at once, and is reached only through its own calls.
unsafe impl Sync for Lock {}
// SAFETY: as above; nothing of it belongs to the thread that made it.
unsafe impl Send for Lock {}

fn check(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(answer)) }
}

impl Lock {
    /// A lock that nobody holds.
    pub fn new(protocol: PosixProtocol) -> io::Result<Self> {
        let lock = Self(Box::new(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER)));
        // SAFETY: attributes are bytes, for which zero is a value, and are initialised before anything else is done with them.
        let mut attributes: libc::pthread_mutexattr_t = unsafe { std::mem::zeroed() };
        let (number, ceiling) = match protocol {
            PosixProtocol::Plain => (0, None),
            PosixProtocol::Inherit => (1, None),
            PosixProtocol::Protect(ceiling) => (2, Some(ceiling)),
        };
        // SAFETY: the attributes are initialised by the first call and destroyed by the last; the mutex has an address of its own that
        // nobody else knows yet.
        unsafe {
            check(libc::pthread_mutexattr_init(&raw mut attributes))?;
            let set = check(pthread_mutexattr_setprotocol(&raw mut attributes, number));
            let set = set.and_then(|()| {
                ceiling.map_or(Ok(()), |ceiling| check(pthread_mutexattr_setprioceiling(&raw mut attributes, ceiling)))
            });
            let made = set.and_then(|()| check(libc::pthread_mutex_init(lock.0.get(), &raw const attributes)));
            libc::pthread_mutexattr_destroy(&raw mut attributes);
            made?;
        }
        Ok(lock)
    }

    /// Waits for it.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: the mutex was initialised and does not move.
        check(unsafe { libc::pthread_mutex_lock(self.0.get()) })
    }

    /// Takes it if nobody holds it; false where somebody does.
    pub fn try_lock(&self) -> io::Result<bool> {
        // SAFETY: as above.
        match unsafe { libc::pthread_mutex_trylock(self.0.get()) } {
            libc::EBUSY => Ok(false),
            answer => check(answer).map(|()| true),
        }
    }

    /// Where it is, for a condition variable's calls.
    pub(crate) fn as_ptr(&self) -> *mut libc::pthread_mutex_t {
        self.0.get()
    }

    /// Gives it back; an error where the calling thread does not hold it, as far as the C library looks.
    pub fn unlock(&self) -> io::Result<()> {
        // SAFETY: as above.
        check(unsafe { libc::pthread_mutex_unlock(self.0.get()) })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // SAFETY: nobody holds it any more: it is borrowed by whoever does.
        unsafe { libc::pthread_mutex_destroy(self.0.get()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn one_thread_at_a_time_holds_a_lock_of_every_protocol() {
        for protocol in [PosixProtocol::Plain, PosixProtocol::Inherit] {
            let (lock, inside) = (Lock::new(protocol).unwrap(), AtomicU64::new(0));
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        for _ in 0..1_000 {
                            lock.lock().unwrap();
                            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "{protocol:?}");
                            inside.fetch_sub(1, Ordering::Relaxed);
                            lock.unlock().unwrap();
                        }
                    });
                }
            });
        }
        assert!(Lock::new(PosixProtocol::Protect(-1)).is_err(), "there is no such ceiling");
    }
}
