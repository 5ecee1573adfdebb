//! The Rust twin of `bpf/overheads.h`: pairs of stamps, and what a processor counted, read from their words.

/// Processors that can be named.
pub(super) const CPUS: u32 = 1_024;
/// A kind's number is below this.
pub(super) const KINDS: usize = 8;
/// Words of a record.
pub(super) const RECORD_WORDS: usize = 2;
/// Bytes of a processor's entry.
pub(super) const PROCESSOR_BYTES: usize = 128;

const WRITTEN_AT: usize = 56;
const PLACE_AT: usize = 64;
const INCOMPLETE_AT: usize = 96;

const INTERRUPTED: u8 = 1;
const MIGRATED: u8 = 2;
const AMONG_OTHERS: u8 = 4;

/// What a pair of stamps is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OverheadKind {
    /// Timer interrupt's entry to the last job made ready.
    Release,
    /// The scheduler's entry to the switch that it decided upon.
    Scheduling,
    /// The switch to a task, to that task's first steps.
    Switch,
    /// The tick's function.
    Tick,
    /// A reschedule interrupt, sent to entered.
    Ipi,
    /// Programmed expiry to the timer interrupt's entry.
    Event,
    /// Nothing: two programs on one trace point.
    Stamp,
}

impl OverheadKind {
    /// All of them.
    pub(super) const ALL: [Self; 7] =
        [Self::Release, Self::Scheduling, Self::Switch, Self::Tick, Self::Ipi, Self::Event, Self::Stamp];

    /// The number that it has in the kernel.
    pub(super) const fn number(self) -> usize {
        self as usize + 1
    }

    fn numbered(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == usize::from(number))
    }
}

/// One pair of stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The first stamp.
    pub at_ns: u64,
    /// The distance of the two.
    pub cost_ns: u32,
    /// What is between them.
    pub kind: OverheadKind,
    /// An interrupt came in between.
    pub interrupted: bool,
    /// A job was made ready on another processor.
    pub migrated: bool,
    /// The interrupt served timers that released no job, too.
    pub among_others: bool,
    /// Of a release: how many jobs.
    pub jobs: u16,
}

impl Record {
    /// A record; `None` for one that was never written.
    pub(super) fn read(words: [u64; RECORD_WORDS]) -> Option<Self> {
        let bytes = words[1].to_ne_bytes();
        let marks = bytes[5];
        Some(Self {
            at_ns: words[0],
            cost_ns: u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            kind: OverheadKind::numbered(bytes[4])?,
            interrupted: marks & INTERRUPTED != 0,
            migrated: marks & MIGRATED != 0,
            among_others: marks & AMONG_OTHERS != 0,
            jobs: u16::from_ne_bytes([bytes[6], bytes[7]]),
        })
    }
}

/// The entry of a processor whose records have the stretch `place`.
pub(super) fn entry(place: usize) -> [u8; PROCESSOR_BYTES] {
    let mut bytes = [0; PROCESSOR_BYTES];
    bytes[PLACE_AT..PLACE_AT + 4].copy_from_slice(&(place as u32 + 1).to_ne_bytes());
    bytes
}

/// What a processor counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Pairs, those included that found no room.
    pub written: u64,
    /// Pairs of which one stamp is missing, by the kind's number.
    pub incomplete: [u32; KINDS],
}

impl Counts {
    /// Of a processor's entry.
    pub(super) fn of(bytes: &[u8; PROCESSOR_BYTES]) -> Self {
        let word = |at: usize| bytes[at..at + 8].try_into().map_or(0, u64::from_ne_bytes);
        let half = |at: usize| bytes[at..at + 4].try_into().map_or(0, u32::from_ne_bytes);
        let incomplete = std::array::from_fn(|number| half(INCOMPLETE_AT + 4 * number));
        Self { written: word(WRITTEN_AT), incomplete }
    }
}

impl Counts {
    /// Pairs of a kind that lost a stamp since `before`.
    pub(super) fn incomplete_since(&self, before: &Self, kind: OverheadKind) -> u64 {
        let number = kind.number();
        self.incomplete[number].saturating_sub(before.incomplete[number]).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_numbers_are_those_of_the_header() {
        let header = include_str!("../../bpf/overheads.h");
        assert!(header.contains(&format!("#define OVERHEADS_CPUS {CPUS}\t")));
        assert!(header.contains(&format!("#define OVERHEADS_KINDS {KINDS}\t")));
        let words =
            ["RELEASE", "SCHEDULING", "SWITCH", "TICK", "IPI", "EVENT", "STAMP"].into_iter().zip(OverheadKind::ALL);
        for (word, kind) in words {
            assert!(header.contains(&format!("OVERHEADS_{word} = {},", kind.number())), "{word}");
        }
        for (word, mark) in [("INTERRUPTED", INTERRUPTED), ("MIGRATED", MIGRATED), ("AMONG_OTHERS", AMONG_OTHERS)] {
            assert!(header.contains(&format!("OVERHEADS_{word} = {mark},")), "{word}");
        }
        let program = include_str!("../../bpf/overheads.bpf.c");
        assert!(program.contains(&format!("sizeof(struct overheads_record) == {},", RECORD_WORDS * 8)));
        assert!(program.contains(&format!("sizeof(struct overheads_processor) == {PROCESSOR_BYTES},")));
    }

    #[test]
    fn a_record_is_read_field_by_field() {
        let bytes = [0xE8, 3, 0, 0, 1, 5, 2, 0];
        let record = Record::read([9, u64::from_ne_bytes(bytes)]).unwrap();
        assert_eq!((record.at_ns, record.cost_ns, record.kind, record.jobs), (9, 1_000, OverheadKind::Release, 2));
        assert!(record.interrupted && !record.migrated && record.among_others);
        assert_eq!(Record::read([0; 2]), None);
    }

    #[test]
    fn counts_stand_where_the_header_has_them() {
        let mut bytes = entry(4);
        assert_eq!(bytes[PLACE_AT], 5);
        bytes[WRITTEN_AT] = 7;
        bytes[INCOMPLETE_AT + 4 * OverheadKind::Switch.number()] = 3;
        let counts = Counts::of(&bytes);
        assert_eq!((counts.written, counts.incomplete[OverheadKind::Switch.number()]), (7, 3));
    }
}
