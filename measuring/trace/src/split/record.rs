//! The Rust twin of `bpf/split.h`: what leaves the kernel, read from its bytes.

use crate::thread_name::ThreadName;

/// Places for measured threads; a thread's is its number modulo this.
pub(super) const SLOTS: u32 = 4_096;
/// Interrupts that can be a card's.
pub(super) const LINES: u32 = 4_096;
/// Events kept of each measured processor.
pub(super) const EVENTS: usize = 131_072;
/// Places for threads that are more urgent than the measured ones; a thread's is its number modulo this.
pub(super) const URGENT: u32 = 1_024;
/// Bytes of such a place.
pub(super) const URGENT_BYTES: usize = 48;
/// Bytes of a slot, of a wake-up, of an event.
pub(super) const SLOT_BYTES: usize = 64;
/// Bytes of a wake-up.
pub(super) const WAKEUP_BYTES: usize = 48;
/// Words of an event.
pub(super) const EVENT_WORDS: usize = 4;

/// Woken while it ran: it never slept.
const SELF: u16 = 1;

/// One wake-up of a measured thread, in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wakeup {
    /// The thread.
    pub thread_id: u32,
    /// Woken while it ran: it never slept.
    pub never_slept: bool,
    /// Where the thread was switched to, or never slept.
    pub cpu: u32,
    /// Programmed expiry, or the card's interrupt; 0 where there was none in front of the wake-up.
    pub due_ns: u64,
    /// Programmed expiry with the timer's slack; or the start of the interrupt's thread, 0 without one.
    pub latest_ns: u64,
    /// The timer's handler, or the receive softirq, was about to run.
    pub handler_ns: u64,
    /// The thread was made runnable.
    pub waking_ns: u64,
    /// The processor switched to it; 0 where it never slept.
    pub switch_ns: u64,
}

impl Wakeup {
    /// A record of the ring; `None` for one of another size.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; WAKEUP_BYTES] = bytes.try_into().ok()?;
        Some(Self {
            thread_id: u32_at(bytes, 0),
            never_slept: u16_at(bytes, 4) & SELF != 0,
            cpu: u16_at(bytes, 6).into(),
            due_ns: u64_at(bytes, 8),
            latest_ns: u64_at(bytes, 16),
            handler_ns: u64_at(bytes, 24),
            waking_ns: u64_at(bytes, 32),
            switch_ns: u64_at(bytes, 40),
        })
    }

    /// When it left the kernel.
    pub(crate) fn done_ns(&self) -> u64 {
        self.waking_ns.max(self.switch_ns)
    }
}

/// An empty slot that belongs to a thread; where it is now is not known, so it is taken to be on its processor.
pub(super) fn slot_of(thread_id: u32) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[..4].copy_from_slice(&thread_id.to_ne_bytes());
    slot[12..16].copy_from_slice(&1u32.to_ne_bytes());
    slot
}

/// What a slot counted of wake-ups that left no record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// They found the ring full.
    pub lost: u64,
    /// The switch to the thread was hidden.
    pub hidden: u64,
}

impl Missing {
    /// Of a slot.
    pub(crate) fn of(slot: &[u8; SLOT_BYTES]) -> Self {
        Self { lost: u32_at(slot, 4).into(), hidden: u32_at(slot, 8).into() }
    }
}

/// A thread that was switched to on a measured processor, and is more urgent than the measured ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Urgent {
    /// When it was first switched to.
    pub first_ns: u64,
    /// When last.
    pub last_ns: u64,
    /// The thread.
    pub thread_id: u32,
    /// Number of times.
    pub times: u32,
    /// Switches to others that have the same place.
    pub hidden: u32,
    /// Its kernel priority: less is more urgent, -1 is a deadline thread.
    pub priority: i16,
    /// Where it ran first.
    pub cpu: u32,
    /// Its name.
    pub name: String,
}

impl Urgent {
    /// Of a place; `None` where it is empty.
    pub(crate) fn read(bytes: &[u8; URGENT_BYTES]) -> Option<Self> {
        let thread_id = Some(u32_at(bytes, 16)).filter(|thread_id| *thread_id != 0)?;
        let name: Vec<u8> = bytes[32..].iter().copied().take_while(|byte| *byte != 0).collect();
        Some(Self {
            first_ns: u64_at(bytes, 0),
            last_ns: u64_at(bytes, 8),
            thread_id,
            times: u32_at(bytes, 20),
            hidden: u32_at(bytes, 24),
            priority: u16_at(bytes, 28) as i16,
            cpu: u16_at(bytes, 30).into(),
            name: String::from_utf8_lossy(&name).into_owned(),
        })
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// The processor switched to the thread `id`.
    Switch,
    /// The interrupt `id` began or ended.
    Interrupt(Edge),
    /// The softirq `id` began or ended.
    Softirq(Edge),
    /// A vector of the processor's own began or ended.
    Vector(Edge),
    /// The measured thread `id` was moved to the processor `extra`.
    Migrate,
    /// A non-maskable interrupt's handler began, or ended after `id` nanoseconds.
    Nmi(Edge),
}

/// Beginning or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// It begins.
    Begin,
    /// It ends.
    End,
}

/// Something that happened on a measured processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The instant.
    pub at_ns: u64,
    /// Its kind.
    pub kind: RecordKind,
    /// Of a switch: the next thread's kernel priority, below 100 is real-time.
    pub extra: i16,
    /// Which thread, interrupt, softirq or vector; of a non-maskable interrupt its duration.
    pub id: i32,
    /// Of a switch: the next thread's name.
    pub name: ThreadName,
}

impl Event {
    /// Where the kernel reports only an end, with the duration: the beginning.
    pub(crate) fn beginning(&self) -> Option<Self> {
        let length_ns = u64::try_from(self.id).ok()?;
        let at_ns = self.at_ns.saturating_sub(length_ns);
        (self.kind == RecordKind::Nmi(Edge::End)).then_some(Self { at_ns, kind: RecordKind::Nmi(Edge::Begin), ..*self })
    }

    /// An event of the ring; `None` for one that was never written.
    pub(crate) fn read(words: [u64; EVENT_WORDS]) -> Option<Self> {
        let what = words[1].to_ne_bytes();
        let kind = match u16::from_ne_bytes([what[0], what[1]]) {
            1 => RecordKind::Switch,
            2 => RecordKind::Interrupt(Edge::Begin),
            3 => RecordKind::Interrupt(Edge::End),
            4 => RecordKind::Softirq(Edge::Begin),
            5 => RecordKind::Softirq(Edge::End),
            6 => RecordKind::Vector(Edge::Begin),
            7 => RecordKind::Vector(Edge::End),
            8 => RecordKind::Migrate,
            9 => RecordKind::Nmi(Edge::End),
            _ => return None,
        };
        let name = if kind == RecordKind::Switch { name_of([words[2], words[3]]) } else { ThreadName::default() };
        Some(Self {
            at_ns: words[0],
            kind,
            extra: i16::from_ne_bytes([what[2], what[3]]),
            id: i32::from_ne_bytes([what[4], what[5], what[6], what[7]]),
            name,
        })
    }
}

fn name_of([first, second]: [u64; 2]) -> ThreadName {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_ne_bytes());
    bytes[8..].copy_from_slice(&second.to_ne_bytes());
    bytes.into()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, if cfg!(target_endian = "little") { at } else { at + 4 }))
        | u64::from(u32_at(bytes, if cfg!(target_endian = "little") { at + 4 } else { at })) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_those_of_the_header() {
        let header = include_str!("../../bpf/split.h");
        assert!(header.contains(&format!("#define SPLIT_SLOTS {SLOTS}\t")));
        assert!(header.contains(&format!("#define SPLIT_EVENTS {EVENTS}\t")));
        assert!(header.contains(&format!("#define SPLIT_LINES {LINES}\t")));
        let program = include_str!("../../bpf/split.bpf.c");
        assert!(program.contains(&format!("sizeof(struct split_wakeup) == {WAKEUP_BYTES},")));
        assert!(program.contains(&format!("sizeof(struct split_slot) == {SLOT_BYTES},")));
        let events = include_str!("../../bpf/events.bpf.c");
        assert!(events.contains(&format!("sizeof(struct split_event) == {},", EVENT_WORDS * 8)));
        assert!(events.contains(&format!("sizeof(struct split_urgent) == {URGENT_BYTES},")));
        assert!(header.contains(&format!("#define SPLIT_URGENT {URGENT}\t")));
    }

    #[test]
    fn a_wake_up_is_read_field_by_field() {
        let mut bytes = [0; WAKEUP_BYTES];
        bytes[..4].copy_from_slice(&7u32.to_ne_bytes());
        bytes[4..6].copy_from_slice(&1u16.to_ne_bytes());
        bytes[6..8].copy_from_slice(&5u16.to_ne_bytes());
        for (number, field) in bytes[8..].chunks_exact_mut(8).enumerate() {
            field.copy_from_slice(&(0x1_0000_0000 + number as u64).to_ne_bytes());
        }
        let read = Wakeup::read(&bytes).unwrap();
        let at = |number: u64| 0x1_0000_0000 + number;
        let expected = Wakeup {
            thread_id: 7,
            never_slept: true,
            cpu: 5,
            due_ns: at(0),
            latest_ns: at(1),
            handler_ns: at(2),
            waking_ns: at(3),
            switch_ns: at(4),
        };
        assert_eq!(read, expected);
        assert_eq!(Wakeup::read(&bytes[..47]), None);
    }

    #[test]
    fn an_event_names_the_thread_and_what_was_never_written_is_none() {
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
        let what = [1u16.to_ne_bytes(), 95u16.to_ne_bytes()].concat();
        let what = word(&[what, 42i32.to_ne_bytes().to_vec()].concat());
        let event = Event::read([9, what, word(b"kworker/"), word(b"1:1\0\0\0\0\0")]).unwrap();
        assert_eq!((event.at_ns, event.kind, event.extra, event.id), (9, RecordKind::Switch, 95, 42));
        assert_eq!(event.name, "kworker/1:1".into());
        assert_eq!(Event::read([0; 4]), None);
        assert_eq!(event.beginning(), None);
    }

    #[test]
    fn a_non_maskable_interrupt_has_its_beginning_from_its_duration() {
        let what = [9u16.to_ne_bytes(), 0u16.to_ne_bytes()].concat();
        let what = u64::from_ne_bytes([what, 700i32.to_ne_bytes().to_vec()].concat().try_into().unwrap());
        let end = Event::read([9_000, what, 0, 0]).unwrap();
        let begin = end.beginning().unwrap();
        assert_eq!((end.kind, end.at_ns), (RecordKind::Nmi(Edge::End), 9_000));
        assert_eq!((begin.kind, begin.at_ns), (RecordKind::Nmi(Edge::Begin), 8_300));
    }
}
