//! One measuring thread from its first setting to its last count; the same in this process and in a child.

use super::control::{Control, Reason};
use super::error::SetupError;
use super::policy;
use super::ring::Producer;
use super::serve::{Pace, Stops, Tally, serve};
use super::timer::Timer;
use super::trace_mark::TraceMark;
use super::worker_request::WorkerRequest;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_platform::tunable::TunableRecord;
use prazo_run::plan::Policy;
use prazo_sys::usage::Usage;
use prazo_sys::{clock, memory, process, scheduling, signal};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;

/// What a worker tells once it is set up and waits for the common start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prepared {
    /// The kernel's number of its thread.
    pub thread_id: i32,
    /// It stays on its processor; only a deadline thread may not.
    pub pinned: bool,
    /// Its memory is locked.
    pub memory_locked: bool,
    /// A mark can be written into the kernel's trace.
    pub can_mark: bool,
    /// What was set.
    pub tunables: Vec<TunableRecord>,
}

/// What a worker tells when it has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// Served activations.
    pub served: u64,
    /// Due, not served, at most one.
    pub outstanding: u64,
    /// Served at the end, and no longer kept.
    pub lost: u64,
    /// Skipped at the end, and no longer told by the ring.
    pub skipped: u64,
    /// Sleep calls of the loop.
    pub waits: u64,
    /// When the first activation was due.
    pub first_due_ns: u64,
    /// How much later it may really have been due.
    pub first_due_uncertainty_ns: u64,
    /// When the last served activation was due.
    pub last_due_ns: u64,
    /// When it was served.
    pub last_woke_ns: u64,
    /// Voluntary switches during the loop.
    pub voluntary_switches: u64,
    /// Involuntary switches during the loop.
    pub involuntary_switches: u64,
    /// Minor page faults during the loop.
    pub minor_faults: u64,
    /// Major page faults during the loop.
    pub major_faults: u64,
    /// Processor time during the loop.
    pub cpu_ns: u64,
}

/// Sets the calling thread up; nothing is measured yet.
pub(crate) fn prepare(request: &WorkerRequest, producer: &Producer<'_>) -> Result<Prepared, SetupError> {
    let call = |name| move |error: &std::io::Error| SetupError::call(request.cpu, name, error);
    signal::prepare_measuring_thread().map_err(|error| call("sigaction")(&error))?;
    let slack = set_timer_slack(request).map_err(|error| call("prctl(PR_SET_TIMERSLACK)")(&error))?;
    let (affinity, policy) = place(request)?;
    producer.touch();
    touch_stack();
    black_box((clock::monotonic_ns(), Usage::now()));
    let memory = lock_memory();
    Ok(Prepared {
        memory_locked: memory.effective.is_some(),
        thread_id: process::thread_id(),
        pinned: affinity.effective.as_deref() == Some(&*request.cpu.to_string()),
        can_mark: TraceMark::open(request.trace.as_ref()).is_some(),
        tunables: vec![affinity, policy, slack, memory],
    })
}

/// Affinity and policy. A deadline thread must be allowed on its whole root domain: it is pinned where its processor is a
/// root domain of its own, and free to move where the kernel says that it is not.
fn place(request: &WorkerRequest) -> Result<(TunableRecord, TunableRecord), SetupError> {
    let free = scheduling::affinity().map_err(|error| SetupError::call(request.cpu, "sched_getaffinity", &error))?;
    let pinned = pin(request.cpu)?;
    let granted = match policy::set(request.cpu, request.policy, request.period_ns) {
        Err(SetupError::Policy { refusal, .. })
            if matches!(request.policy, Policy::Deadline { .. }) && refusal.errno == libc::EPERM =>
        {
            unpin(request.cpu)?;
            policy::set(request.cpu, request.policy, request.period_ns)?
        }
        granted => granted?,
    };
    let effective = scheduling::affinity().ok().map(|cpus| cpus.to_string());
    let affinity = TunableRecord { effective, ..record(request, "sched_setaffinity", &free.to_string(), &pinned) };
    let requested = request.policy.attributes(request.period_ns).in_a_record();
    let policy = TunableRecord { effective: Some(granted), ..record(request, "sched_setattr", "other", &requested) };
    Ok((affinity, policy))
}

fn pin(cpu: u32) -> Result<String, SetupError> {
    let wanted = Cpu::new(cpu).map(CpuSet::only).ok_or(SetupError::Affinity { cpu, errno: libc::EINVAL })?;
    let refused = |error: std::io::Error| SetupError::Affinity { cpu, errno: error.raw_os_error().unwrap_or(0) };
    scheduling::set_affinity(&wanted).map_err(refused)?;
    let effective = scheduling::affinity().map_err(refused)?;
    if effective != wanted {
        return Err(SetupError::AffinityNotEffective { cpu, effective: effective.to_string() });
    }
    Ok(wanted.to_string())
}

fn unpin(cpu: u32) -> Result<(), SetupError> {
    let call = |error: std::io::Error| SetupError::call(cpu, "sched_setaffinity", &error);
    let usable = scheduling::usable_cpus().map_err(call)?;
    scheduling::set_affinity(&usable).map_err(call)
}

fn set_timer_slack(request: &WorkerRequest) -> std::io::Result<TunableRecord> {
    let before = scheduling::timer_slack_ns()?;
    if let Some(slack_ns) = request.timer_slack_ns {
        // The kernel takes 0 for "the default"; one nanosecond is the least it can be asked for.
        scheduling::set_timer_slack_ns(slack_ns.max(1))?;
    }
    let requested = request.timer_slack_ns.map_or_else(|| "unchanged".into(), |slack_ns| format!("{slack_ns} ns"));
    let mut slack = record(request, "prctl(PR_SET_TIMERSLACK)", &format!("{before} ns"), &requested);
    slack.effective = scheduling::timer_slack_ns().ok().map(|slack_ns| format!("{slack_ns} ns"));
    Ok(slack)
}

/// A setting of a thread, which ends with its thread: nothing is left to put back.
fn record(request: &WorkerRequest, call: &str, before: &str, requested: &str) -> TunableRecord {
    TunableRecord {
        knob: format!("{call} of the thread on processor {}", request.cpu),
        before: Some(before.into()),
        requested: requested.into(),
        effective: None,
        restored: true,
    }
}

/// Locks what the process has by now: this thread's stack and ring among it. Refused, it is a caveat, not an error.
fn lock_memory() -> TunableRecord {
    let locked = || std::fs::read_to_string("/proc/self/status").ok().as_deref().and_then(locked_memory);
    let before = locked();
    let effective = memory::lock_current().ok().and_then(|()| locked());
    let knob = "mlockall(MCL_CURRENT)".into();
    TunableRecord { knob, before, requested: "every page locked".into(), effective, restored: true }
}

/// The figure that the kernel gives for locked memory, as `1234 kB`.
fn locked_memory(status: &str) -> Option<String> {
    status.lines().find_map(|line| line.strip_prefix("VmLck:")).map(|figure| figure.trim().to_owned())
}

/// Touches more of the stack than the loop will use.
#[inline(never)]
fn touch_stack() {
    black_box([0u8; 64 * 1024]);
}

/// The activations of one thread that is set up: what its wait source needs to serve them.
pub struct Activations<'a> {
    /// The thread's share of the plan.
    pub request: &'a WorkerRequest,
    /// The common start, on CLOCK_MONOTONIC.
    pub start_ns: u64,
    producer: Producer<'a>,
    control: Control<'a>,
    mark: Option<TraceMark>,
}

impl<'a> Activations<'a> {
    /// Those of a run that starts at `start_ns`.
    pub(crate) fn new(request: &'a WorkerRequest, start_ns: u64, producer: Producer<'a>, control: Control<'a>) -> Self {
        Self { request, start_ns, producer, control, mark: TraceMark::open(request.trace.as_ref()) }
    }

    /// Whether the run was asked to stop, for a thread that the wait source has beside this one.
    pub fn stop(&self) -> impl Fn() -> bool + Send + use<'a> {
        let control = self.control;
        move || control.is_stopped()
    }

    /// Serves them as `timer` waits for them, within `pace`.
    pub fn serve<T: Timer>(self, timer: &mut T, pace: Pace) -> Result<Finished, SetupError> {
        let limit = AtomicBool::new(false);
        let stops = Stops { control: self.control, limit: &limit };
        let measured = signal::with_limit_note(&limit, || {
            let before = Usage::now();
            let tally = serve(timer, pace, self.producer, stops, |latency_ns| {
                if let Some(mark) = &self.mark {
                    mark.write(self.request.cpu, latency_ns);
                }
                self.control.stop(Reason::Threshold { cpu: self.request.cpu, latency_ns });
            });
            tally.map(|tally| finished(tally, Usage::now().since(before)))
        });
        let call = self.request.method.name();
        measured.map_err(|errno| SetupError::call(self.request.cpu, call, &std::io::Error::from_raw_os_error(errno)))
    }
}

fn finished(tally: Tally, usage: Usage) -> Finished {
    Finished {
        served: tally.served,
        outstanding: tally.outstanding,
        lost: tally.unwritten.lost,
        skipped: tally.unwritten.skipped,
        waits: tally.waits,
        first_due_ns: tally.first_due_ns,
        first_due_uncertainty_ns: 0,
        last_due_ns: tally.last_due_ns,
        last_woke_ns: tally.last_woke_ns,
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        minor_faults: usage.minor_faults,
        major_faults: usage.major_faults,
        cpu_ns: usage.cpu_ns,
    }
}
