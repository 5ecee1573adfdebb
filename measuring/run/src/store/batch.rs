//! What the recording thread hands to the writer: once when a run begins, once a second, and once when it ends.

use super::Sample;
use crate::noise::Observed;
use crate::overheads::Traced;
use crate::run::{Activations, Ending, LoadRecord, Origin, Quantity};
use crate::split::{SampleExplanation, SplitCounts, Splitter};
use crate::watched::{SeriesThread, WatchedAccount};
use crate::{Caveat, Plan};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::Fingerprint;
use prazo_platform::tunable::TunableRecord;

/// Everything known about a run before its first sample; stored at once, so that a killed run says what it was.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The name people call it by; empty is the file's.
    pub name: String,
    /// Where its samples come from.
    pub origin: Origin,
    /// What is measured.
    pub plan: Plan,
    /// The command line that repeats it.
    pub command: String,
    /// Start, in nanoseconds of CLOCK_REALTIME since 1970.
    pub started_at_unix_ns: Option<i64>,
    /// The platform before the run.
    pub platform_before: Option<Fingerprint>,
    /// What has been set already.
    pub tunables: Vec<TunableRecord>,
    /// What is known already to threaten the result.
    pub caveats: Vec<Caveat>,
    /// The series, in the order by which [`SeriesSecond::series`] counts: whole ones first, then the parts.
    pub series: Vec<SeriesOpening>,
    /// Where the stamps inside the latencies come from; `None` where there are no parts.
    pub split_by: Option<Splitter>,
}

/// One series before its first sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesOpening {
    /// The processor.
    pub cpu: Option<u32>,
    /// What is measured.
    pub quantity: Quantity,
    /// Distance of two activations, where there is one.
    pub period: Option<Duration>,
    /// The finest difference that can show.
    pub resolution: Duration,
    /// The series of which this is a part; that one is none itself. A part's samples have the whole's activation numbers.
    pub part_of: Option<usize>,
}

/// One second of one series, by the time at which its activations were due. More of the same second may follow later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesSecond {
    /// Which series, counted from 0 in the order of [`Opening::series`].
    pub series: usize,
    /// Seconds since the first activation was due.
    pub at_s: u32,
    /// True for a second wholly or partly inside the warm-up: all of it is kept apart.
    pub warm_up: bool,
    /// The served activations whose records were kept.
    pub samples: Vec<Sample>,
    /// Activations that were jumped over.
    pub skipped: u64,
    /// Served activations that ended after their deadline; 0 without a deadline.
    pub missed: u64,
    /// Served activations whose records were lost before they came here.
    pub lost: u64,
}

/// What is known about a run only when it ends.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// How it ended.
    pub ending: Ending,
    /// How long it lasted, on CLOCK_MONOTONIC.
    pub elapsed: Option<Duration>,
    /// The platform after the run.
    pub platform_after: Option<Fingerprint>,
    /// Loads with the rates that they reached.
    pub loads: Vec<LoadRecord>,
    /// All tunables in their final state; replaces those of the opening.
    pub tunables: Vec<TunableRecord>,
    /// Longest delay of the recording thread beyond its interval.
    pub recorder_delay_max: Option<Duration>,
    /// Processor time that measuring one activation took.
    pub probe_cost: Option<Duration>,
    /// Further caveats; those of the opening stay.
    pub caveats: Vec<Caveat>,
    /// For each series, activations under way at the end (0 or 1); empty is none.
    pub outstanding: Vec<u64>,
    /// For each whole series that was split: its place, its counts, and the causes of its worst samples.
    pub splits: Vec<(usize, SplitCounts, Vec<SampleExplanation>)>,
    /// What was traced of the kernel's overheads.
    pub overheads: Option<Traced>,
    /// How much the busy loops observed.
    pub noise: Option<Observed>,
    /// What is known of watched threads only at the end; `None` in every other run.
    pub watched: Option<WatchedClosing>,
}

/// The series of one watched thread.
#[derive(Clone, Debug)]
pub struct ThreadOpening {
    /// The thread.
    pub thread: SeriesThread,
    /// Its series, as in [`Opening::series`]; a part names its whole by the place among these.
    pub series: Vec<SeriesOpening>,
}

/// What is known of watched threads when the run ends: counts that follow from a period which was found late.
#[derive(Clone, Debug, Default)]
pub struct WatchedClosing {
    /// The plan with what was found: policy and deadline.
    pub plan: Option<Plan>,
    /// Each thread, with its series and their counts; a series that is not here is removed.
    pub threads: Vec<ClosedThread>,
}

/// One watched thread when the run ends.
#[derive(Clone, Debug, Default)]
pub struct ClosedThread {
    /// The thread, with what it did and what made it late.
    pub account: WatchedAccount,
    /// The period of its wait.
    pub period: Option<Duration>,
    /// Its series, by their places, with their counts.
    pub series: Vec<(usize, Activations)>,
    /// Parts of one of these series: the places of the whole and of the parts, and the counts.
    pub split: Option<ClosedSplit>,
}

/// The parts of the latencies of one watched thread when the run ends.
#[derive(Clone, Debug)]
pub struct ClosedSplit {
    /// The series that was split.
    pub whole: usize,
    /// The series of its parts.
    pub parts: Vec<usize>,
    /// What was split and what was not.
    pub counts: SplitCounts,
}
