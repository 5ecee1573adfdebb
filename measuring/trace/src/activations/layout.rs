//! The Rust twin of `bpf/activations.h`: its numbers, and its structs field by field under the same names.
//!
//! Where a field lies is said here alone. [`super::record`] reads records and slots as these structs, and writes slots as them. A
//! test compiles the header and compares every size and offset.

use prazo_abi::record;

/// Threads that can be followed at once.
pub(super) const THREADS: u32 = 16_384;
/// A thread's mark is its number modulo this.
pub(super) const MARKS: u32 = 65_536;
/// System calls that can be told apart.
pub(super) const CALLS: u32 = 512;
/// A new thread of a followed process is followed.
pub(super) const FOLLOW_THREADS: u32 = 1;
/// A process that a followed process starts is followed, with those that it starts.
pub(super) const FOLLOW_CHILDREN: u32 = 2;

/// The kind of a [`RawCall`].
pub(super) const CALL: u32 = 1;
/// The kind of a [`RawOff`].
pub(super) const OFF: u32 = 2;
/// The kind of a [`RawThread`].
pub(super) const THREAD: u32 = 3;
/// The kind of a [`RawPlace`].
pub(super) const PLACE: u32 = 4;
/// The kind of a [`RawMade`].
pub(super) const MADE: u32 = 5;

record! {
    /// A system call of a followed thread that has returned.
    pub(super) struct RawCall {
        pub(super) kind: u32,
        pub(super) tid: u32,
        pub(super) tgid: u32,
        pub(super) number: u32,
        pub(super) enter_ns: u64,
        pub(super) exit_ns: u64,
        pub(super) result: i64,
        pub(super) call: u32,
        pub(super) slept: u32,
        pub(super) args: [u64; 4],
        pub(super) user: [u64; 4],
        pub(super) minor_faults: u32,
        pub(super) major_faults: u32,
        pub(super) fault_ns: u64,
    }
}

record! {
    /// A stretch in which a followed thread was not on a processor.
    pub(super) struct RawOff {
        pub(super) kind: u32,
        pub(super) tid: u32,
        pub(super) off_ns: u64,
        pub(super) waking_ns: u64,
        pub(super) on_ns: u64,
        pub(super) due_ns: u64,
        pub(super) latest_ns: u64,
        pub(super) handler_ns: u64,
        pub(super) state: u32,
        pub(super) call: u32,
        pub(super) cpu_off: u16,
        pub(super) cpu_on: u16,
        pub(super) cpu_waking: u16,
        pub(super) taker_prio: i16,
        pub(super) taker_tid: u32,
        pub(super) waker_tid: u32,
        pub(super) taker: [u8; 16],
        pub(super) waker: [u8; 16],
        pub(super) prio: i16,
        pub(super) throttled: u16,
        pub(super) lost: u32,
    }
}

record! {
    /// A thread began to be followed because it was started, or ended.
    pub(super) struct RawThread {
        pub(super) kind: u32,
        pub(super) tid: u32,
        pub(super) tgid: u32,
        pub(super) is_end: u32,
        pub(super) at_ns: u64,
        pub(super) name: [u8; 16],
    }
}

record! {
    /// A followed thread reached a place of its program.
    pub(super) struct RawPlace {
        pub(super) kind: u32,
        pub(super) tid: u32,
        pub(super) tgid: u32,
        pub(super) number: u32,
        pub(super) at_ns: u64,
        pub(super) stack: u64,
        pub(super) place: u32,
        pub(super) minor_faults: u32,
        pub(super) major_faults: u32,
        pub(super) unused: u32,
        pub(super) fault_ns: u64,
    }
}

record! {
    /// System calls that have no record of their own, a bit for each number.
    pub(super) struct RawMade {
        pub(super) kind: u32,
        pub(super) tid: u32,
        pub(super) calls: [u64; CALLS as usize / 64],
    }
}

record! {
    /// A followed thread's slot.
    pub(super) struct RawSlot {
        pub(super) call: u32,
        pub(super) number: u32,
        pub(super) slept: u32,
        pub(super) lost_offs: u32,
        pub(super) enter_ns: u64,
        pub(super) args: [u64; 4],
        pub(super) user: [u64; 4],
        pub(super) fault_ns: u64,
        pub(super) fault_since_ns: u64,
        pub(super) places: u32,
        pub(super) unused: u32,
        pub(super) off: RawOff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_abi::Record;
    use prazo_testing::layout::{self, Shape};
    use prazo_testing::or_skip;
    use std::path::Path;

    fn shape<R: Record>(name: &'static str) -> Shape<'static> {
        (name, R::SIZE, R::FIELDS)
    }

    fn shapes() -> [Shape<'static>; 6] {
        [
            shape::<RawCall>("call"),
            shape::<RawOff>("off"),
            shape::<RawThread>("thread"),
            shape::<RawPlace>("place"),
            shape::<RawMade>("made"),
            shape::<RawSlot>("slot"),
        ]
    }

    #[test]
    fn the_header_lays_out_every_struct_alike() {
        let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf/activations.h");
        let statements = layout::statements("activations_", &shapes());
        let compiled = or_skip!(layout::printed_by_c(&header, &statements));
        layout::assert_alike(&compiled, &layout::lines(&shapes()));
    }

    /// Holds without a C compiler too.
    #[test]
    fn the_sizes_and_numbers_are_those_of_the_header() {
        let program = include_str!("../../bpf/activations.bpf.c");
        for (name, bytes, _) in shapes() {
            assert!(program.contains(&format!("sizeof(struct activations_{name}) == {bytes},")), "{name}");
        }
        let header = include_str!("../../bpf/activations.h");
        for line in [
            format!("ACTIVATIONS_THREADS {THREADS}"),
            format!("ACTIVATIONS_CALLS {CALLS}"),
            format!("ACTIVATIONS_MARKS {MARKS}"),
            format!("FOLLOW_THREADS {FOLLOW_THREADS}"),
            format!("FOLLOW_CHILDREN {FOLLOW_CHILDREN}"),
            format!("ACTIVATIONS_CALL = {CALL},"),
            format!("ACTIVATIONS_OFF = {OFF},"),
            format!("ACTIVATIONS_THREAD = {THREAD},"),
            format!("ACTIVATIONS_PLACE = {PLACE},"),
            format!("ACTIVATIONS_MADE = {MADE},"),
        ] {
            assert!(header.contains(&line), "{line}");
        }
    }
}
