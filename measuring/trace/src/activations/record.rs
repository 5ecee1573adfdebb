//! What leaves the kernel, read from its bytes, and slots for threads that are to be followed.

use super::layout::{self, CALLS, RawCall, RawMade, RawOff, RawPlace, RawSlot, RawThread};
use crate::thread_name::ThreadName;
use prazo_abi::Record as _;

/// Bytes of a thread's slot.
pub(super) const SLOT_BYTES: usize = RawSlot::SIZE;
/// Bytes of a stretch.
pub(super) const OFF_BYTES: usize = RawOff::SIZE;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The lock that it was blocked on, as its call says.
    pub lock: Option<Lock>,
}

/// A lock in user space on which a thread blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Of which only the one who releases it is known.
    Plain,
    /// With priority inheritance: its word names the thread that held it.
    Inheriting(u32),
}

impl Lock {
    /// The lock that a futex call blocked on; `None` where it waited for something else, as a condition or a semaphore.
    pub(super) fn of(call: &Call) -> Option<Self> {
        const COMMAND: u64 = 127;
        const WAIT: u64 = 0;
        const LOCK_PI: u64 = 6;
        const LOCK_PI2: u64 = 13;
        const HOLDER: u64 = 0x3fff_ffff;
        const WAIT_BITSET: u64 = 9;
        // What glibc and Rust's standard library write into a lock for which somebody waits, and what musl does.
        const CONTENDED: u64 = 2;
        const CONTENDED_MUSL: u64 = 0x8000_0010;
        let [_, operation, value, timeout] = call.args;
        match (operation & COMMAND, value & u64::from(u32::MAX)) {
            (WAIT, CONTENDED | CONTENDED_MUSL) => Some(Self::Plain),
            // Rust's library waits so; with a time limit it is a condition.
            (WAIT_BITSET, CONTENDED) if timeout == 0 => Some(Self::Plain),
            // Whoever wakes one that then has the lock has released it.
            (LOCK_PI | LOCK_PI2, _) if call.result == 0 => Some(Self::Inheriting((call.user[2] & HOLDER) as u32)),
            _ => None,
        }
    }
}

/// Another thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Other {
    /// Its number; 0 is the idle loop.
    pub thread_id: u32,
    /// Its name.
    pub name: ThreadName,
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
            (layout::CALL, RawCall::SIZE) => Self::Call(call(&RawCall::from_bytes(bytes))),
            (layout::OFF, RawOff::SIZE) => Self::Off(off(&RawOff::from_bytes(bytes))),
            (layout::THREAD, RawThread::SIZE) => Self::Thread(thread(&RawThread::from_bytes(bytes))),
            (layout::PLACE, RawPlace::SIZE) => Self::Place(place(&RawPlace::from_bytes(bytes))),
            (layout::MADE, RawMade::SIZE) => Self::Made(made(&RawMade::from_bytes(bytes))),
            _ => return None,
        })
    }
}

/// Stands for the unknown instant at which a thread left its processor before it was followed.
const UNSEEN_NS: u64 = 1;

/// The slot of a thread that may be away already: where it comes back because it is woken, that is seen.
pub(super) fn slot_of_unseen() -> [u8; SLOT_BYTES] {
    let off = RawOff { off_ns: UNSEEN_NS, state: 1, ..RawOff::default() };
    written(&RawSlot { off, ..RawSlot::default() })
}

fn written(slot: &RawSlot) -> [u8; SLOT_BYTES] {
    let mut bytes = [0; SLOT_BYTES];
    slot.write_to(&mut bytes);
    bytes
}

/// The stretch of a slot's thread that is under way: `off_ns` is 0 while it is on a processor. And its records that were lost.
pub(super) fn away(slot: &[u8; SLOT_BYTES]) -> Off {
    let slot = RawSlot::from_bytes(slot);
    Off { lost: slot.lost_offs, ..off(&slot.off) }
}

/// The system call that a slot's thread is in, and since when.
pub(super) fn under_way(slot: &[u8; SLOT_BYTES]) -> Option<(u32, u64)> {
    let slot = RawSlot::from_bytes(slot);
    slot.call.checked_sub(1).map(|call| (call, slot.enter_ns))
}

fn call(raw: &RawCall) -> Call {
    Call {
        thread_id: raw.tid,
        process_id: raw.tgid,
        number: raw.number,
        enter_ns: raw.enter_ns,
        exit_ns: raw.exit_ns,
        result: raw.result,
        call: raw.call,
        slept: raw.slept != 0,
        args: raw.args,
        user: raw.user,
        faults: Faults { minor: raw.minor_faults, major: raw.major_faults, took_ns: raw.fault_ns },
    }
}

fn off(raw: &RawOff) -> Off {
    Off {
        thread_id: raw.tid,
        off_ns: raw.off_ns,
        waking_ns: raw.waking_ns,
        on_ns: raw.on_ns,
        due_ns: raw.due_ns,
        latest_ns: raw.latest_ns,
        handler_ns: raw.handler_ns,
        state: raw.state,
        call: raw.call.checked_sub(1),
        cpu_off: raw.cpu_off.into(),
        cpu_on: raw.cpu_on.into(),
        cpu_waking: raw.cpu_waking.into(),
        taker: Other { thread_id: raw.taker_tid, name: raw.taker.into(), priority: raw.taker_prio },
        waker: Other { thread_id: raw.waker_tid, name: raw.waker.into(), priority: 0 },
        priority: raw.prio,
        throttled: raw.throttled != 0,
        lost: raw.lost,
        lock: None,
    }
}

fn thread(raw: &RawThread) -> ThreadEvent {
    ThreadEvent {
        thread_id: raw.tid,
        process_id: raw.tgid,
        is_end: raw.is_end != 0,
        at_ns: raw.at_ns,
        name: ThreadName::from(raw.name).to_string(),
    }
}

fn place(raw: &RawPlace) -> PlaceReached {
    PlaceReached {
        thread_id: raw.tid,
        process_id: raw.tgid,
        number: raw.number,
        at_ns: raw.at_ns,
        stack: raw.stack,
        place: raw.place,
        faults: Faults { minor: raw.minor_faults, major: raw.major_faults, took_ns: raw.fault_ns },
    }
}

fn made(raw: &RawMade) -> Made {
    let is_made = |call: &u32| raw.calls[*call as usize / 64] & 1 << (call % 64) != 0;
    Made { thread_id: raw.tid, calls: (0..CALLS).filter(is_made).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_the_stretch_that_is_under_way() {
        let unseen = away(&slot_of_unseen());
        assert!(unseen.is_block() && !unseen.is_seen_leaving());
        assert_eq!(under_way(&slot_of_unseen()), None);
        let off = RawOff { off_ns: 70, waking_ns: 90, throttled: 1, ..RawOff::default() };
        let slot = written(&RawSlot { call: 36, lost_offs: 3, enter_ns: 60, off, ..RawSlot::default() });
        let away = away(&slot);
        assert_eq!((away.lost, away.off_ns, away.waking_ns, away.throttled), (3, 70, 90, true));
        assert_eq!(under_way(&slot), Some((35, 60)));
    }

    #[test]
    fn a_record_is_read_field_by_field() {
        let mut bytes = [0; RawOff::SIZE];
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
        assert_eq!((off.taker.name, off.waker.name), ("hog".into(), "0123456789abcdef".into()));
        assert_eq!(off.cpu_off, 17);
        let mut bytes = [bytes.as_slice(), &7_u64.to_ne_bytes()].concat();
        bytes[..4].copy_from_slice(&1_u32.to_ne_bytes());
        let Some(Record::Call(call)) = Record::read(&bytes) else { panic!("it is a call") };
        assert_eq!((call.thread_id, call.process_id, call.number, call.call), (2, 3, 4, 11));
        assert_eq!((call.args[3], call.user[1]), (19 | 20 << 32, 23 | 24 << 32));
        assert_eq!(call.faults, Faults { minor: 29, major: 30, took_ns: 7 });
        let mut bytes = [0; RawPlace::SIZE];
        for (number, field) in bytes.chunks_exact_mut(4).enumerate() {
            field.copy_from_slice(&(number as u32 + 1).to_ne_bytes());
        }
        bytes[..4].copy_from_slice(&4_u32.to_ne_bytes());
        let Some(Record::Place(place)) = Record::read(&bytes) else { panic!("it is a place") };
        assert_eq!((place.thread_id, place.process_id, place.number, place.place), (2, 3, 4, 9));
        assert_eq!((place.at_ns, place.stack), (5 | 6 << 32, 7 | 8 << 32));
        assert_eq!(place.faults, Faults { minor: 10, major: 11, took_ns: 13 | 14 << 32 });
        let mut bytes = [0; RawMade::SIZE];
        bytes[..4].copy_from_slice(&5_u32.to_ne_bytes());
        bytes[8..16].copy_from_slice(&0x11_u64.to_ne_bytes());
        bytes[64..].copy_from_slice(&(1_u64 << 63).to_ne_bytes());
        let Some(Record::Made(made)) = Record::read(&bytes) else { panic!("it is a set of calls") };
        assert_eq!(made.calls, [0, 4, 511]);
        assert_eq!(Record::read(&bytes[..71]), None);
        assert_eq!(Record::read(&[]), None);
    }
}
