//! The tasks with their processors, and what each protocol asks about them.

use crate::Task;
use crate::budget::Spent;
use prazo_core::behaviour::{Behaviours, CriticalSection};

/// Tasks, each on its processor.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// What they do.
    pub behaviours: Behaviours<'a>,
    /// Processor of each task.
    pub places: &'a [u32],
    /// All tasks, the most urgent first; `None` under EDF.
    pub order: Option<&'a [usize]>,
}

/// What a job waits for others' requests, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// For those of tasks on other processors.
    pub remote: u128,
    /// For those of tasks on its own.
    pub local: u128,
}

/// Why the processors cannot be seen alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// A job of this task may execute and wait for so long, more than its deadline.
    Late(usize, u128),
    /// The work of a burst of this task exceeds 2^48 ticks.
    Large(usize),
    /// The budget ended.
    Spent,
}

impl From<Spent> for Open {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl<'a> Placed<'a> {
    pub(super) fn sections(&self, task: usize) -> &'a [CriticalSection] {
        self.behaviours.of(task).sections
    }

    /// How many requests a job of `task` makes at most.
    pub(super) fn requests(&self, task: usize) -> u128 {
        self.sections(task).iter().map(|section| u128::from(section.requests)).sum()
    }

    /// The longest request of `task`.
    pub(super) fn longest(&self, task: usize) -> u128 {
        self.sections(task).iter().map(|section| section.length.into()).max().unwrap_or(0)
    }

    /// The longest request of `task` for `resource`; 0 if there is none.
    pub(super) fn held(&self, task: usize, resource: u32) -> u128 {
        let of = self.sections(task).iter().filter(|section| section.resource == resource);
        of.map(|section| section.length.into()).max().unwrap_or(0)
    }

    /// The tasks of the same processor, without `task`.
    pub(super) fn neighbours(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.tasks.len()).filter(move |&other| other != task && self.places[other] == self.places[task])
    }

    /// True if tasks of several processors use `resource`.
    pub(super) fn is_shared(&self, resource: u32) -> bool {
        let mut users = (0..self.tasks.len()).filter(|&task| self.held(task, resource) > 0);
        let first = users.next();
        first.is_some_and(|first| users.any(|other| self.places[other] != self.places[first]))
    }

    /// The place of each task in the order of urgency, 0 the most urgent; all 0 under EDF.
    pub(super) fn urgencies(&self) -> Vec<usize> {
        let mut places = vec![0; self.tasks.len()];
        self.order.unwrap_or_default().iter().enumerate().for_each(|(place, &task)| places[task] = place);
        places
    }

    /// The requests of less urgent tasks that a job of `task` waits for while it requests nothing: those that its processor has begun
    /// when it is released, and when each request of its own ends.
    ///
    /// A less urgent task runs before this job only where it holds something, and requests something only while it runs without. While the
    /// job is ready it does not, so one request of each task at most was made before.
    pub(super) fn begun_by_others(&self, task: usize) -> u128 {
        let urgencies = self.urgencies();
        let may_block = |&other: &usize| self.order.is_none() || urgencies[other] > urgencies[task];
        let all: u128 = self.neighbours(task).filter(may_block).map(|other| self.longest(other)).sum();
        (self.requests(task) + 1) * all
    }
}
