//! The plan that tests begin with, those inside the crate and those of whole runs.

use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy, ThreadPlan, TimerMethod, WhenLate};

/// A second of 1 kHz under `other` on `cpus`, which needs no privilege.
pub(crate) fn plan(cpus: &[u32]) -> Plan {
    let thread = |cpu: &u32| ThreadPlan { cpu: *cpu, period: Duration::from_ms(1), phase: Duration::ZERO };
    Plan {
        source: prazo_run::source::Source::Timer,
        split: prazo_run::plan::Splitting::Off,
        method: TimerMethod::ClockNanosleep,
        policy: Policy::Other,
        when_late: WhenLate::Skip,
        threads: cpus.iter().map(thread).collect(),
        length: Length::Duration { length: Duration::from_s(1) },
        warm_up: Duration::ZERO,
        lead_in: Duration::ZERO,
        loads: Vec::new(),
        deadline: None,
        stop_above: None,
        looks_for: None,
        housekeeping_cpu: None,
        raw: false,
        hold_dma_latency: true,
        timer_slack: None,
        histogram_bound: Duration::from_s(1),
        beside_pid: None,
        seed: 1,
        workloads: Vec::new(),
    }
}
