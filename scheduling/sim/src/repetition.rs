//! Does everything repeat? Then what was seen is all there will ever be, and "no miss" is a proof.
//!
//! With synchronous periodic arrivals and every job as long as its bound, the future depends on nothing but what is pending
//! and who runs. The state is looked at once a hyperperiod and compared with one older state, which is replaced at powers of
//! two (Brent, BIT 1980), so that memory does not grow with the search. With D <= T and no miss, nothing is pending at the
//! first hyperperiod; with D > T a backlog may build up over many.
//!
//! What it proves: no job of *this* arrival pattern misses, even if jobs end earlier than their bound (Ha and Liu,
//! ICDCS 1994: preemptive, independent jobs with fixed priorities of jobs). What it does not: anything about sporadic
//! arrivals or other offsets under global scheduling, where synchronous arrivals need not be the worst. On one
//! processor they are, under EDF and fixed priorities. Nothing is claimed with overheads (what interrupts cost depends
//! on processors), under round robin, or where the least common multiple of the periods does not fit.

use crate::model::{LONGEST, Model};
use crate::state::TaskState;
use prazo_core::time::{Duration, Instant};

/// The instant from which a schedule repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The first instant whose state was found again.
    pub from: Instant,
    /// Period of the repetition.
    pub period: Duration,
}

/// What the future of one task depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TaskSnapshot {
    pending: u64,
    /// How many jobs beyond the oldest pending one are already known to be late or done.
    judged: u64,
    remaining: Duration,
    is_running: bool,
}

/// The search for a repetition.
#[derive(Clone, Debug)]
pub struct Repetition {
    hyperperiod: Duration,
    next: Instant,
    saved: Vec<TaskSnapshot>,
    saved_at: Instant,
    /// Hyperperiods since the state was saved, and how many it is kept for.
    age: u64,
    patience: u64,
    found: Option<Repeats>,
}

impl Repetition {
    /// A search over the schedule of `model`; `None` where a repetition would prove nothing.
    pub fn of(model: &Model) -> Option<Self> {
        // What is saved of a task does not tell how much of its quantum is left.
        if !model.is_determined || model.is_charged || model.policy.quantum().is_some() {
            return None;
        }
        let hyperperiod = hyperperiod(model)?;
        let nothing = TaskSnapshot { pending: 0, judged: 0, remaining: Duration::ZERO, is_running: false };
        Some(Self {
            hyperperiod,
            next: Instant::EPOCH + hyperperiod,
            saved: vec![nothing; model.tasks.len()],
            saved_at: Instant::EPOCH,
            age: 0,
            patience: 1,
            found: None,
        })
    }

    /// The next multiple of the hyperperiod to look at, once all jobs that end there have ended.
    #[inline]
    pub fn next(&self) -> Instant {
        self.next
    }

    /// Compares the state at that multiple; `remaining` tells what a task's job needs there, and whether it runs.
    pub fn look(&mut self, tasks: &[TaskState], remaining: impl Fn(usize, Instant) -> (Duration, bool)) -> bool {
        let at = self.next;
        self.age += 1;
        self.next = at.saturating_add(self.hyperperiod);
        let states = || tasks.iter().enumerate().map(|(index, task)| snapshot(task, remaining(index, at)));
        if states().eq(self.saved.iter().copied()) {
            self.found = Some(Repeats { from: self.saved_at, period: at - self.saved_at });
            self.next = Instant::NEVER;
            return true;
        }
        if self.age == self.patience {
            self.saved = states().collect();
            (self.saved_at, self.age, self.patience) = (at, 0, self.patience.saturating_mul(2));
        }
        false
    }

    /// What was found.
    pub fn repeats(&self) -> Option<Repeats> {
        self.found
    }
}

fn snapshot(task: &TaskState, (remaining, is_running): (Duration, bool)) -> TaskSnapshot {
    let pending = task.pending();
    let judged = task.due.job - task.serving.job;
    if pending == 0 {
        return TaskSnapshot { pending, judged, remaining: Duration::ZERO, is_running: false };
    }
    TaskSnapshot { pending, judged, remaining, is_running }
}

/// The least common multiple of the periods; `None` above 2^61 ns.
fn hyperperiod(model: &Model) -> Option<Duration> {
    model.tasks.iter().map(|task| task.pattern.period).try_fold(Duration::from_ns(1), |multiple, period| {
        let common = gcd(multiple.as_ns(), period.as_ns());
        multiple.checked_mul(period.as_ns() / common).filter(|multiple| *multiple <= LONGEST)
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
