//! The system calls that containing a load takes, one small function for each.
//!
//! Nothing here decides anything; every function says what the kernel promises and hands its error back unchanged.

use crate::check;
use crate::scheduling::{SchedAttr, set_attributes};
use crate::signal::set_of;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Which new namespaces `unshare` shall make; a bit set of `CLONE_NEW*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespaces(libc::c_int);

impl Namespaces {
    /// Process numbers (for the children), mounts and System V IPC: what every load gets.
    pub const LOAD: Self = Self(libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC);
    /// System V IPC and POSIX message queues.
    pub const IPC: Self = Self(libc::CLONE_NEWIPC);
    /// User and group numbers, which is how somebody without privileges may have the others.
    pub const USER: Self = Self(libc::CLONE_NEWUSER);
    /// Network interfaces, addresses and ports.
    pub const NET: Self = Self(libc::CLONE_NEWNET);

    /// The namespaces of both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Moves the calling thread into new namespaces, all of them or none; with [`Namespaces::USER`] its process must have no other.
/// Threads that it starts later are there too.
pub fn unshare(namespaces: Namespaces) -> io::Result<()> {
    // SAFETY: takes no pointer; none of the flags shares or unshares memory.
    check(unsafe { libc::unshare(namespaces.0) }).map(drop)
}

/// Moves the calling thread into the network namespace that `namespace` refers to.
pub fn enter_network(namespace: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open for the time of the call; takes no pointer.
    check(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// The caller's network namespace, kept as long as the file is open.
pub fn network() -> io::Result<File> {
    File::open("/proc/thread-self/ns/net")
}

/// Does `action` in the network namespace `there`, and comes back to the caller's.
pub fn within_network<T>(there: &File, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let back = network()?;
    enter_network(there.as_fd())?;
    let outcome = action();
    enter_network(back.as_fd())?;
    outcome
}

fn mount(source: &CStr, target: &CStr, kind: &CStr, flags: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the three texts end with NUL and live through the call; no data argument is given.
    check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, std::ptr::null()) }).map(drop)
}

/// Makes every mount of this mount namespace private, so that what is mounted here is seen here alone.
pub fn keep_mounts_private() -> io::Result<()> {
    mount(c"none", c"/", c"none", libc::MS_REC | libc::MS_PRIVATE)
}

/// Mounts a /proc that shows the caller's process namespace alone.
pub fn mount_own_proc() -> io::Result<()> {
    mount(c"proc", c"/proc", c"proc", libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC)
}

fn prctl(option: libc::c_int, argument: libc::c_ulong) -> io::Result<()> {
    // SAFETY: only used for options whose one argument is a number, never a pointer.
    check(unsafe { libc::prctl(option, argument, 0 as libc::c_ulong, 0 as libc::c_ulong, 0 as libc::c_ulong) })
        .map(drop)
}

/// Takes a capability from everything that the caller will execute from now on; the caller itself keeps it.
pub fn withhold_capability(number: u32) -> io::Result<()> {
    prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(number))
}

/// Ends one process at once. An id beyond the kernel's range, which `kill` would take for a whole group, is refused.
pub fn kill(pid: u32) -> io::Result<()> {
    let pid = libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 1);
    let pid = pid.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: takes no pointer; a number above 1 means exactly one process.
    check(unsafe { libc::kill(pid, libc::SIGKILL) }).map(drop)
}

fn block_only(signals: &[libc::c_int]) -> io::Result<()> {
    let set = set_of(signals);
    // SAFETY: `set` is initialised and outlives the call; the old set is not asked for.
    check(unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()) }).map(drop)
}

/// Blocks no signal: what was blocked in the program that started the caller is none of its business.
pub fn block_no_signal() -> io::Result<()> {
    block_only(&[])
}

/// A descriptor that becomes readable when a child has ended; the signal itself is blocked from now on.
pub fn child_endings() -> io::Result<OwnedFd> {
    block_only(&[libc::SIGCHLD])?;
    let set = set_of(&[libc::SIGCHLD]);
    // SAFETY: `set` is initialised and outlives the call; -1 asks for a new descriptor.
    let fd = check(unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) })?;
    // SAFETY: the kernel has just opened this descriptor for us, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Collects one ended child or adopted orphan; `None` if none has ended.
pub fn collect_ended() -> Option<(u32, ExitStatus)> {
    let mut status = 0;
    // SAFETY: `status` is valid to write to.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
    (pid > 0).then(|| (pid as u32, ExitStatus::from_raw(status)))
}

/// What all collected children, with theirs, have used so far, as the kernel counted it.
pub fn children_usage() -> libc::rusage {
    // SAFETY: `rusage` is plain data, for which all zero bits are a value.
    let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
    // SAFETY: `usage` is valid to write to; RUSAGE_CHILDREN cannot fail.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    usage
}

/// Gives the caller the policy SCHED_OTHER, whatever its parent had.
pub fn leave_real_time() -> io::Result<()> {
    set_attributes(&SchedAttr::default())
}

/// Gives the caller nice value 0, whatever its parent had.
pub fn be_neither_nice_nor_rude() -> io::Result<()> {
    // SAFETY: takes no pointer; 0 is the caller.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 0) }).map(drop)
}

/// A bound on what each process may use.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The size of each file written, in bytes.
    FileSize(u64),
    /// The size of a core dump, in bytes.
    CoreSize(u64),
    /// The highest real-time priority.
    RealTimePriority(u64),
}

/// Bounds the caller and what it starts, for good.
pub fn limit(limit: Limit) -> io::Result<()> {
    let (resource, most) = match limit {
        Limit::FileSize(bytes) => (Resource::Fsize, bytes),
        Limit::CoreSize(bytes) => (Resource::Core, bytes),
        Limit::RealTimePriority(priority) => (Resource::Rtprio, priority),
    };
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// The effective user and group numbers of the caller.
pub fn user_and_group() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}
