//! Cache-related delay by working set: a task walks a chain of lines, is preempted or migrated, and walks it again.
//!
//! ```text
//! walk (warm) ─ walk, timed ─ a more urgent task walks through a larger set, or the task moves ─ walk, timed: the delay is the difference
//! ```
//! The preemption is a real one: the more urgent task waits on the same processor and is woken by the walking one, which stays
//! runnable. It waits in the kernel and nowhere else: a channel may wait for its sender by spinning, and a more urgent task that
//! spins for a less urgent one never ends. A difference may be negative, by what else moves; it is kept as it is.

use super::chain::Chain;
use super::task::set_of;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_engine::{ProbeError, SetupError, policy};
use prazo_platform::root::Root;
use prazo_platform::topology::{Shared, Topology};
use prazo_run::overheads::{CacheDelay, Displaced, Moved, Share};
use prazo_run::plan::Policy;
use prazo_sys::{clock, scheduling};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, Thread};

/// How often each working set is displaced each way; a preemption that did not happen is no round.
const ROUNDS: u32 = 200;
/// The set that the more urgent task walks through; larger than most second-level caches.
const OTHERS_KIB: u32 = 4_096;
/// The walking task's priority; the more urgent one has one more.
const PRIORITY: u8 = 80;

/// The delay of each working set, preempted on the first processor, and migrated between it and the one of the others that
/// shares the least with it: of a set in a cache that both have, nothing has to move.
pub(super) fn measure(
    cpus: &[u32],
    working_sets_kib: &[u32],
    seed: u64,
    root: &Root,
) -> Result<Vec<CacheDelay>, ProbeError> {
    let ways: Vec<Displacement> =
        [Some(Displacement::Preempted(cpus[0])), moved(cpus, root).map(Displacement::Migrated)]
            .into_iter()
            .flatten()
            .collect();
    let of = |kib: &u32| ways.iter().map(|way| displaced(*way, *kib, seed)).collect::<Vec<_>>();
    working_sets_kib.iter().flat_map(of).collect()
}

/// How a working set is displaced, and where.
#[derive(Clone, Copy)]
enum Displacement {
    Preempted(u32),
    Migrated(Moved),
}

/// The first processor and the one to move to; `None` where there is but one.
fn moved(cpus: &[u32], root: &Root) -> Option<Moved> {
    let (first, second) = (*cpus.first()?, *cpus.get(1)?);
    let untold = Moved { cpus: [first, second], share: None };
    let farthest = || Topology::read(root).ok()?.farthest(Cpu::new(first)?, set_of(cpus)?);
    Some(farthest().map_or(untold, |(cpu, shared)| Moved { cpus: [first, cpu.number()], share: shared.map(share) }))
}

fn share(shared: Shared) -> Share {
    match shared {
        Shared::Core => Share::Core,
        Shared::Cache(1) => Share::Level1,
        Shared::Cache(2) => Share::Level2,
        Shared::Cache(_) => Share::Level3,
        Shared::Nothing => Share::Nothing,
    }
}

fn displaced(way: Displacement, kib: u32, seed: u64) -> Result<CacheDelay, ProbeError> {
    thread::scope(|scope| {
        let work = || match way {
            Displacement::Preempted(cpu) => preempted(cpu, kib, seed),
            Displacement::Migrated(Moved { cpus, .. }) => migrated(cpus, kib, seed),
        };
        let timed = scope.spawn(work).join().expect("the walking task does not panic")?;
        Ok(figures(kib, way, &timed))
    })
}

/// A walk before and one behind.
struct Timed {
    warm_ns: u64,
    behind_ns: u64,
}

fn on(cpu: u32, priority: u8) -> Result<(), SetupError> {
    move_to(cpu)?;
    policy::set(cpu, Policy::Fifo { priority }, 0).map(drop)
}

fn move_to(cpu: u32) -> Result<(), SetupError> {
    let refused = |errno| SetupError::Affinity { cpu, errno };
    let only: CpuSet = set_of(&[cpu]).ok_or_else(|| refused(libc::EINVAL))?;
    scheduling::set_affinity(&only).map_err(|error| refused(error.raw_os_error().unwrap_or(0)))
}

fn timed_walk(chain: &mut Chain) -> u64 {
    let from_ns = clock::monotonic_ns();
    chain.walk();
    clock::monotonic_ns() - from_ns
}

/// One round; `None` where `displace` did nothing.
fn round(chain: &mut Chain, displace: impl FnOnce() -> bool) -> Option<Timed> {
    chain.walk();
    let warm_ns = timed_walk(chain);
    displace().then(|| Timed { warm_ns, behind_ns: timed_walk(chain) })
}

fn preempted(cpu: u32, kib: u32, seed: u64) -> Result<Vec<Timed>, SetupError> {
    let (mut chain, other) = (Chain::new(kib, seed), Other::new());
    thread::scope(|scope| {
        let walking = scope.spawn(|| other.walk_when_woken(cpu, seed));
        let preempt = || other.preempts(walking.thread());
        // Before this thread becomes real-time: it would not let the other one come so far.
        other.is_ready.wait();
        let timed = on(cpu, PRIORITY).map(|()| (0..ROUNDS).filter_map(|_| round(&mut chain, preempt)).collect());
        other.is_over.store(true, Ordering::Relaxed);
        walking.thread().unpark();
        walking.join().expect("the more urgent task does not panic")?;
        timed
    })
}

/// The more urgent task.
struct Other {
    is_ready: Barrier,
    /// How often it has walked.
    walks: AtomicU32,
    is_over: AtomicBool,
}

impl Other {
    fn new() -> Self {
        Self { is_ready: Barrier::new(2), walks: AtomicU32::new(0), is_over: AtomicBool::new(false) }
    }

    /// Wakes it; true where it had walked before whoever woke it went on.
    fn preempts(&self, thread: &Thread) -> bool {
        let before = self.walks.load(Ordering::Relaxed);
        thread.unpark();
        self.walks.load(Ordering::Relaxed) != before
    }

    fn walk_when_woken(&self, cpu: u32, seed: u64) -> Result<(), SetupError> {
        let chain = on(cpu, PRIORITY + 1).map(|()| Chain::new(OTHERS_KIB, seed + 1));
        self.is_ready.wait();
        let mut chain = chain?;
        loop {
            thread::park();
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            chain.walk();
            self.walks.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn migrated(cpus: [u32; 2], kib: u32, seed: u64) -> Result<Vec<Timed>, SetupError> {
    let mut chain = Chain::new(kib, seed);
    on(cpus[0], PRIORITY)?;
    let mut timed = Vec::with_capacity(ROUNDS as usize);
    for number in 0..ROUNDS as usize {
        let mut moved = Ok(());
        timed.extend(round(&mut chain, || {
            moved = move_to(cpus[(number + 1) % 2]);
            moved.is_ok()
        }));
        moved?;
    }
    Ok(timed)
}

fn figures(working_set_kib: u32, way: Displacement, timed: &[Timed]) -> CacheDelay {
    let (displaced, moved) = match way {
        Displacement::Preempted(_) => (Displaced::Preempted, None),
        Displacement::Migrated(moved) => (Displaced::Migrated, Some(moved)),
    };
    let delays: Vec<i64> = timed.iter().map(|one| one.behind_ns as i64 - one.warm_ns as i64).collect();
    let mut warm: Vec<u64> = timed.iter().map(|one| one.warm_ns).collect();
    warm.sort_unstable();
    CacheDelay {
        displaced,
        working_set_kib,
        count: timed.len() as u64,
        mean_ns: delays.iter().sum::<i64>() as f64 / delays.len().max(1) as f64,
        max_ns: delays.iter().copied().max().unwrap_or(0),
        warm_ns: warm.get(warm.len() / 2).copied().unwrap_or(0),
        moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, skip};

    #[test]
    fn a_delay_is_what_a_walk_takes_longer_than_the_one_before() {
        let timed = [(100, 150), (110, 105), (90, 250)].map(|(warm_ns, behind_ns)| Timed { warm_ns, behind_ns });
        let of = figures(16, Displacement::Preempted(0), &timed);
        assert_eq!((of.count, of.max_ns, of.warm_ns), (3, 160, 100));
        assert!((of.mean_ns - 205.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_task_is_moved_to_another_core_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join("sys/devices/system/cpu").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("online", "0-3\n");
        for (cpu, core) in [(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")] {
            write(&format!("cpu{cpu}/topology/thread_siblings_list"), core);
        }
        let root = Root::at(folder.path());
        assert_eq!(moved(&[0, 1, 2, 3], &root), Some(Moved { cpus: [0, 2], share: None }), "no cache is told of");
        assert_eq!(moved(&[0, 1], &root), Some(Moved { cpus: [0, 1], share: Some(Share::Core) }));
        assert_eq!(moved(&[3], &root), None);
        let level_3 = [("level", "3"), ("type", "Unified"), ("shared_cpu_list", "0-3")];
        level_3.iter().for_each(|(name, text)| write(&format!("cpu0/cache/index3/{name}"), text));
        assert_eq!(moved(&[0, 1, 2, 3], &root), Some(Moved { cpus: [0, 2], share: Some(Share::Level3) }));
    }

    #[test]
    fn a_more_urgent_task_preempts_the_walking_one_and_both_end() {
        match preempted(0, 16, 5) {
            Ok(timed) => assert!(timed.len() > ROUNDS as usize / 2, "{} of {ROUNDS} were preempted", timed.len()),
            Err(error) => skip!(Need::RealTime, "{error}"),
        }
    }
}
