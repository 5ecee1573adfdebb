//! Affinity, policy, timer slack and limits of a thread or process.

use crate::{check, deadline_bandwidth};
use prazo_core::cpu::{Cpu, CpuSet};
use rustix::process::Rlimit;
use rustix::thread::Pid;
use serde::{Deserialize, Serialize};
use std::io;
use std::num::NonZeroU64;

/// The parameters of `sched_setattr(2)`, in the kernel's own layout (its first version, 48 bytes).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedAttr {
    /// Size of this structure, 48.
    pub size: u32,
    /// SCHED_OTHER, SCHED_FIFO, SCHED_RR or SCHED_DEADLINE.
    pub policy: u32,
    /// Flags: [`RESET_ON_FORK`] or none.
    pub flags: u64,
    /// Nice value, of SCHED_OTHER.
    pub nice: i32,
    /// Priority 1 to 99, of SCHED_FIFO and SCHED_RR.
    pub priority: u32,
    /// SCHED_DEADLINE: processor time in each period, in nanoseconds.
    pub runtime_ns: u64,
    /// SCHED_DEADLINE: relative deadline, in nanoseconds.
    pub deadline_ns: u64,
    /// SCHED_DEADLINE: period, in nanoseconds.
    pub period_ns: u64,
}

const _: () = assert!(size_of::<SchedAttr>() == 48);

/// The kernel's numbers of the policies.
pub const SCHED_OTHER: u32 = libc::SCHED_OTHER as u32;
/// First in, first out, by priority.
pub const SCHED_FIFO: u32 = libc::SCHED_FIFO as u32;
/// The same, in slices of time.
pub const SCHED_RR: u32 = libc::SCHED_RR as u32;
/// Earliest deadline first in reservations; the C library does not name it.
pub const SCHED_DEADLINE: u32 = 6;

impl SchedAttr {
    /// True where both ask for the same; what a kernel adds to the flags is none of it.
    pub fn is_same(&self, other: &Self) -> bool {
        let plain = |attr: &Self| Self { size: 0, flags: attr.flags & RESET_ON_FORK, ..*attr };
        plain(self) == plain(other)
    }

    /// The words for it in run files and in errors about measuring threads.
    pub fn in_a_record(&self) -> String {
        match self.policy {
            SCHED_OTHER => "other".into(),
            SCHED_FIFO => format!("fifo priority {}", self.priority),
            SCHED_RR => format!("rr priority {}", self.priority),
            SCHED_DEADLINE => format!(
                "deadline runtime {} ns, deadline {} ns, period {} ns",
                self.runtime_ns, self.deadline_ns, self.period_ns
            ),
            number => format!("policy number {number}"),
        }
    }
}

/// As people read it: `deadline 2 ms of 10 ms within 10 ms`, `fifo 80`, `other`.
impl std::fmt::Display for SchedAttr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let us = |ns: u64| ns as f64 / 1e3;
        match self.policy {
            SCHED_OTHER => {
                let children = if self.flags & RESET_ON_FORK == 0 { "" } else { ", not inherited by children" };
                write!(f, "policy other, nice {}{children}", self.nice)
            }
            SCHED_FIFO => write!(f, "policy fifo, priority {}", self.priority),
            SCHED_RR => write!(f, "policy rr, priority {}", self.priority),
            SCHED_DEADLINE => {
                let (runtime, deadline, period) = (us(self.runtime_ns), us(self.deadline_ns), us(self.period_ns));
                write!(f, "policy deadline, budget {runtime} µs in every {period} µs, due within {deadline} µs")
            }
            other => write!(f, "policy number {other}"),
        }
    }
}

/// The flag by which a thread's children start as ordinary ones; without it a deadline thread cannot have any.
pub const RESET_ON_FORK: u64 = 1;
/// The flag by which a deadline thread gets SIGXCPU when its runtime is used up.
pub const TELL_OVERRUNS: u64 = 4;

/// What the kernel takes for the calling thread's number.
const THIS_THREAD: u32 = 0;

/// Asks for a policy for the calling thread.
pub fn set_attributes(attr: &SchedAttr) -> io::Result<()> {
    set_attributes_of(THIS_THREAD, attr)
}

/// The policy that the calling thread really has.
pub fn attributes() -> io::Result<SchedAttr> {
    attributes_of(THIS_THREAD)
}

/// Makes the calling thread a fifo thread of this priority, and reads back that it is one.
pub fn become_fifo(priority: u8) -> io::Result<()> {
    let wanted = SchedAttr { policy: SCHED_FIFO, priority: priority.into(), ..SchedAttr::default() };
    set_attributes(&wanted)?;
    let found = attributes()?;
    if found.is_same(&wanted) {
        Ok(())
    } else {
        Err(io::Error::other(format!("the kernel set a policy other than the requested one: {found}")))
    }
}

/// Asks for a policy for the thread of this number. A deadline policy for which the kernel says that there is no bandwidth is asked
/// for once more, at least 50 ms later: the kernel may have lost count ([`deadline_bandwidth`]).
pub fn set_attributes_of(thread: u32, attr: &SchedAttr) -> io::Result<()> {
    let attr = SchedAttr { size: size_of::<SchedAttr>() as u32, ..*attr };
    // SAFETY: the kernel reads `size` bytes of a live structure of exactly that size and keeps no pointer to it.
    let ask = || check(unsafe { libc::syscall(libc::SYS_sched_setattr, thread, &raw const attr, 0) } as i32).map(drop);
    if attr.policy != SCHED_DEADLINE {
        return ask();
    }
    ask().or_else(|error| {
        if error.raw_os_error() != Some(libc::EBUSY) {
            return Err(error);
        }
        deadline_bandwidth::count_anew();
        ask()
    })?;
    deadline_bandwidth::was_granted(attr.period_ns.max(attr.deadline_ns));
    Ok(())
}

/// The policy that the thread of this number really has.
pub fn attributes_of(thread: u32) -> io::Result<SchedAttr> {
    let (mut attr, size) = (SchedAttr::default(), size_of::<SchedAttr>() as libc::c_uint);
    // SAFETY: the kernel writes at most the given 48 bytes into a live structure of that size.
    check(unsafe { libc::syscall(libc::SYS_sched_getattr, thread, &raw mut attr, size, 0) } as i32)?;
    Ok(attr)
}

/// Lets the calling thread run on `cpus` only; the kernel silently drops those outside the cpuset.
pub fn set_affinity(cpus: &CpuSet) -> io::Result<()> {
    set_affinity_of(THIS_THREAD, cpus)
}

/// The processors that the calling thread may run on.
pub fn affinity() -> io::Result<CpuSet> {
    affinity_of(THIS_THREAD)
}

/// Lets the thread of this number run on `cpus` only.
pub fn set_affinity_of(thread: u32, cpus: &CpuSet) -> io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(cpu.number() as usize));
    Ok(rustix::thread::sched_setaffinity(number(thread)?, &set)?)
}

/// The processors that the thread of this number may run on.
pub fn affinity_of(thread: u32) -> io::Result<CpuSet> {
    let set = rustix::thread::sched_getaffinity(number(thread)?)?;
    let members = every_cpu().filter(|cpu| set.is_set(cpu.number() as usize));
    CpuSet::from_cpus(members).ok_or_else(|| io::Error::other("the kernel returned an empty affinity"))
}

/// Every number that both the kernel's set and ours can hold.
fn every_cpu() -> impl Iterator<Item = Cpu> {
    (0..rustix::thread::CpuSet::MAX_CPU as u32).filter_map(Cpu::new)
}

const _: () = assert!(prazo_core::cpu::CPUS_MAX <= rustix::thread::CpuSet::MAX_CPU);

/// `None` for the calling thread.
fn number(thread: u32) -> io::Result<Option<Pid>> {
    Ok(Pid::from_raw(i32::try_from(thread).map_err(|_| io::ErrorKind::InvalidInput)?))
}

/// Every processor that this process could be given: what is left of all of them inside its cpuset.
///
/// Asked on a thread of its own, whose affinity goes with it.
pub fn usable_cpus() -> io::Result<CpuSet> {
    let all = CpuSet::from_cpus(every_cpu()).expect("there are numbers");
    let ask = move || set_affinity(&all).and_then(|()| affinity());
    std::thread::spawn(ask).join().unwrap_or_else(|_| {
        Err(io::Error::other("the thread that asked the kernel for the usable processors panicked"))
    })
}

/// The processor that the calling thread is on, as the C library reads it without a system call.
#[inline]
pub fn current_cpu() -> u32 {
    // SAFETY: no arguments; it answers -1 only where the system knows no such call.
    u32::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

/// Sets the calling thread's timer slack, which what it starts inherits; the kernel takes 0 as "back to the default".
pub fn set_timer_slack_ns(slack_ns: u64) -> io::Result<()> {
    Ok(rustix::thread::set_current_timer_slack(NonZeroU64::new(slack_ns))?)
}

/// The calling thread's timer slack in nanoseconds.
pub fn timer_slack_ns() -> io::Result<u64> {
    Ok(rustix::thread::current_timer_slack()?)
}

/// The soft and hard limit of one resource of this process; `u64::MAX` is none.
pub fn limit(resource: Resource) -> (u64, u64) {
    let Rlimit { current, maximum } = rustix::process::getrlimit(resource.of_kernel());
    (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX))
}

/// Sets the soft limit of one resource and leaves the hard one.
pub fn set_soft_limit(resource: Resource, soft: u64) -> io::Result<()> {
    let some = |limit: u64| (limit != u64::MAX).then_some(limit);
    let limit = Rlimit { current: some(soft), maximum: some(limit(resource).1) };
    Ok(rustix::process::setrlimit(resource.of_kernel(), limit)?)
}

/// A limit that matters to a real-time thread.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    /// Processor time of a real-time thread without a blocking call, in microseconds.
    RealTimeRun,
}

impl Resource {
    fn of_kernel(self) -> rustix::process::Resource {
        match self {
            Self::RealTimeRun => rustix::process::Resource::Rttime,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affinity_is_what_was_set() {
        let usable = usable_cpus().unwrap();
        let last = usable.iter().last().unwrap();
        std::thread::spawn(move || {
            set_affinity(&CpuSet::only(last)).unwrap();
            assert_eq!(affinity().unwrap(), CpuSet::only(last));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_processor_that_does_not_exist_is_refused() {
        let error = set_affinity(&CpuSet::only(Cpu::new(1023).unwrap())).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    }

    #[test]
    fn an_ordinary_thread_reads_back_as_other() {
        assert_eq!(attributes().unwrap().policy, SCHED_OTHER);
    }

    #[test]
    fn timer_slack_is_what_was_set() {
        std::thread::spawn(|| {
            set_timer_slack_ns(12_345).unwrap();
            assert_eq!(timer_slack_ns().unwrap(), 12_345);
        })
        .join()
        .unwrap();
    }
}
