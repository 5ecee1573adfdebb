//! The Rust twin of `bpf/watch.h`: what leaves the kernel, read from its bytes.

use prazo_core::cpu::CpuSet;

/// Places for watched threads; a thread's is its number modulo this.
pub(super) const SLOTS: u32 = 4_096;
/// Bytes of a job.
pub(super) const JOB_BYTES: usize = 64;
/// Bytes of a slot.
pub(super) const SLOT_BYTES: usize = 232;

/// Where a slot's cluster begins, in bytes, and how many processors it can name.
const CLUSTER_AT: usize = 40;
const CLUSTER_CPUS: u32 = 1_024;

/// One job of a watched thread, in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The thread.
    pub thread_id: u32,
    /// Where it ended.
    pub cpu: u32,
    /// Programmed expiry of the timer whose function woke it; 0 where none did.
    pub due_ns: u64,
    /// It was woken.
    pub waking_ns: u64,
    /// A processor switched to it first.
    pub start_ns: u64,
    /// It blocked.
    pub end_ns: u64,
    /// Time on processors, interrupts included.
    pub ran_ns: u64,
    /// How often it left a processor though it could have run.
    pub preemptions: u32,
    /// Of these, with its budget spent, or for a less urgent thread.
    pub throttled: u32,
    /// How often it came to another processor than it had left.
    pub migrations: u32,
    /// How often it came to one that is not its cluster's.
    pub outside: u32,
}

impl Job {
    /// A record of the ring; `None` for one of another size.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; JOB_BYTES] = bytes.try_into().ok()?;
        Some(Self {
            thread_id: u32_at(bytes, 0),
            cpu: u16::from_ne_bytes([bytes[4], bytes[5]]).into(),
            due_ns: u64_at(bytes, 8),
            waking_ns: u64_at(bytes, 16),
            start_ns: u64_at(bytes, 24),
            end_ns: u64_at(bytes, 32),
            ran_ns: u64_at(bytes, 40),
            preemptions: u32_at(bytes, 48),
            throttled: u32_at(bytes, 52),
            migrations: u32_at(bytes, 56),
            outside: u32_at(bytes, 60),
        })
    }

    /// When it arrived: when its timer was due, however late that expired; without one when it was woken. A timer of another
    /// clock is due at an instant that says nothing here.
    pub fn arrival_ns(&self) -> u64 {
        if self.is_timed() { self.due_ns } else { self.waking_ns }
    }

    /// True where a timer of CLOCK_MONOTONIC woke it: it had been due before, and not earlier than a minute.
    pub fn is_timed(&self) -> bool {
        const MINUTE_NS: u64 = 60_000_000_000;
        self.due_ns > 0 && self.due_ns <= self.waking_ns && self.waking_ns - self.due_ns < MINUTE_NS
    }
}

/// An empty slot that belongs to a thread.
pub(super) fn slot_of(thread_id: u32, cluster: &CpuSet) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[..4].copy_from_slice(&thread_id.to_ne_bytes());
    let mut words = [0_u64; CLUSTER_CPUS as usize / 64];
    let members = cluster.iter().map(|cpu| cpu.number()).filter(|cpu| *cpu < CLUSTER_CPUS);
    members.for_each(|cpu| words[cpu as usize / 64] |= 1 << (cpu % 64));
    let places = slot[CLUSTER_AT..].chunks_exact_mut(8);
    places.zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
    slot
}

/// The jobs of a slot's thread that found the ring full.
pub(super) fn lost(slot: &[u8; SLOT_BYTES]) -> u64 {
    u32_at(slot, 4).into()
}

/// The job of a slot's thread that has not ended, as it was at its last switch.
pub(super) fn under_way(slot: &[u8; SLOT_BYTES]) -> Option<Job> {
    Job::read(&slot[SLOT_BYTES - JOB_BYTES..]).filter(|job| job.waking_ns > 0)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_those_of_the_header() {
        let program = include_str!("../../bpf/watch.bpf.c");
        assert!(program.contains(&format!("sizeof(struct watch_job) == {JOB_BYTES},")));
        assert!(program.contains(&format!("sizeof(struct watch_slot) == {SLOT_BYTES},")));
        let header = include_str!("../../bpf/watch.h");
        assert!(header.contains(&format!("WATCH_SLOTS {SLOTS}")));
        assert!(header.contains(&format!("WATCH_WORDS {}", CLUSTER_CPUS / 64)));
    }

    #[test]
    fn a_job_is_read_field_by_field() {
        let mut bytes = [0; JOB_BYTES];
        bytes[..4].copy_from_slice(&7_u32.to_ne_bytes());
        bytes[4..6].copy_from_slice(&5_u16.to_ne_bytes());
        for (number, field) in bytes[8..48].chunks_exact_mut(8).enumerate() {
            field.copy_from_slice(&(0x1_0000_0000 + number as u64).to_ne_bytes());
        }
        for (number, field) in bytes[48..].chunks_exact_mut(4).enumerate() {
            field.copy_from_slice(&(9 + number as u32).to_ne_bytes());
        }
        let at = |number: u64| 0x1_0000_0000 + number;
        let expected = Job {
            thread_id: 7,
            cpu: 5,
            due_ns: at(0),
            waking_ns: at(1),
            start_ns: at(2),
            end_ns: at(3),
            ran_ns: at(4),
            preemptions: 9,
            throttled: 10,
            migrations: 11,
            outside: 12,
        };
        assert_eq!(Job::read(&bytes), Some(expected));
        assert_eq!(Job::read(&bytes[..63]), None);
    }

    #[test]
    fn a_cluster_is_a_bit_for_each_processor() {
        let slot = slot_of(7, &"0,65".parse().unwrap());
        assert_eq!((slot[0], slot[CLUSTER_AT], slot[CLUSTER_AT + 8], lost(&slot)), (7, 1, 2, 0));
        assert_eq!(under_way(&slot), None);
    }

    #[test]
    fn a_job_arrives_when_its_timer_was_due_and_without_one_when_it_was_woken() {
        let woken = |due_ns| Job { due_ns, waking_ns: 100_000_001_000, ..Job::default() }.arrival_ns();
        assert_eq!(woken(100_000_000_900), 100_000_000_900);
        assert_eq!(woken(70_000_000_000), 70_000_000_000, "the whole machine may have stood still");
        for other in [0, 1_000, 100_000_001_100] {
            assert_eq!(woken(other), 100_000_001_000, "{other}");
        }
    }
}
