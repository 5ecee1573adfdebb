//! What the calling thread has cost so far: switches, faults, processor time.

use crate::clock;

/// Counts since the thread began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Times it blocked.
    pub voluntary_switches: u64,
    /// Times it was preempted.
    pub involuntary_switches: u64,
    /// Page faults served without reading a disk.
    pub minor_faults: u64,
    /// Page faults that read a disk.
    pub major_faults: u64,
    /// Processor time, by CLOCK_THREAD_CPUTIME_ID.
    pub cpu_ns: u64,
}

impl Usage {
    /// The calling thread's counts.
    pub fn now() -> Self {
        // SAFETY: an rusage is made of integers, for which zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is valid for the kernel to fill; RUSAGE_THREAD always exists.
        unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
        Self {
            voluntary_switches: usage.ru_nvcsw as u64,
            involuntary_switches: usage.ru_nivcsw as u64,
            minor_faults: usage.ru_minflt as u64,
            major_faults: usage.ru_majflt as u64,
            cpu_ns: clock::thread_cpu_ns(),
        }
    }

    /// What was added since `before`.
    pub fn since(self, before: Self) -> Self {
        Self {
            voluntary_switches: self.voluntary_switches - before.voluntary_switches,
            involuntary_switches: self.involuntary_switches - before.involuntary_switches,
            minor_faults: self.minor_faults - before.minor_faults,
            major_faults: self.major_faults - before.major_faults,
            cpu_ns: self.cpu_ns - before.cpu_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_are_voluntary_switches() {
        let before = Usage::now();
        (0..10).for_each(|_| clock::sleep_for(1_000_000).unwrap());
        let added = Usage::now().since(before);
        assert!((1..=10).contains(&added.voluntary_switches), "{added:?}");
        assert!(added.cpu_ns > 0);
    }
}
