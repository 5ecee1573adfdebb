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
        let turns = if self.method.moves() { turns(cpus, allowed) } else { vec![0; cpus.count()] };
        let count = turns.iter().max().map_or(1, |last| last + 1);
        let phase = |turn: u64| Duration::from_ns(self.period.as_ns() / count * turn);
        let thread = |(cpu, turn)| ThreadPlan { cpu, period: self.period, phase: phase(turn) };
        cpus.iter().map(|cpu| cpu.number()).zip(turns).map(thread).collect()
    }
}

/// In which part of the period each thread moves: never in that of the thread to whose processor it moves, the next one of
/// `allowed`. Two parts are enough, but for an odd ring, and leave each move as much time as there is.
fn turns(cpus: CpuSet, allowed: CpuSet) -> Vec<u64> {
    let allowed: Vec<u32> = allowed.union(cpus).iter().map(|cpu| cpu.number()).collect();
    let next = |cpu: u32| allowed.iter().copied().find(|other| *other > cpu).unwrap_or(allowed[0]);
    let cpus: Vec<u32> = cpus.iter().map(|cpu| cpu.number()).collect();
    let mut turns: Vec<u64> = Vec::with_capacity(cpus.len());
    for (place, cpu) in cpus.iter().enumerate() {
        let before = place.checked_sub(1).filter(|before| next(cpus[*before]) == *cpu).map(|before| turns[before]);
        // The first one has 0.
        let is_before_first = place > 0 && place + 1 == cpus.len() && next(*cpu) == cpus[0];
        let is_free = |turn: &u64| before != Some(*turn) && !(is_before_first && *turn == 0);
        turns.push((0..).find(is_free).unwrap_or_default());
    }
    turns
}

/// The policy of a thread that preempts one of `policy`.
fn above(policy: Policy) -> Policy {
    match policy {
        Policy::Fifo { priority } => Policy::Fifo { priority: priority.saturating_add(1) },
        Policy::Rr { priority } => Policy::Rr { priority: priority.saturating_add(1) },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_never_moves_in_the_part_of_the_period_of_the_one_whose_processor_it_moves_to() {
        let turns = |cpus: &str, allowed: &str| turns(cpus.parse().unwrap(), allowed.parse().unwrap());
        assert_eq!(turns("0", "0-1"), [0]);
        assert_eq!(turns("0-1", "0-1"), [0, 1]);
        assert_eq!(turns("0-2", "0-2"), [0, 1, 2], "in a ring of three each has two neighbours");
        assert_eq!(turns("0-3", "0-3"), [0, 1, 0, 1]);
        assert_eq!(turns("0-2", "0-3"), [0, 1, 0], "2 moves to 3, where nobody is measured");
        assert_eq!(turns("0,2,4-5", "0-7"), [0, 0, 0, 1]);
        // The last moves to the first.
        assert_eq!(turns("0,3", "0-3"), [0, 1]);
        let many = turns("0-63", "0-63");
        assert_eq!(many.iter().max(), Some(&1), "64 threads need no more than two parts of a period");
    }
}
