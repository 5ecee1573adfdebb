//! The system calls that costing a command takes, one small function for each.
//!
//! Nothing here decides anything; every function hands the kernel's error back unchanged.

mod start;

pub use start::{Born, Held, Output, Start, hold};

use crate::{check, nanoseconds, signal, timespec};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

fn owned(fd: libc::c_long) -> io::Result<OwnedFd> {
    let fd = check(fd)?;
    // SAFETY: the kernel has just opened this descriptor for us, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Processor time of a process, of its ended threads, too.
pub fn processor_time_ns(pid: u32) -> io::Result<u64> {
    let mut clock = 0;
    // SAFETY: the clock's number is written to a live variable.
    match unsafe { libc::clock_getcpuclockid(pid as libc::pid_t, &raw mut clock) } {
        0 => {}
        error => return Err(io::Error::from_raw_os_error(error)),
    }
    let mut used = timespec(0);
    // SAFETY: `used` is a valid timespec to write to.
    check(unsafe { libc::clock_gettime(clock, &raw mut used) })?;
    Ok(nanoseconds(used))
}

/// A set of blocked signals.
#[derive(Clone)]
pub struct Mask(libc::sigset_t);

/// Blocks these signals in the calling thread; gives what was blocked before.
pub fn block(signals: &[libc::c_int]) -> io::Result<(Mask, OwnedFd)> {
    let (set, mut before) = (signal::set_of(signals), signal::set_of(&[]));
    // SAFETY: `set` is initialised, `before` valid to write to.
    check(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const set, &raw mut before) })?;
    // SAFETY: `set` is initialised; -1 asks for a new descriptor.
    let fd = unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    Ok((Mask(before), owned(fd.into())?))
}

/// Blocks just what was blocked before.
pub fn restore(mask: &Mask) {
    // SAFETY: the set was written by the kernel and lives through the call.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const mask.0, std::ptr::null_mut()) };
}

/// Has the kernel keep this process's ended children until they are collected, whatever its parent chose.
pub fn keep_ended_children() {
    // SAFETY: sets a default action; no handler is involved.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// True for a signal that this process ignores.
pub fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: plain numbers, for which all zeros is a value.
    let mut action: libc::sigaction = unsafe { zeroed() };
    // SAFETY: no new action is given, and the present one is written to a live structure.
    let answer = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    answer == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// A signal that arrived: its number, and whether the kernel (a terminal) sent it to the whole process group.
pub fn next_signal(fd: BorrowedFd<'_>) -> Option<(libc::c_int, bool)> {
    // SAFETY: plain numbers, for which all zeros is a value.
    let mut info: libc::signalfd_siginfo = unsafe { zeroed() };
    let size = size_of::<libc::signalfd_siginfo>();
    // SAFETY: the kernel writes at most `size` bytes into a live structure of that size.
    let read = unsafe { libc::read(fd.as_raw_fd(), (&raw mut info).cast(), size) };
    (read == size as isize).then_some((info.ssi_signo as libc::c_int, info.ssi_code == libc::SI_KERNEL))
}

/// What wait4(2) answered.
pub enum Waited {
    /// A child ended or stopped.
    Child(u32, libc::c_int, libc::rusage),
    /// There are children, and none has anything to say.
    NothingYet,
    /// There are no children.
    NoChild,
}

/// Asks for one child that has ended or stopped.
pub fn wait() -> Waited {
    let mut status = 0;
    // SAFETY: plain numbers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { zeroed() };
    // SAFETY: both are valid to write to.
    match unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG | libc::WUNTRACED, &raw mut usage) } {
        0 => Waited::NothingYet,
        pid if pid > 0 => Waited::Child(pid as u32, status, usage),
        _ => Waited::NoChild,
    }
}

/// Waits until this child has ended, and collects it.
pub fn collect(child: u32) {
    // SAFETY: no status is asked for, so that no memory is written.
    unsafe { libc::waitpid(child as libc::pid_t, std::ptr::null_mut(), 0) };
}

/// The head of the kernel's `struct perf_event_attr`, its first published size.
#[repr(C)]
#[derive(Default)]
struct EventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint: u32,
    config1: u64,
}

const _: () = assert!(size_of::<EventAttributes>() == 64);

/// Opens a counter of one process and of all that it will fork, which begins when the process executes a program.
pub fn open_counter(kind: u32, config: u64, pid: u32) -> io::Result<OwnedFd> {
    const DISABLED: u64 = 1;
    const INHERIT: u64 = 1 << 1;
    const ENABLE_ON_EXEC: u64 = 1 << 12;
    const ENABLED_AND_RUNNING: u64 = 3;
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
    let attributes = EventAttributes {
        kind,
        size: size_of::<EventAttributes>() as u32,
        config,
        read_format: ENABLED_AND_RUNNING,
        flags: DISABLED | INHERIT | ENABLE_ON_EXEC,
        ..Default::default()
    };
    let any_cpu = -1;
    let no_group = -1;
    // SAFETY: the kernel reads `size` bytes of a live structure of exactly that size.
    owned(unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            pid as libc::pid_t,
            any_cpu,
            no_group,
            CLOSE_ON_EXEC,
        )
    })
}

/// A generic netlink socket that never waits, with room for `bytes` where we may have as much.
pub fn generic_netlink(bytes: libc::c_int) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: takes no pointer.
    let socket = owned(unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_GENERIC) }.into())?;
    let (level, option) = (libc::SOL_SOCKET, libc::SO_RCVBUFFORCE);
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the kernel reads one integer. Without the privilege the buffer stays small, and losses are counted.
    unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const bytes).cast(), length) };
    Ok(socket)
}

/// Sends a message to the kernel.
pub fn send(socket: BorrowedFd<'_>, message: &[u8]) -> io::Result<()> {
    // SAFETY: the buffer lives through the call; a netlink socket without an address sends to the kernel.
    check(unsafe { libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) } as libc::c_long)
        .map(drop)
}

/// Receives one message; its length.
pub fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most the buffer's length into it.
    let got = unsafe { libc::recv(socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    check(got as libc::c_long).map(|length| length as usize)
}
