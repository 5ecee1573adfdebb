//! The plan that tests begin with, those inside the crate and those of whole runs.

use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy, ThreadPlan};
use prazo_run::source::Source;

/// A second of 1 kHz under `other` on `cpus`, which needs no privilege.
pub(crate) fn plan(cpus: &[u32]) -> Plan {
    let thread = |cpu: &u32| ThreadPlan { cpu: *cpu, period: Duration::from_ms(1), phase: Duration::ZERO };
    let length = Length::Duration { length: Duration::from_s(1) };
    Plan {
        histogram_bound: Duration::from_s(1),
        ..Plan::new(Source::Timer, Policy::Other, cpus.iter().map(thread).collect(), length)
    }
}
