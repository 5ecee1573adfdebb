//! The binary form: what is written reads back, no change of it goes unseen, and no bytes at all make the reader panic.

use prazo_core::overrun::OverrunPolicy;
use prazo_core::time::Duration;
use prazo_scenario::binary::{Fault, LONGEST, ServerTimes, TableError, TaskRecord, TaskTable, bytes};
use proptest::prelude::*;
use std::num::NonZero;

const HEAD: usize = 24;
const RECORD: usize = 64;

fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

const PLAIN: TaskRecord = TaskRecord {
    cost: Duration::from_ms(2),
    period: Duration::from_ms(10),
    relative_deadline: Duration::from_ms(8),
    offset: Duration::ZERO,
    jobs: None,
    server: None,
    priority: 3,
    queue: 1,
    overrun: OverrunPolicy::Continue,
};

fn good() -> Vec<u8> {
    let server = Some(ServerTimes { budget: ms(3), period: ms(9) });
    let served = TaskRecord { cost: ms(11), jobs: NonZero::new(4), server, overrun: OverrunPolicy::SkipNext, ..PLAIN };
    bytes(4, 2, &[PLAIN, served]).unwrap()
}

/// `bytes` with a checksum that fits.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let sum = bytes[..end].iter().fold(!0u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    });
    bytes[end..].copy_from_slice(&(!sum).to_le_bytes());
    bytes
}

/// What the reader says when `with` stands at `at`, the checksum made good again.
fn refused(at: usize, with: &[u8]) -> TableError {
    let mut changed = good();
    changed[at..at + with.len()].copy_from_slice(with);
    TaskTable::read(&signed(changed)).expect_err("it cannot be")
}

fn refused_task(at: usize, with: &[u8]) -> Fault {
    match refused(HEAD + RECORD + at, with) {
        TableError::Task(1, fault) => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn what_was_written_reads_back_with_every_field() {
    let bytes = good();
    let table = TaskTable::read(&bytes).unwrap();
    assert_eq!((table.processors(), table.queues(), bytes.len()), (4, 2, HEAD + 2 * RECORD + 4));
    let tasks: Vec<TaskRecord> = table.tasks().collect();
    assert_eq!(tasks[0], PLAIN);
    assert_eq!(tasks[1].server, Some(ServerTimes { budget: ms(3), period: ms(9) }));
    assert_eq!((tasks[1].cost, tasks[1].jobs, tasks[1].overrun), (ms(11), NonZero::new(4), OverrunPolicy::SkipNext));
}

#[test]
fn the_bytes_are_those_that_the_format_promises() {
    let bytes = bytes(4, 2, &[PLAIN]).unwrap();
    let head = [b"PRAZOSET".as_slice(), &[1, 0, 64, 0, 1, 0, 0, 0, 4, 0, 2, 0, 0, 0, 0, 0]].concat();
    assert_eq!(bytes[..HEAD], head);
    assert_eq!(bytes[HEAD..HEAD + 8], 2_000_000u64.to_le_bytes());
    assert_eq!(bytes[HEAD + 56..HEAD + 64], [3, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn a_head_that_cannot_be_is_refused_by_its_field() {
    assert_eq!(refused(0, b"p"), TableError::Magic);
    assert_eq!(refused(8, &[2]), TableError::Version(2));
    assert_eq!(refused(10, &[63]), TableError::RecordSize(63));
    assert_eq!(refused(12, &[3]), TableError::Length { expected: 220, found: 156 });
    assert_eq!(refused(12, &[255; 4]), TableError::Length { expected: 28 + 64 * 0xffff_ffff, found: 156 });
    assert_eq!(refused(18, &[0]), TableError::Shape { processors: 4, queues: 0 });
    assert_eq!(refused(18, &[5]), TableError::Shape { processors: 4, queues: 5 });
    assert_eq!(refused(20, &[1]), TableError::Reserved);
    assert_eq!(bytes(1, 1, &[]), Err(TableError::NoTask));
}

#[test]
fn a_task_that_cannot_be_is_refused_by_its_number_and_field() {
    let [zero, long, five_ms] = [0, LONGEST.as_ns() + 1, 5_000_000].map(u64::to_le_bytes);
    assert_eq!(refused_task(0, &zero), Fault::Time("cost", 0));
    assert_eq!(refused_task(8, &long), Fault::Time("period", LONGEST.as_ns() + 1));
    assert_eq!(refused_task(16, &zero), Fault::Time("deadline", 0));
    let short = 9_999u64.to_le_bytes();
    assert_eq!(refused_task(8, &short), Fault::Period(9_999), "handling releases would take all of the time");
    assert_eq!(refused_task(40, &[short; 2].concat()), Fault::Period(9_999));
    assert_eq!(refused_task(24, &long), Fault::Time("offset", LONGEST.as_ns() + 1));
    assert_eq!(refused_task(40, &zero), Fault::Server { budget: 0, period: 9_000_000 });
    assert_eq!(refused_task(48, &zero), Fault::Server { budget: 3_000_000, period: 0 });
    assert_eq!(refused_task(40, &10_000_000u64.to_le_bytes()), Fault::Server { budget: 10_000_000, period: 9_000_000 });
    assert_eq!(refused_task(40, &[0; 16]), Fault::Cost { cost: 11_000_000, period: 10_000_000 });
    assert_eq!(refused_task(60, &[2]), Fault::Queue { queue: 2, queues: 2 });
    assert_eq!(refused_task(62, &[3]), Fault::Overrun(3));
    assert_eq!(refused_task(63, &[1]), Fault::Reserved);
    let mut fine = good();
    fine[HEAD + RECORD + 8..][..8].copy_from_slice(&five_ms);
    assert!(TaskTable::read(&signed(fine)).is_ok(), "a served task may cost more than its period");
}

#[test]
fn every_truncation_is_refused_and_so_is_every_tail() {
    let good = good();
    for length in 0..good.len() {
        assert!(TaskTable::read(&good[..length]).is_err(), "{length} bytes of {}", good.len());
    }
    let longer = [good.as_slice(), &[0]].concat();
    assert_eq!(TaskTable::read(&longer).unwrap_err(), TableError::Length { expected: 156, found: 157 });
}

#[test]
fn every_single_bit_that_is_wrong_is_seen() {
    let good = good();
    for bit in 0..good.len() * 8 {
        let mut changed = good.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(TaskTable::read(&changed).is_err(), "bit {bit}");
    }
}

#[test]
fn a_reason_says_what_was_found_and_what_would_be_right() {
    let message = |at: usize, with: &[u8]| refused(at, with).to_string();
    assert_eq!(message(8, &[7]), "the task table has version 7, but only version 1 is supported");
    assert_eq!(message(HEAD + 60, &[9]), "task 0: there is no queue 9; the task table has 2 queues, numbered from 0");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Behind a right head and a right checksum there may be anything.
    #[test]
    fn no_records_make_the_reader_panic(records in prop::collection::vec(any::<[u8; 32]>(), 0..12)) {
        let count = records.len() / 2;
        let mut table = good()[..HEAD].to_vec();
        table[12..16].copy_from_slice(&(count as u32).to_le_bytes());
        records[..2 * count].iter().for_each(|half| table.extend(half));
        table.extend([0; 4]);
        let table = signed(table);
        if let Ok(read) = TaskTable::read(&table) {
            let tasks: Vec<TaskRecord> = read.tasks().collect();
            prop_assert_eq!(tasks.len(), count);
            prop_assert_eq!(bytes(4, 2, &tasks), Ok(table));
        }
    }

    /// Random records seldom can be; records of times that can be are read, and written again bit for bit.
    #[test]
    fn what_is_read_is_written_again_bit_for_bit(
        times in prop::collection::vec((1..9_000_000u64, 10_000..9_000_000u64, 0..9_000_000u64, 0..3u8, any::<u32>()), 1..8),
    ) {
        let task = |&(cost, more, offset, late, priority): &(u64, u64, u64, u8, u32)| TaskRecord {
            cost: Duration::from_ns(cost),
            period: Duration::from_ns(cost + more),
            relative_deadline: Duration::from_ns(more),
            offset: Duration::from_ns(offset),
            jobs: NonZero::new(offset),
            server: (late == 0).then_some(ServerTimes { budget: Duration::from_ns(cost), period: Duration::from_ns(cost + more) }),
            priority,
            queue: u16::from(late == 1),
            overrun: OverrunPolicy::VALUES[usize::from(late)],
        };
        let tasks: Vec<TaskRecord> = times.iter().map(task).collect();
        let table = bytes(4, 2, &tasks).unwrap();
        prop_assert_eq!(TaskTable::read(&table).unwrap().tasks().collect::<Vec<_>>(), tasks);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(tail in prop::collection::vec(any::<u8>(), 0..300), has_head: bool) {
        let head = if has_head { good()[..16].to_vec() } else { Vec::new() };
        let _ = TaskTable::read(&[head, tail].concat()).map_err(|why| why.to_string());
    }
}
