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
    pub causes: Vec<Cause>,
}

/// Number of activations that were split, and of the others by reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SplitCounts {
    /// Where the inner stamps came from.
    pub by: Splitter,
    /// Activations that were split.
    pub split: u64,
    /// Activations whose instant had already passed, so that the thread never slept: there is nothing to split.
    pub never_slept: u64,
    /// Activations that slept and could not be split, by reason.
    pub unsplit: BTreeMap<Unsplit, u64>,
}

/// Where the stamps inside a latency came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Splitter {
    /// A BPF program on the kernel's own trace points.
    Bpf,
    /// The module's handler.
    Module,
    /// A stamp of the receive path.
    ReceiveStamp,
}

/// Why an activation that slept was not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unsplit {
    /// No stamps arrived for it.
    NoStamps,
    /// Its stamps were lost because the ring was full.
    RingFull,
    /// The kernel does not trace what ran when the thread was woken, nor the switch to the thread.
    Hidden,
    /// Something other than the awaited event woke the thread.
    OtherWakeUp,
    /// Its stamps are not in ascending order: a clock disagreed, or they belong to different wake-ups.
    OutOfOrder,
    /// The thread had no place in the program's table.
    NoSlot,
    /// Its own sample was lost before it could be joined.
    SampleLost,
    /// The run died before the reason was recorded.
    NotCounted,
}

/// Activity around one of the worst samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The sample.
    pub sample: WorstSample,
    /// One sentence for people: "413 us: 380 us softirq NET_RX on cpu 1 (eth0), 21 us kworker/1:1".
    pub sentence: String,
    /// What took the time, longest first.
    pub shares: Vec<Share>,
}

/// The part of one latency that one activity took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Kind of the activity.
    pub taker: Taker,
    /// Its name: `eth0`, `NET_RX`, `kworker/1:1`; empty where there is none.
    pub name: String,
    /// The processor.
    pub cpu: u32,
    /// The time, net of what interrupted it.
    pub length_ns: i64,
}

/// What kind of activity took time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Taker {
    /// A non-maskable interrupt's handler.
    Nmi,
    /// A hardware interrupt's handler.
    Interrupt,
    /// A softirq.
    Softirq,
    /// Another thread, which was not preempted.
    Thread,
    /// Another thread, more urgent than the measured one.
    MoreUrgent,
    /// A less urgent thread that the kernel chose although the measured one was being woken: its budget was used up, or it was
    /// not queued yet.
    Throttled,
    /// The idle loop: the processor slept, or was woken late.
    Idle,
    /// The measured thread itself, before its stamp.
    Task,
    /// No recorded activity: interrupts were off, or firmware or a hypervisor had the processor.
    Unseen,
    /// Not even the switch to the measured thread was recorded: the kernel does not trace the thread that ran.
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

prazo_core::words!(Splitter: Bpf => "bpf", Module => "module", ReceiveStamp => "receive-stamp");
