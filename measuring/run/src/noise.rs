//! How much of the measured processors busy loops observed, so that the gaps which they found are a share of something.
//!
//! The gaps themselves are the samples of a run's series. Invariant: a gap that is a measured sample lies within what was
//! observed, so that the sum of a processor's gaps is at most its observed time.

use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Observations of the busy loops of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// Observations on each measured processor, in the order of the plan.
    pub cpus: Vec<ObservedCpu>,
    /// Reason why system-management interrupts were not counted; null where every processor counted them.
    pub smis_unknown: Option<String>,
}

/// Observations of one busy loop, warm-up excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedCpu {
    /// Processor on which the loop ran.
    pub cpu: u32,
    /// Observed time: from the first to the last clock reading of each window, summed over the windows, gaps
    /// included.
    #[serde(rename = "observed_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub observed: Duration,
    /// Number of clock readings in the observed time, excluding the first reading of each window and readings that
    /// ended a gap.
    pub reads: u64,
    /// Average time from one clock reading to the next, without gaps; null where there was no reading.
    pub read_ns: Option<u64>,
    /// Number of windows (one in each period) in which the loop ran.
    pub windows: u64,
    /// Number of windows in which the loop did not run at all.
    pub windows_missed: u64,
    /// Number of system-management interrupts during the whole run, warm-up included; null where they were not
    /// counted (`smis_unknown` says why).
    pub smis: Option<u64>,
    /// Time that the hypervisor took from the processor during the whole run (stolen time of /proc/stat, in steps of
    /// 10 ms); null where the kernel does not report it.
    pub stolen_ns: Option<u64>,
}
