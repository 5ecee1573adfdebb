//! What a job is granted in one go: a quantum under round robin, the budget of its constant-bandwidth server under EDF.
//!
//! A server pays for all the time that its job holds a processor, the costs of the dispatch included, from the instant of
//! the dispatch. Whatever ends that pays at once, so a budget is used up exactly when its timer fires, or when the job ends at
//! that same instant. The job then ranks by the postponed deadline, and goes on unless somebody is more urgent.

use super::{Membership, Simulation};
use crate::leaves::Timer;
use crate::sink::Sink;
use crate::timers::NEVER;
use prazo_core::cpu::Cpu;
use prazo_core::event::Kind;
use prazo_core::time::{Duration, Instant};

impl<S: Sink> Simulation<'_, S> {
    /// The job of `task` holds `cpu` from `now_ns` on and begins its own work at `start_ns`.
    pub(super) fn begin_grant(&mut self, task: usize, cpu: usize, now_ns: u64, start_ns: u64) {
        if let Some(quantum_ns) = self.quantum_ns {
            self.set(Timer::Grant(cpu), start_ns.saturating_add(quantum_ns));
        } else if let Some(Some(state)) = self.servers.get_mut(task) {
            state.charged_to_ns = now_ns;
            let end_ns = now_ns.saturating_add(state.server.budget().as_ns());
            self.set(Timer::Grant(cpu), end_ns);
        }
    }

    /// Nobody holds `cpu` any more.
    pub(super) fn end_grant(&mut self, cpu: usize) {
        if self.quantum_ns.is_some() || !self.servers.is_empty() {
            self.set(Timer::Grant(cpu), NEVER);
        }
    }

    /// What the job on `cpu` was granted is used up.
    pub(super) fn use_up_grant(&mut self, cpu: usize, now_ns: u64) {
        match self.quantum_ns {
            Some(quantum_ns) => self.end_quantum(cpu, quantum_ns, now_ns),
            None => self.use_up_budget(cpu, now_ns),
        }
    }

    fn use_up_budget(&mut self, cpu: usize, now_ns: u64) {
        let task = self.cpus[cpu].running;
        self.charge_server(task, now_ns);
        let Membership { cluster, index, .. } = self.memberships[task];
        if let Some(deadline) = self.served_until(task) {
            self.clusters[cluster].postpone(index, deadline);
            self.open(cluster);
        }
        self.begin_grant(task, cpu, now_ns, now_ns);
    }

    /// A job of `task` is released while none other is pending.
    pub(super) fn wake_server(&mut self, task: usize, now_ns: u64) {
        if let Some(Some(state)) = self.servers.get_mut(task) {
            state.server.arrive(Instant::from_ns(now_ns));
        }
    }

    /// The deadline that the job of `task` ranks by, if that is not its own.
    pub(super) fn served_until(&self, task: usize) -> Option<Instant> {
        self.servers.get(task)?.as_ref().map(|state| state.server.absolute_deadline())
    }

    /// The server of `task` pays for the time that its job has held a processor since it last paid.
    pub(super) fn charge_server(&mut self, task: usize, now_ns: u64) {
        let Some(Some(state)) = self.servers.get_mut(task) else { return };
        let held = Duration::from_ns(now_ns - std::mem::replace(&mut state.charged_to_ns, now_ns));
        let Some(absolute_deadline) = state.server.charge(held) else { return };
        let job = self.tasks[task].serving.job;
        self.figures.tasks[task].postponements += 1;
        self.emit(now_ns, task, job, Kind::BudgetExhaustion);
        self.emit(now_ns, task, job, Kind::Replenishment { absolute_deadline });
    }

    fn end_quantum(&mut self, cpu: usize, quantum_ns: u64, now_ns: u64) {
        let task = self.cpus[cpu].running;
        let cluster = self.memberships[task].cluster;
        let decision = self.clusters[cluster].yield_now(Cpu::LOWEST.plus(cpu), Instant::from_ns(now_ns));
        self.set(Timer::Grant(cpu), now_ns.saturating_add(quantum_ns));
        if let Some(switch) = decision.switch() {
            self.step_back(task, cpu, now_ns);
            self.dispatch(cluster, &switch, now_ns);
        }
        self.open(cluster);
    }

    /// The job of `task` gives `cpu` away at the end of its quantum.
    fn step_back(&mut self, task: usize, cpu: usize, now_ns: u64) {
        self.tasks[task].remaining_ns = self.timers.at(self.leaves.leaf(Timer::Completion(cpu))) - now_ns;
        self.cpus[cpu].freed_ns = Some(now_ns);
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Yield { cpu: Cpu::LOWEST.plus(cpu) });
    }
}
