//! The flags of a timer run, and the plan they make with everything left unsaid filled in.

use crate::exit::Failure;
use crate::flags::load::LoadFlags;
use crate::flags::recording::RecordingFlags;
use clap::{Args, ValueEnum};
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Plan, Policy, Splitting, ThreadPlan, TimerMethod, WhenLate};

/// What shall be measured.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct PlanFlags {
    /// How a thread waits for its next activation
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = MethodFlag::ClockNanosleep)]
    pub method: MethodFlag,
    /// Scheduling policy of the measuring threads
    #[arg(long, short, value_enum, value_name = "POLICY", default_value_t = PolicyFlag::Fifo)]
    pub policy: PolicyFlag,
    /// Real-time priority under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 95)]
    pub priority: u8,
    /// Processor time in each period under the deadline policy [default: a fifth of the period]
    #[arg(long, value_name = "TIME")]
    pub runtime: Option<Duration>,
    /// Processors to measure, one thread on each, e.g. 0-3,5 [default: all that this process may use]
    #[arg(long, short, value_name = "LIST")]
    pub cpus: Option<CpuSet>,
    /// Distance of two activations; one for all processors or a list, one for each
    #[arg(long, short = 'i', value_name = "TIME", value_delimiter = ',', default_value = "1ms")]
    pub period: Vec<Duration>,
    /// First activation after the common start; one for all processors or a list, one for each
    #[arg(long, value_name = "TIME", value_delimiter = ',', default_value = "0ns")]
    pub phase: Vec<Duration>,
    /// How long to measure, after the warm-up: 30s, 2h, 1d
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s", conflicts_with = "count")]
    pub duration: Duration,
    /// Measure this many activations of each thread instead, after the warm-up
    #[arg(long, short = 'n', value_name = "N")]
    pub count: Option<u64>,
    /// What to do with activations that became due while late
    #[arg(long, value_enum, value_name = "HOW", default_value_t = LateFlag::Skip)]
    pub when_late: LateFlag,
    /// Stop at the first latency above this, with a mark in the kernel's trace
    #[arg(long, short = 'b', value_name = "TIME")]
    pub stop_above: Option<Duration>,
    /// The smallest latency this run looks for; the period should be at most twice that (Marsal 2013)
    #[arg(long, value_name = "TIME")]
    pub looks_for: Option<Duration>,
    /// Run for this long before measuring (rounded up to whole seconds); the samples are labelled warm-up and left out of the figures
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub warm_up: Duration,
    /// Timer slack of threads under policy other [default: the system's, usually 50us]
    #[arg(long, value_name = "TIME")]
    pub timer_slack: Option<Duration>,
    /// Processor of the recording thread [default: one that is not measured, where there is one]
    #[arg(long, value_name = "CPU")]
    pub housekeeping_cpu: Option<u32>,
    #[command(flatten)]
    pub recording: RecordingFlags,
    /// Split each latency into interrupt and activation latency by BPF, and say what took the time of the worst
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "causes")]
    pub split: Option<SplitFlag>,
    /// Measure beside a running application of yours: its process id
    #[arg(long, value_name = "PID")]
    pub beside: Option<u32>,
}

/// Ways to wait for the next activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodFlag {
    /// clock_nanosleep(2) to an absolute instant.
    ClockNanosleep,
    /// nanosleep(2) for one period: drifts.
    Nanosleep,
    /// setitimer(2) and SIGALRM.
    Setitimer,
    /// timer_create(2) and a signal.
    PosixTimer,
    /// timerfd_create(2) and read(2).
    Timerfd,
}

/// Scheduling policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyFlag {
    /// SCHED_OTHER.
    Other,
    /// SCHED_FIFO.
    Fifo,
    /// SCHED_RR.
    Rr,
    /// SCHED_DEADLINE.
    Deadline,
}

/// What to do when late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LateFlag {
    /// Jump over them, and count them.
    Skip,
    /// Serve them all.
    CatchUp,
    /// Start a new grid.
    RePhase,
}

/// How far latencies are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SplitFlag {
    /// The parts alone.
    Parts,
    /// The parts, and what happened around the worst.
    Causes,
}

impl From<SplitFlag> for Splitting {
    fn from(flag: SplitFlag) -> Self {
        match flag {
            SplitFlag::Parts => Self::Parts,
            SplitFlag::Causes => Self::Causes,
        }
    }
}

impl PlanFlags {
    /// The plan; `allowed` is what this process may use. Usage errors name the flag and the remedy.
    pub(crate) fn plan(&self, loads: &LoadFlags, deadline: Option<Duration>, allowed: CpuSet) -> Result<Plan, Failure> {
        let threads = self.threads(allowed)?;
        Ok(Plan {
            source: prazo_run::source::Source::Timer,
            split: self.split.map_or(Splitting::Off, Splitting::from),
            method: self.method.into(),
            policy: self.policy(threads.iter().map(|thread| thread.period).min().unwrap_or(Duration::ZERO)),
            when_late: self.when_late.into(),
            length: self.length(),
            warm_up: self.warm_up,
            lead_in: if loads.loads.is_empty() { Duration::ZERO } else { loads.lead_in },
            loads: loads.plans(),
            deadline,
            stop_above: self.stop_above,
            looks_for: self.looks_for,
            housekeeping_cpu: self.housekeeping_cpu,
            raw: self.recording.raw,
            hold_dma_latency: !self.recording.no_dma_latency,
            timer_slack: self.timer_slack,
            histogram_bound: self.recording.histogram_bound,
            beside_pid: self.beside,
            seed: loads.seed,
            workloads: Vec::new(),
            threads,
        })
    }

    fn length(&self) -> Length {
        match self.count {
            Some(count) => Length::Activations { count },
            None => Length::Duration { length: self.duration },
        }
    }

    fn policy(&self, shortest_period: Duration) -> Policy {
        match self.policy {
            PolicyFlag::Other => Policy::Other,
            PolicyFlag::Fifo => Policy::Fifo { priority: self.priority },
            PolicyFlag::Rr => Policy::Rr { priority: self.priority },
            PolicyFlag::Deadline => {
                Policy::Deadline { runtime: self.runtime.unwrap_or(Duration::from_ns(shortest_period.as_ns() / 5)) }
            }
        }
    }

    fn threads(&self, allowed: CpuSet) -> Result<Vec<ThreadPlan>, Failure> {
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let periods = one_for_each("--period", &self.period, cpus.len())?;
        let phases = one_for_each("--phase", &self.phase, cpus.len())?;
        let each = cpus.into_iter().zip(periods).zip(phases);
        Ok(each.map(|((cpu, period), phase)| ThreadPlan { cpu, period, phase }).collect())
    }
}

/// Spreads one value over `count` processors, or takes a list of exactly that length.
fn one_for_each(flag: &str, values: &[Duration], count: usize) -> Result<Vec<Duration>, Failure> {
    match values {
        [one] => Ok(vec![*one; count]),
        list if list.len() == count => Ok(list.to_vec()),
        list => Err(Failure::usage(format!(
            "{flag} has {} values for {count} processors; give one for all or one for each",
            list.len()
        ))),
    }
}

impl From<MethodFlag> for TimerMethod {
    fn from(flag: MethodFlag) -> Self {
        match flag {
            MethodFlag::ClockNanosleep => Self::ClockNanosleep,
            MethodFlag::Nanosleep => Self::Nanosleep,
            MethodFlag::Setitimer => Self::Setitimer,
            MethodFlag::PosixTimer => Self::PosixTimer,
            MethodFlag::Timerfd => Self::Timerfd,
        }
    }
}

impl From<LateFlag> for WhenLate {
    fn from(flag: LateFlag) -> Self {
        match flag {
            LateFlag::Skip => Self::Skip,
            LateFlag::CatchUp => Self::CatchUp,
            LateFlag::RePhase => Self::RePhase,
        }
    }
}
