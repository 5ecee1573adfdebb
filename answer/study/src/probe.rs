//! The probes of a study: what wakes a thread, under which policy, how often and for how long.

use crate::interrupt_line::InterruptLine;
use crate::toml_values;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::plan::{Length, Policy, PolicyName, RUNTIME_MIN, Splitting, ThreadPlan, TimerMethod, WhenLate};
use prazo_run::source::{Source, XenomaiSource};
use serde::Deserialize;

/// One `[[probe]]`. What is left out has the value that gives a correct measurement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Its name in cell ids: `fifo`.
    pub id: toml::Spanned<String>,
    /// What it is for, in one sentence.
    #[serde(default)]
    pub text: String,
    /// The interrupt line that wakes the task; without it, a timer wakes each thread.
    #[serde(default)]
    pub interrupt: Option<InterruptLine>,
    /// The tool of a Xenomai core that measures a task of the core: `{ context = "user" }`; without it, prazo's own threads
    /// measure Linux's side.
    #[serde(default)]
    pub xenomai: Option<XenomaiSource>,
    /// How a thread waits for its next activation.
    #[serde(default = "clock_nanosleep")]
    pub method: TimerMethod,
    /// The scheduling policy.
    pub policy: PolicyName,
    /// Real-time priority, 1 to 99, for fifo and rr.
    #[serde(default = "high_priority")]
    pub priority: u8,
    /// Processor time in each period, for deadline.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub runtime: Option<Duration>,
    /// Period of the activations.
    #[serde(default = "millisecond", deserialize_with = "toml_values::duration")]
    pub period: Duration,
    /// Delay of the first activation after the common start.
    #[serde(default, deserialize_with = "toml_values::duration")]
    pub phase: Duration,
    /// What happens to activations that became due while the thread was late.
    #[serde(default = "skip")]
    pub when_late: WhenLate,
    /// How long a cell measures, behind its warm-up.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub length: Option<Duration>,
    /// Instead of `length`: how many activations each thread serves.
    pub activations: Option<u64>,
    /// How long the threads run before that; labelled warm-up and left out of the figures.
    #[serde(default, deserialize_with = "toml_values::duration")]
    pub warm_up: Duration,
    /// The processors, one thread on each: `"0-3"`, or `"all"` of the machine that measures.
    #[serde(default, deserialize_with = "toml_values::cpus")]
    pub cpus: Option<CpuSet>,
    /// Timer slack of `other` threads; absent leaves the system's.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub timer_slack: Option<Duration>,
    /// Whether latencies are split into their parts: `off`, `parts`, or `causes`, which also explains the worst.
    #[serde(default)]
    pub split: Splitting,
    /// True keeps every sample in the run file, with its instant.
    #[serde(default)]
    pub raw: bool,
    /// The smallest latency that the probe looks for.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub looks_for: Option<Duration>,
}

impl Probe {
    /// The policy with its parameters.
    pub fn policy(&self) -> Policy {
        self.policy.with(self.priority, self.runtime, self.period)
    }

    /// What a plan that measures on these processors takes as the event.
    pub fn source(&self, cpus: CpuSet, is_in_guest: bool) -> Source {
        match (&self.interrupt, &self.xenomai) {
            (Some(line), _) => Source::Interrupt(line.source(cpus.first().number(), is_in_guest)),
            (None, Some(tool)) => Source::Xenomai(tool.clone()),
            (None, None) => Source::Timer,
        }
    }

    /// One thread on each processor; a line wakes one task, and a Xenomai tool measures one processor, the first.
    pub fn threads(&self, cpus: CpuSet) -> Vec<ThreadPlan> {
        let of = |cpu: Cpu| ThreadPlan { cpu: cpu.number(), period: self.period, phase: self.phase };
        let count = if self.interrupt.is_some() || self.xenomai.is_some() { 1 } else { cpus.count() };
        cpus.iter().take(count).map(of).collect()
    }

    /// How long a cell lasts; `None` where neither the probe nor the row says so.
    pub fn length(&self, row: Option<Duration>) -> Option<Length> {
        let by_time = row.or(self.length).map(|length| Length::Duration { length });
        by_time.or(self.activations.map(|count| Length::Activations { count }))
    }

    /// What contradicts itself, if anything does: the problem and its remedy.
    pub fn contradiction(&self) -> Option<(String, String)> {
        let found = |problem: String, remedy: &str| Some((problem, remedy.to_owned()));
        if self.interrupt.is_some() && self.xenomai.is_some() {
            return found(
                "both interrupt and xenomai are given".into(),
                "define one probe with interrupt and one with xenomai",
            );
        }
        if self.period.is_zero() {
            return found("the period is zero".into(), "write a period such as \"1ms\"");
        }
        if !(1..=99).contains(&self.priority) {
            return found(format!("priority {} does not exist", self.priority), "choose a priority from 1 to 99");
        }
        if self.length.is_some() && self.activations.is_some() {
            return found("both length and activations are given".into(), "keep only one of the two");
        }
        if let Some(line) = &self.interrupt {
            return self.line_contradiction(line);
        }
        if self.xenomai.is_some() {
            return self.tool_contradiction();
        }
        if self.phase >= self.period {
            return found(
                format!("the phase {} is not below the period {}", self.phase, self.period),
                "choose a phase below the period",
            );
        }
        match self.runtime {
            Some(runtime) if self.policy != PolicyName::Deadline => {
                found(format!("runtime {runtime} is only for the deadline policy"), "leave runtime out")
            }
            Some(runtime) if runtime < RUNTIME_MIN || runtime > self.period => found(
                format!("runtime {runtime} does not fit the period {}", self.period),
                &format!("choose a runtime of at least {RUNTIME_MIN} and at most the period"),
            ),
            _ => None,
        }
    }

    /// What of a thread that waits for a timer makes no sense for a task behind a line.
    fn line_contradiction(&self, line: &InterruptLine) -> Option<(String, String)> {
        let found = |problem: &str, remedy: &str| Some((problem.to_owned(), remedy.to_owned()));
        if !self.phase.is_zero() {
            return found("a probe of an interrupt line takes no phase", "leave phase out");
        }
        if self.policy != PolicyName::Fifo {
            return found("the task of an interrupt line must run under fifo", "write policy = \"fifo\"");
        }
        if self.split != Splitting::Off {
            return found("the module irqlat already splits the latencies of an interrupt line", "leave split out");
        }
        if self.cpus.is_some_and(|cpus| cpus.count() > 1) {
            return found("an interrupt line needs exactly one processor", "name one processor in cpus");
        }
        line.contradiction()
    }

    /// What of a thread that waits for a timer makes no sense for a core's tool.
    fn tool_contradiction(&self) -> Option<(String, String)> {
        let found = |problem: &str, remedy: &str| Some((problem.to_owned(), remedy.to_owned()));
        if !self.phase.is_zero() {
            return found("Xenomai's tools take no phase", "leave phase out");
        }
        if self.policy != PolicyName::Fifo {
            return found("Xenomai's tools run under fifo", "write policy = \"fifo\"");
        }
        if !self.period.as_ns().is_multiple_of(1_000) {
            return found("Xenomai's tools take periods in whole µs", "write a period such as \"100us\"");
        }
        if self.split != Splitting::Off || self.raw {
            let problem = "Xenomai's tools record only a histogram, and no samples to split or keep";
            return found(problem, "remove split and raw");
        }
        if self.cpus.is_some_and(|cpus| cpus.count() > 1) {
            return found("a Xenomai tool measures exactly one processor", "name one processor in cpus");
        }
        None
    }
}

fn clock_nanosleep() -> TimerMethod {
    TimerMethod::ClockNanosleep
}

fn high_priority() -> u8 {
    defaults::PRIORITY
}

fn millisecond() -> Duration {
    defaults::PERIOD
}

fn skip() -> WhenLate {
    WhenLate::Skip
}
