//! The kernel's own costs, as Vitor 2013 section IV measures them, stamp by stamp.
//!
//! Samples are counts of the processor's own counter. They go to memory while the run lasts and leave over the serial line
//! when it is over, as a table and on request each by itself; what found no place is counted. Each
//! includes one stamp's own cost, which is reported beside them.

use crate::arch::{self, Lock, PROCESSORS_MAX, Stamp};
use crate::console;
use crate::dispatcher::Cause;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// Samples of one measure, at most.
const CAPACITY: usize = 1 << 18;
/// The paper dropped as many of the largest values, at most.
const PAPER_DROPPED: usize = 8;

/// The measures that keep samples, as bits. Keeping one lengthens what encloses it, so a run keeps some and not others.
static CHOSEN: AtomicU64 = AtomicU64::new(0);

/// Spans from an interrupt or a call to a thread.
pub const OUTER: u64 =
    of(Measure::Stamp) | of(Measure::ReleaseToThread) | of(Measure::RemoteReleaseToThread) | of(Measure::Block);
/// One insertion into a ready queue, where nothing else runs.
pub const INSERTION: u64 = of(Measure::Stamp) | of(Measure::Insertion);
/// The parts of those spans.
pub const INNER: u64 = !(OUTER | INSERTION | PAIR);
/// From one thread to the other on the same processor.
pub const PAIR: u64 = of(Measure::Stamp) | of(Measure::SwitchOfPair);

const fn of(measure: Measure) -> u64 {
    1 << measure as u32
}

/// What is measured, from the first stamp to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Two stamps with nothing between.
    Stamp,
    /// Timer handler's entry until all due jobs are released and the timer is set again.
    Release,
    /// As `Release`, divided by the jobs released and rounded up.
    ReleasePerJob,
    /// As `Release`, where no job was due.
    Tick,
    /// The core's decisions after a change.
    Scheduling,
    /// Registers and stack of one thread for those of another.
    Switch,
    /// Timer handler's entry until the released thread runs, on this processor.
    ReleaseToThread,
    /// Timer handler's entry on another processor until the released thread runs on this one.
    RemoteReleaseToThread,
    /// A thread begins to wait until the next thread runs, the idle one included.
    Block,
    /// Another processor sends this one an interrupt until this one's handler begins.
    Interrupt,
    /// A thread is about to block until another one goes on in its place, on the same processor: as the paper measures it.
    SwitchOfPair,
    /// A job joins a cluster, the decision included, the cluster being as full as it may be.
    Insertion,
}

const MEASURES: usize = 12;
const NAMES: [&str; MEASURES] = [
    "stamp",
    "release",
    "release_per_job",
    "tick",
    "scheduling",
    "switch",
    "release_to_thread",
    "remote_release_to_thread",
    "block",
    "interrupt",
    "switch_of_pair",
    "insertion",
];

struct Samples {
    values: [u32; CAPACITY],
    count: usize,
}

static SAMPLES: [Lock<Samples>; MEASURES] =
    [const { Lock::new(Samples { values: [0; CAPACITY], count: 0 }) }; MEASURES];

impl Samples {
    fn kept(&mut self) -> &mut [u32] {
        let count = self.count.min(CAPACITY);
        &mut self.values[..count]
    }

    fn lost(&self) -> usize {
        self.count.saturating_sub(CAPACITY)
    }
}

/// By processor: when it was sent the interrupt that it has not served yet; zero for none.
static SENT: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];

/// Samples of `measures` are kept from now on.
pub fn turn_on(measures: u64) {
    CHOSEN.store(measures, Ordering::Relaxed);
    for _ in 0..100 {
        since(Measure::Stamp, arch::stamp());
    }
}

/// No sample is kept any more: a handler that the end of the run meets on another processor would end in the printing.
pub fn turn_off() {
    CHOSEN.store(0, Ordering::Relaxed);
}

#[cold]
fn keep(measure: Measure, counts: u64) {
    let mut samples = SAMPLES[measure as usize].lock();
    let place = samples.count;
    samples.count += 1;
    if let Some(value) = samples.values.get_mut(place) {
        *value = u32::try_from(counts).unwrap_or(u32::MAX);
    }
}

#[inline]
fn between(measure: Measure, begin: Stamp, end: Stamp) {
    if is_any_kept(of(measure)) {
        keep(measure, end.0.wrapping_sub(begin.0));
    }
}

#[inline]
fn is_any_kept(measures: u64) -> bool {
    CHOSEN.load(Ordering::Relaxed) & measures != 0
}

/// A stamp, if samples of `measure` are kept: where they are not, what is measured pays for the question alone.
#[inline]
pub fn begin(measure: Measure) -> Option<Stamp> {
    if is_any_kept(of(measure)) { Some(arch::stamp()) } else { None }
}

/// As [`begin`], for a stamp that another thread reads.
#[inline]
pub fn mark(measure: Measure, place: &mut Stamp) {
    if is_any_kept(of(measure)) {
        *place = arch::stamp();
    }
}

/// A sample of `measure` from [`begin`] until now.
#[inline]
pub fn end(measure: Measure, begin: Option<Stamp>) {
    if let Some(begin) = begin {
        keep(measure, arch::stamp().0.wrapping_sub(begin.0));
    }
}

/// A sample of `measure` from `begin` until now.
#[inline]
pub fn since(measure: Measure, begin: Stamp) {
    between(measure, begin, arch::stamp());
}

/// A timer handler has done its part since `entry`, releasing `jobs` jobs.
#[inline]
pub fn handled(entry: Stamp, jobs: usize) {
    if is_any_kept(INNER) {
        keep_handled(arch::stamp().0.wrapping_sub(entry.0), jobs);
    }
}

#[cold]
fn keep_handled(counts: u64, jobs: usize) {
    if jobs == 0 {
        return keep(Measure::Tick, counts);
    }
    keep(Measure::Release, counts);
    keep(Measure::ReleasePerJob, counts.div_ceil(jobs as u64));
}

/// An interrupt is about to be sent to processor `other`. One that it has not served yet is not forgotten for this one.
#[inline]
pub fn sending(other: usize) {
    if is_any_kept(of(Measure::Interrupt)) {
        let _ = SENT[other].compare_exchange(0, arch::stamp().0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The handler of the interrupt that processor `here` was sent began at `entry`.
#[inline]
pub fn interrupted(here: usize, entry: Stamp) {
    if is_any_kept(of(Measure::Interrupt)) {
        let sent = SENT[here].swap(0, Ordering::Relaxed);
        // A second interrupt may have been sent while the first waited: its stamp went with the first one's sample.
        if sent != 0 {
            keep(Measure::Interrupt, entry.0.saturating_sub(sent));
        }
    }
}

/// The calling thread runs again, `cause` having brought it back; nothing where it never left.
#[inline]
pub fn caused(cause: Option<Cause>) {
    match cause {
        Some(Cause::Timer(entry)) => since(Measure::ReleaseToThread, entry),
        Some(Cause::Remote(entry)) => since(Measure::RemoteReleaseToThread, entry),
        Some(Cause::Waiting(called)) => since(Measure::Block, called),
        Some(Cause::Begin) | None => {}
    }
}

/// Prints every sample that was kept, in the order of keeping, before [`report`] sorts them.
///
/// ```text
/// raw switch 1a*12 1b 1a*3 ...                       values in hexadecimal digits, with how often they follow each other
/// raw-end switch count 180000 lost 0 checksum 811c9dc5
/// ```
pub fn print() {
    for (name, samples) in NAMES.iter().zip(&SAMPLES) {
        let mut samples = samples.lock();
        let lost = samples.lost();
        let mut values = &*samples.kept();
        if values.is_empty() {
            continue;
        }
        let (count, checksum) = (values.len(), checksum(values));
        while !values.is_empty() {
            let line = Runs { values, most: RUNS_A_LINE };
            console::line(format_args!("raw {name}{line}"));
            values = line.rest();
        }
        console::line(format_args!("raw-end {name} count {count} lost {lost} checksum {checksum:x}"));
    }
}

/// So many runs of equal values stand in one line, at most.
const RUNS_A_LINE: usize = 64;

/// The first `most` runs of equal values, and what is behind them.
#[derive(Clone, Copy)]
struct Runs<'a> {
    values: &'a [u32],
    most: usize,
}

impl<'a> Runs<'a> {
    fn each(self) -> impl Iterator<Item = &'a [u32]> {
        self.values.chunk_by(|a, b| a == b).take(self.most)
    }

    fn rest(self) -> &'a [u32] {
        &self.values[self.each().map(<[u32]>::len).sum()..]
    }
}

impl fmt::Display for Runs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.each().try_for_each(|run| match run.len() {
            1 => write!(f, " {:x}", run[0]),
            times => write!(f, " {:x}*{times}", run[0]),
        })
    }
}

/// FNV-1a of 32 bits over whole values: a line that is missing, doubled or cut shows.
fn checksum(values: &[u32]) -> u32 {
    values.iter().fold(0x811c_9dc5, |sum, value| (sum ^ value).wrapping_mul(0x0100_0193))
}

/// Prints the table: count, what was lost, maximum, mean, median, and the maxima that dropping values would leave.
pub fn report() {
    for (name, samples) in NAMES.iter().zip(&SAMPLES) {
        let mut samples = samples.lock();
        let lost = samples.lost();
        let values = samples.kept();
        values.sort_unstable();
        let count = values.len();
        let Some(max) = values.last().copied() else { continue };
        let mean = values.iter().map(|value| u64::from(*value)).sum::<u64>() / count as u64;
        let below = |dropped: usize| values[count.saturating_sub(dropped + 1)];
        let (median, paper, percent) = (values[count / 2], below(PAPER_DROPPED), below(count / 100));
        console::line(format_args!(
            "cost {name} count {count} lost {lost} max {max} mean {mean} median {median} max_less_8 {paper} max_less_1_percent {percent}"
        ));
    }
}
