//! Jobs with critical sections on one processor under fixed priorities: what a lock's protocol does to those who wait.
//!
//! One job a task, the most urgent task first; sections are intervals of what a job has executed, nested or apart. Core's
//! [`Inheritance`] says who waits for whom and whose urgency is lent, this file makes time pass. Dispatching costs nothing.

use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, EventKind};
use prazo_core::inheritance::{Inheritance, Locking};
use prazo_core::job::TaskIndex;
use prazo_core::rank::Rank;
use prazo_core::time::{Duration, Instant};

/// Most tasks and locks.
pub const TASKS_MAX: usize = 16;
/// Most locks.
pub const LOCKS_MAX: usize = 8;

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedJob {
    /// When it arrives.
    pub release: Instant,
    /// What it executes; more than nothing.
    pub execution: Duration,
    /// Where it holds locks.
    pub sections: Vec<CriticalSection>,
}

/// A critical section, by what the job has executed: [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalSection {
    /// Which lock.
    pub lock: usize,
    /// It is wanted after so much ...
    pub from: Duration,
    /// ... and given back after so much.
    pub to: Duration,
}

/// Protocol of a lock for its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockProtocol {
    /// Nothing.
    Plain,
    /// It lends the urgency of the most urgent job that waits.
    Inherit,
    /// It makes the holder more urgent than all others.
    Protect,
}

/// What happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockSchedule {
    /// When each job ended.
    pub completions: Vec<Instant>,
    /// Everything, in order.
    pub events: Vec<Event>,
}

/// Two jobs wait for each other, over any number of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlock;

/// A lock is taken or given back after so much execution.
#[derive(Clone, Copy)]
struct Point {
    at: Duration,
    lock: usize,
    takes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Due,
    Ready,
    Waits,
    Done,
}

/// One job under way.
struct State {
    phase: Phase,
    executed: Duration,
    points: std::vec::IntoIter<Point>,
    next: Option<Point>,
    holds: u32,
}

struct Machine<'a> {
    jobs: &'a [LockedJob],
    protocol: LockProtocol,
    locks: Box<Inheritance<TASKS_MAX, LOCKS_MAX>>,
    states: Vec<State>,
    running: Option<usize>,
    now: Instant,
    outcome: LockSchedule,
}

/// Runs the jobs to their ends. Panics for more tasks or locks than there is room for.
pub fn run(jobs: &[LockedJob], protocol: LockProtocol) -> Result<LockSchedule, Deadlock> {
    assert!(jobs.len() <= TASKS_MAX, "at most sixteen jobs");
    let mut machine = Machine {
        jobs,
        protocol,
        locks: Box::new(Inheritance::new(jobs.len())),
        states: jobs.iter().map(State::new).collect(),
        running: None,
        now: Instant::EPOCH,
        outcome: LockSchedule { completions: vec![Instant::EPOCH; jobs.len()], events: Vec::new() },
    };
    while machine.step()? {}
    Ok(machine.outcome)
}

impl State {
    fn new(job: &LockedJob) -> Self {
        let mut points = points(&job.sections).into_iter();
        let next = points.next();
        Self { phase: Phase::Due, executed: Duration::ZERO, points, next, holds: 0 }
    }
}

/// At one instant locks are given back, the later taken first, and then others taken.
fn points(sections: &[CriticalSection]) -> Vec<Point> {
    let of = |section: &CriticalSection| {
        let point = |at, takes| Point { at, lock: section.lock, takes };
        let from = section.from.as_ns();
        [(point(section.from, true), from), (point(section.to, false), u64::MAX - from)]
    };
    let mut points: Vec<(Point, u64)> = sections.iter().flat_map(of).collect();
    points.sort_by_key(|(point, order)| (point.at, point.takes, *order));
    points.into_iter().map(|(point, _)| point).collect()
}

fn index(task: usize) -> TaskIndex {
    TaskIndex::new(task).expect("there are at most sixteen")
}

impl Machine<'_> {
    /// One thing that happens; false when all is done.
    fn step(&mut self) -> Result<bool, Deadlock> {
        self.release();
        self.choose();
        let Some(running) = self.running else { return Ok(self.idle()) };
        let state = &self.states[running];
        let point = state.next.filter(|point| point.at <= state.executed);
        match point {
            Some(point) => self.pass(running, point)?,
            None if state.executed == self.jobs[running].execution => self.complete(running),
            None => self.advance(running),
        }
        Ok(true)
    }

    fn add(&mut self, task: usize, kind: EventKind) {
        self.outcome.events.push(Event { at: self.now, task: index(task), job: 0, kind });
    }

    fn release(&mut self) {
        for task in 0..self.jobs.len() {
            if self.states[task].phase == Phase::Due && self.jobs[task].release <= self.now {
                self.states[task].phase = Phase::Ready;
                self.add(task, EventKind::Arrival);
                self.add(task, EventKind::Release);
            }
        }
    }

    /// Who is most urgent runs; a tie never preempts, and there is none.
    fn choose(&mut self) {
        let ready = (0..self.jobs.len()).filter(|task| self.states[*task].phase == Phase::Ready);
        let more_urgent = |best: usize, task: usize| self.rank(task).is_more_urgent_than(self.rank(best));
        let chosen = ready.reduce(|best, task| if more_urgent(best, task) { task } else { best });
        if chosen == self.running {
            return;
        }
        if let Some(before) = self.running.filter(|task| self.states[*task].phase == Phase::Ready) {
            self.add(before, EventKind::Preemption { cpu: Cpu::LOWEST });
        }
        self.running = chosen;
        if let Some(task) = chosen {
            self.add(task, EventKind::Dispatch { cpu: Cpu::LOWEST });
        }
    }

    fn own(task: usize) -> Rank {
        Rank::new(task as u64 + 1)
    }

    fn rank(&self, task: usize) -> Rank {
        match self.protocol {
            LockProtocol::Plain => Self::own(task),
            LockProtocol::Protect if self.states[task].holds > 0 => Rank::new(0),
            LockProtocol::Protect => Self::own(task),
            LockProtocol::Inherit => {
                self.locks.inherited(index(task)).map_or(Self::own(task), |lent| Self::own(task).or_more_urgent(lent))
            }
        }
    }

    /// Nobody is ready: on to the next release, if there is one.
    fn idle(&mut self) -> bool {
        let due = (0..self.jobs.len()).filter(|task| self.states[*task].phase == Phase::Due);
        match due.map(|task| self.jobs[task].release).min() {
            Some(next) => self.now = next,
            None => return false,
        }
        true
    }

    /// The running job takes a lock, waits for it, or gives it back.
    fn pass(&mut self, running: usize, point: Point) -> Result<(), Deadlock> {
        let mut lent = Vec::new();
        let note = |task: TaskIndex, rank: Option<Rank>| lent.push((task.index(), rank.is_some()));
        if point.takes {
            match self.locks.lock(point.lock, index(running), self.rank(running), note) {
                Locking::Holds => self.states[running].holds += 1,
                Locking::Waits => {
                    self.states[running].phase = Phase::Waits;
                    self.add(running, EventKind::Suspension);
                }
                Locking::Deadlock => return Err(Deadlock),
            }
        } else {
            self.states[running].holds -= 1;
            if let Some(next) = self.locks.unlock(point.lock, index(running), note) {
                let next = next.index();
                self.states[next].phase = Phase::Ready;
                self.states[next].holds += 1;
                self.add(next, EventKind::Resumption);
            }
        }
        let state = &mut self.states[running];
        state.next = state.points.next();
        // Who has given everything back and has nothing left to do ends at once, before others are chosen.
        let has_ended = state.next.is_none() && state.executed == self.jobs[running].execution && !point.takes;
        self.tell(&lent);
        if has_ended {
            self.complete(running);
        }
        Ok(())
    }

    /// Changes of urgency, where the locks lend any.
    fn tell(&mut self, lent: &[(usize, bool)]) {
        if self.protocol == LockProtocol::Inherit {
            for (task, is_lent) in lent {
                self.add(*task, if *is_lent { EventKind::Inheritance } else { EventKind::Disinheritance });
            }
        }
    }

    fn complete(&mut self, running: usize) {
        self.states[running].phase = Phase::Done;
        self.outcome.completions[running] = self.now;
        self.add(running, EventKind::Completion { cpu: Cpu::LOWEST });
    }

    /// Time passes up to the next release, the job's next point, or its end.
    fn advance(&mut self, running: usize) {
        let (state, job) = (&self.states[running], &self.jobs[running]);
        let until = state.next.map_or(job.execution, |point| point.at.min(job.execution));
        let due = self.states.iter().zip(self.jobs).filter(|(state, _)| state.phase == Phase::Due);
        let released = due.map(|(_, job)| job.release - self.now).min();
        let passes = released.map_or(until - state.executed, |released| released.min(until - state.executed));
        self.states[running].executed += passes;
        self.now += passes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_take_two_locks_in_opposite_orders_may_wait_for_each_other() {
        let nested = |outer, inner| {
            let ns = Duration::from_ns;
            let section = |lock, from| CriticalSection { lock, from: ns(from), to: ns(10) };
            vec![section(outer, 0), section(inner, 5)]
        };
        let job = |release, sections| LockedJob {
            release: Instant::from_ns(release),
            execution: Duration::from_ns(10),
            sections,
        };
        let jobs = [job(2, nested(0, 1)), job(0, nested(1, 0))];
        assert_eq!(run(&jobs, LockProtocol::Inherit), Err(Deadlock));
        assert!(run(&jobs, LockProtocol::Protect).is_ok(), "no section is preempted");
    }
}
