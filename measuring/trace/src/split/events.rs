//! The last events of each measured processor, kept by BPF in a ring that is overwritten, and read when one is asked for.

use super::error::NoSplit;
use super::objects;
use super::program::{attach, check, kernel_types, load, map, start, stop};
use super::record::{EVENT_WORDS, EVENTS, Event, URGENT, URGENT_BYTES, Urgent};
use crate::activations::KernelCost;
use aya::maps::{Array, Map, MapData};
use aya::{Btf, Ebpf};
use prazo_platform::root::Root;
use prazo_sys::mapped_words::MappedWords;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

/// Program and trace point.
type Attachment = (&'static str, &'static str);

/// Without it nothing can be said.
const SWITCH: Attachment = ("event_switch", "sched_switch");
/// Those that belong together are attached together.
const INTERRUPTS: [Attachment; 2] =
    [("event_irq_handler_entry", "irq_handler_entry"), ("event_irq_handler_exit", "irq_handler_exit")];
const SOFTIRQS: [Attachment; 2] = [("event_softirq_entry", "softirq_entry"), ("event_softirq_exit", "softirq_exit")];
const MOVE: Attachment = ("event_migrate", "sched_migrate_task");
/// Entry and exit of what interrupts a processor without a line. Another architecture has others; its timer is then seen as an
/// interrupt like every other.
const WHERE_PRESENT: [&str; 4] = ["local_timer", "reschedule", "call_function", "call_function_single"];
/// Those whose lack is no matter of the architecture.
#[cfg(target_arch = "x86_64")]
const EXPECTED: &[&str] = &WHERE_PRESENT;
#[cfg(not(target_arch = "x86_64"))]
const EXPECTED: &[&str] = &[];
/// What interrupts a busy loop besides.
const RARE: [&str; 7] = [
    "irq_work",
    "thermal_apic",
    "threshold_apic",
    "deferred_error_apic",
    "x86_platform_ipi",
    "spurious_apic",
    "error_apic",
];
/// Traced behind each of its handlers.
const NMI: (&str, &str) = ("event_nmi_handler", "nmi_handler");

/// The attached programs, with their rings.
pub(crate) struct Events {
    cpus: Vec<u32>,
    written: MappedWords,
    events: MappedWords,
    measured: Array<MapData, i32>,
    urgent: Array<MapData, [u8; URGENT_BYTES]>,
    untraced: Vec<Untraced>,
    /// The programs themselves; what they attached is detached when they are dropped.
    _attached: Ebpf,
}

/// What a kernel does not let be traced, although the rest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Untraced {
    /// The trace point that was refused; the other one of its pair is then not traced either.
    pub point: String,
    /// Why.
    pub why: String,
    /// True where more privileges would help.
    pub needs_privileges: bool,
    /// What is not seen without it.
    pub kind: UntracedKind,
}

impl Untraced {
    fn of(refused: RefusedPoint, kind: UntracedKind) -> Self {
        let RefusedPoint { point, why } = refused;
        Self { point, why: why.why(), needs_privileges: why.needs_privileges(), kind }
    }
}

/// What is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UntracedKind {
    /// Interrupts of devices.
    Interrupts,
    /// Softirqs.
    Softirqs,
    /// One kind of interrupt that the processors send each other, or that their own timers raise.
    Vector,
}

/// What a ring holds of a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The events, in order.
    pub events: Vec<Event>,
    /// What lies before this instant may have been overwritten.
    pub complete_from_ns: u64,
}

impl Stretch {
    /// Nothing is known of it.
    fn unseen() -> Self {
        Self { events: Vec::new(), complete_from_ns: u64::MAX }
    }
}

impl Events {
    /// Loads and attaches the programs for these processors: what delays a thread's wake-up.
    pub(crate) fn attach(root: &Root, cpus: &[u32]) -> Result<Self, NoSplit> {
        Self::attach_within(root, cpus, Reach::Usual)
    }

    /// The same, with everything else that interrupts a processor.
    pub(crate) fn attach_all(root: &Root, cpus: &[u32]) -> Result<Self, NoSplit> {
        Self::attach_within(root, cpus, Reach::Rare)
    }

    /// Loads and attaches what the kernel has of it, without the moves of threads, and says what it does not have.
    pub(crate) fn attach_present(root: &Root, cpus: &[u32]) -> Result<Self, NoSplit> {
        Self::attach_within(root, cpus, Reach::Present)
    }

    fn attach_within(root: &Root, cpus: &[u32], reach: Reach) -> Result<Self, NoSplit> {
        let btf = kernel_types(root)?;
        let room = cpus.len().saturating_mul(EVENTS) as u32;
        let mut loaded = load(objects::EVENTS, &btf, &[("events", room)])?;
        attach_together(&mut loaded, &[SWITCH], &btf).map_err(|refused| refused.why)?;
        let mut untraced = Vec::new();
        for (pair, kind) in [(INTERRUPTS, UntracedKind::Interrupts), (SOFTIRQS, UntracedKind::Softirqs)] {
            match attach_together(&mut loaded, &pair, &btf) {
                Err(refused) if reach == Reach::Present => untraced.push(Untraced::of(refused, kind)),
                attached => attached.map_err(|refused| refused.why)?,
            }
        }
        if reach != Reach::Present {
            attach_together(&mut loaded, &[MOVE], &btf).map_err(|refused| refused.why)?;
        }
        let refused = attach_vectors(&mut loaded, &WHERE_PRESENT, &btf);
        let expected = refused.into_iter().filter(|(name, _)| EXPECTED.contains(name));
        untraced.extend(expected.map(|(_, refused)| Untraced::of(refused, UntracedKind::Vector)));
        if reach == Reach::Rare {
            // A kernel without them has nothing to report, and not every architecture traces the last.
            attach_vectors(&mut loaded, &RARE, &btf);
            let (program, point) = NMI;
            let _ = attach(&mut loaded, program, point, &btf);
        }
        choose(&mut loaded, cpus)?;
        let written = mapped(&mut loaded, "written", cpus.len())?;
        let events = mapped(&mut loaded, "events", cpus.len() * EVENTS * EVENT_WORDS)?;
        let unusable = |error: aya::maps::MapError| NoSplit::refused("open the maps of the BPF program", &error);
        let measured = Array::try_from(map(&mut loaded, "measured")?).map_err(unusable)?;
        let urgent = Array::try_from(map(&mut loaded, "urgent")?).map_err(unusable)?;
        Ok(Self { cpus: cpus.to_vec(), written, events, measured, urgent, untraced, _attached: loaded })
    }

    /// What is not seen, although the rest is.
    pub(crate) fn untraced(&self) -> &[Untraced] {
        &self.untraced
    }

    /// From now on threads with a lesser kernel priority are noted when they get one of the processors.
    pub(crate) fn note_more_urgent_than(&mut self, priority: i16) -> Result<(), NoSplit> {
        self.measured
            .set(0, i32::from(priority), 0)
            .map_err(|error| NoSplit::refused("write the priority into the BPF map `measured`", &error))
    }

    /// Those that did.
    pub(crate) fn more_urgent(&self) -> Vec<Urgent> {
        (0..URGENT).filter_map(|place| Urgent::read(&self.urgent.get(&place, 0).ok()?)).collect()
    }

    /// What the programs cost so far, where the kernel counts it.
    pub(crate) fn cost(&self) -> KernelCost {
        KernelCost::of(&self._attached)
    }

    /// What happened on a processor since `from_ns`, and a little before.
    pub(crate) fn since(&self, cpu: u32, from_ns: u64) -> Stretch {
        self.between(cpu, from_ns, u64::MAX)
    }

    /// The same up to `to_ns`, and a little behind: only these are looked at, however many came later.
    pub(crate) fn between(&self, cpu: u32, from_ns: u64, to_ns: u64) -> Stretch {
        let Some(ring) = self.cpus.iter().position(|measured| *measured == cpu) else { return Stretch::unseen() };
        let end = self.written.words()[ring].load(Ordering::Acquire);
        let first = behind(end, to_ns, |number| self.at_ns(ring, number));
        let oldest = end.saturating_sub(EVENTS as u64);
        let (mut found, number) = back(first, oldest, from_ns, |number| self.event(ring, number));
        // What was written meanwhile took the places of the oldest.
        let overwritten = self.written.words()[ring].load(Ordering::Acquire).saturating_sub(EVENTS as u64);
        if number < overwritten {
            let lost = usize::try_from(overwritten - number).unwrap_or(usize::MAX);
            found.truncate(found.len().saturating_sub(lost));
        }
        let complete_from_ns = if number == 0 { 0 } else { found.last().map_or(u64::MAX, |event: &Event| event.at_ns) };
        let beginnings: Vec<Event> = found.iter().filter_map(Event::beginning).collect();
        found.extend(beginnings);
        found.sort_by_key(|event| event.at_ns);
        Stretch { events: found, complete_from_ns }
    }

    /// The instant of an event; `None` for one that was never written.
    fn at_ns(&self, ring: usize, number: u64) -> Option<u64> {
        let at = (ring * EVENTS + number as usize % EVENTS) * EVENT_WORDS;
        Some(self.events.words()[at].load(Ordering::Relaxed)).filter(|at_ns| *at_ns > 0)
    }

    fn event(&self, ring: usize, number: u64) -> Option<Event> {
        let at = (ring * EVENTS + number as usize % EVENTS) * EVENT_WORDS;
        let words = &self.events.words()[at..at + EVENT_WORDS];
        Event::read(std::array::from_fn(|word| words[word].load(Ordering::Relaxed)))
    }
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// What delays a thread's wake-up often.
    Usual,
    /// What of that the kernel has, without the moves of threads.
    Present,
    /// What interrupts a processor at all.
    Rare,
}

/// A trace point that was refused.
struct RefusedPoint {
    point: String,
    why: NoSplit,
}

/// Attaches all of them or none, the last first: an entry whose exit is not traced would seem to last for ever.
fn attach_together<T: AsRef<str>>(loaded: &mut Ebpf, all: &[(T, T)], btf: &Btf) -> Result<(), RefusedPoint> {
    let all = || all.iter().map(|(program, point)| (program.as_ref(), point.as_ref()));
    let refused = |point: &str| {
        let point = point.to_owned();
        move |why| RefusedPoint { point, why }
    };
    all().try_for_each(|(program, point)| check(loaded, program, point, btf).map_err(refused(point)))?;
    let started = all().rev().try_for_each(|(program, point)| start(loaded, program, point).map_err(refused(point)));
    if started.is_err() {
        all().for_each(|(program, _)| stop(loaded, program));
    }
    started
}

/// Those that the kernel does not have, and how it says so.
fn attach_vectors<'n>(loaded: &mut Ebpf, names: &[&'n str], btf: &Btf) -> Vec<(&'n str, RefusedPoint)> {
    let attach = |name: &&'n str| {
        let edges = ["entry", "exit"].map(|edge| (format!("event_{name}_{edge}"), format!("{name}_{edge}")));
        attach_together(loaded, &edges, btf).err().map(|refused| (*name, refused))
    };
    names.iter().filter_map(attach).collect()
}

/// How many events before the stretch tell what ran when it began.
const CONTEXT: usize = 64;

/// The events in front of a number, latest first, down to the [`CONTEXT`] before the stretch, and the number where that ends.
fn back(first: u64, oldest: u64, from_ns: u64, event: impl Fn(u64) -> Option<Event>) -> (Vec<Event>, u64) {
    let (mut found, mut number) = (Vec::with_capacity(3 * CONTEXT), first);
    // So many of the last found lie before the stretch.
    let mut before = 0;
    while number > oldest && before < CONTEXT {
        number -= 1;
        let Some(event) = event(number) else { continue };
        before = if event.at_ns < from_ns { before + 1 } else { 0 };
        found.push(event);
    }
    (found, number)
}

/// The number of an event behind `to_ns`, or the end: they are in order but for neighbours. The oldest may be overwritten while
/// they are looked at, so an eighth is left out; one that is being written looks old, which leads to the end at worst.
fn behind(end: u64, to_ns: u64, at_ns: impl Fn(u64) -> Option<u64>) -> u64 {
    let (mut low, mut high) = (end.saturating_sub((EVENTS - EVENTS / 8) as u64), end);
    while to_ns < u64::MAX && low < high {
        let middle = low + (high - low) / 2;
        match at_ns(middle).is_none_or(|at| at <= to_ns) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    high.saturating_add(CONTEXT as u64).min(end)
}

fn choose(loaded: &mut Ebpf, cpus: &[u32]) -> Result<(), NoSplit> {
    let refused = |error: &(dyn std::error::Error + 'static)| {
        NoSplit::refused("write the processors into the BPF map `rings`", error)
    };
    let mut rings: Array<_, u32> = Array::try_from(map(loaded, "rings")?).map_err(|error| refused(&error))?;
    let mut named = (1u32..).zip(cpus);
    named.try_for_each(|(ring, cpu)| rings.set(*cpu, ring, 0)).map_err(|error| refused(&error))
}

fn mapped(loaded: &mut Ebpf, name: &str, words: usize) -> Result<MappedWords, NoSplit> {
    let Map::Array(data) = map(loaded, name)? else { return Err(NoSplit::NotBuilt) };
    MappedWords::map(data.fd().as_fd(), words)
        .map_err(|error| NoSplit::refused(format!("map the BPF map `{name}` into memory"), &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::record::RecordKind;
    use crate::thread_name::ThreadName;
    use proptest::prelude::*;

    #[test]
    fn what_came_long_behind_is_not_looked_at_and_nothing_before_is_left_out() {
        for end in [0, 1, 100, 5_000, 3 * EVENTS as u64] {
            let oldest = end.saturating_sub(EVENTS as u64);
            for to_ns in [0, 70, 8_000, 20 * end, u64::MAX] {
                // Ten nanoseconds apart; every other pair is the wrong way round.
                let at_ns = |number: u64| Some(10 * if number % 4 > 1 { number ^ 1 } else { number });
                let first = behind(end, to_ns, at_ns);
                let needed = (oldest..end).rev().find(|number| at_ns(*number) <= Some(to_ns));
                assert!(first <= end && needed.is_none_or(|number| number < first), "{first} of {end} for {to_ns}");
                let beyond = needed.map_or(oldest + EVENTS as u64 / 8, |number| number + 2);
                assert!(first <= beyond + CONTEXT as u64, "{first} of {end} for {to_ns}");
            }
        }
    }

    /// The slow, obvious twin: whoever is found last is counted again each time.
    fn back_slowly(first: u64, from_ns: u64, event: impl Fn(u64) -> Option<Event>) -> (Vec<Event>, u64) {
        let (mut found, mut number) = (Vec::new(), first);
        let before = |found: &[Event]| found.iter().rev().take_while(|event: &&Event| event.at_ns < from_ns).count();
        while number > 0 && before(&found) < CONTEXT {
            number -= 1;
            found.extend(event(number));
        }
        (found, number)
    }

    proptest! {
        #[test]
        fn reading_ends_where_enough_is_known_of_what_came_before(
            steps in prop::collection::vec((0_u64..4, prop::bool::weighted(0.9)), 0..400),
            from_ns in 0_u64..800,
        ) {
            let mut at_ns = 1;
            let events: Vec<Option<Event>> = steps
                .iter()
                .map(|(step, was_written)| {
                    // Every other one is stamped a little before its neighbour.
                    at_ns = (at_ns + step).saturating_sub(u64::from(step % 2 == 1)).max(1);
                    let kind = RecordKind::Migrate;
                    was_written.then_some(Event { at_ns, kind, extra: 0, id: 0, name: ThreadName::default() })
                })
                .collect();
            let event = |number: u64| events[number as usize];
            let first = events.len() as u64;
            prop_assert_eq!(back(first, 0, from_ns, event), back_slowly(first, from_ns, event));
        }
    }
}
