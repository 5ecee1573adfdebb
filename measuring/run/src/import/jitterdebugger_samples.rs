//! jitterdebugger's samples.raw: records of 28 bytes, little-endian, of every sample that was taken.
//!
//! ```text
//! u32 processor | i64 seconds | i64 nanoseconds | u64 latency       the clock is CLOCK_MONOTONIC at the wake-up
//! ```

use super::caveats;
use super::context::{Context, US, series};
use super::error::Problem;
use super::input::Input;
use super::tally::{SERIES_MAX, Tally, VALUE_NS_MAX, in_ns};
use crate::Run;
use crate::run::{Quantity, StatedFigures, WORST_KEPT, WorstSample};
use prazo_core::time::Duration;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

const RECORD_BYTES: usize = 28;

struct Record {
    cpu: u32,
    awake_ns: i64,
    latency: i64,
}

impl Record {
    /// Takes the bytes apart; `None` if a field cannot be what it should.
    fn parse(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let word = |at: usize| bytes[at..at + 8].try_into().map(i64::from_le_bytes).ok();
        let cpu = u32::from_le_bytes(bytes[..4].try_into().ok()?);
        let (s, ns, latency) = (word(4)?, word(12)?, word(20)?);
        let believable = (cpu as usize) < SERIES_MAX
            && (0..1_000_000_000).contains(&ns)
            && (0..=VALUE_NS_MAX as i64 / 1_000_000).contains(&s)
            && (0..=VALUE_NS_MAX as i64).contains(&latency);
        believable.then(|| Self { cpu, awake_ns: s * 1_000_000_000 + ns, latency })
    }
}

/// True if every whole record of the beginning is believable.
pub(super) fn shows_in(head: &[u8]) -> bool {
    let (records, _) = head.as_chunks::<RECORD_BYTES>();
    !records.is_empty() && records.iter().all(|record| Record::parse(record).is_some())
}

/// One processor's samples so far; the heap holds the worst, the least of them on top.
struct Processor {
    tally: Tally,
    first_due_ns: i64,
    worst: BinaryHeap<Reverse<(i64, i64, u64)>>,
}

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut processors: BTreeMap<u32, Processor> = BTreeMap::new();
    let unit = context.unit();
    let mut number: u64 = 0;
    while let Some(bytes) = input.next_record::<RECORD_BYTES>()? {
        let record = Record::parse(&bytes).ok_or_else(|| {
            let values: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let found = format!("record {number}: {}", values.join(" "));
            Problem::malformed(&found, "a record of processor, seconds, nanoseconds and latency")
        })?;
        take(&mut processors, &record, unit)?;
        number += 1;
    }
    Ok(run(processors, context))
}

fn take(processors: &mut BTreeMap<u32, Processor>, record: &Record, unit: Duration) -> Result<(), Problem> {
    let latency_ns = in_ns(record.latency, unit);
    let due_ns = record.awake_ns - latency_ns.unwrap_or(0);
    let processor = processors.entry(record.cpu).or_insert_with(|| Processor {
        tally: Tally::new(unit),
        first_due_ns: due_ns,
        worst: BinaryHeap::new(),
    });
    let activation = processor.tally.total();
    processor.tally.add(record.latency, 1)?;
    processor.worst.push(Reverse((latency_ns.unwrap_or(0), due_ns, activation)));
    if processor.worst.len() > WORST_KEPT {
        processor.worst.pop();
    }
    Ok(())
}

fn run(processors: BTreeMap<u32, Processor>, context: &Context) -> Run {
    let mut run = context.run();
    for (cpu, processor) in processors {
        let mut series = series(Quantity::ResponseLatency, context.unit(), processor.tally, StatedFigures::default());
        series.cpu = Some(cpu);
        series.stated = None;
        series.period = context.options.period;
        series.activations.due = Some(series.activations.served);
        series.activations.skipped = Some(0);
        series.worst = worst(processor.worst, processor.first_due_ns);
        run.series.push(series);
    }
    if context.options.resolution.is_none() {
        run.caveats.push(caveats::unit_assumed(&US.to_string()));
    }
    run
}

/// Worst first.
fn worst(heap: BinaryHeap<Reverse<(i64, i64, u64)>>, first_due_ns: i64) -> Vec<WorstSample> {
    let sample = |Reverse((latency_ns, due_ns, activation))| WorstSample {
        at_ns: due_ns - first_due_ns,
        latency_ns,
        activation,
    };
    heap.into_sorted_vec().into_iter().map(sample).collect()
}
