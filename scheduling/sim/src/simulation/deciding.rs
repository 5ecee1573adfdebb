//! The scheduler core decides, and its decisions are carried out: preemptions, migrations, dispatches.

use super::Simulation;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::timers::Timer;
use prazo_core::cpu::Cpu;
use prazo_core::event::EventKind;
use prazo_core::scheduler::Switch;
use prazo_core::time::Instant;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// Lets the scheduler decide about everything that happened at this instant.
    pub(super) fn settle(&mut self, now: Instant) {
        self.decide(now);
        if PLAIN {
            return;
        }
        if self.held.is_some() {
            while self.take_locks(now) {
                self.decide(now);
            }
        }
        if self.shared.is_some() {
            while self.request_shared(now) {
                self.decide(now);
            }
        }
        self.begin_supplied(now);
        if self.model.is_charged {
            self.charge_what_is_owed(now);
        }
    }

    /// Decisions until nobody more urgent waits, each carried out.
    fn decide(&mut self, now: Instant) {
        self.is_open = false;
        for cluster in 0..self.clusters.len() {
            if !std::mem::take(&mut self.unsettled[cluster]) {
                continue;
            }
            while let Some(switch) = self.clusters[cluster].settle().switch() {
                self.preempt(cluster, &switch, now);
                self.dispatch(cluster, &switch, now);
            }
        }
    }

    pub(super) fn preempt(&mut self, cluster: usize, switch: &Switch, now: Instant) {
        let Some(index) = switch.preempted else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        if self.ends_without_supply() {
            return;
        }
        self.tasks[task].remaining = self.timers.at(Timer::Completion(cpu)) - now;
        self.figures.tasks[task].preemptions += 1;
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Preemption { cpu: switch.cpu });
        self.charge_server(task, now);
        self.end_grant(cpu);
        self.forget_point(cpu);
    }

    pub(super) fn dispatch(&mut self, cluster: usize, switch: &Switch, now: Instant) {
        let Some(index) = switch.runs else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        if self.has_no_supply(task, cpu) {
            return;
        }
        self.begin(cluster, task, switch.cpu, now);
    }

    /// The job of `task` runs on processor `on` from now on.
    pub(super) fn begin(&mut self, cluster: usize, task: usize, on: Cpu, now: Instant) {
        let cpu = on.number() as usize;
        let start = now.max(self.cpus[cpu].held_until) + self.cost_of_dispatch(cluster, task, cpu, now);
        self.count_migration(task, on, now);
        let state = &mut self.tasks[task];
        let (job, end) = (state.serving.job, start + state.remaining);
        state.last_cpu = Some(cpu);
        self.cpus[cpu].running = task;
        self.emit(now, task, job, EventKind::Dispatch { cpu: on });
        self.set(Timer::Completion(cpu), end);
        self.begin_grant(task, cpu, now, start);
        self.await_point(cpu, start);
    }

    pub(super) fn count_migration(&mut self, task: usize, to: Cpu, now: Instant) {
        let state = &self.tasks[task];
        let from = state.last_cpu.map(|cpu| Cpu::LOWEST.plus(cpu)).filter(|from| *from != to);
        if let Some(from) = from {
            let job = state.serving.job;
            self.figures.tasks[task].migrations += 1;
            self.emit(now, task, job, EventKind::Migration { from, to });
        }
    }
}
