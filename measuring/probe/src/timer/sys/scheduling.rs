//! Affinity, policy, timer slack and limits of the calling thread or process.

use super::check;
use prazo_core::cpu::{Cpu, CpuSet};
use std::io;

/// What the kernel's scheduling calls take for the thread that calls.
const CALLING_THREAD: i32 = 0;

/// Lets the calling thread run on `cpus` only; the kernel silently drops those outside the cpuset.
pub fn set_affinity(cpus: &CpuSet) -> io::Result<()> {
    let mask = mask_of(cpus);
    // SAFETY: `mask` is a valid cpu_set_t of the size given; 0 is the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &mask) }).map(drop)
}

/// The processors that the calling thread may run on.
pub fn affinity() -> io::Result<CpuSet> {
    affinity_of(CALLING_THREAD)
}

/// The processors that a thread may run on.
pub fn affinity_of(thread_id: i32) -> io::Result<CpuSet> {
    let mut mask = empty_mask();
    // SAFETY: `mask` is a valid cpu_set_t of the size given, for the kernel to fill.
    check(unsafe { libc::sched_getaffinity(thread_id, size_of::<libc::cpu_set_t>(), &mut mask) })?;
    let members = (0..libc::CPU_SETSIZE as u32).filter(|number| is_set(&mask, *number)).filter_map(Cpu::new);
    CpuSet::from_cpus(members).ok_or_else(|| io::Error::other("the kernel answered an empty affinity"))
}

/// Every processor that this process could be given: what is left of all of them inside its cpuset.
///
/// Asked on a thread of its own, whose affinity goes with it.
pub fn usable_cpus() -> io::Result<CpuSet> {
    let all = CpuSet::from_cpus((0..libc::CPU_SETSIZE as u32).filter_map(Cpu::new));
    let ask = move || set_affinity(&all.expect("CPU_SETSIZE is not zero")).and_then(|()| affinity());
    std::thread::spawn(ask).join().unwrap_or_else(|_| Err(io::Error::other("the asking thread panicked")))
}

fn empty_mask() -> libc::cpu_set_t {
    // SAFETY: cpu_set_t is an array of integers, for which all zeros is a value.
    unsafe { std::mem::zeroed() }
}

fn mask_of(cpus: &CpuSet) -> libc::cpu_set_t {
    let mut mask = empty_mask();
    for cpu in cpus.iter().filter(|cpu| cpu.number() < libc::CPU_SETSIZE as u32) {
        // SAFETY: the number lies inside the set, as filtered.
        unsafe { libc::CPU_SET(cpu.number() as usize, &mut mask) };
    }
    mask
}

fn is_set(mask: &libc::cpu_set_t, number: u32) -> bool {
    // SAFETY: callers ask for numbers below CPU_SETSIZE.
    unsafe { libc::CPU_ISSET(number as usize, mask) }
}

/// The processor that the calling thread is on, as the C library reads it without a system call.
#[inline]
pub fn current_cpu() -> u32 {
    // SAFETY: no arguments; it answers -1 only where the system knows no such call.
    u32::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

/// `sched_setattr(2)` on the calling thread.
pub fn set_attributes(attributes: &libc::sched_attr) -> io::Result<()> {
    // SAFETY: a valid sched_attr that carries its own size; 0 is the calling thread; no flags.
    check(unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *attributes, 0) } as i32).map(drop)
}

/// `sched_getattr(2)` on the calling thread.
pub fn attributes() -> io::Result<libc::sched_attr> {
    attributes_of(CALLING_THREAD)
}

/// `sched_getattr(2)` on a thread.
pub fn attributes_of(thread_id: i32) -> io::Result<libc::sched_attr> {
    let mut attributes = no_attributes();
    let size = attributes.size;
    // SAFETY: a valid sched_attr of the size given, for the kernel to fill; a number of a thread; no flags.
    check(unsafe { libc::syscall(libc::SYS_sched_getattr, thread_id, &raw mut attributes, size, 0) } as i32)?;
    Ok(attributes)
}

/// Attributes of SCHED_OTHER with nothing else set.
pub fn no_attributes() -> libc::sched_attr {
    // SAFETY: a sched_attr is made of integers, for which zero is a value.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    attributes.size = size_of::<libc::sched_attr>() as u32;
    attributes
}

/// Sets the calling thread's timer slack; the kernel takes 0 as "back to the default".
pub fn set_timer_slack_ns(slack_ns: u64) -> io::Result<()> {
    // SAFETY: this option takes a number and no pointer.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack_ns as libc::c_ulong) }).map(drop)
}

/// The calling thread's timer slack in nanoseconds.
pub fn timer_slack_ns() -> io::Result<u64> {
    // SAFETY: this option takes no further argument.
    check(unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) }).map(|slack| slack as u64)
}

/// The soft and hard limit of one resource of this process.
pub fn limit(resource: Resource) -> io::Result<(u64, u64)> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid rlimit for the kernel to fill.
    check(unsafe { libc::getrlimit(resource.number(), &mut limit) })?;
    Ok((limit.rlim_cur, limit.rlim_max))
}

/// Sets the soft limit of one resource and leaves the hard one.
pub fn set_soft_limit(resource: Resource, soft: u64) -> io::Result<()> {
    let (_, hard) = limit(resource)?;
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: `limit` is a valid rlimit.
    check(unsafe { libc::setrlimit(resource.number(), &limit) }).map(drop)
}

/// The limits that matter to a real-time thread.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    /// Processor time of a real-time thread without a blocking call, in microseconds.
    RealTimeRun,
    /// The highest real-time priority without CAP_SYS_NICE.
    RealTimePriority,
}

impl Resource {
    fn number(self) -> libc::__rlimit_resource_t {
        match self {
            Self::RealTimeRun => libc::RLIMIT_RTTIME,
            Self::RealTimePriority => libc::RLIMIT_RTPRIO,
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
        assert_eq!(attributes().unwrap().sched_policy, libc::SCHED_OTHER as u32);
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
