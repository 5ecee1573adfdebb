//! The flags of a timer run, and the request they make.

use super::{Word, under, words};
use crate::flags::load::LoadFlags;
use crate::flags::recording::RecordingFlags;
use clap::Args;
use prazo::guest::GuestOptions;
use prazo::measure::TimerRequest;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::session::TraceEvents;
use prazo_run::plan::{Length, Plan, Policy, Splitting, TimerMethod, WhenLate};
use prazo_run::source::Source;

/// What shall be measured.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct PlanFlags {
    /// System call that waits for the next activation
    #[arg(long, value_name = "METHOD", default_value = "clock-nanosleep", value_parser = words(METHODS), hide_short_help = true)]
    pub(crate) method: TimerMethod,
    /// Scheduling policy of the threads
    #[arg(long, short, value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    pub(crate) policy: PolicyName,
    /// Real-time priority under fifo and rr, 1 to 99
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 95)]
    pub(crate) priority: u8,
    /// Processor time in each period under the deadline policy [default: a fifth of the period]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) runtime: Option<Duration>,
    /// Processors to measure, for example 0-3,5 [default: all]
    ///
    /// One thread measures each. The default is every processor that this process may use.
    #[arg(long, short, value_name = "LIST")]
    pub(crate) cpus: Option<CpuSet>,
    /// Period of the activations
    ///
    /// A list gives each processor its own.
    #[arg(long, short = 'i', value_name = "TIME", value_delimiter = ',', default_value = "1ms")]
    pub(crate) period: Vec<Duration>,
    /// Delay of the first activation; a list gives each processor its own
    #[arg(long, hide_short_help = true, value_name = "TIME", value_delimiter = ',', default_value = "0ns")]
    pub(crate) phase: Vec<Duration>,
    /// Start the processors' threads this long after one another [default: all at the same instant]
    #[arg(long, value_name = "OFFSET", num_args = 0..=1, default_missing_value = "0ns", hide_short_help = true)]
    pub(crate) aligned: Option<Duration>,
    /// Duration of the measurement, after the warm-up
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s", conflicts_with = "count")]
    pub(crate) duration: Duration,
    /// Number of activations, instead of a duration
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Handling of activations that become due while the thread is late
    #[arg(long, hide_short_help = true, value_name = "HANDLING", default_value = "skip", value_parser = words(WHEN_LATE))]
    pub(crate) when_late: WhenLate,
    /// Stop at the first latency above this
    ///
    /// A mark is written to the kernel's trace. If a trace is running, it is stopped there, saved next to the run file,
    /// and continued.
    #[arg(long, short = 'b', value_name = "TIME")]
    pub(crate) stop_above: Option<Duration>,
    /// With --stop-above, record these events of the kernel and save them as text [default: sched, irq and timer events]
    ///
    /// prazo records into a tracefs instance of its own and removes it afterwards. Without tracefs, --split=causes saves the
    /// events that it keeps. The file is next to the run file: NAME.trace.txt.
    #[arg(long, value_name = "EVENTS", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',', requires = "stop_above", hide_short_help = true)]
    pub(crate) trace: Option<Vec<String>>,
    /// Smallest latency that the run must detect; the period should be at most twice that (Marsal 2013)
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) detect: Option<Duration>,
    /// Run for this long before measuring (rounded up to whole seconds)
    ///
    /// The samples are kept, labelled warm-up, and excluded from the figures.
    #[arg(long, value_name = "TIME", default_value = "1s", hide_short_help = true)]
    pub(crate) warm_up: Duration,
    /// Timer slack of threads under policy other [default: the system's, usually 50us]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) timer_slack: Option<Duration>,
    /// Processor of the recording thread [default: one that is not measured, if there is one]
    #[arg(long, value_name = "CPU", hide_short_help = true)]
    pub(crate) housekeeping_cpu: Option<u32>,
    #[command(flatten)]
    pub(crate) recording: RecordingFlags,
    /// Split latencies into parts, and name causes
    ///
    /// BPF splits each latency into interrupt and activation latency, and records the events around the worst.
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "causes", value_parser = words(SPLITTINGS))]
    pub(crate) split: Option<Splitting>,
    /// Measure next to a running application with this process id
    #[arg(long, value_name = "PID", hide_short_help = true)]
    pub(crate) application: Option<u32>,
}

/// System calls that wait for the next activation.
const METHODS: &[Word<TimerMethod>] = &[
    ("clock-nanosleep", "clock_nanosleep(2) to an absolute instant", TimerMethod::ClockNanosleep),
    ("nanosleep", "nanosleep(2) for one period: drifts", TimerMethod::Nanosleep),
    ("setitimer", "setitimer(2) and SIGALRM", TimerMethod::Setitimer),
    ("posix-timer", "timer_create(2) and a signal", TimerMethod::PosixTimer),
    ("timerfd", "timerfd_create(2) and read(2)", TimerMethod::Timerfd),
];

/// A scheduling policy without its parameters, which are flags of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicyName {
    Other,
    Fifo,
    Rr,
    Deadline,
}

/// Scheduling policies.
pub(crate) const POLICIES: &[Word<PolicyName>] = &[
    ("other", "SCHED_OTHER", PolicyName::Other),
    ("fifo", "SCHED_FIFO", PolicyName::Fifo),
    ("rr", "SCHED_RR", PolicyName::Rr),
    ("deadline", "SCHED_DEADLINE", PolicyName::Deadline),
];

/// What to do when late.
const WHEN_LATE: &[Word<WhenLate>] = &[
    ("skip", "Skip and count them", WhenLate::Skip),
    ("catch-up", "Serve them all", WhenLate::CatchUp),
    ("re-phase", "Start a new series of activations", WhenLate::RePhase),
];

/// How far latencies are split.
pub(crate) const SPLITTINGS: &[Word<Splitting>] = &[
    ("parts", "Only the parts", Splitting::Parts),
    ("causes", "The parts, and the events around the worst latencies", Splitting::Causes),
];

impl PlanFlags {
    /// As the library takes it.
    pub(crate) fn request(&self, loads: &LoadFlags, guest: GuestOptions) -> TimerRequest {
        let plan = Plan::new(Source::Timer, self.policy(), Vec::new(), length(self.count, self.duration));
        let plan = Plan {
            split: self.split.unwrap_or_default(),
            method: self.method,
            when_late: self.when_late,
            stop_above: self.stop_above,
            looks_for: self.detect,
            housekeeping_cpu: self.housekeeping_cpu,
            timer_slack: self.timer_slack,
            beside_pid: self.application,
            ..under(plan, self.warm_up, loads, self.recording)
        };
        let (periods, phases) = (self.period.clone(), self.phase.clone());
        let aligned = self.aligned.unwrap_or(Duration::ZERO);
        TimerRequest { plan, cpus: self.cpus, periods, phases, aligned, trace: self.trace.clone().map(events), guest }
    }

    fn policy(&self) -> Policy {
        let shortest = self.period.iter().min().copied().unwrap_or(Duration::ZERO);
        policy(self.policy, self.priority, self.runtime, shortest)
    }
}

/// A policy with its parameters; the processor time of a deadline task is a fifth of its period unless it is given.
pub(crate) fn policy(name: PolicyName, priority: u8, runtime: Option<Duration>, period: Duration) -> Policy {
    match name {
        PolicyName::Other => Policy::Other,
        PolicyName::Fifo => Policy::Fifo { priority },
        PolicyName::Rr => Policy::Rr { priority },
        PolicyName::Deadline => Policy::Deadline { runtime: runtime.unwrap_or(Duration::from_ns(period.as_ns() / 5)) },
    }
}

/// The named events; none, the usual ones, where nothing is named.
fn events(names: Vec<String>) -> TraceEvents {
    TraceEvents(names.into_iter().filter(|name| !name.is_empty()).collect())
}

/// So many activations where they are counted, else this long.
pub(crate) fn length(count: Option<u64>, duration: Duration) -> Length {
    count.map_or(Length::Duration { length: duration }, |count| Length::Activations { count })
}
