//! One execution of a plan: its series of samples with their losses, loads, tunables, platform and caveats.
//!
//! A run was measured here, imported from another tool's output, or made up for a test; everything behind it treats the
//! three alike and says which it was.

use crate::jobs::SetRun;
use crate::noise::Observed;
use crate::overheads::Traced;
use crate::split::Split;
use crate::watched::{SeriesThread, WatchedAccount};
use crate::workload::WorkloadRecord;
use crate::{Caveat, Histogram, Plan};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::Fingerprint;
use prazo_platform::tunable::TunableRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One execution of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The name people call it by; by default the file's.
    pub name: String,
    /// Where its samples came from.
    pub origin: Origin,
    /// What was asked; `None` where the imported file does not say.
    pub plan: Option<Plan>,
    /// The command line that repeats it.
    pub command: String,
    /// Start, in nanoseconds of CLOCK_REALTIME since 1970; for labels only, never for an interval.
    pub started_at_unix_ns: Option<i64>,
    /// How long it really lasted, on CLOCK_MONOTONIC.
    pub elapsed: Option<Duration>,
    /// How the run ended.
    pub ending: Ending,
    /// The platform before the run.
    pub platform_before: Option<Fingerprint>,
    /// The platform after the run.
    pub platform_after: Option<Fingerprint>,
    /// One for each processor and quantity.
    pub series: Vec<Series>,
    /// Task sets that were run as threads, job by job; such a run has no series.
    pub sets: Vec<SetRun>,
    /// Loads with the rates they really reached.
    pub loads: Vec<LoadRecord>,
    /// What the plan's workloads cost, in the order in which they were executed.
    pub workloads: Vec<WorkloadRecord>,
    /// What was set for the run, what was effective, and whether it was put back.
    pub tunables: Vec<TunableRecord>,
    /// Longest delay of the recording thread between two rounds, beyond its interval.
    pub recorder_delay_max: Option<Duration>,
    /// Processor time that measuring one activation took, by the kernel's account of the measuring threads.
    pub probe_cost: Option<Duration>,
    /// Threats to the result's validity.
    pub caveats: Vec<Caveat>,
    /// What was traced of the kernel's overheads, where that was asked.
    pub overheads: Option<Traced>,
    /// How much was observed of the measured processors, where busy loops looked for gaps.
    pub noise: Option<Observed>,
    /// What each watched thread did within its activations, and who made it late; empty in every other run.
    pub watched: Vec<WatchedAccount>,
}

/// Where a run's samples came from: from prazo, from another tool, or from neither.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Origin {
    /// prazo measured the samples.
    #[default]
    Measured,
    /// Another tool measured the samples.
    Imported {
        /// Name of the tool, such as `cyclictest` or `rtla-timerlat`.
        tool: String,
        /// Path of the imported file, as it was given on import. Where prazo ran the tool or read a board: the tool's command line, or the board's address.
        file: String,
    },
    /// No tool measured the samples: they were made for a test or an example.
    Synthetic,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Ending {
    /// The run ended as planned.
    #[default]
    Complete,
    /// The run ended early: the user, prazo or the imported tool stopped it.
    Interrupted,
    /// A latency exceeded the threshold at which the run was to stop.
    Threshold {
        /// Processor with the latency above the threshold.
        cpu: u32,
        /// Latency that exceeded the threshold.
        latency_ns: i64,
    },
    /// prazo or the machine stopped unexpectedly; the last, incomplete second is missing, and on an overloaded machine
    /// also a few seconds before this second.
    Died,
}

/// The samples of one quantity on one processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The processor; `None` where the source does not say.
    pub cpu: Option<u32>,
    /// The watched thread whose activations these are; `None` in every other run.
    pub thread: Option<SeriesThread>,
    /// What was measured.
    pub quantity: Quantity,
    /// Distance of two activations, where there is one.
    pub period: Option<Duration>,
    /// The resolution of the source: 1 ns for prazo, 1 µs for cyclictest's histogram.
    pub resolution: Duration,
    /// Counts of the activations.
    pub activations: Activations,
    /// Measured samples, warm-up excluded.
    pub histogram: Histogram,
    /// Samples of the warm-up, kept apart.
    pub warm_up: Histogram,
    /// The figures that the source itself states, for standing beside the recomputed ones.
    pub stated: Option<StatedFigures>,
    /// One entry for each second, in order; empty for most imports.
    pub timeline: Vec<Second>,
    /// Coarse histograms of consecutive blocks, for intervals; empty for most imports.
    pub blocks: Vec<Block>,
    /// The worst samples, worst first; at most [`WORST_KEPT`].
    pub worst: Vec<WorstSample>,
    /// Where the time of these latencies went, where that was measured; a part has none.
    pub split: Option<Box<Split>>,
}

/// How many of the worst samples a run keeps for each series.
pub const WORST_KEPT: usize = 1_000;

/// Quantity that a series of samples measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// From the instant at which the activation of a watched thread was due until the thread waits again.
    ResponseTime,
    /// t3 - t1: from the instant at which the activation was due until the task runs.
    #[default]
    ResponseLatency,
    /// t2 - t1: from the instant at which the activation was due until the interrupt handler starts.
    InterruptLatency,
    /// t3 - t2: from the start of the interrupt handler until the task runs.
    ActivationLatency,
    /// From the instant at which the activation was due until the thread has returned to user space (rtla's user
    /// column).
    ReturnToUser,
    /// Time that the system took from a busy loop, as oslat and osnoise measure it.
    Noise,
    /// From the kernel's software stamp of a received frame until the task runs: a response latency without most of
    /// its interrupt latency.
    ReceiveToTask,
    /// From a thread's call that wakes another thread to the woken thread's own stamp.
    WakeToTask,
    /// From the request to move a running thread (method `migrate`), or from its last clock reading on the old processor (`push`), to its first clock reading on the new processor.
    MigrationLatency,
    /// From the due instant to the programmed expiry of the timer: what the system adds on purpose (timer slack), or
    /// the time that the call takes before it programs the timer.
    TimerSlack,
    /// From t1 to the start of the hard interrupt handler; measured where the interrupt latency ends later, at the
    /// first stamp of the interrupt thread.
    HardEntry,
    /// From the start of the hard interrupt handler to the first stamp of the interrupt thread.
    ThreadStart,
    /// From t2 until the task is made runnable: the time that the interrupt handler takes before it wakes the task.
    Handling,
    /// From the instant at which the task is made runnable to the switch to the task.
    WakeupLatency,
    /// From the switch to the task until the task takes its own stamp.
    OwnStamp,
    /// From the first stamp of the interrupt handler of a frame, or of its thread, to the frame's receive stamp. This
    /// time precedes receive-to-task and is not a part of it.
    ReceivePath,
    /// From the entry of the timer handler until all due jobs are released; one value for each run of the handler.
    ReleaseOverhead,
    /// Release overhead divided by the number of jobs that were released, rounded up.
    ReleaseOverheadPerJob,
    /// Release overhead at a tick: from the entry of the timer handler until the jobs that became due since the last
    /// tick are released together.
    ReleaseOverheadAtTick,
    /// Duration of the scheduler's choice of the next job, without the switch to it.
    SchedulingOverhead,
    /// Duration of the switch from one thread to another (stack and registers), without the choice of the thread.
    ContextSwitchOverhead,
    /// From the instant before a thread blocks until another thread continues in its place: the context switch as
    /// Vitor 2013 measures it.
    ContextSwitchOfPair,
    /// Duration of a run of the timer handler in which no job was due.
    TickOverhead,
    /// From the sending of an interprocessor interrupt until its handler begins on the other processor.
    IpiLatency,
    /// From the programmed expiry of a timer until the entry of the timer interrupt.
    EventLatency,
    /// Cost of a stamp: the time between two consecutive readings of the clock. Every sample contains one such cost.
    StampCost,
    /// Processor time of the thread in one activation, or in one pass of a section, including interrupts.
    ExecutionTime,
    /// Part of a gap of a busy loop in which the processor handled non-maskable interrupts.
    NoiseNmi,
    /// Part of a gap of a busy loop in which the processor handled interrupts.
    NoiseInterrupt,
    /// Part of a gap of a busy loop in which the processor handled softirqs.
    NoiseSoftirq,
    /// Part of a gap of a busy loop in which other threads ran, or the loop was throttled.
    NoiseThread,
    /// Part of a gap of a busy loop in which nothing was recorded: firmware, a hypervisor, exceptions, or entry and
    /// exit of interrupts.
    NoiseUnrecorded,
    /// From the beginning of a section of a watched program to its end.
    SectionTime,
}

// That which a deadline is about comes first.
prazo_core::words!(Quantity:
    ResponseTime => "response-time",
    ResponseLatency => "response-latency",
    ReturnToUser => "return-to-user",
    ReceiveToTask => "receive-to-task",
    WakeToTask => "wake-to-task",
    MigrationLatency => "migration-latency",
    ActivationLatency => "activation-latency",
    InterruptLatency => "interrupt-latency",
    Noise => "noise",
    ReleaseOverhead => "release-overhead",
    ReleaseOverheadPerJob => "release-overhead-per-job",
    ReleaseOverheadAtTick => "release-overhead-at-tick",
    SchedulingOverhead => "scheduling-overhead",
    ContextSwitchOverhead => "context-switch-overhead",
    ContextSwitchOfPair => "context-switch-of-pair",
    TickOverhead => "tick-overhead",
    IpiLatency => "ipi-latency",
    EventLatency => "event-latency",
    StampCost => "stamp-cost",
    TimerSlack => "timer-slack",
    HardEntry => "hard-entry",
    ThreadStart => "thread-start",
    Handling => "handling",
    WakeupLatency => "wakeup-latency",
    OwnStamp => "own-stamp",
    ReceivePath => "receive-path",
    ExecutionTime => "execution-time",
    NoiseNmi => "noise-nmi",
    NoiseInterrupt => "noise-interrupt",
    NoiseSoftirq => "noise-softirq",
    NoiseThread => "noise-thread",
    NoiseUnrecorded => "noise-unrecorded",
    SectionTime => "section-time",
);

impl Quantity {
    /// True for what a kernel's own work costs, from which a table of overheads is made.
    pub const fn is_overhead(self) -> bool {
        matches!(
            self,
            Self::ReleaseOverhead
                | Self::ReleaseOverheadPerJob
                | Self::SchedulingOverhead
                | Self::ContextSwitchOverhead
                | Self::ContextSwitchOfPair
                | Self::TickOverhead
                | Self::IpiLatency
                | Self::EventLatency
                | Self::StampCost
        )
    }
}

/// Numbers of activations of one series. If activations have due instants, `due` = `served` + `skipped` +
/// `outstanding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activations {
    /// Number of activations that were due; null where the source does not state it.
    pub due: Option<u64>,
    /// Number of served activations, warm-up excluded; it includes lost records and samples above the histogram's
    /// bound.
    pub served: u64,
    /// Number of skipped activations; null where the source does not state it.
    pub skipped: Option<u64>,
    /// Number of served activations whose latency or response time exceeded the deadline; null where there is no deadline.
    pub missed: Option<u64>,
    /// Number of activations that were unfinished at the end of the run; at most one.
    pub outstanding: u64,
    /// Number of served activations whose record could not be kept.
    pub lost: u64,
}

/// Figures that an imported file itself states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatedFigures {
    /// Number of samples that the file states.
    pub count: Option<u64>,
    /// Smallest sample that the file states.
    pub min_ns: Option<i64>,
    /// Mean that the file states; truncated where the tool prints whole µs.
    pub mean_ns: Option<f64>,
    /// Largest sample that the file states, even above the bound of its histogram.
    pub max_ns: Option<i64>,
}

/// Counts and extreme latencies of one second of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SecondDocument")]
pub struct Second {
    /// Number of the second, counted from 0; second 0 begins when the first activation of the run is due.
    pub at_s: u32,
    /// True if the second is wholly or partly in the warm-up.
    pub warm_up: bool,
    /// Number of served activations in the second, including those whose record was lost.
    pub count: u64,
    /// Number of skipped activations in the second.
    pub skipped: u64,
    /// Number of activations in the second that missed the deadline.
    pub missed: u64,
    /// Number of lost records of activations in the second.
    pub lost: u64,
    /// Smallest latency in the second; null where no latency was recorded.
    pub min_ns: Option<i64>,
    /// Largest latency in the second; null where no latency was recorded.
    pub max_ns: Option<i64>,
    /// Sum of the recorded latencies of the second.
    pub sum_ns: i64,
}

/// The coarse histogram of one block of consecutive seconds: values rounded down to 1/128 of their size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First second of the block.
    pub from_s: u32,
    /// Length of the block.
    pub length_s: u32,
    /// The samples, rounded; overflow as in the series.
    pub histogram: Histogram,
}

/// One of the largest samples of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorstSample {
    /// Instant at which the activation was due, counted from the first due activation of the run.
    pub at_ns: i64,
    /// Latency of the activation.
    pub latency_ns: i64,
    /// Number of the activation, counted from 0. Skipped activations count too, except in a watch and in a run of overheads.
    pub activation: u64,
}

/// Record of a load: how it ran, and at which rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadRecord {
    /// Name of the load in the catalogue.
    pub name: String,
    /// Commands that generated the load, with the versions of their programs.
    pub generator: String,
    /// Unit of the rates `asked` and `reached`, such as `packets/s` or `MB/s`.
    pub unit: String,
    /// Requested rate; null: as high as possible, or a load that prazo did not start.
    pub asked: Option<f64>,
    /// Average rate that the load reached while it was on; null: not counted, with the reason in `note`.
    pub reached: Option<f64>,
    /// How the reached rate was counted, or why it could not be counted.
    pub note: String,
    /// Intervals in which the load was on: start and end in seconds since the first due activation of the run,
    /// negative during the lead-in.
    pub on_s: Vec<(f64, f64)>,
    /// How prazo isolated the load: `namespaces`, `user-namespaces` or `process-group`; `not prazo's` for a load that
    /// prazo did not start: the user's own application, or a load of a target behind a serial line.
    pub contained: String,
}

impl LoadRecord {
    /// What `contained` is for a load that prazo did not start.
    pub const NOT_PRAZO_S: &str = "not prazo's";
}

impl Run {
    /// The series of one quantity.
    pub fn of(&self, quantity: Quantity) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |series| series.quantity == quantity)
    }

    /// What a watched thread did whose series this is, or its section, and what made it late.
    pub fn account_of(&self, series: &Series) -> Option<&WatchedAccount> {
        let thread = series.thread.as_ref()?;
        self.watched.iter().find(|account| account.thread == *thread)
    }

    /// The severest caveat, if there is any.
    pub fn severity(&self) -> Option<crate::Severity> {
        self.caveats.iter().map(|caveat| caveat.severity).max()
    }

    /// True where a caveat of this name is present.
    pub fn has_caveat(&self, id: &str) -> bool {
        self.caveats.iter().any(|caveat| caveat.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_has_one_word_in_text_and_in_files() {
        for quantity in Quantity::VALUES {
            assert_eq!(serde_json::to_value(quantity).unwrap(), quantity.name());
            assert_eq!(quantity.name().parse(), Ok(*quantity));
        }
    }
}
