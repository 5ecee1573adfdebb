//! What a job is granted in one go: a quantum under round robin, the budget of its constant-bandwidth server under EDF.
//!
//! A server pays for all the time that its job holds a processor, the costs of the dispatch included, from the instant of
//! the dispatch. Whatever ends that pays at once, so a budget is used up exactly when its timer fires, or when the job ends at
//! that same instant. The job then ranks by the postponed deadline, and goes on unless somebody is more urgent.

use super::{Membership, Simulation};
use crate::ready::Ready;
use crate::sink::Sink;
use crate::timers::Timer;
use prazo_core::cpu::Cpu;
use prazo_core::event::EventKind;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// The job of `task` holds `cpu` from `now` on and begins its own work at `start`.
    pub(super) fn begin_grant(&mut self, task: usize, cpu: usize, now: Instant, start: Instant) {
        if PLAIN {
            return;
        }
        if let Some(quantum) = self.quantum {
            self.set(Timer::Grant(cpu), start.saturating_add(quantum));
        } else if let Some(Some(state)) = self.servers.get_mut(task) {
            state.charged_to = now;
            let end = now.saturating_add(state.server.budget());
            self.set(Timer::Grant(cpu), end);
        }
    }

    /// Nobody holds `cpu` any more.
    pub(super) fn end_grant(&mut self, cpu: usize) {
        if !PLAIN && (self.quantum.is_some() || !self.servers.is_empty()) {
            self.set(Timer::Grant(cpu), Instant::NEVER);
        }
    }

    /// What the job on `cpu` was granted is used up.
    pub(super) fn use_up_grant(&mut self, cpu: usize, now: Instant) {
        match self.quantum {
            Some(quantum) => self.end_quantum(cpu, quantum, now),
            None => self.use_up_budget(cpu, now),
        }
    }

    fn use_up_budget(&mut self, cpu: usize, now: Instant) {
        let task = self.cpus[cpu].running;
        self.charge_server(task, now);
        let Membership { cluster, index, .. } = self.memberships[task];
        if let Some(deadline) = self.served_until(task) {
            self.clusters[cluster].postpone(index, deadline);
            self.open(cluster);
        }
        self.begin_grant(task, cpu, now, now);
    }

    /// A job of `task` is released while none other is pending.
    pub(super) fn wake_server(&mut self, task: usize, now: Instant) {
        if PLAIN {
            return;
        }
        if let Some(Some(state)) = self.servers.get_mut(task) {
            state.server.arrive(now);
        }
    }

    /// The deadline that the job of `task` ranks by, if that is not its own.
    pub(super) fn served_until(&self, task: usize) -> Option<Instant> {
        if PLAIN {
            return None;
        }
        self.servers.get(task)?.as_ref().map(|state| state.server.absolute_deadline())
    }

    /// The server of `task` pays for the time that its job has held a processor since it last paid.
    pub(super) fn charge_server(&mut self, task: usize, now: Instant) {
        if PLAIN {
            return;
        }
        let Some(Some(state)) = self.servers.get_mut(task) else { return };
        let held = now - std::mem::replace(&mut state.charged_to, now);
        let Some(absolute_deadline) = state.server.charge(held) else { return };
        let job = self.tasks[task].serving.job;
        self.figures.tasks[task].postponements += 1;
        self.emit(now, task, job, EventKind::BudgetExhaustion);
        self.emit(now, task, job, EventKind::Replenishment { absolute_deadline });
    }

    fn end_quantum(&mut self, cpu: usize, quantum: Duration, now: Instant) {
        let task = self.cpus[cpu].running;
        let cluster = self.memberships[task].cluster;
        let decision = self.clusters[cluster].yield_now(Cpu::LOWEST.plus(cpu), now);
        self.set(Timer::Grant(cpu), now.saturating_add(quantum));
        if let Some(switch) = decision.switch() {
            self.step_back(task, cpu, now);
            self.dispatch(cluster, &switch, now);
        }
        self.open(cluster);
    }

    /// The job of `task` gives `cpu` away at the end of its quantum.
    fn step_back(&mut self, task: usize, cpu: usize, now: Instant) {
        self.tasks[task].remaining = self.timers.at(Timer::Completion(cpu)) - now;
        self.cpus[cpu].freed_at = Some(now);
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Yield { cpu: Cpu::LOWEST.plus(cpu) });
    }
}
