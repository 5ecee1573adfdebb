//! Priority inversions in groups of three real-time threads, which two mutexes with priority inheritance end.
//!
//! ```text
//! low      locks first ─► wakes the others ───────────► runs with high's priority ─► unlocks first
//! medium            locks second ─► waits for first                                       has both ─► unlocks both
//! high                                  waits for second                                              has second ─► counts
//! ```
//! A group keeps to one processor, so that the order follows from the priorities alone. High waits for medium, which waits for low:
//! the kernel lends high's priority along that chain. An inversion counts where both of them found their mutex taken.

use super::super::numbers::Numbers;
use super::workers::{self, Endless};
use prazo_core::cpu::CpuSet;
use prazo_platform::policy::grant;
use prazo_run::plan::Policy;
use prazo_sys::lock::{Lock, PosixProtocol};
use prazo_sys::wake::{Called, Semaphore};
use prazo_sys::{clock, scheduling};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Low, medium and high: below every measured thread and every interrupt's thread, above all ordinary ones.
pub(in super::super) const PRIORITIES: [u8; 3] = [1, 2, 3];
/// A group inverts for this long and then rests, so that ordinary threads run too: without that, the kernel would throttle all
/// real-time threads, measured ones among them.
const BURST_NS: u64 = 400_000;
/// The shortest and the longest rest of a group that has its processor alone. Each rest is another one: with a fixed period, a
/// measured thread with the same period would always meet the same part of it.
const RESTS_NS: [u64; 2] = [200_000, 1_000_000];
/// Between two counts in the file.
const COUNTED_EACH_NS: u64 = 100_000_000;

/// In the load's folder: one number of eight bytes for each group.
const COUNT_FILE: &str = "inversions";
const COUNT_BYTES: u64 = 8;

/// Makes the file of counts.
pub(in super::super) fn prepare(work: &Path, groups: u32) -> io::Result<()> {
    fs::write(work.join(COUNT_FILE), vec![0; groups as usize * COUNT_BYTES as usize])
}

/// The inversions of all groups so far, in the folder where this process stands; `None` where there is no count.
pub(in super::super) fn counted() -> Option<u64> {
    fs::read(COUNT_FILE).ok().map(|bytes| sum(&bytes))
}

fn sum(bytes: &[u8]) -> u64 {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|number| u64::from_le_bytes(*number)).sum()
}

/// What the three threads share.
struct Group {
    first: Lock,
    second: Lock,
    medium_may: Semaphore,
    high_may: Semaphore,
    done: Semaphore,
    /// Medium found `first` taken.
    nested: AtomicBool,
    inversions: AtomicU64,
}

impl Group {
    fn new(inversions: u64) -> io::Result<Self> {
        Ok(Self {
            first: Lock::new(PosixProtocol::Inherit)?,
            second: Lock::new(PosixProtocol::Inherit)?,
            medium_may: Semaphore::new()?,
            high_may: Semaphore::new()?,
            done: Semaphore::new()?,
            nested: AtomicBool::new(false),
            inversions: AtomicU64::new(inversions),
        })
    }

    /// One round of the least urgent thread, which ends when both others have.
    fn low(&self) -> io::Result<()> {
        self.first.lock()?;
        called(self.medium_may.post())?;
        called(self.high_may.post())?;
        self.first.unlock()?;
        called(self.done.wait())?;
        called(self.done.wait())
    }

    fn medium(&self) -> Endless {
        loop {
            called(self.medium_may.wait())?;
            self.second.lock()?;
            // ORDERING: relaxed, since the mutexes order everything.
            self.nested.store(self.waited(&self.first)?, Ordering::Relaxed);
            self.first.unlock()?;
            self.second.unlock()?;
            called(self.done.post())?;
        }
    }

    fn high(&self) -> Endless {
        loop {
            called(self.high_may.wait())?;
            if self.waited(&self.second)? && self.nested.swap(false, Ordering::Relaxed) {
                self.inversions.fetch_add(1, Ordering::Relaxed);
            }
            self.second.unlock()?;
            called(self.done.post())?;
        }
    }

    /// Takes a lock; true where another thread held it.
    fn waited(&self, lock: &Lock) -> io::Result<bool> {
        let is_taken = !lock.try_lock()?;
        if is_taken {
            lock.lock()?;
        }
        Ok(is_taken)
    }
}

fn called(answer: Called) -> io::Result<()> {
    answer.map_err(io::Error::from_raw_os_error)
}

/// Inverts for ever, as the group of this number.
pub(super) fn invert(seed: u64, number: u32, groups: u32) -> Endless {
    let file = File::options().read(true).write(true).open(COUNT_FILE)?;
    let place = u64::from(number) * COUNT_BYTES;
    let mut before = [0; COUNT_BYTES as usize];
    file.read_exact_at(&mut before, place)?;
    let sharing = sharing(groups, scheduling::affinity()?.iter().count());
    keep_to_one_processor(number)?;
    let mut numbers = Numbers::of_worker(seed, number);
    let [shortest_ns, longest_ns] = RESTS_NS;
    let rest_ns = move || sharing * (shortest_ns + numbers.below(longest_ns - shortest_ns + 1));
    let group = Group::new(u64::from_le_bytes(before))?;
    std::thread::scope(|scope| {
        scope.spawn(|| in_real_time(PRIORITIES[2], || group.high()));
        scope.spawn(|| in_real_time(PRIORITIES[1], || group.medium()));
        in_real_time(PRIORITIES[0], || {
            in_bursts(&group, rest_ns, |count| file.write_all_at(&count.to_le_bytes(), place))
        })
    })
}

/// How many groups share a processor, at most. Each rests so many times as long, so that all of them leave it a third or more.
fn sharing(groups: u32, processors: usize) -> u64 {
    u64::from(groups).div_ceil(processors.max(1) as u64).max(1)
}

fn in_bursts(group: &Group, mut rest_ns: impl FnMut() -> u64, keep: impl Fn(u64) -> io::Result<()>) -> Endless {
    let mut kept_ns = 0;
    loop {
        let begun_ns = clock::monotonic_ns();
        while clock::monotonic_ns() < begun_ns + BURST_NS {
            group.low()?;
        }
        if begun_ns >= kept_ns + COUNTED_EACH_NS {
            keep(group.inversions.load(Ordering::Relaxed))?;
            kept_ns = begun_ns;
        }
        clock::sleep_until(clock::monotonic_ns() + rest_ns());
    }
}

/// Does `work` with this priority; a thread that cannot go on ends its whole group, which would wait for it otherwise.
fn in_real_time(priority: u8, work: impl FnOnce() -> Endless) -> ! {
    let granted = grant(Policy::Fifo { priority }, BURST_NS + RESTS_NS[1]).map_err(io::Error::other);
    workers::fail(granted.and_then(|_| work()))
}

/// The processors that the load may use, in turn.
fn keep_to_one_processor(number: u32) -> io::Result<()> {
    let usable = scheduling::affinity()?;
    let place = number as usize % usable.iter().count();
    let cpu = usable.iter().nth(place).expect("a set of processors is not empty");
    scheduling::set_affinity(&CpuSet::only(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_all_groups_are_one_sum() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), 3).unwrap();
        let file = File::options().write(true).open(folder.path().join(COUNT_FILE)).unwrap();
        file.write_all_at(&7u64.to_le_bytes(), 0).unwrap();
        file.write_all_at(&5u64.to_le_bytes(), 2 * COUNT_BYTES).unwrap();
        let bytes = fs::read(folder.path().join(COUNT_FILE)).unwrap();
        assert_eq!(bytes.len(), 24);
        assert_eq!(sum(&bytes), 12);
    }

    #[test]
    fn a_round_of_three_ordinary_threads_ends_and_a_free_mutex_is_no_inversion() {
        let group = Group::new(0).unwrap();
        assert!(!group.waited(&group.first).unwrap());
        group.first.unlock().unwrap();
        assert_eq!(group.inversions.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn groups_that_share_a_processor_rest_longer() {
        assert_eq!([1, 2, 5].map(|groups| sharing(groups, 2)), [1, 1, 3]);
        assert_eq!(sharing(4, 0), 4);
    }
}
