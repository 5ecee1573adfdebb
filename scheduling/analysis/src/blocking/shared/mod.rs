//! Tasks of several processors that share resources: what a job waits for them, and each processor as if it were alone.
//!
//! Every task has a processor of its own, which schedules its tasks by fixed priorities or EDF. A job requests each resource at most so
//! often, holds it for at most so long at a time, and never requests one while it holds another. One file a protocol says how long a job
//! waits. With that, each processor becomes a [`System`] that `fixed_priority` and `edf` know:
//!
//! ```text
//! msrp         C + what its jobs spin; a request with its spinning is a part that is not preempted; other resources: SRP
//! fmlp+, mpcp  C, and S = all the time for which a job is pending while neither it nor a more urgent one of its processor executes
//! ```
//!
//! The second line needs an argument. Take any schedule under such a protocol, and say that a job is suspended whenever it is pending and
//! neither it nor a more urgent job of its processor executes. Whoever executes then is the most urgent job that is not suspended: all
//! that are more urgent are suspended by this definition. So it is a schedule of tasks that suspend themselves for at most S a
//! job, at any instants, and all that is proven of those holds here: [`suspension`](super::suspension) with R - C as jitter, or
//! suspension as execution. Nothing relies on a synchronous release, nor is S the jitter of a task that waits, as in Lakshmanan, de Niz,
//! Rajkumar, RTSS 2009, of MPCP: that is refuted (Chen and others, "Many suspensions, many problems", Real-Time Systems 55, 2019).
//!
//! A job in the way of no other processor may still be blocked on its own. What disproves a set is one processor alone, with nobody
//! on the others: a request is a part that is not preempted there. Waits are upper bounds, so nothing else is disproven.

mod fmlp;
mod mpcp;
mod placed;
mod spin;

pub use placed::{Open, Placed, Waits};

use super::arrivals;
use super::system::System;
use super::terms;
use crate::{Budget, Task, Ticks};
use prazo_core::behaviour::{Behaviour, CriticalSection, Locking, NonPreemptive};

/// Every task as its processor sees it.
#[derive(Clone, Debug)]
pub struct Alone {
    tasks: Vec<Task>,
    /// Without their sections.
    of_tasks: Vec<Behaviour<'static>>,
    /// By task: the sections of resources that no other processor uses.
    sections: Vec<Vec<CriticalSection>>,
}

impl Placed<'_> {
    /// What a job of each task waits, at most, apart from sections of its own processor under MSRP.
    fn waits(&self, budget: &mut Budget) -> Result<Vec<Waits>, Open> {
        match self.behaviours.locking {
            Locking::Fmlp => Ok(fmlp::waits(self)),
            Locking::Mpcp => mpcp::waits(self, budget),
            _ => Ok(spin::waits(self)),
        }
    }

    /// Each processor alone, with the waits of each task.
    pub fn alone(&self, budget: &mut Budget) -> Result<(Alone, Vec<Waits>), Open> {
        let mut waits = self.waits(budget)?;
        self.check(&waits)?;
        let part = |task: usize| {
            let shared = self.sections(task).iter().filter(|section| self.is_shared(section.resource));
            let spun = shared.map(|section| spin::of(self, task, section.resource) + u128::from(section.length));
            if self.spins() { spun.max().unwrap_or(0) } else { 0 }
        };
        let alone = self.seen(&waits, part);
        if self.spins() {
            for (task, by) in self.processors().iter().flat_map(|members| alone.blocked(members, self.order.is_some()))
            {
                waits[task].local = by;
            }
        }
        Ok((alone, waits))
    }

    /// Each processor where no task of the others ever arrives.
    pub fn undisturbed(&self) -> Alone {
        // A job that holds a semaphore is more urgent than all jobs that arrive, so it is not preempted.
        let part = |task: usize| {
            let held = self.sections(task).iter().filter(|one| !self.spins() || self.is_shared(one.resource));
            held.map(|section| section.length.into()).max().unwrap_or(0)
        };
        self.seen(&vec![Waits::default(); self.tasks.len()], part)
    }

    fn spins(&self) -> bool {
        !matches!(self.behaviours.locking, Locking::Fmlp | Locking::Mpcp)
    }

    /// The tasks of each processor, the most urgent first.
    fn processors(&self) -> Vec<Vec<usize>> {
        let mut used: Vec<u32> = self.places.to_vec();
        used.sort_unstable();
        used.dedup();
        let all: Vec<usize> = self.order.map_or_else(|| (0..self.tasks.len()).collect(), <[usize]>::to_vec);
        let of = |place: u32| all.iter().copied().filter(|&task| self.places[task] == place).collect();
        used.into_iter().map(of).collect()
    }

    /// Refuses waits with which no job is in time, and work beyond 48 bits.
    fn check(&self, waits: &[Waits]) -> Result<(), Open> {
        for (index, (task, wait)) in self.tasks.iter().zip(waits).enumerate() {
            let own = u128::from(task.cost) + wait.remote + wait.local;
            if own + u128::from(task.jitter) > task.deadline.into() {
                return Err(Open::Late(index, own + u128::from(task.jitter)));
            }
            let longer = Task { cost: own as Ticks, ..*task };
            let Behaviour { burst, curve, .. } = self.behaviours.of(index);
            let fits = burst.is_none_or(|burst| arrivals::is_possible(&longer, burst))
                && curve.is_none_or(|curve| arrivals::is_possible_curve(&longer, &curve));
            if !fits {
                return Err(Open::Large(index));
            }
        }
        Ok(())
    }

    /// With these waits, where `part` of each task is not preempted.
    fn seen(&self, waits: &[Waits], part: impl Fn(usize) -> u128) -> Alone {
        let mut alone = Alone { tasks: Vec::new(), of_tasks: Vec::new(), sections: Vec::new() };
        for (index, (task, wait)) in self.tasks.iter().zip(waits).enumerate() {
            let Behaviour { burst, curve, sections, .. } = self.behaviours.of(index);
            let wait = (wait.remote + wait.local) as Ticks;
            let (cost, suspension) = if self.spins() { (task.cost + wait, 0) } else { (task.cost, wait) };
            let non_preemptive = NonPreemptive::floating(part(index) as Ticks);
            let own = sections.iter().filter(|one| self.spins() && !self.is_shared(one.resource));
            alone.tasks.push(Task { cost, ..*task });
            alone.of_tasks.push(Behaviour { non_preemptive, burst, curve, suspension, cost_high: None, sections: &[] });
            alone.sections.push(own.copied().collect());
        }
        alone
    }
}

impl Alone {
    /// The tasks `members` of one processor, in this order.
    pub fn system(&self, members: &[usize]) -> System<'_> {
        let tasks = members.iter().map(|&task| self.tasks[task]).collect();
        let behaviour = |&task: &usize| Behaviour { sections: &self.sections[task], ..self.of_tasks[task] };
        System::new(tasks, members.iter().map(behaviour).collect(), Locking::Srp)
    }

    /// By what each of `members`, the most urgent first under fixed priorities, is blocked on its processor under MSRP.
    fn blocked(&self, members: &[usize], has_priorities: bool) -> Vec<(usize, u128)> {
        let system = self.system(members);
        let by: Vec<Ticks> = if has_priorities {
            terms::fixed_priority(&system)
        } else {
            // While an earlier deadline than this job's waits at a ceiling, this job does not start either: what blocks any window that
            // ends at its deadline blocks it. With release jitter, a job may be released after one that is due later.
            let windows = |task: &Task| [task.deadline, task.deadline.saturating_sub(task.jitter)];
            let longest = |task: &Task| {
                let longer = system.tasks.iter().flat_map(windows).filter(|length| *length > task.deadline);
                let lengths = windows(task).into_iter().chain(longer);
                let blocked = |length: Ticks| (0..members.len()).map(move |blocker| (blocker, length));
                let by =
                    lengths.flat_map(blocked).map(|(blocker, length)| terms::within(&system, blocker, length.into()));
                by.max().unwrap_or(0)
            };
            system.tasks.iter().map(longest).collect()
        };
        members.iter().copied().zip(by.into_iter().map(u128::from)).collect()
    }
}
