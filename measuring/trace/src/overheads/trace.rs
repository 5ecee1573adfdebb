//! The tracing programs while they are attached: what each kind lies between here, or why it cannot be traced; records afterwards.
//!
//! Everything they have in the kernel hangs on file descriptors of this process, so that it is gone with the value, and with the
//! process, however that ends.

use super::points::{self, Attachment, Point};
use super::record::{CPUS, Counts, OverheadKind, PROCESSOR_BYTES, RECORD_WORDS, Record, entry};
use super::symbols;
use crate::split::program::{kernel_types, map};
use crate::split::{NoSplit, objects};
use aya::maps::{Array, Map, MapData};
use aya::programs::{BtfTracePoint, FEntry, KProbe, ProgramError};
use aya::{Btf, Ebpf, EbpfLoader};
use prazo_platform::root::Root;
use prazo_sys::mapped_words::MappedWords;
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

/// What shall be traced.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraceRequest<'a> {
    /// The processors.
    pub cpus: &'a [u32],
    /// Room for so many pairs on each.
    pub room: u32,
}

/// The programs.
pub(super) struct Trace<'a> {
    request: TraceRequest<'a>,
    root: &'a Root,
    loaded: Ebpf,
    types: Btf,
    processors: Array<MapData, [u8; PROCESSOR_BYTES]>,
    records: MappedWords,
    /// Programs that are still to be loaded name it by its descriptor.
    _records: MapData,
    tick_is_known: bool,
    /// Each program that is attached, with the point it hangs on.
    attached: BTreeMap<&'static str, String>,
}

/// How a kind is traced here: between which points, or why not.
pub(super) type Attached = Result<String, String>;

/// One processor's records and counts.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// The pairs, in the order of their second stamps.
    pub records: Vec<Record>,
    /// Pairs that found no room.
    pub lost: u64,
    /// What it counted.
    pub counts: Counts,
}

impl<'a> Trace<'a> {
    /// Loads the programs for this process's tasks; nothing is attached yet.
    pub(super) fn load(root: &'a Root, request: TraceRequest<'a>) -> Result<Self, NoSplit> {
        let types = kernel_types(root)?;
        let tick = symbols::find(root, &points::TICK_FUNCTIONS).map_or(0, |symbol| symbol.address);
        let mut loaded = load(&types, request, tick)?;
        let processors = map(&mut loaded, "processors")?;
        let mut processors =
            Array::try_from(processors).map_err(|error| NoSplit::refused("open the BPF map `processors`", &error))?;
        for (place, cpu) in request.cpus.iter().enumerate().filter(|(_, cpu)| **cpu < CPUS) {
            processors
                .set(*cpu, entry(place), 0)
                .map_err(|error| NoSplit::refused("add a processor to the BPF map `processors`", &error))?;
        }
        let Map::Array(data) = map(&mut loaded, "records")? else { return Err(NoSplit::NotBuilt) };
        let words = request.cpus.len() * request.room as usize * RECORD_WORDS;
        let records = MappedWords::map(data.fd().as_fd(), words)
            .map_err(|error| NoSplit::refused("map the BPF map `records` into memory", &error))?;
        let (tick_is_known, attached) = (tick != 0, BTreeMap::new());
        Ok(Self { request, root, loaded, types, processors, records, _records: data, tick_is_known, attached })
    }

    /// Attaches the two programs that show what a stamp costs.
    pub(super) fn attach_stamp(&mut self) -> Attached {
        points::STAMP.iter().try_for_each(|step| self.hang(step).map(drop))?;
        Ok("sched_switch to sched_switch".into())
    }

    /// Takes them away again.
    pub(super) fn detach_stamp(&mut self) {
        for step in points::STAMP {
            self.attached.remove(step.program);
            if let Some(aya::programs::Program::BtfTracePoint(program)) = self.loaded.program_mut(step.program) {
                // A program that was unloaded is detached too; one that never was loaded has nothing to unload.
                let _ = program.unload();
            }
        }
    }

    /// Attaches what the kinds need; between which points each lies here, or why it cannot be traced.
    pub(super) fn attach(&mut self, kinds: &[OverheadKind]) -> BTreeMap<OverheadKind, Attached> {
        let ways: BTreeMap<OverheadKind, Attached> =
            kinds.iter().map(|kind| (*kind, self.attach_kind(*kind))).collect();
        if ways.values().flatten().any(|way| points::can_be_interrupted(way)) {
            for step in points::INTERRUPTS {
                // What this kernel does not have cannot come in between either.
                let _ = self.hang(&step);
            }
        }
        ways
    }

    fn attach_kind(&mut self, kind: OverheadKind) -> Attached {
        if kind == OverheadKind::Tick && !self.tick_is_known {
            let names = points::TICK_FUNCTIONS.join(" or ");
            return Err(format!("/proc/kallsyms has no address of the kernel function {names}"));
        }
        if kind == OverheadKind::Ipi && self.request.cpus.len() < 2 {
            return Err("interrupts between processors need at least two processors".into());
        }
        let ends = points::of(kind).iter();
        let names: Vec<String> = ends.map(|ends| self.hang_first(ends)).collect::<Result<_, _>>()?;
        Ok(if kind == OverheadKind::Event {
            format!("programmed expiry to {}", names[0])
        } else {
            names[..2].join(" to ")
        })
    }

    /// The first of the alternatives that this kernel has; the reasons of all where it has none.
    fn hang_first(&mut self, ends: &[Attachment]) -> Attached {
        let mut reasons = Vec::new();
        for step in ends {
            match self.hang(step) {
                Ok(name) => return Ok(name),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    /// Attaches one program, unless it is attached already; the name of its point.
    fn hang(&mut self, step: &Attachment) -> Attached {
        if let Some(name) = self.attached.get(step.program) {
            return Ok(name.clone());
        }
        let name = match step.point {
            Point::Probe(name) => symbols::find(self.root, &[name]).map_or_else(|| name.to_owned(), |found| found.name),
            Point::Trace(name) | Point::Entry(name) => name.to_owned(),
        };
        let program = self.loaded.program_mut(step.program).ok_or("this prazo was built without BPF")?;
        attach(program, step.point, &name, &self.types)
            .map_err(|error| format!("{name}: {}", NoSplit::refused("attach", &error).why()))?;
        self.attached.insert(step.program, name.clone());
        Ok(name)
    }

    /// The most BPF instructions that each attached program runs, by its name: none has a loop, so that its length is it.
    pub(super) fn instructions(&self) -> BTreeMap<&'static str, u32> {
        const BYTES_EACH: u32 = 8;
        let length = |name: &&'static str| {
            let bytes = self.loaded.program(name)?.info().ok()?.size_translated()?;
            Some((*name, bytes / BYTES_EACH))
        };
        self.attached.keys().filter_map(length).collect()
    }

    /// Everything that was recorded, by processor; to be asked when the tasks have ended.
    pub(super) fn stretches(&self) -> Vec<Stretch> {
        self.request.cpus.iter().enumerate().map(|(place, cpu)| self.stretch(place, *cpu)).collect()
    }

    fn stretch(&self, place: usize, cpu: u32) -> Stretch {
        let counts = self.processors.get(&cpu, 0).map_or_else(|_| Counts::default(), |bytes| Counts::of(&bytes));
        let kept = counts.written.min(self.request.room.into());
        let first = place * self.request.room as usize;
        let records = (0..kept as usize).filter_map(|number| self.record(first + number)).collect();
        Stretch { records, lost: counts.written - kept, counts }
    }

    fn record(&self, number: usize) -> Option<Record> {
        let words = &self.records.words()[number * RECORD_WORDS..][..RECORD_WORDS];
        Record::read(std::array::from_fn(|word| words[word].load(Ordering::Relaxed)))
    }
}

fn load(types: &Btf, request: TraceRequest<'_>, tick: u64) -> Result<Ebpf, NoSplit> {
    let (process, room) = (std::process::id(), request.room);
    let mut loader = EbpfLoader::new();
    loader.btf(Some(types)).map_max_entries("records", room.saturating_mul(request.cpus.len() as u32));
    loader.override_global("room", &room, true).override_global("process", &process, true);
    loader.override_global("tick_function", &tick, true);
    loader
        .load(objects::OVERHEADS.ok_or(NoSplit::NotBuilt)?)
        .map_err(|error| NoSplit::refused("load the BPF program", &error))
}

fn attach(program: &mut aya::programs::Program, point: Point, name: &str, types: &Btf) -> Result<(), ProgramError> {
    match point {
        Point::Trace(_) => {
            let program: &mut BtfTracePoint = program.try_into()?;
            program.load(name, types)?;
            program.attach().map(drop)
        }
        Point::Entry(_) => {
            let program: &mut FEntry = program.try_into()?;
            program.load(name, types)?;
            program.attach().map(drop)
        }
        Point::Probe(_) => {
            let program: &mut KProbe = program.try_into()?;
            program.load()?;
            program.attach(name, 0).map(drop)
        }
    }
}
