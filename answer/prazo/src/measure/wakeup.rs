//! How late a thread runs after another has woken it.

use super::event::{below, not_deadline};
use super::target::{Target, processors};
use crate::error::Error;
use crate::guest::GuestOptions;
use crate::output::make_parent;
use crate::progress::Progress;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::session::RecordedRun;
use prazo_run::plan::{Plan, Policy, ThreadPlan};
use prazo_run::source::{Source, WakeMethod, WakerCpu, WakeupSource};

/// Pairs of threads, one of which wakes the other.
#[derive(Clone, Debug)]
pub struct WakeupRequest {
    /// What the waking thread calls, and what the woken one waits for.
    pub method: WakeMethod,
    /// The mutex of the method has the priority-inheritance protocol.
    pub inherit: bool,
    /// Where the waking threads run.
    pub waker_cpu: WakerCpu,
    /// Real-time priority of the waking threads; `None` is one below that of the woken threads, with the method push
    /// one above.
    pub waker_priority: Option<u8>,
    /// Processors of the woken threads, one on each; `None` is all that this process, or the guest, may use.
    pub cpus: Option<CpuSet>,
    /// Distance of two wakes.
    pub period: Duration,
    /// All else that is measured; its source and its threads follow from the fields above.
    pub plan: Plan,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
}

impl WakeupRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        not_deadline(self.plan.policy)?;
        let guest = self.guest.resolve()?;
        let source = self.source();
        let title = format!("wakeup, {}, {}", source.method.name(), self.plan.policy.name());
        let threads = self.threads(processors(guest.as_ref())?);
        let plan = Plan { source: Source::Wakeup(source), deadline, threads, ..self.plan.clone() };
        make_parent(target.file)?;
        match guest {
            Some(platform) => target.execute_in(&platform, plan, self.guest.timeout, progress),
            None => target.execute(plan, &title, progress),
        }
    }

    fn source(&self) -> WakeupSource {
        let waker_policy = match (self.plan.policy, self.waker_priority) {
            (Policy::Fifo { .. }, Some(priority)) => Policy::Fifo { priority },
            (Policy::Rr { .. }, Some(priority)) => Policy::Rr { priority },
            (policy, _) if self.method == WakeMethod::Push => above(policy),
            (policy, _) => below(policy),
        };
        WakeupSource { method: self.method, inherit: self.inherit, waker_cpu: self.waker_cpu, waker_policy }
    }

    fn threads(&self, allowed: CpuSet) -> Vec<ThreadPlan> {
        let cpus = self.cpus.unwrap_or(allowed);
        // Threads that move go to the processors of others, so that their activations are spread over the period.
        let steps = if self.method.moves() { cpus.iter().count() as u64 } else { 1 };
        let phase = |place: u64| Duration::from_ns(self.period.as_ns() / steps * (place % steps));
        let thread = |(cpu, place)| ThreadPlan { cpu, period: self.period, phase: phase(place) };
        cpus.iter().map(|cpu| cpu.number()).zip(0..).map(thread).collect()
    }
}

/// The policy of a thread that preempts one of `policy`.
fn above(policy: Policy) -> Policy {
    match policy {
        Policy::Fifo { priority } => Policy::Fifo { priority: priority.saturating_add(1) },
        Policy::Rr { priority } => Policy::Rr { priority: priority.saturating_add(1) },
        other => other,
    }
}
