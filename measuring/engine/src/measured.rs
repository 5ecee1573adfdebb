//! What a run of measuring threads (timers, events, wake-ups, noise) answers besides the samples, which its sink has.

use super::control::Reason;
use super::validity::Worked;
use prazo_core::time::{Duration, Instant, Offset};
use prazo_platform::tunable::TunableRecord;
use prazo_run::run::{Activations, Ending};
use prazo_run::{Caveat, Plan};
use serde::Serialize;

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How it ended.
    pub ending: Ending,
    /// The common start, on CLOCK_MONOTONIC.
    pub start: Instant,
    /// From the common start to the last thread's end, on CLOCK_MONOTONIC.
    pub elapsed: Duration,
    /// Where the recording thread stayed.
    pub housekeeping_cpu: u32,
    /// The recording thread's longest delay behind its planned instants.
    pub recorder_delay_max: Duration,
    /// What threatens the result; what makes it something else than it claims stands first.
    pub caveats: Vec<Caveat>,
    /// What was set, with the effective values.
    pub tunables: Vec<TunableRecord>,
    /// One for each thread, in the plan's order.
    pub series: Vec<SeriesOutcome>,
    /// What each thread's loop cost.
    pub self_checks: Vec<SelfCheck>,
}

/// What became of one thread's activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesOutcome {
    /// The processor.
    pub cpu: u32,
    /// Period of the activations.
    pub period: Duration,
    /// When the first activation was due, after the common start; not always the phase.
    pub first_due: Offset,
    /// The activations that count.
    pub activations: Activations,
    /// Those of the warm-up.
    pub warm_up: Activations,
}

/// What one thread's loop cost, counted by the kernel around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SelfCheck {
    /// The processor.
    pub cpu: u32,
    /// Served activations, warm-up included.
    pub served: u64,
    /// Sleep calls that returned: one for each served activation, but for signals and a stop.
    pub waits: u64,
    /// Times the thread blocked.
    pub voluntary_switches: u64,
    /// Times it was preempted.
    pub involuntary_switches: u64,
    /// Page faults inside the loop that read no disk.
    pub minor_faults: u64,
    /// Page faults inside the loop that read a disk.
    pub major_faults: u64,
    /// Processor time of the loop, by CLOCK_THREAD_CPUTIME_ID.
    pub cpu_ns: u64,
}

impl SelfCheck {
    pub(crate) fn of(worked: &Worked) -> Self {
        let finished = worked.finished;
        Self {
            cpu: worked.cpu,
            served: finished.served,
            waits: finished.waits,
            voluntary_switches: finished.voluntary_switches,
            involuntary_switches: finished.involuntary_switches,
            minor_faults: finished.minor_faults,
            major_faults: finished.major_faults,
            cpu_ns: finished.cpu_ns,
        }
    }
}

impl Measured {
    /// Processor time of the measuring threads for one activation; `None` where nobody counted, nothing was served, or the
    /// threads are busy by design.
    pub fn probe_cost(&self, plan: &Plan) -> Option<Duration> {
        if plan.source.is_busy() {
            return None;
        }
        let sum = |of: fn(&SelfCheck) -> u64| self.self_checks.iter().map(of).sum::<u64>();
        sum(|check| check.cpu_ns).checked_div(sum(|check| check.served)).map(Duration::from_ns)
    }
}

/// A processor-time limit is an interruption too; its caveat says the rest. A plan with workloads ends when it is asked to,
/// behind the last of them.
pub(crate) fn ending(stopped: Option<Reason>, plan: &Plan) -> Ending {
    match stopped {
        None => Ending::Complete,
        Some(Reason::Asked) if !plan.workloads.is_empty() => Ending::Complete,
        Some(Reason::Asked | Reason::ProcessorTime) => Ending::Interrupted,
        Some(Reason::Threshold { cpu, latency_ns }) => {
            Ending::Threshold { cpu, latency_ns: i64::try_from(latency_ns).unwrap_or(i64::MAX) }
        }
    }
}

pub(crate) fn series(plan: &Plan, start_ns: u64, workers: &[Worked]) -> Vec<SeriesOutcome> {
    let has_deadline = plan.deadline.is_some();
    let of_worker = |(worked, thread): (&Worked, &prazo_run::plan::ThreadPlan)| SeriesOutcome {
        cpu: worked.cpu,
        period: thread.period,
        first_due: Offset::from_ns(worked.finished.first_due_ns.wrapping_sub(start_ns) as i64),
        activations: worked.totals.measured.activations(worked.finished.outstanding, has_deadline),
        warm_up: worked.totals.warm_up.activations(0, has_deadline),
    };
    workers.iter().zip(&plan.threads).map(of_worker).collect()
}

/// Those of the process, then those of each worker; a knob that several turned keeps its first value before and its last
/// effective one.
pub(crate) fn tunables(of_process: Vec<TunableRecord>, workers: &[Worked]) -> Vec<TunableRecord> {
    let mut all = of_process;
    for record in workers.iter().flat_map(|worked| &worked.prepared.tunables) {
        match all.iter_mut().find(|earlier| earlier.knob == record.knob) {
            Some(earlier) => earlier.effective.clone_from(&record.effective),
            None => all.push(record.clone()),
        }
    }
    all
}
