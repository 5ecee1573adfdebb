//! Where the time of each latency went: its parts, what could not be split, and the causes of the worst.
//!
//! A split belongs to one whole series. Each part is a series of its own, of the same activations, so that it has a
//! histogram, a timeline and worst samples like the whole. Invariant: of the served activations, warm-up excluded,
//! `served = split + never_slept + the sum of unsplit`; a file in which this is not so is refused.

use crate::run::{Series, WorstSample};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many causes a split keeps.
pub const CAUSES_KEPT: usize = 64;

/// Where the time of one series' latencies went.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Counts of the served activations.
    pub counts: SplitCounts,
    /// One series for each part, with the part's quantity.
    pub parts: Vec<Series>,
    /// What happened around the worst samples, worst first; at most [`CAUSES_KEPT`].
    pub causes: Vec<SampleExplanation>,
}

/// Counts of activations: those whose latency was split into parts and, by reason, those whose latency was not split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SplitCounts {
    /// Source of the stamps between the beginning and the end of a latency.
    pub by: Splitter,
    /// Number of activations whose latency was split.
    pub split: u64,
    /// Number of activations that were already due when the thread began to wait, so that the thread never slept and no
    /// latency could be split.
    pub never_slept: u64,
    /// Number of activations for which the thread slept and whose latency could not be split, by reason.
    pub unsplit: BTreeMap<Unsplit, u64>,
}

/// Source of the stamps that split a latency into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Splitter {
    /// A BPF program at the kernel's trace points.
    Bpf,
    /// The interrupt handler of prazo's kernel module.
    Module,
}

/// Reason why the latency of an activation was not split although the thread slept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unsplit {
    /// No stamps arrived for the activation.
    NoStamps,
    /// The activation's stamps were lost because the ring buffer was full.
    RingFull,
    /// The kernel traces neither the thread that ran when the measured thread was woken, nor the switch to the
    /// measured thread.
    Hidden,
    /// Something other than the expected event woke the thread.
    OtherWakeUp,
    /// The activation's stamps are not in ascending order: clocks disagreed, or the stamps belong to different
    /// wake-ups.
    OutOfOrder,
    /// The activation's sample was lost before the stamps could be matched with the sample.
    SampleLost,
    /// The reason was not recorded: the run stopped unexpectedly, or the file contains only the end of a watch.
    NotCounted,
}

/// What happened around one of the largest samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampleExplanation {
    /// The sample that is explained.
    pub sample: WorstSample,
    /// Explanation in one sentence, such as "413 µs: 380 µs softirq NET_RX on cpu 1 (eth0), 21 µs kworker/1:1 not
    /// preempted".
    pub sentence: String,
    /// Activities that took the time of the latency, longest first.
    pub shares: Vec<Share>,
}

/// The part of one latency that one activity took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Kind of the activity.
    pub taker: Taker,
    /// Name of the activity, such as `eth0`, `NET_RX` or `kworker/1:1`; empty where it has none.
    pub name: String,
    /// Processor on which the activity ran.
    pub cpu: u32,
    /// Time that the activity took, excluding the time of activities that interrupted it.
    pub length_ns: i64,
}

/// Kind of an activity that took time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Taker {
    /// The handler of a non-maskable interrupt.
    Nmi,
    /// The handler of a hardware interrupt.
    Interrupt,
    /// The handler of a softirq.
    Softirq,
    /// Another thread that was not preempted when the measured thread was woken.
    Thread,
    /// Another thread that was more urgent than the measured thread.
    MoreUrgent,
    /// A less urgent thread that the kernel chose although the measured thread had been woken: the measured thread
    /// had used up its budget, or was not queued yet.
    Throttled,
    /// The idle loop: the processor slept, or was woken late.
    Idle,
    /// The measured thread itself, before it took its stamp.
    Task,
    /// No recorded activity took this time: its events were overwritten, interrupts were off, or firmware or a hypervisor
    /// used the processor.
    Unseen,
    /// No record: the kernel traces neither the thread that ran nor the switch to the measured thread.
    Hidden,
}

impl SplitCounts {
    /// Every served activation, however it was counted.
    pub fn served(&self) -> u64 {
        self.split + self.never_slept + self.unsplit_total()
    }

    /// Activations that slept and were not split.
    pub fn unsplit_total(&self) -> u64 {
        self.unsplit.values().sum()
    }
}

prazo_core::words!(Splitter: Bpf => "bpf", Module => "module");
