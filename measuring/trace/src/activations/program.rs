//! The BPF program of the activations while it is attached: told which processes and threads to follow, emptied when asked.

use super::calls;
use super::cost::KernelCost;
use super::layout::{FOLLOW_CHILDREN, FOLLOW_THREADS, MARKS, THREADS};
use super::record::{self, OFF_BYTES, Off, Record, SLOT_BYTES};
use crate::split::program::{check, kernel_types, load_with, map, start};
use crate::split::{NoSplit, objects};
use aya::maps::{Array, HashMap, MapData, MapError, RingBuf};
use aya::programs::uprobe::{UProbeAttachLocation, UProbeAttachPoint, UProbeScope};
use aya::programs::{FEntry, FExit, ProgramError, UProbe};
use aya::{Btf, Ebpf};
use prazo_platform::root::Root;
use std::num::NonZeroU32;
use std::path::Path;

/// Why nothing is traced that the caller does not want.
pub(super) const TURNED_OFF: &str = "turned off";

/// A program and its trace point; those that begin something stand last.
type Step = (&'static str, &'static str);

/// What ends a thread.
const ENDS: [Step; 1] = [("thread_ends", "sched_process_exit")];
/// What shows stretches off a processor.
const STRETCHES: [Step; 4] = [
    ("timer_is_done", "hrtimer_expire_exit"),
    ("timer_expires", "hrtimer_expire_entry"),
    ("processor_switches", "sched_switch"),
    ("thread_is_woken", "sched_waking"),
];
/// What shows system calls, and new threads.
const CALLS: [Step; 3] =
    [("call_ends", "sys_exit"), ("call_begins", "sys_enter"), ("thread_is_started", "sched_process_fork")];

/// The ring's least and largest size.
const RING_BYTES: (u64, u64) = (1 << 23, 1 << 26);

/// The attached program; what it has in the kernel is gone when it is dropped.
pub(super) struct Program {
    threads: HashMap<MapData, u32, [u8; SLOT_BYTES]>,
    marks: Array<MapData, u8>,
    processes: HashMap<MapData, u32, u32>,
    unfollowed: Array<MapData, u64>,
    records: RingBuf<MapData>,
    /// Why page faults are not timed, where they are not.
    untimed_faults: Option<String>,
    attached: Ebpf,
}

/// What the program is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// What threads wait for.
    Activations {
        /// Every system call that a thread makes, and not only those that block or set timers.
        calls: bool,
        /// Places of the program.
        places: bool,
        /// How long page faults take.
        faults: bool,
    },
    /// Stretches off a processor alone, of threads with a real-time policy or a deadline.
    Jobs {
        /// The threads.
        threads: u32,
        /// So many of their stretches the ring holds.
        room: u64,
    },
}

impl Wanted {
    pub(super) fn steps(self) -> Vec<Step> {
        match self {
            Self::Activations { .. } => [&ENDS[..], &STRETCHES, &CALLS].concat(),
            Self::Jobs { .. } => STRETCHES.to_vec(),
        }
    }

    /// The sizes of the maps that are not as the object says.
    fn sizes(self) -> Vec<(&'static str, u32)> {
        match self {
            Self::Activations { calls, .. } => vec![("made", if calls { THREADS } else { 1 })],
            Self::Jobs { threads, room } => {
                vec![("made", 1), ("processes", 1), ("threads", threads.max(1)), ("records", ring_bytes(room))]
            }
        }
    }

    fn calls(self) -> bool {
        matches!(self, Self::Activations { calls: true, .. })
    }

    fn places(self) -> bool {
        matches!(self, Self::Activations { places: true, .. })
    }

    fn jobs(self) -> bool {
        matches!(self, Self::Jobs { .. })
    }
}

/// A power of two with room for so many stretches, each with the ring's own eight bytes.
fn ring_bytes(room: u64) -> u32 {
    let wanted = room.saturating_mul(OFF_BYTES as u64 + 8).clamp(RING_BYTES.0, RING_BYTES.1);
    wanted.next_power_of_two() as u32
}

/// A place in a file that shall be looked at.
pub(super) struct Probe<'a> {
    /// The file, as this process reaches it.
    pub file: &'a Path,
    /// Where in the file.
    pub at: u64,
    /// What its records are to be called.
    pub number: u32,
    /// When the function there returns, instead of when it is entered.
    pub is_return: bool,
    /// Only in this process.
    pub process: Option<NonZeroU32>,
}

/// What runs where a place is reached, and where a function returns.
const PLACES: [&str; 2] = ["place_is_reached", "function_returns"];

fn probe<'a>(loaded: &'a mut Ebpf, name: &str) -> Result<&'a mut UProbe, NoSplit> {
    let program = loaded.program_mut(name).ok_or(NoSplit::NotBuilt)?;
    program.try_into().map_err(|error: ProgramError| NoSplit::refused("load the uprobe", &error))
}

/// The function of the kernel that serves a page fault.
const FAULT: &str = "handle_mm_fault";

fn time_faults(loaded: &mut Ebpf, btf: &Btf) -> Result<(), ProgramError> {
    if let Some(program) = loaded.program_mut("fault_ends") {
        let program: &mut FExit = program.try_into()?;
        program.load(FAULT, btf)?;
        program.attach()?;
    }
    if let Some(program) = loaded.program_mut("fault_begins") {
        let program: &mut FEntry = program.try_into()?;
        program.load(FAULT, btf)?;
        program.attach()?;
    }
    Ok(())
}

impl Program {
    /// Loads and attaches it; nobody is followed yet.
    pub(super) fn attach(root: &Root, wanted: Wanted) -> Result<Self, NoSplit> {
        let btf = kernel_types(root)?;
        let constants = [("keeps_made", u32::from(wanted.calls())), ("keeps_jobs", u32::from(wanted.jobs()))];
        let mut loaded = load_with(objects::ACTIVATIONS, &btf, &wanted.sizes(), &constants)?;
        let unusable = |error: MapError| NoSplit::refused("open the maps of the BPF program", &error);
        let mut classes: Array<_, u32> = Array::try_from(map(&mut loaded, "calls")?).map_err(unusable)?;
        calls::classes().try_for_each(|(call, class)| classes.set(call, class, 0)).map_err(unusable)?;
        // All at once: what the checking delays on a kernel that is not preempted meanwhile is not yet watched.
        wanted.steps().into_iter().try_for_each(|(program, point)| check(&mut loaded, program, point, &btf))?;
        wanted.steps().into_iter().try_for_each(|(program, point)| start(&mut loaded, program, point))?;
        if wanted.places() {
            for name in PLACES {
                probe(&mut loaded, name)?.load().map_err(|error| NoSplit::refused("load the uprobe", &error))?;
            }
        }
        // Where a kernel does not let it be seen, page faults are counted and their time is the program's own.
        let untimed_faults = match wanted {
            Wanted::Activations { faults: true, .. } => {
                let refused = time_faults(&mut loaded, &btf).err();
                refused.map(|error| NoSplit::refused("time page faults", &error).why())
            }
            Wanted::Activations { faults: false, .. } => Some(TURNED_OFF.to_owned()),
            Wanted::Jobs { .. } => None,
        };
        Ok(Self {
            threads: HashMap::try_from(map(&mut loaded, "threads")?).map_err(unusable)?,
            marks: Array::try_from(map(&mut loaded, "marks")?).map_err(unusable)?,
            processes: HashMap::try_from(map(&mut loaded, "processes")?).map_err(unusable)?,
            unfollowed: Array::try_from(map(&mut loaded, "unfollowed")?).map_err(unusable)?,
            records: RingBuf::try_from(map(&mut loaded, "records")?).map_err(unusable)?,
            untimed_faults,
            attached: loaded,
        })
    }

    /// From now on a place is looked at.
    pub(super) fn look_at(&mut self, place: &Probe<'_>) -> Result<(), NoSplit> {
        let [entry, back] = PLACES;
        let point = UProbeAttachPoint {
            location: UProbeAttachLocation::AbsoluteOffset(place.at),
            cookie: Some(place.number.into()),
        };
        let scope = place.process.map_or(UProbeScope::AllProcesses, UProbeScope::OneProcess);
        let program = probe(&mut self.attached, if place.is_return { back } else { entry })?;
        let attached = program.attach(point, place.file, scope);
        attached.map(drop).map_err(|error| NoSplit::refused("attach the uprobe to a place of the program", &error))
    }

    /// Why page faults are not timed, where they are not.
    pub(super) fn untimed_faults(&self) -> Option<&str> {
        self.untimed_faults.as_deref()
    }

    /// What it cost so far, where the kernel counts it.
    pub(super) fn cost(&self) -> KernelCost {
        KernelCost::of(&self.attached)
    }

    /// From now on this thread is followed.
    pub(super) fn follow(&mut self, thread: u32) -> Result<(), NoSplit> {
        self.follow_with([0; SLOT_BYTES], thread)
    }

    /// The same of one that may be away from its processor already.
    pub(super) fn follow_away(&mut self, thread: u32) -> Result<(), NoSplit> {
        self.follow_with(record::slot_of_unseen(), thread)
    }

    fn follow_with(&mut self, slot: [u8; SLOT_BYTES], thread: u32) -> Result<(), NoSplit> {
        let inserted = self.threads.insert(thread, slot, 0);
        let marked = inserted.and_then(|()| self.marks.set(thread % MARKS, 1, 0));
        marked.map_err(|error| NoSplit::refused("register a thread with the BPF program", &error))
    }

    /// From now on a thread is not followed, so that what the kernel knows of it fits to its last record, however late it is read.
    pub(super) fn freeze(&mut self, thread: u32) {
        // One that goes on is read as it is then.
        let _ = self.marks.set(thread % MARKS, 0, 0);
    }

    /// The stretch of a thread that is under way; `None` where it changed while it was read.
    pub(super) fn away(&self, thread: u32) -> Option<Off> {
        let slot = self.threads.get(&thread, 0).ok()?;
        (self.threads.get(&thread, 0).ok()? == slot).then(|| record::away(&slot))
    }

    /// From now on new threads of this process are.
    pub(super) fn follow_threads_of(&mut self, process: u32) -> Result<(), NoSplit> {
        self.name(process, FOLLOW_THREADS)
    }

    /// From now on processes that this one starts are, and those that they start.
    pub(super) fn follow_children_of(&mut self, process: u32) -> Result<(), NoSplit> {
        self.name(process, FOLLOW_CHILDREN)
    }

    fn name(&mut self, process: u32, what: u32) -> Result<(), NoSplit> {
        self.processes
            .insert(process, what, 0)
            .map_err(|error| NoSplit::refused("register a process with the BPF program", &error))
    }

    /// This process starts nothing more that is followed: it ended, and its number may become another's.
    pub(super) fn forget(&mut self, process: u32) {
        // One that is not there needs no forgetting.
        let _ = self.processes.remove(&process);
    }

    /// The system call that a thread is in, and since when.
    pub(super) fn under_way(&self, thread: u32) -> Option<(u32, u64)> {
        record::under_way(&self.threads.get(&thread, 0).ok()?)
    }

    /// Threads, and beginnings or ends of threads, for which there was no room.
    pub(super) fn unfollowed(&self) -> u64 {
        self.unfollowed.get(&0, 0).unwrap_or(0)
    }

    /// Hands on every record that has come, in order for each thread.
    pub(super) fn drain(&mut self, mut each: impl FnMut(Record)) {
        while let Some(item) = self.records.next() {
            if let Some(record) = Record::read(&item) {
                each(record);
            }
        }
    }
}
