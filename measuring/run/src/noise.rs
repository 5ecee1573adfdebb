//! How much of the measured processors busy loops observed, so that the gaps which they found are a share of something.
//!
//! The gaps themselves are the samples of a run's series. Invariant: a gap that is a measured sample lies within what was
//! observed, so that the sum of a processor's gaps is at most its observed time.

use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the loops of one run observed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// One for each measured processor, in the plan's order.
    pub cpus: Vec<ObservedCpu>,
    /// Why system-management interrupts were not counted; null where every processor counted them.
    pub smis_unknown: Option<String>,
}

/// What one loop observed, warm-up excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedCpu {
    /// The processor.
    pub cpu: u32,
    /// Time between the first and the last clock reading of each window, gaps included.
    #[serde(rename = "observed_ns", with = "crate::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub observed: Duration,
    /// Readings of the clock in that time.
    pub reads: u64,
    /// Average time from one reading to the next, without gaps; null where there was no reading.
    pub read_ns: Option<u64>,
    /// Windows in which the loop ran.
    pub windows: u64,
    /// Windows that passed before the loop ran again.
    pub windows_missed: u64,
    /// System-management interrupts during the whole run, warm-up included; null where the processor does not count them.
    pub smis: Option<u64>,
    /// Time that the hypervisor took during the whole run, by the kernel's count of 10 ms ticks; null where the kernel does not report it.
    pub stolen_ns: Option<u64>,
}
