//! What the platform takes for itself: interrupts hold up a processor, dispatches prolong the job (`charges.rs` says what).

use super::Simulation;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use crate::timers::Timer;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// The release interrupt holds up the first processor of the cluster.
    pub(super) fn charge_interrupt(&mut self, cluster: usize) {
        if PLAIN {
            return;
        }
        let cluster = &self.model.clusters[cluster];
        self.cpus[cluster.first_cpu as usize].owed += cluster.charges.release;
        self.is_open = true;
    }

    pub(super) fn tick(&mut self, now: Instant) {
        for cluster in &self.model.clusters {
            let cpus = cluster.first_cpu as usize..(cluster.first_cpu + cluster.cpus) as usize;
            self.cpus[cpus].iter_mut().for_each(|cpu| cpu.owed += cluster.charges.tick);
        }
        self.is_open = true;
        let next = self.model.tick_period.map_or(Instant::NEVER, |period| now.saturating_add(period));
        self.set(Timer::Tick, next);
    }

    /// What the platform takes before the job of `task` goes on, or begins, on `cpu`.
    pub(super) fn cost_of_dispatch(&mut self, cluster: usize, task: usize, cpu: usize, now: Instant) -> Duration {
        if PLAIN {
            return Duration::ZERO;
        }
        let cluster = &self.model.clusters[cluster];
        let fetch = &self.model.tasks[task].charges;
        let is_resumed = self.tasks[task].last_cpu.is_some();
        let fetch = if is_resumed { fetch.reload } else { fetch.initial_load };
        let is_here = self.cpus[cpu].freed_at == Some(now)
            || (cpu == cluster.first_cpu as usize && !self.model.has_interrupt_processor);
        let ipi = if is_here { Duration::ZERO } else { cluster.charges.ipi };
        let owed = std::mem::take(&mut self.cpus[cpu].owed);
        cluster.charges.dispatch + fetch + ipi + owed
    }

    /// Interrupts of this instant prolong the job that they held up, or hold up the next one.
    pub(super) fn charge_what_is_owed(&mut self, now: Instant) {
        for cpu in 0..self.cpus.len() {
            let state = &mut self.cpus[cpu];
            let owed = std::mem::take(&mut state.owed);
            if owed.is_zero() {
                continue;
            }
            if state.running == NOBODY {
                state.held_until = state.held_until.max(now) + owed;
            } else {
                let timer = Timer::Completion(cpu);
                self.set(timer, self.timers.at(timer) + owed);
            }
        }
    }
}
