//! What the platform takes for itself: interrupts hold up a processor, dispatches prolong the job (`charges.rs` says what).

use super::Simulation;
use crate::leaves::Timer;
use crate::sink::Sink;
use crate::state::NOBODY;
use crate::timers::NEVER;

impl<S: Sink> Simulation<'_, S> {
    /// The release interrupt holds up the first processor of the cluster.
    pub(super) fn charge_interrupt(&mut self, cluster: usize) {
        let cluster = &self.model.clusters[cluster];
        self.cpus[cluster.first_cpu as usize].owed_ns += cluster.charges.release_ns;
        self.is_open = true;
    }

    pub(super) fn tick(&mut self, now_ns: u64) {
        for cluster in &self.model.clusters {
            let cpus = cluster.first_cpu as usize..(cluster.first_cpu + cluster.cpus) as usize;
            self.cpus[cpus].iter_mut().for_each(|cpu| cpu.owed_ns += cluster.charges.tick_ns);
        }
        self.is_open = true;
        let period_ns = self.model.tick_period_ns.unwrap_or(NEVER);
        self.set(Timer::Tick, now_ns.saturating_add(period_ns));
    }

    /// What the platform takes before the job of `task` goes on, or begins, on `cpu`.
    pub(super) fn cost_of_dispatch(&mut self, cluster: usize, task: usize, cpu: usize, now_ns: u64) -> u64 {
        let cluster = &self.model.clusters[cluster];
        let fetch = &self.model.tasks[task].charges;
        let is_resumed = self.tasks[task].last_cpu.is_some();
        let fetch_ns = if is_resumed { fetch.reload_ns } else { fetch.initial_load_ns };
        let is_here = self.cpus[cpu].freed_ns == Some(now_ns)
            || (cpu == cluster.first_cpu as usize && !self.model.has_interrupt_processor);
        let ipi_ns = if is_here { 0 } else { cluster.charges.ipi_ns };
        let owed_ns = std::mem::take(&mut self.cpus[cpu].owed_ns);
        cluster.charges.dispatch_ns + fetch_ns + ipi_ns + owed_ns
    }

    /// Interrupts of this instant prolong the job that they held up, or hold up the next one.
    pub(super) fn charge_what_is_owed(&mut self, now_ns: u64) {
        for cpu in 0..self.cpus.len() {
            let state = &mut self.cpus[cpu];
            let owed_ns = std::mem::take(&mut state.owed_ns);
            if owed_ns == 0 {
                continue;
            }
            if state.running == NOBODY {
                state.held_until_ns = state.held_until_ns.max(now_ns) + owed_ns;
            } else {
                let leaf = self.leaves.leaf(Timer::Completion(cpu));
                self.timers.set(leaf, self.timers.at(leaf) + owed_ns);
            }
        }
    }
}
