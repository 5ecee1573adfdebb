//! One execution of a plan: its series of samples with their losses, loads, tunables, platform and caveats.
//!
//! A run was measured here, imported from another tool's output, or made up for a test; everything behind it treats the
//! three alike and says which it was.

use crate::jobs::SetRun;
use crate::noise::Observed;
use crate::overheads::Traced;
use crate::split::Split;
use crate::watched::SeriesThread;
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
}

/// Where a run's samples came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Origin {
    /// prazo measured them.
    #[default]
    Measured,
    /// Another tool measured them.
    Imported {
        /// The tool: `cyclictest`, `rtla-timerlat`.
        tool: String,
        /// The file as it was named on import.
        file: String,
    },
    /// Not measured: a test or an example.
    Synthetic,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Ending {
    /// The run ended as planned.
    #[default]
    Complete,
    /// The user stopped the run.
    Interrupted,
    /// The threshold was crossed.
    Threshold {
        /// The processor that crossed it.
        cpu: u32,
        /// The latency that crossed it.
        latency_ns: i64,
    },
    /// prazo or the machine died; the second that was being recorded is missing, on an overloaded machine some more.
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

/// The quantity that a series measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Due to completion: a watched thread waits again.
    ResponseTime,
    /// t3 - t1: due to running.
    #[default]
    ResponseLatency,
    /// t2 - t1: due to handler.
    InterruptLatency,
    /// t3 - t2: handler to running.
    ActivationLatency,
    /// Return to user space (rtla's user column): a response latency measured later.
    ReturnToUser,
    /// Time taken from a busy loop (oslat, osnoise).
    Noise,
    /// From a software receive stamp to the task: a response latency without most of its interrupt latency.
    ReceiveToTask,
    /// From a thread's call that wakes another thread to the woken thread's own stamp.
    WakeToTask,
    /// From the due instant to the programmed expiry: what the system adds on purpose (timer slack), or the time
    /// that the call takes before it programs the timer.
    TimerSlack,
    /// From t1 to the hard handler, where the interrupt latency ends later, in a thread.
    HardEntry,
    /// From the hard handler to the interrupt thread's first stamp.
    ThreadStart,
    /// From t2 until the task is made runnable: what the handler does before it wakes the task.
    Handling,
    /// From made runnable to switched to.
    WakeupLatency,
    /// From the switch to the task until the task's own stamp.
    OwnStamp,
    /// From the first stamp of a frame's handler, or of its thread, to the frame's receive stamp: before
    /// receive-to-task and not a part of it.
    ReceivePath,
    /// From the timer handler's entry until all due jobs are released: one value for each run of the handler.
    ReleaseOverhead,
    /// Release overhead divided by the number of jobs released, rounded up.
    ReleaseOverheadPerJob,
    /// Like the release overhead, where timers tick and the jobs that became due since the last tick are released
    /// together.
    ReleaseOverheadAtTick,
    /// The choice of the next job alone.
    SchedulingOverhead,
    /// The switch alone: stack and registers of one thread for those of another.
    ContextSwitchOverhead,
    /// From a thread about to block until another continues in its place: the switch as Vitor 2013 measures it.
    ContextSwitchOfPair,
    /// From the timer handler's entry to its end, where no job was due.
    TickOverhead,
    /// From sending an interrupt to another processor until its handler begins there.
    IpiLatency,
    /// From the programmed expiry of a timer until the entry of its interrupt.
    EventLatency,
    /// Cost of a stamp: two consecutive readings of the clock. Every sample contains it.
    StampCost,
    /// Time on processors within one activation, or one pass of a section, interrupts included.
    ExecutionTime,
    /// The part of a gap in which non-maskable interrupts were handled.
    NoiseNmi,
    /// The part of a gap in which interrupts were handled.
    NoiseInterrupt,
    /// The part of a gap in which softirqs were handled.
    NoiseSoftirq,
    /// The part of a gap in which other threads ran, or the loop was throttled.
    NoiseThread,
    /// The part of a gap in which nothing was recorded: firmware, hypervisor, exceptions, entry and exit of interrupts.
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

/// Counts of the activations of one series. Where there is a due grid, due = served + skipped + outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activations {
    /// Due activations; `None` where the source does not say.
    pub due: Option<u64>,
    /// Served activations, warm-up excluded: the samples, lost records and overflow included.
    pub served: u64,
    /// Skipped activations; `None` where the source does not say.
    pub skipped: Option<u64>,
    /// Served activations that ran after their deadline; `None` without a deadline.
    pub missed: Option<u64>,
    /// Unfinished activations at the end of the run; at most one.
    pub outstanding: u64,
    /// Served activations whose record could not be kept.
    pub lost: u64,
}

/// Figures as the source itself states them, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatedFigures {
    /// Samples.
    pub count: Option<u64>,
    /// Smallest.
    pub min_ns: Option<i64>,
    /// Mean; truncated if the source has whole µs.
    pub mean_ns: Option<f64>,
    /// Largest, beyond any histogram's bound.
    pub max_ns: Option<i64>,
}

/// One second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SecondDocument")]
pub struct Second {
    /// Seconds since the first activation was due.
    pub at_s: u32,
    /// Wholly or partly inside the warm-up.
    pub warm_up: bool,
    /// Served activations, lost records included.
    pub count: u64,
    /// Skipped activations.
    pub skipped: u64,
    /// Missed activations.
    pub missed: u64,
    /// Lost records.
    pub lost: u64,
    /// Smallest latency.
    pub min_ns: Option<i64>,
    /// Largest latency.
    pub max_ns: Option<i64>,
    /// Sum of the latencies that were kept.
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

/// One of the worst samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorstSample {
    /// When the activation was due, since the run's first due activation.
    pub at_ns: i64,
    /// Its latency.
    pub latency_ns: i64,
    /// The activation's number on its grid.
    pub activation: u64,
}

/// A load as it really ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadRecord {
    /// Its name in the catalogue.
    pub name: String,
    /// The commands that generated it, with their versions.
    pub generator: String,
    /// Unit of the rates: `packets/s`, `bogo ops/s`, `MB/s`.
    pub unit: String,
    /// The requested rate; `None` is as much as possible.
    pub asked: Option<f64>,
    /// Average rate that was reached while it was on; `None` with a reason in `note`.
    pub reached: Option<f64>,
    /// How it was counted, or why it could not be.
    pub note: String,
    /// When it was on: start and end in seconds since the run's first due activation (negative during the lead-in).
    pub on_s: Vec<(f64, f64)>,
    /// How it was isolated: `namespaces`, `user-namespaces` or `process-group`; `not ours` for the user's own
    /// application.
    pub contained: String,
}

impl Run {
    /// The series of one quantity.
    pub fn of(&self, quantity: Quantity) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |series| series.quantity == quantity)
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
