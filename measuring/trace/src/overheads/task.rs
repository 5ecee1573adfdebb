//! One task: a thread that sleeps until its job is due, computes a little, and notes when it woke.

use prazo_core::cpu::{Cpu, CpuSet};
use prazo_engine::{SetupError, StopFlag, policy};
use prazo_run::plan::{Policy, ThreadPlan};
use prazo_run::store::Sample;
use prazo_sys::{clock, scheduling, signal};
use std::hint::black_box;

/// The body of Vitor 2013: a local variable is added up in a loop of fifty.
const BODY: u64 = 50;
/// A task that is this late when the run is over gives up what is left.
const GIVES_UP_NS: u64 = 1_000_000_000;

/// What one task is asked.
#[derive(Clone, Debug)]
pub(super) struct TaskRequest {
    /// Period and phase.
    pub thread: ThreadPlan,
    /// Where it may run.
    pub cpus: CpuSet,
    /// Its policy.
    pub policy: Policy,
}

/// When a task runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The common start.
    pub start_ns: u64,
    /// No job is due from here on.
    pub end_ns: u64,
}

/// What a task did.
#[derive(Clone, Debug, Default)]
pub(super) struct Served {
    /// Each job that ran: when it was due behind the start, and how much later it woke.
    pub samples: Vec<Sample>,
    /// Jobs that were due.
    pub due: u64,
}

impl TaskRequest {
    /// Places the calling thread; what is in effect, in words.
    pub(super) fn prepare(&self) -> Result<String, SetupError> {
        signal::keep_figures_away();
        let cpu = self.thread.cpu;
        let errno = |error: std::io::Error| SetupError::Affinity { cpu, errno: error.raw_os_error().unwrap_or(0) };
        scheduling::set_affinity(&self.cpus).map_err(errno)?;
        policy::set(cpu, self.policy, self.thread.period.as_ns())
    }

    /// Room for all samples of a span, so that none is made while measuring.
    pub(super) fn room(&self, length_ns: u64) -> usize {
        (length_ns / self.thread.period.as_ns() + 2) as usize
    }

    /// Runs every job of the span; one that is late runs as soon as it can.
    pub(super) fn serve(&self, span: Span, stop: &StopFlag, mut samples: Vec<Sample>) -> Served {
        let (period_ns, phase_ns) = (self.thread.period.as_ns(), self.thread.phase.as_ns());
        let mut due_ns = span.start_ns + phase_ns;
        while due_ns < span.end_ns && !stop.is_set() {
            let woke_ns = wake_at(due_ns);
            if woke_ns > span.end_ns + GIVES_UP_NS {
                break;
            }
            let activation = samples.len() as u64;
            let latency_ns = (woke_ns - due_ns) as i64;
            samples.push(Sample { activation, due_ns: (due_ns - span.start_ns) as i64, latency_ns });
            compute();
            due_ns += period_ns;
        }
        // A thread that ended earlier would cost the next switch its burial.
        if !stop.is_set() {
            clock::sleep_until(span.end_ns);
        }
        let due = (span.end_ns - span.start_ns).saturating_sub(phase_ns).div_ceil(period_ns);
        Served { samples, due }
    }
}

/// Sleeps until then, also through signals; when it woke.
#[inline]
fn wake_at(due_ns: u64) -> u64 {
    loop {
        clock::sleep_until(due_ns);
        let now_ns = clock::monotonic_ns();
        if now_ns >= due_ns {
            return now_ns;
        }
    }
}

#[inline]
fn compute() {
    let mut sum = 0;
    for number in 0..BODY {
        sum = black_box(sum + number);
    }
}

/// The processors by their numbers; `None` where one cannot be.
pub(super) fn set_of(cpus: &[u32]) -> Option<CpuSet> {
    let named: Vec<Cpu> = cpus.iter().filter_map(|cpu| Cpu::new(*cpu)).collect();
    CpuSet::from_cpus(named.iter().copied()).filter(|_| named.len() == cpus.len())
}
