//! The scheduler core decides, and its decisions are carried out: preemptions, migrations, dispatches.

use super::Simulation;
use crate::leaves::Timer;
use crate::sink::Sink;
use prazo_core::cpu::Cpu;
use prazo_core::event::Kind;
use prazo_core::scheduler::Switch;

impl<S: Sink> Simulation<'_, S> {
    /// Lets the scheduler decide about everything that happened at this instant.
    pub(super) fn settle(&mut self, now_ns: u64) {
        self.is_open = false;
        for cluster in 0..self.clusters.len() {
            if !std::mem::take(&mut self.unsettled[cluster]) {
                continue;
            }
            while let Some(switch) = self.clusters[cluster].settle().switch() {
                self.preempt(cluster, &switch, now_ns);
                self.dispatch(cluster, &switch, now_ns);
            }
        }
        if self.model.is_charged {
            self.charge_what_is_owed(now_ns);
        }
    }

    pub(super) fn preempt(&mut self, cluster: usize, switch: &Switch, now_ns: u64) {
        let Some(index) = switch.preempted else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        self.tasks[task].remaining_ns = self.timers.at(self.leaves.leaf(Timer::Completion(cpu))) - now_ns;
        self.figures.tasks[task].preemptions += 1;
        let job = self.tasks[task].serving.job;
        self.emit(now_ns, task, job, Kind::Preemption { cpu: switch.cpu });
        self.charge_server(task, now_ns);
        self.end_grant(cpu);
    }

    pub(super) fn dispatch(&mut self, cluster: usize, switch: &Switch, now_ns: u64) {
        let Some(index) = switch.runs else { return };
        let (task, cpu) = (self.members[cluster][index.index()], switch.cpu.number() as usize);
        let start_ns = now_ns.max(self.cpus[cpu].held_until_ns) + self.cost_of_dispatch(cluster, task, cpu, now_ns);
        self.count_migration(task, switch.cpu, now_ns);
        let state = &mut self.tasks[task];
        let (job, end_ns) = (state.serving.job, start_ns + state.remaining_ns);
        state.last_cpu = Some(cpu);
        self.cpus[cpu].running = task;
        self.emit(now_ns, task, job, Kind::Dispatch { cpu: switch.cpu });
        self.set(Timer::Completion(cpu), end_ns);
        self.begin_grant(task, cpu, now_ns, start_ns);
    }

    pub(super) fn count_migration(&mut self, task: usize, to: Cpu, now_ns: u64) {
        let state = &self.tasks[task];
        let from = state.last_cpu.map(|cpu| Cpu::LOWEST.plus(cpu)).filter(|from| *from != to);
        if let Some(from) = from {
            let job = state.serving.job;
            self.figures.tasks[task].migrations += 1;
            self.emit(now_ns, task, job, Kind::Migration { from, to });
        }
    }
}
