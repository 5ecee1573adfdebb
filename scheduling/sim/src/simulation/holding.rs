//! Locks under priority inheritance and the priority ceiling protocol: a job waits where its own section begins.
//!
//! Under inheritance it waits for the resource, under the ceiling protocol for the one that others hold with the highest ceiling, unless its level
//! is above that. Core's [`Inheritance`](inheritance::Inheritance) lends its urgency to the holder. When a resource is given back, the most urgent job
//! that waits for it holds it under inheritance; under the ceiling protocol all of them try again. A job takes a lock only if it is the
//! one to run at the end of an instant.
//!
//! Sha, Rajkumar and Lehoczky, "Priority inheritance protocols", IEEE Transactions on Computers 39(9), 1990.

use super::Simulation;
use crate::parts::Part;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use prazo_core::behaviour::Locking;
use prazo_core::event::EventKind;
use prazo_core::inheritance;
use prazo_core::job::TaskIndex;
use prazo_core::rank::Rank;
use prazo_core::time::{Duration, Instant};

type Lent = Vec<(TaskIndex, Option<Rank>)>;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// Every running job that stands where a section of its begins takes the lock, or waits; true if one waits.
    pub(super) fn take_locks(&mut self, now: Instant) -> bool {
        for cpu in 0..self.cpus.len() {
            let task = self.cpus[cpu].running;
            if task == NOBODY {
                continue;
            }
            let executed = self.executed(task, now).unwrap_or(Duration::ZERO);
            let begins = |part: &&Part| part.resource.is_some() && part.from == executed;
            let Some(part) = self.model.parts.of_tasks[task].iter().find(begins).copied() else { continue };
            if !self.take_lock(task, part, now) {
                self.figures.tasks[task].lock_waits += 1;
                self.leave(cpu, now);
                return true;
            }
        }
        false
    }

    /// False if the job has to wait.
    fn take_lock(&mut self, task: usize, part: Part, now: Instant) -> bool {
        let (index, level) = (self.memberships[task].index, self.model.parts.levels[task]);
        let (Some(held), Some(resource)) = (&mut self.held, part.resource) else { return true };
        if held.sections[task].is_some() {
            return true;
        }
        let waits_for = held.in_the_way(index, resource, self.model.parts.locking, level).unwrap_or(resource);
        let mut lent = Lent::new();
        let rank = Rank::strict(level, index);
        let locked = held.locks.lock(waits_for as usize, index, rank, |task, rank| lent.push((task, rank)));
        let holds = locked == inheritance::Locking::Holds;
        // Sections do not nest, so nobody who holds a lock waits for one.
        assert!(locked != inheritance::Locking::Deadlock, "a job that waits holds nothing");
        if holds {
            held.sections[task] = Some(part);
        } else {
            held.wanted[task] = Some(part);
        }
        self.lend(&lent, now);
        holds
    }

    /// The job of `task` gives its lock back if its section has ended.
    pub(super) fn give_back(&mut self, task: usize, now: Instant) {
        if PLAIN || self.held.is_none() {
            return;
        }
        let has_completed = !self.cpus.iter().any(|cpu| cpu.running == task);
        let executed = self.executed(task, now).filter(|_| !has_completed);
        let Some(held) = &mut self.held else { return };
        let ended = held.sections[task].filter(|part| executed.is_none_or(|executed| part.to <= executed));
        let Some(resource) = ended.and_then(|part| part.resource) else { return };
        held.sections[task] = None;
        let (mut lent, mut woken) = (Lent::new(), Vec::new());
        let giver = self.memberships[task].index;
        let mut holder = giver;
        while let Some(next) = held.locks.unlock(resource as usize, holder, |task, rank| lent.push((task, rank))) {
            woken.push(next);
            if self.model.parts.locking == Locking::Pip {
                break;
            }
            holder = next;
        }
        if self.model.parts.locking == Locking::Pcp {
            // Those that try again hold nothing, whatever the locks lent them in between.
            lent.retain(|(index, _)| *index == giver);
        }
        let woken: Vec<usize> = woken.iter().map(|next| self.members[0][next.index()]).collect();
        for next in &woken {
            let wanted = held.wanted[*next].take();
            if self.model.parts.locking == Locking::Pip {
                held.sections[*next] = wanted;
            }
        }
        self.lend(&lent, now);
        woken.into_iter().for_each(|next| self.come_back(next, now));
    }

    /// Jobs that run at another rank from now on.
    fn lend(&mut self, lent: &[(TaskIndex, Option<Rank>)], now: Instant) {
        for (index, rank) in lent {
            // All that wait for locks share one queue.
            self.clusters[0].lend(*index, *rank);
            let task = self.members[0][index.index()];
            let own = Rank::strict(self.model.parts.levels[task], *index);
            let inherits = rank.is_some_and(|rank| rank.is_more_urgent_than(own));
            let Some(held) = &mut self.held else { continue };
            let kind = match (std::mem::replace(&mut held.inherits[task], inherits), inherits) {
                (_, true) => EventKind::Inheritance,
                (true, false) => EventKind::Disinheritance,
                (false, false) => continue,
            };
            self.emit(now, task, self.tasks[task].serving.job, kind);
        }
    }
}
