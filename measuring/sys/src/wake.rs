//! What one thread wakes another by: POSIX and System V semaphore, condition variable and message queue, pipe, eventfd, futex and
//! signal; and by what a thread changes its processor.
//!
//! Each function is one call, so that nothing else lies between a stamp and the call that it is taken for. A call that waits
//! answers an error number; EINTR means that a signal ended the wait. The mutex is [`crate::lock`].

use crate::containment::{self, Namespaces};
use crate::lock::{Lock, PosixProtocol};
use crate::{check, process};
use rustix::event::{EventfdFlags, eventfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::thread::futex;
use std::cell::UnsafeCell;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What a wait or a wake answers: an error number where the call failed.
pub type Called = Result<(), i32>;

fn called(answer: libc::c_int) -> Called {
    check(answer).map(drop).map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))
}

/// An unnamed semaphore of this process, at an address that does not change; 0 at first.
#[derive(Debug)]
pub struct Semaphore(Box<UnsafeCell<libc::sem_t>>);

// SAFETY: a POSIX semaphore is made to be used by several threads at once, and is reached only through its own calls.
unsafe impl Sync for Semaphore {}
// SAFETY: as above; nothing of it belongs to the thread that made it.
unsafe impl Send for Semaphore {}

impl Semaphore {
    /// `sem_init(3)`.
    pub fn new() -> io::Result<Self> {
        // SAFETY: sem_t is made of integers, for which zero is a value; it is initialised before anything else is done with it.
        let semaphore = Self(Box::new(UnsafeCell::new(unsafe { std::mem::zeroed() })));
        // SAFETY: the semaphore has an address of its own that nobody else knows yet.
        check(unsafe { libc::sem_init(semaphore.0.get(), 0, 0) })?;
        Ok(semaphore)
    }

    /// `sem_post(3)`.
    #[inline]
    pub fn post(&self) -> Called {
        // SAFETY: the semaphore was initialised and does not move.
        called(unsafe { libc::sem_post(self.0.get()) })
    }

    /// `sem_wait(3)`.
    #[inline]
    pub fn wait(&self) -> Called {
        // SAFETY: as above.
        called(unsafe { libc::sem_wait(self.0.get()) })
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: nobody waits for it any more: it is borrowed by whoever does.
        unsafe { libc::sem_destroy(self.0.get()) };
    }
}

/// A set of one System V semaphore, for the thread that makes it and those that it starts; 0 at first.
///
/// The kernel keeps a set until somebody removes it, also when its process is killed. So the thread enters a namespace of its own
/// first, where that is allowed: the kernel removes the namespace with its last thread, and the set with it.
#[derive(Debug)]
pub struct SystemVSemaphore(libc::c_int);

impl SystemVSemaphore {
    /// `semget(2)` of a set that nobody else can name.
    pub fn new() -> io::Result<Self> {
        // Refused without privileges; then a killed process leaves the set behind.
        let _ = containment::unshare(Namespaces::IPC);
        // SAFETY: no pointers.
        check(unsafe { libc::semget(libc::IPC_PRIVATE, 1, libc::IPC_CREAT | 0o600) }).map(Self)
    }

    /// `semop(2)` by +1.
    #[inline]
    pub fn post(&self) -> Called {
        self.change(1)
    }

    /// `semop(2)` by -1.
    #[inline]
    pub fn wait(&self) -> Called {
        self.change(-1)
    }

    #[inline]
    fn change(&self, by: libc::c_short) -> Called {
        let mut change = libc::sembuf { sem_num: 0, sem_op: by, sem_flg: 0 };
        // SAFETY: one operation is valid for the length of the call.
        called(unsafe { libc::semop(self.0, &raw mut change, 1) })
    }
}

impl Drop for SystemVSemaphore {
    fn drop(&mut self) {
        // SAFETY: the command takes no fourth argument, and no pointers; nobody uses the set any more.
        unsafe { libc::semctl(self.0, 0, libc::IPC_RMID) };
    }
}

/// A condition variable with its mutex.
#[derive(Debug)]
pub struct Condition {
    lock: Lock,
    variable: Box<UnsafeCell<libc::pthread_cond_t>>,
}

// SAFETY: a POSIX condition variable is made to be used by several threads at once, and is reached only through its own calls.
unsafe impl Sync for Condition {}
// SAFETY: as above; nothing of it belongs to the thread that made it.
unsafe impl Send for Condition {}

impl Condition {
    /// A new one, whose mutex has this protocol.
    pub fn new(protocol: PosixProtocol) -> io::Result<Self> {
        let variable = Box::new(UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER));
        Ok(Self { lock: Lock::new(protocol)?, variable })
    }

    /// Calls `change` with the mutex held.
    #[inline]
    pub fn with_lock(&self, change: impl FnOnce()) -> Called {
        let failed = |error: io::Error| error.raw_os_error().unwrap_or(libc::EIO);
        self.lock.lock().map_err(failed)?;
        change();
        self.lock.unlock().map_err(failed)
    }

    /// `pthread_cond_signal(3)`.
    #[inline]
    pub fn signal(&self) {
        // SAFETY: the variable was initialised and does not move; the call cannot fail on such a one.
        unsafe { libc::pthread_cond_signal(self.variable.get()) };
    }

    /// Waits until `has_come` holds, which is asked with the mutex held; no signal ends the wait.
    #[inline]
    pub fn wait_until(&self, has_come: impl Fn() -> bool) -> Called {
        let mut answer = 0;
        self.with_lock(|| {
            while answer == 0 && !has_come() {
                // SAFETY: variable and mutex were initialised and do not move, and this thread holds the mutex.
                answer = unsafe { libc::pthread_cond_wait(self.variable.get(), self.lock.as_ptr()) };
            }
        })?;
        if answer == 0 { Ok(()) } else { Err(answer) }
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        // SAFETY: nobody waits for it any more: it is borrowed by whoever does.
        unsafe { libc::pthread_cond_destroy(self.variable.get()) };
    }
}

/// A message queue without a name, for messages of eight bytes.
#[derive(Debug)]
pub struct MessageQueue(libc::mqd_t);

const MESSAGE_BYTES: usize = 8;

impl MessageQueue {
    /// `mq_open(3)` of a new queue, whose name is taken away again at once.
    pub fn new() -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("/prazo-{}-{number}\0", std::process::id());
        // SAFETY: mq_attr is made of integers, for which zero is a value.
        let mut attributes: libc::mq_attr = unsafe { std::mem::zeroed() };
        (attributes.mq_maxmsg, attributes.mq_msgsize) = (1, MESSAGE_BYTES as _);
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_CLOEXEC;
        // SAFETY: the name ends with a zero byte, and the attributes are valid for the length of the call.
        let queue =
            check(unsafe { libc::mq_open(name.as_ptr().cast(), flags, 0o600 as libc::mode_t, &raw mut attributes) })?;
        // SAFETY: as above. What fails here leaves a name behind, and a queue that works.
        unsafe { libc::mq_unlink(name.as_ptr().cast()) };
        Ok(Self(queue))
    }

    /// `mq_send(3)`.
    #[inline]
    pub fn send(&self) -> Called {
        let message = [0u8; MESSAGE_BYTES];
        // SAFETY: the message is valid for the length that is given, and the queue is open as long as `self` lives.
        called(unsafe { libc::mq_send(self.0, message.as_ptr().cast(), MESSAGE_BYTES, 0) })
    }

    /// `mq_receive(3)`.
    #[inline]
    pub fn receive(&self) -> Called {
        let mut message = [0u8; MESSAGE_BYTES];
        // SAFETY: as above; nobody asks for the priority.
        let answer =
            unsafe { libc::mq_receive(self.0, message.as_mut_ptr().cast(), MESSAGE_BYTES, std::ptr::null_mut()) };
        called(if answer == -1 { -1 } else { 0 })
    }
}

impl Drop for MessageQueue {
    fn drop(&mut self) {
        // SAFETY: the queue is open, and nobody uses it any more: it is borrowed by whoever does.
        unsafe { libc::mq_close(self.0) };
    }
}

/// A file that one thread writes to and another reads from.
#[derive(Debug)]
pub struct Channel {
    read: OwnedFd,
    /// `None` where one descriptor serves both ends.
    write: Option<OwnedFd>,
}

impl Channel {
    /// `pipe2(2)`.
    pub fn pipe() -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Self { read, write: Some(write) })
    }

    /// `eventfd2(2)`.
    pub fn eventfd() -> io::Result<Self> {
        Ok(Self { read: eventfd(0, EventfdFlags::CLOEXEC)?, write: None })
    }

    /// `write(2)` of eight bytes, which are 1 to an eventfd.
    #[inline]
    pub fn send(&self) -> Called {
        let file = self.write.as_ref().unwrap_or(&self.read);
        rustix::io::write(file, &1u64.to_ne_bytes()).map(drop).map_err(rustix::io::Errno::raw_os_error)
    }

    /// `read(2)` of eight bytes.
    #[inline]
    pub fn receive(&self) -> Called {
        rustix::io::read(&self.read, &mut [0u8; 8]).map(drop).map_err(rustix::io::Errno::raw_os_error)
    }
}

/// `futex(2)`: wakes one thread of this process that waits for `word`.
#[inline]
pub fn futex_wake(word: &AtomicU32) -> Called {
    futex::wake(word, futex::Flags::PRIVATE, 1).map(drop).map_err(rustix::io::Errno::raw_os_error)
}

/// `futex(2)`: waits as long as `word` is `seen`; EAGAIN where it was another already.
#[inline]
pub fn futex_wait(word: &AtomicU32, seen: u32) -> Called {
    futex::wait(word, futex::Flags::PRIVATE, seen, None).map_err(rustix::io::Errno::raw_os_error)
}

/// Processors that a thread may run on, in the kernel's own form.
#[derive(Clone, Copy, Debug)]
pub struct Places(rustix::thread::CpuSet);

impl Places {
    /// These processors.
    pub fn of(cpus: &[u32]) -> Self {
        let mut set = rustix::thread::CpuSet::new();
        cpus.iter().for_each(|cpu| set.set(*cpu as usize));
        Self(set)
    }

    /// `sched_setaffinity(2)` of the calling thread: once it returns, the thread runs on one of them.
    #[inline]
    pub fn enter(&self) -> Called {
        rustix::thread::sched_setaffinity(None, &self.0).map_err(rustix::io::Errno::raw_os_error)
    }
}

/// A thread of this process that signals are sent to.
#[derive(Clone, Copy, Debug)]
pub struct Addressee {
    process: libc::pid_t,
    thread: libc::pid_t,
}

impl Addressee {
    /// The calling thread.
    pub fn this_thread() -> Self {
        Self { process: rustix::process::getpid().as_raw_nonzero().get(), thread: process::thread_id() }
    }

    /// `tgkill(2)`.
    #[inline]
    pub fn send(&self, signal: i32) -> Called {
        // SAFETY: no pointers; the thread group is our own, so that a reused number cannot reach a stranger.
        let answer = unsafe { libc::syscall(libc::SYS_tgkill, self.process, self.thread, signal) };
        called(if answer == -1 { -1 } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// The waits come back, in whichever order the two threads run.
    fn wakes(wake: impl Fn() + Sync, wait: impl Fn()) {
        std::thread::scope(|scope| {
            scope.spawn(|| (0..100).for_each(|_| wake()));
            (0..100).for_each(|_| wait());
        });
    }

    #[test]
    fn every_wake_of_what_counts_ends_one_wait() {
        let semaphore = Semaphore::new().unwrap();
        wakes(|| semaphore.post().unwrap(), || semaphore.wait().unwrap());
        let system_v = SystemVSemaphore::new().unwrap();
        wakes(|| system_v.post().unwrap(), || system_v.wait().unwrap());
        let queue = MessageQueue::new().unwrap();
        wakes(|| queue.send().unwrap(), || queue.receive().unwrap());
        let pipe = Channel::pipe().unwrap();
        wakes(|| pipe.send().unwrap(), || pipe.receive().unwrap());
    }

    #[test]
    fn a_system_v_set_is_gone_with_its_value() {
        let semaphore = SystemVSemaphore::new().unwrap();
        let number = semaphore.0;
        drop(semaphore);
        assert_eq!(std::mem::ManuallyDrop::new(SystemVSemaphore(number)).post(), Err(libc::EINVAL));
    }

    #[test]
    fn what_does_not_count_is_remembered_once() {
        let eventfd = Channel::eventfd().unwrap();
        eventfd.send().unwrap();
        eventfd.receive().unwrap();
        let (condition, has_come) = (Condition::new(PosixProtocol::Inherit).unwrap(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                condition.with_lock(|| has_come.store(true, Ordering::Relaxed)).unwrap();
                condition.signal();
            });
            condition.wait_until(|| has_come.load(Ordering::Relaxed)).unwrap();
        });
        let word = AtomicU32::new(1);
        assert_eq!(futex_wait(&word, 0), Err(libc::EAGAIN));
        assert_eq!(futex_wake(&word), Ok(()));
    }

    #[test]
    fn a_signal_that_is_blocked_waits_for_its_thread() {
        let signal = crate::signal::timer_signal();
        let set = crate::signal::set_of(&[signal]);
        crate::signal::block(&set);
        let here = Addressee::this_thread();
        here.send(signal).unwrap();
        assert_eq!(crate::signal::wait(&set).map(|arrived| arrived.signal), Ok(signal));
        assert_eq!(Addressee { thread: i32::MAX, ..here }.send(signal), Err(libc::ESRCH));
    }
}
