//! The flags of a timer run, and the request they make.

use super::load::LoadFlags;
use super::measuring::{MeasuringFlags, PolicyFlags, SPLITTINGS};
use super::{Meaning, Word, named, words};
use clap::Args;
use prazo::guest::GuestOptions;
use prazo::measure::TimerRequest;
use prazo_core::time::Duration;
use prazo_probe::session::TraceEvents;
use prazo_run::defaults;
use prazo_run::plan::{Plan, Splitting, TimerMethod, WhenLate};
use prazo_run::source::Source;

/// What shall be measured.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct TimerFlags {
    #[command(flatten)]
    measuring: MeasuringFlags,
    /// System call that waits for the next activation
    #[arg(long, value_name = "METHOD", default_value = "clock-nanosleep", value_parser = named(TimerMethod::name, METHODS), hide_short_help = true)]
    method: TimerMethod,
    /// Processor time in each period under the deadline policy [default: a fifth of the period]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    runtime: Option<Duration>,
    /// Period of the activations
    ///
    /// A list gives each processor its own period.
    #[arg(long, short = 'i', value_name = "TIME", value_delimiter = ',', default_values_t = [defaults::PERIOD])]
    period: Vec<Duration>,
    /// Delay of the first activation; a list gives each processor its own delay
    #[arg(long, hide_short_help = true, value_name = "TIME", value_delimiter = ',', default_value = "0ns")]
    phase: Vec<Duration>,
    /// Start each processor's thread this long after the thread before it [default: all at the same instant]
    #[arg(long, value_name = "OFFSET", num_args = 0..=1, default_missing_value = "0ns", hide_short_help = true)]
    aligned: Option<Duration>,
    /// Number of activations, instead of a duration
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "duration")]
    count: Option<u64>,
    /// Handling of activations that become due while the thread is late
    #[arg(long, hide_short_help = true, value_name = "HANDLING", default_value = "skip", value_parser = words(WHEN_LATE))]
    when_late: WhenLate,
    /// With --stop-above, record these events of the kernel and save them as text [default: sched, irq and timer events]
    ///
    /// prazo records into a tracefs instance of its own, and removes the instance afterwards. Without tracefs, the
    /// events that --split=causes records are saved. The text file is next to the run file: NAME.trace.txt.
    #[arg(long, value_name = "EVENTS", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',', requires = "stop_above", hide_short_help = true)]
    trace: Option<Vec<String>>,
    /// Smallest latency that the run must detect; the period should be at most twice this latency (Marsal 2013)
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    detect: Option<Duration>,
    /// Timer slack of threads under policy other [default: the system's, usually 50us]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    timer_slack: Option<Duration>,
    /// Split latencies into parts, and name causes
    ///
    /// BPF programs split each latency into interrupt and activation latency, and record the kernel's events around
    /// the worst latencies.
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "causes", value_parser = words(SPLITTINGS))]
    split: Option<Splitting>,
    /// Measure next to a running application with this process id
    #[arg(long, value_name = "PID", hide_short_help = true)]
    application: Option<u32>,
}

/// System calls that wait for the next activation.
const METHODS: &[Meaning<TimerMethod>] = &[
    (TimerMethod::ClockNanosleep, "clock_nanosleep(2) to an absolute instant"),
    (TimerMethod::Nanosleep, "nanosleep(2) for one period; the activations drift"),
    (TimerMethod::Setitimer, "setitimer(2) and SIGALRM"),
    (TimerMethod::PosixTimer, "timer_create(2) and a signal"),
    (TimerMethod::Timerfd, "timerfd_create(2) and read(2)"),
];

/// What to do when late.
const WHEN_LATE: &[Word<WhenLate>] = &[
    ("skip", "Skip these activations and count them", WhenLate::Skip),
    ("catch-up", "Serve all of these activations", WhenLate::CatchUp),
    ("re-phase", "Start a new series of activations", WhenLate::RePhase),
];

impl TimerFlags {
    /// As the library takes it.
    pub(crate) fn request(self, loads: &LoadFlags, guest: GuestOptions) -> TimerRequest {
        let shortest = self.period.iter().min().copied().unwrap_or(Duration::ZERO);
        let PolicyFlags { policy, priority } = self.measuring.policy;
        let plan = Plan {
            source: Source::Timer,
            policy: policy.with(priority, self.runtime, shortest),
            split: self.split.unwrap_or_default(),
            method: self.method,
            when_late: self.when_late,
            looks_for: self.detect,
            timer_slack: self.timer_slack,
            beside_pid: self.application,
            ..self.measuring.plan(self.count, shortest, loads)
        };
        TimerRequest {
            plan,
            cpus: self.measuring.cpus,
            periods: self.period,
            phases: self.phase,
            aligned: self.aligned.unwrap_or(Duration::ZERO),
            trace: self.trace.map(events),
            guest,
        }
    }
}

/// The named events; none, the usual ones, where nothing is named.
fn events(names: Vec<String>) -> TraceEvents {
    TraceEvents(names.into_iter().filter(|name| !name.is_empty()).collect())
}
