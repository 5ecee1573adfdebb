//! The events of one queue, written under its lock, read when the run is over.

use crate::arch;
use core::sync::atomic::{AtomicU64, Ordering};
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;

/// Events that all queues together can hold; what comes later is counted and lost.
const CAPACITY: usize = 1 << 18;

/// Two words an event: the instant, and kind, processor, task and job. Zero until used, so that the image need not hold it.
static RECORDS: [[AtomicU64; 2]; CAPACITY] = [const { [const { AtomicU64::new(0) }; 2] }; CAPACITY];
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The kinds of event that this kernel writes; their names are those of core's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TraceEvent {
    /// The event that calls for a job occurs.
    Arrival,
    /// The job becomes ready.
    Release,
    /// The job gets a processor.
    Dispatch,
    /// It goes on elsewhere than where it last ran.
    Migration,
    /// A more urgent job takes its processor.
    Preemption,
    /// It has done all it had to do.
    Completion,
    /// It waits for something else than a processor.
    Suspension,
    /// What it waited for has come.
    Resumption,
    /// It runs at the urgency of one that waits for its mutex.
    Inheritance,
    /// It is back at its own urgency.
    Disinheritance,
    /// Its absolute deadline has passed and it has not ended.
    Miss,
    /// It is late, and its task has a policy for that.
    Overrun,
    /// The policy has ended it before its time.
    Abortion,
    /// The policy leaves it out.
    Skip,
    /// Its server has nothing left to give until the deadline is postponed.
    BudgetExhaustion,
    /// Its server's budget is full again.
    Replenishment,
}

const NAMES: [&str; 16] = [
    "arrival",
    "release",
    "dispatch",
    "migration",
    "preemption",
    "completion",
    "suspension",
    "resumption",
    "inheritance",
    "disinheritance",
    "miss",
    "overrun",
    "abortion",
    "skip",
    "budget_exhaustion",
    "replenishment",
];

/// The pen of one queue.
pub struct Trace {
    is_on: bool,
}

impl Trace {
    /// Writes nothing until [`turn_on`](Self::turn_on).
    pub const fn new() -> Self {
        Self { is_on: false }
    }

    /// Events are written from now on.
    pub fn turn_on(&mut self) {
        self.is_on = true;
    }

    /// True if events are written.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Writes one event down. The queue's lock orders the events of a queue.
    #[inline]
    pub fn record(&mut self, at: Instant, what: TraceEvent, task: TaskIndex, job: u64, cpu: usize) {
        if self.is_on {
            self.write(at, what, task, job, cpu);
        }
    }

    #[cold]
    #[inline(never)]
    fn write(&mut self, at: Instant, what: TraceEvent, task: TaskIndex, job: u64, cpu: usize) {
        let place = NEXT.fetch_add(1, Ordering::Relaxed);
        if let Some(record) = RECORDS.get(place as usize) {
            record[0].store(at.as_ns(), Ordering::Relaxed);
            let word = job << 32 | u64::from(task.number()) << 16 | (cpu as u64) << 8 | what as u64;
            record[1].store(word, Ordering::Relaxed);
        }
    }
}

/// One event, read back.
#[derive(Clone, Copy, Debug)]
pub struct EventRecord {
    /// The instant.
    pub at: Instant,
    /// What, by the name that traces are written with.
    pub name: &'static str,
    /// The task's index.
    pub task: usize,
    /// Number of its job.
    pub job: u64,
    /// Where.
    pub cpu: usize,
}

/// All events in the order of their writing, for who holds the locks of all queues, so that nobody writes.
pub fn records() -> impl Iterator<Item = EventRecord> {
    let count = (NEXT.load(Ordering::Acquire) as usize).min(CAPACITY);
    RECORDS[..count].iter().map(|record| {
        let word = record[1].load(Ordering::Relaxed);
        EventRecord {
            at: Instant::from_ns(record[0].load(Ordering::Relaxed)),
            name: NAMES.get((word & 0xff) as usize).copied().unwrap_or("unknown"),
            task: (word >> 16 & 0xffff) as usize,
            job: word >> 32,
            cpu: (word >> 8 & 0xff) as usize,
        }
    })
}

/// How many events found no place.
pub fn lost() -> u64 {
    NEXT.load(Ordering::Relaxed).saturating_sub(CAPACITY as u64)
}

const _: () = assert!(arch::PROCESSORS_MAX <= 256, "a record has a byte for the processor");
