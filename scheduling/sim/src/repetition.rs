//! Does everything repeat? Then what was seen is all there will ever be, and "no miss" is a proof.
//!
//! With synchronous periodic arrivals and every job as long as its bound, the future depends on nothing but what is pending
//! and who runs. The state is looked at once a hyperperiod and compared with one older state, which is replaced at powers of
//! two (Brent, BIT 1980), so that memory does not grow with the search. With D <= T and no miss, nothing is pending at the
//! first hyperperiod; with D > T a backlog may build up over many.
//!
//! What it proves: no job of *this* arrival pattern misses, also if jobs end earlier than their bound (Ha and Liu, ICDCS
//! 1994: preemptive, independent jobs with fixed priorities of jobs). What it does not: anything about sporadic arrivals or
//! other offsets under global scheduling, where synchronous arrivals need not be the worst. On one processor they are, under
//! EDF and fixed priorities. Nothing is claimed with overheads (what interrupts cost depends on processors), under round
//! robin, or where the least common multiple of the periods does not fit.

use crate::model::{Model, NS_MAX, Policy};
use crate::state::TaskState;
use crate::timers::NEVER;

/// From where on a schedule repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The first instant whose state was found again.
    pub from_ns: u64,
    /// After this long.
    pub period_ns: u64,
}

/// What the future of one task depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TaskSnapshot {
    pending: u64,
    /// How many jobs beyond the oldest pending one are already known to be late or done.
    judged: u64,
    remaining_ns: u64,
    is_running: bool,
}

/// The search for a repetition.
#[derive(Clone, Debug)]
pub struct Repetition {
    hyperperiod_ns: u64,
    next_ns: u64,
    saved: Vec<TaskSnapshot>,
    saved_ns: u64,
    /// Hyperperiods since the state was saved, and how many it is kept for.
    age: u64,
    patience: u64,
    found: Option<Repeats>,
}

impl Repetition {
    /// A search over the schedule of `model`; `None` where a repetition would prove nothing.
    pub fn of(model: &Model) -> Option<Self> {
        let is_timed = matches!(model.policy, Policy::RoundRobin { .. });
        if !model.is_determined || model.is_charged || is_timed {
            return None;
        }
        let hyperperiod_ns = hyperperiod_ns(model)?;
        let nothing = TaskSnapshot { pending: 0, judged: 0, remaining_ns: 0, is_running: false };
        Some(Self {
            hyperperiod_ns,
            next_ns: hyperperiod_ns,
            saved: vec![nothing; model.tasks.len()],
            saved_ns: 0,
            age: 0,
            patience: 1,
            found: None,
        })
    }

    /// The next multiple of the hyperperiod to look at, once all jobs that end there have ended.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Compares the state at that multiple; `remaining` tells what a task's job needs there, and whether it runs.
    pub fn look(&mut self, tasks: &[TaskState], remaining: impl Fn(usize, u64) -> (u64, bool)) -> bool {
        let at_ns = self.next_ns;
        self.age += 1;
        self.next_ns = at_ns.saturating_add(self.hyperperiod_ns);
        let states = || tasks.iter().enumerate().map(|(index, task)| snapshot(task, remaining(index, at_ns)));
        if states().eq(self.saved.iter().copied()) {
            let period_ns = at_ns - self.saved_ns;
            self.found = Some(Repeats { from_ns: self.saved_ns, period_ns });
            self.next_ns = NEVER;
            return true;
        }
        if self.age == self.patience {
            self.saved = states().collect();
            (self.saved_ns, self.age, self.patience) = (at_ns, 0, self.patience.saturating_mul(2));
        }
        false
    }

    /// What was found.
    pub fn repeats(&self) -> Option<Repeats> {
        self.found
    }
}

fn snapshot(task: &TaskState, (remaining_ns, is_running): (u64, bool)) -> TaskSnapshot {
    let pending = task.pending();
    let judged = task.due.job - task.serving.job;
    if pending == 0 {
        return TaskSnapshot { pending, judged, remaining_ns: 0, is_running: false };
    }
    TaskSnapshot { pending, judged, remaining_ns, is_running }
}

/// The least common multiple of the periods; `None` above 2^61 ns.
fn hyperperiod_ns(model: &Model) -> Option<u64> {
    let periods = model.tasks.iter().map(|task| task.pattern.period_ns);
    periods.into_iter().try_fold(1u64, |multiple, period_ns| {
        let common = gcd(multiple, period_ns);
        multiple.checked_mul(period_ns / common).filter(|ns| *ns <= NS_MAX)
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
