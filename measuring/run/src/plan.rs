//! What shall be measured: probe, policy, processors, periods, loads, length.
//!
//! A plan is stored in the run it produced, with every choice that was made for the user filled in.

use crate::defaults;
use crate::source::Source;
use crate::workload::WorkloadPlan;
use prazo_core::time::Duration;
pub use prazo_platform::policy::Policy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plan of a run: what the run measures, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The probe and the event that it measures; by default a timer.
    #[serde(default)]
    pub source: Source,
    /// Whether each latency is split into its parts, and whether the largest latencies are explained; by default
    /// neither.
    #[serde(default)]
    pub split: Splitting,
    /// How a thread waits for its next activation.
    pub method: TimerMethod,
    /// The scheduling policy of the measuring threads.
    pub policy: Policy,
    /// Handling of activations that became due while a thread was late.
    pub when_late: WhenLate,
    /// Measuring threads, one entry for each thread.
    pub threads: Vec<ThreadPlan>,
    /// Condition that ends the run: a duration or a number of activations.
    pub length: Length,
    /// Duration of the warm-up before the measurement. Samples of the warm-up are kept, but excluded from the
    /// figures.
    #[serde(rename = "warm_up_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub warm_up: Duration,
    /// Duration for which the loads run before the first activation.
    #[serde(rename = "lead_in_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub lead_in: Duration,
    /// Loads that run during the measurement.
    pub loads: Vec<LoadPlan>,
    /// Relative deadline: an activation whose latency or response time exceeds this deadline counts as missed. Null: no
    /// common deadline; watched threads can have deadlines of their own.
    #[serde(rename = "deadline_ns", with = "crate::serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub deadline: Option<Duration>,
    /// Latency above which the run stops and prazo writes a mark into the kernel's trace; null: no latency stops the
    /// run.
    #[serde(rename = "stop_above_ns", with = "crate::serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub stop_above: Option<Duration>,
    /// Smallest latency that the run must detect; the period should be at most twice this latency (Marsal 2013).
    #[serde(rename = "looks_for_ns", with = "crate::serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub looks_for: Option<Duration>,
    /// Processor of the recording thread; where possible, this is not a measured processor.
    pub housekeeping_cpu: Option<u32>,
    /// True if the run file keeps every sample, with the number of its activation.
    pub raw: bool,
    /// True if prazo holds /dev/cpu_dma_latency at zero during the measurement, so that processors do not enter deep
    /// idle states.
    pub hold_dma_latency: bool,
    /// Timer slack of measuring threads with the policy `other`; null: they keep the system's timer slack.
    #[serde(rename = "timer_slack_ns", with = "crate::serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub timer_slack: Option<Duration>,
    /// Bound of the histogram: latencies up to the bound are kept exactly; larger latencies are only counted, as
    /// overflow, and the largest are listed.
    #[serde(rename = "histogram_bound_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub histogram_bound: Duration,
    /// Process id of the user's own application, which runs during the measurement; null where there is none.
    pub beside_pid: Option<u32>,
    /// Seed of the random numbers of the run, such as the loads' pauses.
    pub seed: u64,
    /// Workloads whose cost is measured; they are executed in sequence, next to the measuring threads or alone. With
    /// workloads, the run ends after the last of them, and `length` is the maximum duration of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<WorkloadPlan>,
}

/// Whether latencies are split into their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Splitting {
    /// Latencies are not split.
    #[default]
    Off,
    /// Each latency is split into its parts; the events around the largest latencies are not recorded.
    Parts,
    /// Each latency is split into its parts, and the events around the largest latencies are recorded.
    Causes,
}

/// Plan of one measuring thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadPlan {
    /// Processor on which the thread runs; a `deadline` thread may move to other processors if no root domain could be
    /// made.
    pub cpu: u32,
    /// Period of the thread's activations.
    #[serde(rename = "period_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub period: Duration,
    /// Delay of the thread's first activation after the common start of all threads.
    #[serde(rename = "phase_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub phase: Duration,
}

/// How a thread waits for its next activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerMethod {
    /// `clock_nanosleep` until an absolute instant of CLOCK_MONOTONIC.
    ClockNanosleep,
    /// `nanosleep` for one period: a relative sleep, so the activations drift and have no due instants.
    Nanosleep,
    /// `setitimer(ITIMER_REAL)`, which sends SIGALRM; a process has only one such timer, and its start is relative.
    Setitimer,
    /// `timer_create` with a timer that sends a signal to the thread.
    PosixTimer,
    /// `timerfd_create` and `read` of its file descriptor.
    Timerfd,
}

/// Handling of activations that became due while the thread was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenLate {
    /// Skip to the next activation that is not yet due, and count the skipped activations (cyclictest skips too, but
    /// does not count).
    Skip,
    /// Serve every activation, however late it is (as jitterdebugger does).
    CatchUp,
    /// Start a new grid of activations one period after the late wake-up; activations that became due on the old grid
    /// count as skipped.
    RePhase,
}

/// Condition that ends a run: a duration or a number of activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Length {
    /// The run ends after a duration.
    Duration {
        /// Duration of the run, counted from the end of the warm-up.
        #[serde(rename = "length_ns", with = "crate::serde_duration::duration_ns")]
        #[schemars(with = "u64")]
        length: Duration,
    },
    /// The run ends when every thread has served a number of activations.
    Activations {
        /// Number of activations that each thread serves, warm-up excluded.
        count: u64,
    },
}

/// One load of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadPlan {
    /// Name of the load in the catalogue, such as `disk-read` or `udp-flood`.
    pub name: String,
    /// Requested rate in the load's own unit, such as packets/s or workers; null: the load's default.
    pub rate: Option<f64>,
    /// On/off rhythm of the load; null: the load is always on.
    pub rhythm: Option<Rhythm>,
}

/// On/off rhythm of a load: in each cycle, the load is on for a random time between two bounds (Blaess 2014: for 15
/// to 25 s in every 30 s).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rhythm {
    /// Length of one on/off cycle.
    #[serde(rename = "cycle_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub cycle: Duration,
    /// Shortest time for which the load is on in a cycle.
    #[serde(rename = "on_min_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub on_min: Duration,
    /// Longest time for which the load is on in a cycle.
    #[serde(rename = "on_max_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub on_max: Duration,
}

impl Rhythm {
    /// On for 50 to 83 % of each cycle, as in Blaess 2014. The cycle of each further load is 7 % longer than that of the one
    /// before, so that loads do not move in step; `index` is the load's place among them.
    pub fn of_cycle(cycle: Duration, index: u64) -> Self {
        let cycle = cycle.as_ns() / 100 * (100 + 7 * index);
        Self {
            cycle: Duration::from_ns(cycle),
            on_min: Duration::from_ns(cycle / 2),
            on_max: Duration::from_ns(cycle / 6 * 5),
        }
    }
}

/// A scheduling policy without its parameters, as flags and studies name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyName {
    /// SCHED_OTHER.
    Other,
    /// SCHED_FIFO.
    Fifo,
    /// SCHED_RR.
    Rr,
    /// SCHED_DEADLINE.
    Deadline,
}

impl PolicyName {
    /// The policy with those of the parameters that it takes. Without a `runtime` a deadline task has a fifth of its period: far
    /// more than a probe needs, and few enough that several fit under the admission limit.
    pub fn with(self, priority: u8, runtime: Option<Duration>, period: Duration) -> Policy {
        match self {
            Self::Other => Policy::Other,
            Self::Fifo => Policy::Fifo { priority },
            Self::Rr => Policy::Rr { priority },
            Self::Deadline => Policy::Deadline { runtime: runtime.unwrap_or(Duration::from_ns(period.as_ns() / 5)) },
        }
    }
}

/// The shortest period that is accepted; no timer of Linux serves less, and the rings would take gigabytes.
pub const PERIOD_MIN: Duration = Duration::from_us(1);
/// The kernel's smallest runtime of a deadline thread (2^10 ns).
pub const RUNTIME_MIN: Duration = Duration::from_ns(1_024);

impl Plan {
    /// A plan for nothing but these threads: no load, no warm-up, no deadline; a struct update says what else is wanted.
    pub fn new(source: Source, policy: Policy, threads: Vec<ThreadPlan>, length: Length) -> Self {
        Self {
            source,
            split: Splitting::Off,
            method: TimerMethod::ClockNanosleep,
            policy,
            when_late: WhenLate::Skip,
            threads,
            length,
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
            histogram_bound: defaults::HISTOGRAM_BOUND,
            beside_pid: None,
            seed: 1,
            workloads: Vec::new(),
        }
    }

    /// True where every activation has an instant of our own at which it was due: a relative sleep has none, and another's
    /// events come when they come.
    pub const fn has_due_grid(&self) -> bool {
        match self.source {
            Source::Timer => self.method.has_due_grid(),
            // Each thread has its own, where its waits name instants.
            Source::Watch(_) => true,
            Source::Interrupt(_)
            | Source::Event(_)
            | Source::Wakeup(_)
            | Source::Noise(_)
            | Source::Overheads(_)
            | Source::Xenomai(_) => false,
        }
    }

    /// The warm-up as it is really left out of the figures: a second that lies partly inside it is warm-up altogether.
    pub fn warm_up_kept_apart(&self) -> Duration {
        const SECOND_NS: u64 = 1_000_000_000;
        Duration::from_ns(self.warm_up.as_ns().div_ceil(SECOND_NS).saturating_mul(SECOND_NS))
    }

    /// How long the run lasts from its common start: the warm-up, then what is measured. A count of activations is estimated
    /// by the slowest thread.
    pub fn run_length(&self) -> Duration {
        let measured_ns = match self.length {
            Length::Duration { length } => length.as_ns(),
            Length::Activations { count } => {
                let of_thread = |thread: &ThreadPlan| {
                    thread.period.as_ns().saturating_mul(count).saturating_add(thread.phase.as_ns())
                };
                self.threads.iter().map(of_thread).max().unwrap_or(0)
            }
        };
        Duration::from_ns(self.warm_up_kept_apart().as_ns().saturating_add(measured_ns))
    }
}

prazo_core::words! {
    TimerMethod:
    ClockNanosleep => "clock-nanosleep", Nanosleep => "nanosleep", Setitimer => "setitimer",
    PosixTimer => "posix-timer", Timerfd => "timerfd",
}

impl TimerMethod {
    /// True where every activation has an instant at which it was due; a relative sleep has none.
    pub const fn has_due_grid(self) -> bool {
        !matches!(self, Self::Nanosleep)
    }
}
