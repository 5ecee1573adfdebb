//! The Rust twin of `bpf/activations.h`: what leaves the kernel, read from its bytes.

/// Bytes of a thread's slot.
pub(super) const SLOT_BYTES: usize = 232;
/// Threads that can be followed at once.
pub(super) const THREADS: u32 = 16_384;
/// System calls that can be told apart.
pub(super) const CALLS: u32 = 512;
/// A new thread of a followed process is followed.
pub(super) const FOLLOW_THREADS: u32 = 1;
/// A process that a followed process starts is followed, with those that it starts.
pub(super) const FOLLOW_CHILDREN: u32 = 2;

const CALL_BYTES: usize = 128;
/// Bytes of a stretch.
pub(super) const OFF_BYTES: usize = 120;
const THREAD_BYTES: usize = 40;
const PLACE_BYTES: usize = 56;
const MADE_BYTES: usize = 8 + CALLS as usize / 8;

/// Something that a followed thread did, in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// A system call returned.
    Call(Call),
    /// It is back on a processor.
    Off(Off),
    /// It began to be followed, or ended.
    Thread(ThreadEvent),
    /// It reached a place of its program.
    Place(PlaceReached),
    /// System calls that have no record of their own.
    Made(Made),
}

/// A system call that has returned: one that blocked, or sets a timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Counts the calls of the thread, those that were lost included.
    pub number: u32,
    /// When it began; 0 where it was under way when the thread began to be followed.
    pub enter_ns: u64,
    /// When it returned.
    pub exit_ns: u64,
    /// What it answered inside the kernel.
    pub result: i64,
    /// The system call.
    pub call: u32,
    /// The thread blocked in it.
    pub slept: bool,
    /// Its first arguments.
    pub args: [u64; 4],
    /// What the caller's memory held of the time, the lock's word, or the value that was read.
    pub user: [u64; 4],
    /// Page faults of the thread so far.
    pub faults: Faults,
}

/// Page faults of a thread so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// Those that read nothing.
    pub minor: u32,
    /// Those that read a file or swap.
    pub major: u32,
    /// What they took, blocked or not; 0 where the kernel does not show it.
    pub took_ns: u64,
}

impl Faults {
    /// What was added since `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            minor: self.minor.wrapping_sub(before.minor),
            major: self.major.wrapping_sub(before.major),
            took_ns: self.took_ns.saturating_sub(before.took_ns),
        }
    }
}

/// A stretch off a processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Off {
    /// The thread.
    pub thread_id: u32,
    /// It left its processor.
    pub off_ns: u64,
    /// It was woken; 0 where it was preempted.
    pub waking_ns: u64,
    /// It is back.
    pub on_ns: u64,
    /// Programmed expiry of the timer whose function woke it; 0 when none did.
    pub due_ns: u64,
    /// The same with the timer's slack.
    pub latest_ns: u64,
    /// That timer's function was about to run.
    pub handler_ns: u64,
    /// The thread's state when it left; 0 where it could have run on.
    pub state: u32,
    /// The system call that it was in.
    pub call: Option<u32>,
    /// The processor that it left.
    pub cpu_off: u32,
    /// The processor that it came to.
    pub cpu_on: u32,
    /// The processor on which it was woken.
    pub cpu_waking: u32,
    /// Who came instead: kernel priority, thread and name.
    pub taker: Other,
    /// Who ran where it was woken; the priority is not known.
    pub waker: Other,
    /// Its own kernel priority.
    pub priority: i16,
    /// It could have run and left with its budget spent, or for a less urgent thread.
    pub throttled: bool,
    /// Such records of the thread that were lost so far.
    pub lost: u32,
}

/// Another thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Other {
    /// Its number; 0 is the idle loop.
    pub thread_id: u32,
    /// Its name.
    pub name: String,
    /// Its kernel priority: less is more urgent, below 100 is real-time.
    pub priority: i16,
}

/// A thread began to be followed, or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadEvent {
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// It ended.
    pub is_end: bool,
    /// When.
    pub at_ns: u64,
    /// Its name then.
    pub name: String,
}

/// A followed thread reached a place of its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PlaceReached {
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Counts these records of the thread, those that were lost included.
    pub number: u32,
    /// When.
    pub at_ns: u64,
    /// Where its stack ends.
    pub stack: u64,
    /// The place's number.
    pub place: u32,
    /// Page faults of the thread so far.
    pub faults: Faults,
}

/// System calls that a thread has made since its last record of a call, and that have no record of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// The thread.
    pub thread_id: u32,
    /// Each of them once.
    pub calls: Vec<u32>,
}

impl Off {
    /// It blocked, and could not have run on.
    pub(super) fn is_block(&self) -> bool {
        self.state != 0
    }

    /// It was seen leaving its processor.
    pub(super) fn is_seen_leaving(&self) -> bool {
        self.off_ns > UNSEEN_NS
    }
}

impl Record {
    /// A record of the ring; `None` for one of an unknown kind or size.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let kind = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?);
        Some(match (kind, bytes.len()) {
            (1, CALL_BYTES) => Self::Call(call(bytes)),
            (2, OFF_BYTES) => Self::Off(off(bytes)),
            (3, THREAD_BYTES) => Self::Thread(thread(bytes)),
            (4, PLACE_BYTES) => Self::Place(place(bytes)),
            (5, MADE_BYTES) => Self::Made(made(bytes)),
            _ => return None,
        })
    }
}

/// Where a slot's stretch begins, in bytes.
const SLOT_OFF_AT: usize = SLOT_BYTES - OFF_BYTES;
/// Stands for the unknown instant at which a thread left its processor before it was followed.
const UNSEEN_NS: u64 = 1;

/// The slot of a thread that may be away already: where it comes back because it is woken, that is seen.
pub(super) fn slot_of_unseen() -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[SLOT_OFF_AT + 8..SLOT_OFF_AT + 16].copy_from_slice(&UNSEEN_NS.to_ne_bytes());
    slot[SLOT_OFF_AT + 56..SLOT_OFF_AT + 60].copy_from_slice(&1_u32.to_ne_bytes());
    slot
}

/// The stretch of a slot's thread that is under way: `off_ns` is 0 while it is on a processor. And its records that were lost.
pub(super) fn away(slot: &[u8; SLOT_BYTES]) -> Off {
    const LOST_AT: usize = 12;
    Off { lost: u32_at(slot, LOST_AT), ..off(&slot[SLOT_OFF_AT..]) }
}

/// The system call that a slot's thread is in, and since when.
pub(super) fn under_way(slot: &[u8; SLOT_BYTES]) -> Option<(u32, u64)> {
    const ENTER_AT: usize = 16;
    u32_at(slot, 0).checked_sub(1).map(|call| (call, u64_at(slot, ENTER_AT)))
}

fn call(bytes: &[u8]) -> Call {
    Call {
        thread_id: u32_at(bytes, 4),
        process_id: u32_at(bytes, 8),
        number: u32_at(bytes, 12),
        enter_ns: u64_at(bytes, 16),
        exit_ns: u64_at(bytes, 24),
        result: u64_at(bytes, 32).cast_signed(),
        call: u32_at(bytes, 40),
        slept: u32_at(bytes, 44) != 0,
        args: std::array::from_fn(|place| u64_at(bytes, 48 + 8 * place)),
        user: std::array::from_fn(|place| u64_at(bytes, 80 + 8 * place)),
        faults: Faults { minor: u32_at(bytes, 112), major: u32_at(bytes, 116), took_ns: u64_at(bytes, 120) },
    }
}

fn off(bytes: &[u8]) -> Off {
    let other = |id: usize, name: usize, priority: i16| Other {
        thread_id: u32_at(bytes, id),
        name: text(&bytes[name..name + 16]),
        priority,
    };
    Off {
        thread_id: u32_at(bytes, 4),
        off_ns: u64_at(bytes, 8),
        waking_ns: u64_at(bytes, 16),
        on_ns: u64_at(bytes, 24),
        due_ns: u64_at(bytes, 32),
        latest_ns: u64_at(bytes, 40),
        handler_ns: u64_at(bytes, 48),
        state: u32_at(bytes, 56),
        call: u32_at(bytes, 60).checked_sub(1),
        cpu_off: u16_at(bytes, 64).into(),
        cpu_on: u16_at(bytes, 66).into(),
        cpu_waking: u16_at(bytes, 68).into(),
        taker: other(72, 80, u16_at(bytes, 70).cast_signed()),
        waker: other(76, 96, 0),
        priority: u16_at(bytes, 112).cast_signed(),
        throttled: u16_at(bytes, 114) != 0,
        lost: u32_at(bytes, 116),
    }
}

fn thread(bytes: &[u8]) -> ThreadEvent {
    ThreadEvent {
        thread_id: u32_at(bytes, 4),
        process_id: u32_at(bytes, 8),
        is_end: u32_at(bytes, 12) != 0,
        at_ns: u64_at(bytes, 16),
        name: text(&bytes[24..40]),
    }
}

fn place(bytes: &[u8]) -> PlaceReached {
    PlaceReached {
        thread_id: u32_at(bytes, 4),
        process_id: u32_at(bytes, 8),
        number: u32_at(bytes, 12),
        at_ns: u64_at(bytes, 16),
        stack: u64_at(bytes, 24),
        place: u32_at(bytes, 32),
        faults: Faults { minor: u32_at(bytes, 36), major: u32_at(bytes, 40), took_ns: u64_at(bytes, 48) },
    }
}

fn made(bytes: &[u8]) -> Made {
    let is_made = |call: &u32| u64_at(bytes, 8 + *call as usize / 64 * 8) & 1 << (call % 64) != 0;
    Made { thread_id: u32_at(bytes, 4), calls: (0..CALLS).filter(is_made).collect() }
}

fn text(bytes: &[u8]) -> String {
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
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
    fn the_sizes_and_names_are_those_of_the_header() {
        let program = include_str!("../../bpf/activations.bpf.c");
        let sizes = [
            ("call", CALL_BYTES),
            ("off", OFF_BYTES),
            ("thread", THREAD_BYTES),
            ("place", PLACE_BYTES),
            ("made", MADE_BYTES),
            ("slot", SLOT_BYTES),
        ];
        for (name, bytes) in sizes {
            assert!(program.contains(&format!("sizeof(struct activations_{name}) == {bytes},")), "{name}");
        }
        let header = include_str!("../../bpf/activations.h");
        for line in [
            format!("ACTIVATIONS_THREADS {THREADS}"),
            format!("ACTIVATIONS_CALLS {CALLS}"),
            format!("FOLLOW_THREADS {FOLLOW_THREADS}"),
            format!("FOLLOW_CHILDREN {FOLLOW_CHILDREN}"),
        ] {
            assert!(header.contains(&line), "{line}");
        }
    }

    #[test]
    fn a_slot_has_the_stretch_that_is_under_way() {
        let mut slot = slot_of_unseen();
        assert!(away(&slot).is_block() && !away(&slot).is_seen_leaving());
        slot[12..16].copy_from_slice(&3_u32.to_ne_bytes());
        slot[SLOT_OFF_AT + 8..SLOT_OFF_AT + 16].copy_from_slice(&70_u64.to_ne_bytes());
        slot[SLOT_OFF_AT + 16..SLOT_OFF_AT + 24].copy_from_slice(&90_u64.to_ne_bytes());
        slot[SLOT_OFF_AT + 114..SLOT_OFF_AT + 116].copy_from_slice(&1_u16.to_ne_bytes());
        let away = away(&slot);
        assert_eq!((away.lost, away.off_ns, away.waking_ns, away.throttled), (3, 70, 90, true));
    }

    #[test]
    fn a_record_is_read_field_by_field() {
        let mut bytes = [0; OFF_BYTES];
        for (number, field) in bytes.chunks_exact_mut(4).enumerate() {
            field.copy_from_slice(&(number as u32 + 1).to_ne_bytes());
        }
        bytes[..4].copy_from_slice(&2_u32.to_ne_bytes());
        bytes[80..86].copy_from_slice(b"hog\0xx");
        bytes[96..112].copy_from_slice(b"0123456789abcdef");
        let Some(Record::Off(off)) = Record::read(&bytes) else { panic!("it is a stretch") };
        assert_eq!((off.thread_id, off.state, off.call), (2, 15, Some(15)));
        assert_eq!((off.taker.thread_id, off.waker.thread_id, off.priority, off.lost), (19, 20, 29, 30));
        assert!(!off.throttled);
        assert_eq!((off.taker.name.as_str(), off.waker.name.as_str()), ("hog", "0123456789abcdef"));
        assert_eq!(off.cpu_off, 17);
        let mut bytes = [bytes.as_slice(), &7_u64.to_ne_bytes()].concat();
        bytes[..4].copy_from_slice(&1_u32.to_ne_bytes());
        let Some(Record::Call(call)) = Record::read(&bytes) else { panic!("it is a call") };
        assert_eq!((call.thread_id, call.process_id, call.number, call.call), (2, 3, 4, 11));
        assert_eq!(call.faults, Faults { minor: 29, major: 30, took_ns: 7 });
        let mut bytes = [0; PLACE_BYTES];
        for (number, field) in bytes.chunks_exact_mut(4).enumerate() {
            field.copy_from_slice(&(number as u32 + 1).to_ne_bytes());
        }
        bytes[..4].copy_from_slice(&4_u32.to_ne_bytes());
        let Some(Record::Place(place)) = Record::read(&bytes) else { panic!("it is a place") };
        assert_eq!((place.thread_id, place.process_id, place.number, place.place), (2, 3, 4, 9));
        assert_eq!((place.at_ns, place.stack), (5 | 6 << 32, 7 | 8 << 32));
        assert_eq!(place.faults, Faults { minor: 10, major: 11, took_ns: 13 | 14 << 32 });
        let mut bytes = [0; MADE_BYTES];
        bytes[..4].copy_from_slice(&5_u32.to_ne_bytes());
        bytes[8..16].copy_from_slice(&0x11_u64.to_ne_bytes());
        bytes[64..].copy_from_slice(&(1_u64 << 63).to_ne_bytes());
        let Some(Record::Made(made)) = Record::read(&bytes) else { panic!("it is a set of calls") };
        assert_eq!(made.calls, [0, 4, 511]);
        assert_eq!(Record::read(&bytes[..71]), None);
        assert_eq!(Record::read(&[]), None);
    }
}
