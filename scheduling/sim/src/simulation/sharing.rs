//! Locks across processors: who waits spins where it is (MSRP), or is suspended until another processor's job gives back (FMLP+, MPCP).
//!
//! A spinning job keeps its processor and executes nothing: its end is no timer until it holds what it waits for. A job requests a
//! resource only if it is the one to run at the end of an instant; of those, the lowest processor's first.

use super::Simulation;
use crate::parts::Part;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use crate::timers::Timer;
use prazo_core::rank::Rank;
use prazo_core::time::{Duration, Instant};

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// Every running job that stands where a section of a shared resource begins requests it; true if one leaves its processor.
    pub(super) fn request_shared(&mut self, now: Instant) -> bool {
        for cpu in 0..self.cpus.len() {
            let task = self.cpus[cpu].running;
            let Some(shared) = self.shared.as_ref().filter(|_| task != NOBODY) else { continue };
            if shared.request(task).is_some() {
                continue;
            }
            let executed = self.executed(task, now).unwrap_or(Duration::ZERO);
            let begins = |part: &&Part| part.is_shared && part.from == executed;
            let Some(part) = self.model.parts.of_tasks[task].iter().find(begins).copied() else { continue };
            let Some((shared, resource)) = self.shared.as_mut().zip(part.resource) else { continue };
            let (holds, spins) = (shared.make(task, part, resource), shared.spins());
            self.figures.tasks[task].lock_waits += u64::from(!holds);
            self.rank_holders(self.memberships[task].cluster);
            if !holds && spins {
                self.spin(cpu, task, now);
            } else if !holds {
                self.leave(cpu, now);
                return true;
            }
        }
        false
    }

    fn spin(&mut self, cpu: usize, task: usize, now: Instant) {
        self.tasks[task].remaining = self.timers.at(Timer::Completion(cpu)) - now;
        self.set(Timer::Completion(cpu), Instant::NEVER);
        self.forget_point(cpu);
    }

    /// The job of `task` gives back what it holds if its section has ended, and whoever waits for it goes on.
    pub(super) fn give_back_shared(&mut self, task: usize, now: Instant) {
        if PLAIN {
            return;
        }
        let Some(request) = self.shared.as_ref().and_then(|shared| shared.request(task)).filter(|one| one.holds) else {
            return;
        };
        let is_running = self.cpus.iter().any(|cpu| cpu.running == task);
        let has_ended = !is_running || self.executed(task, now).is_none_or(|executed| request.part.to <= executed);
        let Some(shared) = self.shared.as_mut().filter(|_| has_ended) else { return };
        let (next, spins) = (shared.give_back(task), shared.spins());
        let giver = self.memberships[task];
        self.clusters[giver.cluster].lend(giver.index, None);
        self.rank_holders(giver.cluster);
        let Some(next) = next else { return };
        self.rank_holders(self.memberships[next].cluster);
        match self.cpus.iter().position(|cpu| cpu.running == next) {
            Some(cpu) if spins => {
                let end = now + self.tasks[next].remaining;
                self.set(Timer::Completion(cpu), end);
                self.await_point(cpu, now);
            }
            _ => self.come_back(next, now),
        }
    }

    /// Of the jobs of `cluster` that hold or spin, the first goes before all others; the rest wait for it.
    fn rank_holders(&mut self, cluster: usize) {
        let Some(shared) = &self.shared else { return };
        let first = shared.first(cluster);
        for &task in &self.members[cluster] {
            if shared.request(task).is_some() {
                let rank = (first == Some(task)).then(|| Rank::new(0));
                self.clusters[cluster].lend(self.memberships[task].index, rank);
            }
        }
        self.open(cluster);
    }
}
