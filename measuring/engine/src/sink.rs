//! Where samples go while they are won, and who watches.

pub use super::error::SinkError;
use prazo_core::time::Duration;
use prazo_run::source::Source;
use prazo_run::store::SeriesSecond;
use prazo_run::{Histogram, Plan};

/// Takes the samples, once a second, on the recording thread; it may block, the rings hold ten seconds.
pub trait Sink {
    /// Every measuring thread is set up and waits for the common start; their kernel numbers are in the plan's order.
    fn prepared(&mut self, _thread_ids: &[i32], _start_ns: u64) {}

    /// One complete second of one series. Seconds of a series come in order, each once.
    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError>;
}

/// Watches a run, once a second and when figures are asked for, on the recording thread.
pub trait Observer {
    /// How the run stands.
    fn progress(&mut self, progress: &Progress);
}

/// An observer that does not look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _progress: &Progress) {}
}

/// How a run stands, up to the last complete second.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Since the common start.
    pub elapsed: Duration,
    /// The planned length; for a count, what it should take.
    pub total: Duration,
    /// Time until the last of several runs ends, as in a study, this one included; `None` for a single run.
    pub left_in_all: Option<Duration>,
    /// What the run is doing.
    pub phase: Phase,
    /// What is counted as served.
    pub counted: Counted,
    /// One for each measured processor, in the plan's order.
    pub cpus: Vec<CpuProgress>,
    /// The latencies of the last [`RECENT_S`] seconds, all processors, rounded down to 1/128 of their size.
    pub recent: Histogram,
    /// The user has asked for these figures (SIGUSR1): they are to be kept in sight.
    pub is_asked_for: bool,
}

/// How many seconds [`Progress::recent`] covers.
pub const RECENT_S: usize = 10;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The loads run, nothing is measured yet.
    LeadIn,
    /// Samples are kept and left out of the figures.
    WarmUp,
    /// Samples count.
    Measuring,
    /// The threads have been asked to stop.
    Stopping,
}

impl Phase {
    /// The phase in words, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeadIn => "lead-in of the loads",
            Self::WarmUp => "warm-up",
            Self::Measuring => "measuring",
            Self::Stopping => "stopping",
        }
    }
}

/// What the samples of a run are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Activations; a sample is a latency.
    Activations,
    /// Gaps between two readings of the clock; a sample is a gap's length.
    Gaps,
}

impl Counted {
    /// What `plan` counts.
    pub fn of(plan: &Plan) -> Self {
        if matches!(plan.source, Source::Noise(_)) { Self::Gaps } else { Self::Activations }
    }
}

/// The figures of one processor since the start, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuProgress {
    /// The processor.
    pub cpu: u32,
    /// Served activations.
    pub served: u64,
    /// Skipped activations.
    pub skipped: u64,
    /// Missed activations; 0 without a deadline.
    pub missed: u64,
    /// Samples lost.
    pub lost: u64,
    /// Smallest latency.
    pub min_ns: Option<i64>,
    /// Mean latency.
    pub mean_ns: Option<f64>,
    /// Largest latency.
    pub max_ns: Option<i64>,
    /// The last latency.
    pub last_ns: Option<i64>,
}
