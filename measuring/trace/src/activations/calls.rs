//! The system calls that a thread may wait in or set a timer with: their numbers here, their names, and what the kernel's side
//! does with each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A system call by what it means for a waiting thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// `clock_nanosleep(clock, flags, time)`.
    ClockNanosleep,
    /// `nanosleep(time)`.
    Nanosleep,
    /// `read(fd, buffer)`: of a timerfd, the number of expirations.
    Read,
    /// Waits for files, with or without a limit: `poll`, `select`, `epoll_wait` and their variants.
    Files,
    /// `futex(word, operation, value, time)`.
    Futex,
    /// Waits for a signal: `rt_sigtimedwait`, `rt_sigsuspend`, `pause`.
    Signal,
    /// `timerfd_create(clock)`.
    TimerfdCreate,
    /// `timerfd_settime(fd, flags, interval and value)`.
    TimerfdSettime,
    /// `close(fd)`.
    Close,
    /// `sched_yield()`: of a deadline thread, the wait for its next period.
    Yield,
    /// `restart_syscall()`: the sleep that a signal or a stop interrupted goes on.
    Restart,
    /// Everything else that may block.
    Other,
}

/// What the kernel's side does with a call; the bits are those of `bpf/activations.h`.
const ALWAYS: u32 = 1;
const VALUE: u32 = 2;
const LOCK: u32 = 4;
const TIMES: u32 = 8;
const TIMEOUT: u32 = 16;
const DEADLINE: u32 = 32;

/// The argument that points to a time.
const fn time_at(argument: u32) -> u32 {
    (argument + 1) << 8
}

struct Row {
    number: libc::c_long,
    name: &'static str,
    meaning: Meaning,
    class: u32,
}

macro_rules! rows {
    ($($number:ident $name:literal $meaning:ident $class:expr;)*) => {
        vec![$(Row { number: libc::$number, name: $name, meaning: Meaning::$meaning, class: $class },)*]
    };
}

/// Every processor that prazo runs on has these.
fn everywhere() -> Vec<Row> {
    rows! {
        SYS_clock_nanosleep "clock_nanosleep" ClockNanosleep ALWAYS | time_at(2);
        SYS_nanosleep "nanosleep" Nanosleep ALWAYS | time_at(0);
        SYS_restart_syscall "restart_syscall" Restart ALWAYS;
        SYS_read "read" Read VALUE;
        SYS_ppoll "ppoll" Files ALWAYS;
        SYS_pselect6 "pselect6" Files ALWAYS;
        SYS_epoll_pwait "epoll_pwait" Files ALWAYS;
        SYS_epoll_pwait2 "epoll_pwait2" Files ALWAYS;
        SYS_futex "futex" Futex LOCK | TIMEOUT | time_at(3);
        SYS_rt_sigtimedwait "rt_sigtimedwait" Signal ALWAYS;
        SYS_rt_sigsuspend "rt_sigsuspend" Signal ALWAYS;
        SYS_timerfd_create "timerfd_create" TimerfdCreate ALWAYS;
        SYS_timerfd_settime "timerfd_settime" TimerfdSettime ALWAYS | TIMES | time_at(2);
        SYS_close "close" Close ALWAYS;
        SYS_write "write" Other 0;
        SYS_pread64 "pread64" Other 0;
        SYS_pwrite64 "pwrite64" Other 0;
        SYS_readv "readv" Other 0;
        SYS_writev "writev" Other 0;
        SYS_fsync "fsync" Other 0;
        SYS_fdatasync "fdatasync" Other 0;
        SYS_openat "openat" Other 0;
        SYS_ioctl "ioctl" Other 0;
        SYS_recvfrom "recvfrom" Other 0;
        SYS_recvmsg "recvmsg" Other 0;
        SYS_recvmmsg "recvmmsg" Other 0;
        SYS_sendto "sendto" Other 0;
        SYS_sendmsg "sendmsg" Other 0;
        SYS_accept4 "accept4" Other 0;
        SYS_connect "connect" Other 0;
        SYS_mq_timedreceive "mq_timedreceive" Other 0;
        SYS_mq_timedsend "mq_timedsend" Other 0;
        SYS_wait4 "wait4" Other 0;
        SYS_waitid "waitid" Other 0;
        SYS_sched_yield "sched_yield" Yield DEADLINE;
        SYS_munmap "munmap" Other 0;
        SYS_madvise "madvise" Other 0;
        SYS_mprotect "mprotect" Other 0;
        SYS_mremap "mremap" Other 0;
        SYS_brk "brk" Other 0;
        SYS_mlock "mlock" Other 0;
        SYS_munlock "munlock" Other 0;
        SYS_mlockall "mlockall" Other 0;
        SYS_io_uring_enter "io_uring_enter" Other 0;
        SYS_clock_gettime "clock_gettime" Other 0;
        SYS_clock_settime "clock_settime" Other 0;
        SYS_gettimeofday "gettimeofday" Other 0;
        SYS_times "times" Other 0;
        SYS_getrusage "getrusage" Other 0;
        SYS_timer_create "timer_create" Other 0;
        SYS_timer_settime "timer_settime" Other 0;
        SYS_timer_gettime "timer_gettime" Other 0;
        SYS_timer_delete "timer_delete" Other 0;
        SYS_timerfd_gettime "timerfd_gettime" Other 0;
        SYS_setitimer "setitimer" Other 0;
        SYS_getitimer "getitimer" Other 0;
        SYS_rt_sigaction "rt_sigaction" Other 0;
        SYS_rt_sigprocmask "rt_sigprocmask" Other 0;
        SYS_rt_sigreturn "rt_sigreturn" Other 0;
        SYS_rt_sigqueueinfo "rt_sigqueueinfo" Other 0;
        SYS_kill "kill" Other 0;
        SYS_tkill "tkill" Other 0;
        SYS_tgkill "tgkill" Other 0;
        SYS_getpid "getpid" Other 0;
        SYS_gettid "gettid" Other 0;
        SYS_getcpu "getcpu" Other 0;
        SYS_clone "clone" Other 0;
        SYS_clone3 "clone3" Other 0;
        SYS_execve "execve" Other 0;
        SYS_exit "exit" Other 0;
        SYS_exit_group "exit_group" Other 0;
        SYS_prctl "prctl" Other 0;
        SYS_sched_setscheduler "sched_setscheduler" Other 0;
        SYS_sched_setparam "sched_setparam" Other 0;
        SYS_sched_setattr "sched_setattr" Other 0;
        SYS_sched_setaffinity "sched_setaffinity" Other 0;
        SYS_sched_getaffinity "sched_getaffinity" Other 0;
        SYS_membarrier "membarrier" Other 0;
        SYS_getrandom "getrandom" Other 0;
        SYS_lseek "lseek" Other 0;
        SYS_fcntl "fcntl" Other 0;
        SYS_dup "dup" Other 0;
        SYS_pipe2 "pipe2" Other 0;
        SYS_eventfd2 "eventfd2" Other 0;
        SYS_epoll_create1 "epoll_create1" Other 0;
        SYS_epoll_ctl "epoll_ctl" Other 0;
        SYS_socket "socket" Other 0;
        SYS_bind "bind" Other 0;
        SYS_listen "listen" Other 0;
        SYS_shutdown "shutdown" Other 0;
        SYS_setsockopt "setsockopt" Other 0;
        SYS_getsockopt "getsockopt" Other 0;
        SYS_sendmmsg "sendmmsg" Other 0;
        SYS_fstat "fstat" Other 0;
        SYS_statx "statx" Other 0;
        SYS_getdents64 "getdents64" Other 0;
        SYS_unlinkat "unlinkat" Other 0;
        SYS_ftruncate "ftruncate" Other 0;
    }
}

/// Only the older tables of numbers have these.
#[cfg(any(target_arch = "x86_64", target_arch = "arm", target_arch = "powerpc64"))]
fn older() -> Vec<Row> {
    rows! {
        SYS_poll "poll" Files ALWAYS;
        SYS_epoll_wait "epoll_wait" Files ALWAYS;
        SYS_pause "pause" Signal ALWAYS;
        SYS_open "open" Other 0;
        SYS_accept "accept" Other 0;
        SYS_pipe "pipe" Other 0;
        SYS_dup2 "dup2" Other 0;
        SYS_access "access" Other 0;
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "arm", target_arch = "powerpc64")))]
fn older() -> Vec<Row> {
    Vec::new()
}

/// Of these, 64-bit Arm and RISC-V have none.
#[cfg(target_arch = "x86_64")]
fn here() -> Vec<Row> {
    rows! { SYS_select "select" Files ALWAYS; SYS_stat "stat" Other 0; SYS_time "time" Other 0; }
}

#[cfg(target_arch = "arm")]
fn here() -> Vec<Row> {
    rows! { SYS__newselect "select" Files ALWAYS; }
}

#[cfg(target_arch = "powerpc64")]
fn here() -> Vec<Row> {
    rows! { SYS__newselect "select" Files ALWAYS; SYS_stat "stat" Other 0; SYS_time "time" Other 0; }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "arm", target_arch = "powerpc64")))]
fn here() -> Vec<Row> {
    Vec::new()
}

/// Processors of 32 bits have two of a kind.
#[cfg(target_arch = "arm")]
fn by_width() -> Vec<Row> {
    rows! { SYS_mmap2 "mmap2" Other 0; SYS_fstatat64 "fstatat64" Other 0; }
}

#[cfg(not(target_arch = "arm"))]
fn by_width() -> Vec<Row> {
    rows! { SYS_mmap "mmap" Other 0; SYS_newfstatat "newfstatat" Other 0; }
}

/// The calls of System V, each with a number of its own.
#[cfg(not(target_arch = "powerpc64"))]
fn system_v() -> Vec<Row> {
    rows! {
        SYS_msgsnd "msgsnd" Other 0;
        SYS_msgrcv "msgrcv" Other 0;
        SYS_semop "semop" Other 0;
        SYS_shmat "shmat" Other 0;
        SYS_shmdt "shmdt" Other 0;
    }
}

/// The calls of System V behind one number.
#[cfg(target_arch = "powerpc64")]
fn system_v() -> Vec<Row> {
    rows! { SYS_ipc "ipc" Other 0; }
}

static TABLE: LazyLock<BTreeMap<u32, Row>> = LazyLock::new(|| {
    let rows = [everywhere(), older(), here(), by_width(), system_v()].into_iter().flatten();
    rows.filter_map(|row| Some((u32::try_from(row.number).ok()?, row))).collect()
});

/// What a call means.
pub(super) fn meaning(call: u32) -> Meaning {
    TABLE.get(&call).map_or(Meaning::Other, |row| row.meaning)
}

/// The call's name; its number where it has none here.
pub(super) fn name(call: u32) -> String {
    TABLE.get(&call).map_or_else(|| format!("system call {call}"), |row| row.name.to_owned())
}

/// True for the calls that the kernel itself puts into a program where a place is looked at: `uretprobe` and `uprobe`.
pub(super) fn is_of_probe(call: u32) -> bool {
    cfg!(target_arch = "x86_64") && matches!(call, 335 | 336)
}

/// The names of all calls that are known here.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.values().map(|row| row.name)
}

/// What the kernel's side is told of each call that it treats specially.
pub(super) fn classes() -> impl Iterator<Item = (u32, u32)> {
    TABLE.iter().map(|(number, row)| (*number, row.class)).filter(|(_, class)| *class != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_the_header_and_every_number_has_a_place() {
        let header = include_str!("../../bpf/activations.h");
        for (name, bit) in [
            ("ALWAYS", ALWAYS),
            ("VALUE", VALUE),
            ("LOCK", LOCK),
            ("TIMES", TIMES),
            ("TIMEOUT", TIMEOUT),
            ("DEADLINE", DEADLINE),
        ] {
            assert!(header.contains(&format!("CALL_{name} {bit}")), "{name}");
        }
        assert!(header.contains("CALL_POINTER_SHIFT 8"));
        assert!(header.contains(&format!("CALL_TIMED_OUT (-{})", libc::ETIMEDOUT)));
        assert!(classes().all(|(number, _)| number < super::super::layout::CALLS));
        assert_eq!(meaning(libc::SYS_futex as u32), Meaning::Futex);
        assert_eq!(name(100_000), "system call 100000");
    }
}
