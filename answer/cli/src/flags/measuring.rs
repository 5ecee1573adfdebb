//! The flags that the measuring commands share: under which policy threads run, where, for how long, and what a run keeps.

use super::load::LoadFlags;
use super::{Word, words};
use clap::Args;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::plan::{Length, Plan, Policy, PolicyName, Splitting};
use prazo_run::source::Source;

/// How threads measure on processors.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasuringFlags {
    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
    /// Processors to measure, for example 0-3,5 [default: all]
    ///
    /// One thread measures each processor. The default is every processor that this process may use.
    #[arg(long, short, value_name = "LIST")]
    pub(crate) cpus: Option<CpuSet>,
    /// Duration of the measurement, after the warm-up
    #[arg(long, short = 'D', value_name = "TIME", default_value_t = defaults::DURATION)]
    pub(crate) duration: Duration,
    #[command(flatten)]
    stop: StopFlag,
    #[command(flatten)]
    housekeeping: HousekeepingFlag,
    #[command(flatten)]
    recording: RecordingFlags,
}

/// A scheduling policy.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct PolicyFlags {
    /// Scheduling policy of the threads
    #[arg(long, short, value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    pub(crate) policy: PolicyName,
    /// Real-time priority under fifo and rr, 1 to 99
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = defaults::PRIORITY, value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) priority: u8,
}

/// When a run ends early.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct StopFlag {
    /// Stop at the first latency or gap above this
    ///
    /// At that latency or gap, prazo writes a mark to the kernel's trace. If a trace is running, prazo stops it there,
    /// saves it next to the run file, and continues it.
    #[arg(long, short = 'b', value_name = "TIME")]
    pub(crate) stop_above: Option<Duration>,
}

/// Where the recorder runs.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct HousekeepingFlag {
    /// Processor of the recording thread [default: one that is not measured, if there is one]
    #[arg(long, value_name = "CPU", hide_short_help = true)]
    pub(crate) housekeeping_cpu: Option<u32>,
}

/// What a run keeps, and how it keeps the processors awake.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct RecordingFlags {
    /// Run the measuring threads for this long before measuring (rounded up to whole seconds)
    ///
    /// The samples are kept, labelled warm-up, and excluded from the figures.
    #[arg(long, value_name = "TIME", default_value_t = defaults::WARM_UP, hide_short_help = true)]
    warm_up: Duration,
    /// Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency
    #[arg(long, hide_short_help = true)]
    no_dma_latency: bool,
    /// Keep every sample in the run file
    #[arg(long, hide_short_help = true)]
    raw: bool,
    /// Upper bound of the histogram; larger latencies are only counted, and the worst are listed
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value_t = defaults::HISTOGRAM_BOUND)]
    histogram_bound: Duration,
}

/// Scheduling policies.
pub(crate) const POLICIES: &[Word<PolicyName>] = &[
    ("other", "SCHED_OTHER", PolicyName::Other),
    ("fifo", "SCHED_FIFO", PolicyName::Fifo),
    ("rr", "SCHED_RR", PolicyName::Rr),
    ("deadline", "SCHED_DEADLINE", PolicyName::Deadline),
];

/// How far latencies are split.
pub(crate) const SPLITTINGS: &[Word<Splitting>] = &[
    ("parts", "Split each latency into its parts", Splitting::Parts),
    ("causes", "Split each latency into its parts, and record the events around the worst", Splitting::Causes),
];

impl MeasuringFlags {
    /// The plan for a probe whose source and threads the library finds.
    pub(crate) fn plan(&self, count: Option<u64>, period: Duration, loads: &LoadFlags) -> Plan {
        let base = Plan::new(Source::default(), self.policy.policy(period), Vec::new(), length(count, self.duration));
        let base =
            Plan { stop_above: self.stop.stop_above, housekeeping_cpu: self.housekeeping.housekeeping_cpu, ..base };
        self.recording.plan(base, loads)
    }
}

impl PolicyFlags {
    /// With its parameters for threads of this period.
    pub(crate) fn policy(&self, period: Duration) -> Policy {
        self.policy.with(self.priority, None, period)
    }
}

impl RecordingFlags {
    /// `base` with what disturbs it, and what it keeps.
    pub(crate) fn plan(self, base: Plan, loads: &LoadFlags) -> Plan {
        Plan {
            warm_up: self.warm_up,
            raw: self.raw,
            hold_dma_latency: !self.no_dma_latency,
            histogram_bound: self.histogram_bound,
            ..loads.beside(base)
        }
    }
}

/// So many activations where they are counted, else this long.
pub(crate) fn length(count: Option<u64>, duration: Duration) -> Length {
    count.map_or(Length::Duration { length: duration }, |count| Length::Activations { count })
}
