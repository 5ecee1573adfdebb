//! What holds for every probe: how long a run warms up, what disturbs it, and what it keeps.

use prazo_core::time::Duration;
use prazo_run::plan::{Length, LoadPlan, Plan, Policy, Splitting, TimerMethod, WhenLate};
use prazo_run::source::Source;

/// How long a run warms up, what disturbs it, and what it keeps, whichever probe measures.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Time before what is measured; its samples are labelled warm-up and left out of the figures.
    pub warm_up: Duration,
    /// The processor of the recording thread; `None` is one that is not measured, where there is one.
    pub housekeeping_cpu: Option<u32>,
    /// What disturbs the machine meanwhile.
    pub loads: Vec<LoadPlan>,
    /// How long the loads run before measuring starts.
    pub lead_in: Duration,
    /// Seeds the loads' rhythms and every jitter.
    pub seed: u64,
    /// Keep every sample in the run file.
    pub raw: bool,
    /// Hold `/dev/cpu_dma_latency` at zero while measuring.
    pub hold_dma_latency: bool,
    /// Latencies up to this are kept exactly; beyond it they are counted, and the worst listed.
    pub histogram_bound: Duration,
}

impl Conditions {
    /// A plan under these conditions that measures nothing yet: its threads and what only some probes know are the caller's.
    pub(super) fn plan(&self, source: Source, policy: Policy, length: Length) -> Plan {
        Plan {
            source,
            split: Splitting::Off,
            method: TimerMethod::ClockNanosleep,
            policy,
            when_late: WhenLate::Skip,
            threads: Vec::new(),
            length,
            warm_up: self.warm_up,
            lead_in: if self.loads.is_empty() { Duration::ZERO } else { self.lead_in },
            loads: self.loads.clone(),
            deadline: None,
            stop_above: None,
            looks_for: None,
            housekeeping_cpu: self.housekeeping_cpu,
            raw: self.raw,
            hold_dma_latency: self.hold_dma_latency,
            timer_slack: None,
            histogram_bound: self.histogram_bound,
            beside_pid: None,
            seed: self.seed,
            workloads: Vec::new(),
        }
    }
}
