//! The watch's BPF program while it is attached: told which threads to follow, emptied when asked.

use super::Watched;
use super::record::{self, JOB_BYTES, Job, SLOT_BYTES, SLOTS};
use crate::split::program::{check, kernel_types, load, map, start};
use crate::split::{NoSplit, objects};
use aya::Ebpf;
use aya::maps::{Array, MapData, RingBuf};
use std::path::Path;

/// Each program with its trace point, that which begins a job last: attaching one takes a while, and a job that began before its
/// end could be seen would last until the next one's.
const STEPS: [(&str, &str); 5] = [
    ("processor_switches", "sched_switch"),
    ("thread_is_runnable", "sched_wakeup"),
    ("timer_is_done", "hrtimer_expire_exit"),
    ("timer_expires", "hrtimer_expire_entry"),
    ("thread_is_woken", "sched_waking"),
];

/// The ring's least and largest size.
const RING_BYTES: (u64, u64) = (1 << 16, 1 << 26);
/// How many seconds of jobs the ring holds.
const SECONDS_HELD: u64 = 10;

/// The attached program; what it has in the kernel is gone when it is dropped.
pub(super) struct Program {
    slots: Array<MapData, [u8; SLOT_BYTES]>,
    jobs: RingBuf<MapData>,
    _attached: Ebpf,
}

impl Program {
    /// Loads it, names the threads, and attaches it.
    pub(super) fn attach(types: &Path, tasks: &[Watched]) -> Result<Self, NoSplit> {
        let btf = kernel_types(types)?;
        let mut loaded = load(objects::WATCH, &btf, &[("jobs", ring_bytes(tasks))])?;
        let slots = map(&mut loaded, "slots")?;
        let mut slots =
            Array::try_from(slots).map_err(|error| NoSplit::refused("use the BPF program's slots", &error))?;
        follow(&mut slots, tasks)?;
        for (program, point) in STEPS {
            check(&mut loaded, program, point, &btf)?;
        }
        // All at once: what the checking delays on a kernel that is not preempted meanwhile is not yet watched.
        for (program, point) in STEPS {
            start(&mut loaded, program, point)?;
        }
        let jobs = map(&mut loaded, "jobs")?;
        let jobs =
            RingBuf::try_from(jobs).map_err(|error| NoSplit::refused("use the BPF program's ring buffer", &error))?;
        Ok(Self { slots, jobs, _attached: loaded })
    }

    /// Hands on every job that has ended, in order for each thread.
    pub(super) fn drain(&mut self, mut each: impl FnMut(Job)) {
        while let Some(item) = self.jobs.next() {
            if let Some(job) = Job::read(&item) {
                each(job);
            }
        }
    }

    /// How many jobs of a thread found the ring full, and the one that has not ended.
    pub(super) fn rest(&self, thread: u32) -> (u64, Option<Job>) {
        let slot = self.slots.get(&(thread % SLOTS), 0);
        slot.map_or((0, None), |slot| (record::lost(&slot), record::under_way(&slot)))
    }
}

fn follow(slots: &mut Array<MapData, [u8; SLOT_BYTES]>, tasks: &[Watched]) -> Result<(), NoSplit> {
    let mut places: Vec<u32> = tasks.iter().map(|task| task.thread_id % SLOTS).collect();
    places.sort_unstable();
    places.dedup();
    if places.len() != tasks.len() {
        return Err(NoSplit::Collision);
    }
    let mut set = |task: &Watched| slots.set(task.thread_id % SLOTS, record::slot_of(task.thread_id, &task.cluster), 0);
    tasks
        .iter()
        .try_for_each(&mut set)
        .map_err(|error| NoSplit::refused("register a thread with the BPF program", &error))
}

/// A power of two with room for ten seconds of all tasks' jobs, each with the ring's own eight bytes.
fn ring_bytes(tasks: &[Watched]) -> u32 {
    let each = |task: &Watched| SECONDS_HELD * 1_000_000_000 / task.period_ns.max(1) + 1;
    let room: u64 = tasks.iter().map(each).fold(0, u64::saturating_add);
    let wanted = room.saturating_mul(JOB_BYTES as u64 + 8).clamp(RING_BYTES.0, RING_BYTES.1);
    wanted.next_power_of_two() as u32
}
