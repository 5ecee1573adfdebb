//! The split's BPF program while it is attached: told which threads are measured, emptied once a second.
//!
//! Everything it has in the kernel hangs on file descriptors of this process, so that it is gone with the value, and with
//! the process, however that ends.

use super::card::Card;
use super::error::NoSplit;
use super::objects;
use super::record::{self, LINES, Missing, SLOT_BYTES, SLOTS, WAKEUP_BYTES, Wakeup};
use aya::maps::{Array, MapData, RingBuf};
use aya::programs::{BtfTracePoint, ProgramError};
use aya::{Btf, BtfError, Ebpf, EbpfLoader};
use prazo_platform::root::Root;

/// A program and its trace point.
type Step = (&'static str, &'static str);

/// What comes in front of a timer's wake-up.
const TIMER: [Step; 1] = [("timer_expires", "hrtimer_expire_entry")];
/// What comes in front of a frame's. A handler's thread starts before the task does, so its program comes first.
const FRAME: [Step; 3] = [
    ("card_interrupts", "irq_handler_entry"),
    ("handler_thread_starts", "sched_switch"),
    ("frames_are_received", "softirq_entry"),
];
/// What every wake-up has.
const WAKE_UP: [Step; 2] = [("thread_is_woken", "sched_waking"), ("processor_switches", "sched_switch")];

/// The ring's least and largest size.
const RING_BYTES: (u32, u32) = (1 << 16, 1 << 26);

/// The attached program.
pub(crate) struct Program {
    slots: Array<MapData, [u8; SLOT_BYTES]>,
    wakeups: RingBuf<MapData>,
    /// The program itself; what it attached is detached when it is dropped.
    _attached: Ebpf,
    instructions: u32,
}

impl Program {
    /// Loads and attaches it, with room for so many wake-ups between two drains; `card` is where frames come from, none
    /// splits timers.
    pub(crate) fn attach(root: &Root, room: u64, card: Option<&Card>) -> Result<Self, NoSplit> {
        let btf = kernel_types(root)?;
        let bytes = ring_bytes(room);
        let mut loaded = load(objects::SPLIT, &btf, &[("wakeups", bytes)])?;
        if let Some(card) = card {
            name_card(&mut loaded, card)?;
        }
        let front: &[Step] = if card.is_some() { &FRAME } else { &TIMER };
        for (program, point) in front.iter().chain(&WAKE_UP) {
            attach(&mut loaded, program, point, &btf)?;
        }
        let slots = map(&mut loaded, "slots")?;
        let wakeups = map(&mut loaded, "wakeups")?;
        Ok(Self {
            slots: Array::try_from(slots).map_err(|error| NoSplit::refused("open the BPF map `slots`", &error))?,
            wakeups: RingBuf::try_from(wakeups)
                .map_err(|error| NoSplit::refused("open the ring buffer of the BPF program", &error))?,
            instructions: instructions(&loaded),
            _attached: loaded,
        })
    }

    /// Names the measured threads; from now on their wake-ups come.
    pub(crate) fn follow(&mut self, threads: &[u32]) -> Result<(), NoSplit> {
        let mut places: Vec<u32> = threads.iter().map(|thread| thread % SLOTS).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() != threads.len() {
            return Err(NoSplit::Collision);
        }
        let mut set = |thread: &u32| self.slots.set(thread % SLOTS, record::slot_of(*thread), 0);
        threads
            .iter()
            .try_for_each(&mut set)
            .map_err(|error| NoSplit::refused("register a thread with the BPF program", &error))
    }

    /// Hands on every wake-up that has come, in order for each thread.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(Wakeup)) {
        while let Some(item) = self.wakeups.next() {
            if let Some(wakeup) = Wakeup::read(&item) {
                each(wakeup);
            }
        }
    }

    /// How many wake-ups of a thread left no record, and why.
    pub(crate) fn missing(&self, thread: u32) -> Missing {
        self.slots.get(&(thread % SLOTS), 0).map_or(Missing::default(), |slot| Missing::of(&slot))
    }

    /// The most BPF instructions that one wake-up runs, helpers apart: the programs have no loops, so their lengths are it.
    pub(crate) fn instructions(&self) -> u32 {
        self.instructions
    }
}

/// Where a kernel describes its structures.
pub(super) const KERNEL_TYPES: &str = "sys/kernel/btf/vmlinux";

/// The description of its own structures by the kernel under `root`.
pub(crate) fn kernel_types(root: &Root) -> Result<Btf, NoSplit> {
    let path = root.base().join(KERNEL_TYPES);
    let unread = |error| NoSplit::NoTypes(format!("{}: {error}", path.display()));
    Btf::parse_file(&path, object_endianness()).map_err(unread)
}

const fn object_endianness() -> aya::Endianness {
    if cfg!(target_endian = "big") { aya::Endianness::Big } else { aya::Endianness::Little }
}

/// Makes the maps, some with another size than the object says; attaches nothing yet.
pub(crate) fn load(object: Option<&[u8]>, btf: &Btf, sizes: &[(&'static str, u32)]) -> Result<Ebpf, NoSplit> {
    load_with(object, btf, sizes, &[])
}

/// The same, with constants of the program that have another value than the object says.
pub(crate) fn load_with(
    object: Option<&[u8]>,
    btf: &Btf,
    sizes: &[(&'static str, u32)],
    constants: &[(&'static str, u32)],
) -> Result<Ebpf, NoSplit> {
    let mut loader = EbpfLoader::new();
    loader.btf(Some(btf));
    for (map, size) in sizes {
        loader.map_max_entries(map, *size);
    }
    for (name, value) in constants {
        loader.override_global(name, value, true);
    }
    loader.load(object.ok_or(NoSplit::NotBuilt)?).map_err(|error| NoSplit::refused("load the BPF program", &error))
}

/// Lets the kernel check one program and attaches it.
pub(crate) fn attach(loaded: &mut Ebpf, program: &str, point: &str, btf: &Btf) -> Result<(), NoSplit> {
    check(loaded, program, point, btf)?;
    start(loaded, program, point)
}

/// Lets the kernel check one program, which takes it a while.
pub(crate) fn check(loaded: &mut Ebpf, program: &str, point: &str, btf: &Btf) -> Result<(), NoSplit> {
    trace_point(loaded, program, point)?.load(point, btf).map_err(|error| refused(point, &error))
}

/// Attaches one that was checked.
pub(crate) fn start(loaded: &mut Ebpf, program: &str, point: &str) -> Result<(), NoSplit> {
    trace_point(loaded, program, point)?.attach().map_err(|error| refused(point, &error)).map(drop)
}

/// Takes one out of the kernel, attached or only checked.
pub(crate) fn stop(loaded: &mut Ebpf, program: &str) {
    if let Ok(program) = trace_point(loaded, program, program) {
        // One that was never loaded is not there.
        let _ = program.unload();
    }
}

fn trace_point<'a>(loaded: &'a mut Ebpf, program: &str, point: &str) -> Result<&'a mut BtfTracePoint, NoSplit> {
    let program = loaded.program_mut(program).ok_or(NoSplit::NotBuilt)?;
    program.try_into().map_err(|error: ProgramError| refused(point, &error))
}

fn refused(point: &str, error: &(dyn std::error::Error + 'static)) -> NoSplit {
    let refused = NoSplit::refused(format!("attach the BPF program to {point}"), error);
    if let Some(ProgramError::Btf(BtfError::UnknownBtfTypeName { .. })) = error.downcast_ref() {
        return refused.because("this kernel has no such tracepoint");
    }
    refused
}

/// One of its maps.
pub(crate) fn map(loaded: &mut Ebpf, name: &str) -> Result<aya::maps::Map, NoSplit> {
    loaded.take_map(name).ok_or(NoSplit::NotBuilt)
}

/// Tells the program which interrupts, and which threads, are the card's. The maps stay with it: it is not loaded yet.
fn name_card(loaded: &mut Ebpf, card: &Card) -> Result<(), NoSplit> {
    let lines = card.lines.iter().filter(|line| **line < LINES).map(|line| (*line, 1));
    write_map(loaded, "lines", lines)?;
    write_map(loaded, "handlers", card.threads.iter().map(|thread| (thread % SLOTS, *thread)))
}

fn write_map(loaded: &mut Ebpf, name: &str, mut entries: impl Iterator<Item = (u32, u32)>) -> Result<(), NoSplit> {
    let refused =
        |error: &(dyn std::error::Error + 'static)| NoSplit::refused(format!("write into the BPF map `{name}`"), error);
    let map = loaded.map_mut(name).ok_or(NoSplit::NotBuilt)?;
    let mut map: Array<_, u32> = Array::try_from(map).map_err(|error| refused(&error))?;
    entries.try_for_each(|(place, value)| map.set(place, value, 0)).map_err(|error| refused(&error))
}

fn instructions(loaded: &Ebpf) -> u32 {
    const BYTES_EACH: u32 = 8;
    let length = |program: &aya::programs::Program| program.info().ok()?.size_translated();
    loaded.programs().filter_map(|(_, program)| length(program)).sum::<u32>() / BYTES_EACH
}

/// A power of two with room for so many records, each with the ring's own eight bytes.
fn ring_bytes(room: u64) -> u32 {
    let wanted = room.saturating_mul(WAKEUP_BYTES as u64 + 8).clamp(RING_BYTES.0.into(), RING_BYTES.1.into());
    wanted.next_power_of_two() as u32
}
