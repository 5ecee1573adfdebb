//! A bin while it is being filled: its tasks in ascending order of index, with running bounds of their utilization.

use super::{Bin, BinTest, Candidate, Fit};
use crate::exact::{self, Fraction, Interval};
use crate::{Finding, Margin, Quantity, Task};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// A task that looks for a bin.
pub struct Newcomer {
    pub index: usize,
    task: Task,
    utilization: Interval,
}

impl Newcomer {
    pub fn new(index: usize, tasks: &[Task]) -> Self {
        let task = tasks[index];
        Self { index, task, utilization: Interval::of(task.cost, task.period) }
    }
}

/// What became of an offer.
pub enum Offer {
    Taken { work: u64 },
    NoRoom,
    Refused { finding: Option<Finding>, work: u64 },
}

pub struct OpenBin {
    processors: u32,
    members: Vec<usize>,
    tasks: Vec<Task>,
    utilization: Interval,
    finding: Option<Finding>,
}

impl OpenBin {
    pub fn new(processors: u32) -> Self {
        Self { processors, members: Vec::new(), tasks: Vec::new(), utilization: Interval::ZERO, finding: None }
    }

    /// The bin as it stood with these members.
    pub fn with(processors: u32, members: &[usize], tasks: &[Task]) -> Self {
        let mut bin = Self::new(processors);
        for index in members {
            bin.insert(&Newcomer::new(*index, tasks));
        }
        bin
    }

    pub fn candidate(&self) -> Candidate<'_> {
        Candidate {
            tasks: &self.tasks,
            members: &self.members,
            interrupts: 0,
            processors: self.processors,
            utilization: self.utilization,
        }
    }

    /// Puts `newcomer` in if there is room and `test` agrees; else the bin stays as it was.
    pub fn offer(&mut self, newcomer: &Newcomer, test: &mut impl BinTest) -> Offer {
        if !self.has_room_for(newcomer) {
            return Offer::NoRoom;
        }
        let before = self.utilization;
        let place = self.insert(newcomer);
        let Fit { takes, finding, work } = test.fits(&self.candidate());
        let finding = finding.map(|finding| finding.with_tasks(|position| self.members[position]));
        if takes {
            self.finding = finding;
            return Offer::Taken { work };
        }
        self.members.remove(place);
        self.tasks.remove(place);
        self.utilization = before;
        Offer::Refused { finding, work }
    }

    /// How the spare capacities of two bins compare, exactly.
    pub fn compare_spare(&self, other: &Self) -> Ordering {
        // p - U < p' - U' where p + U' < p' + U.
        exact::compare_sums(self.processors_and_use_of(other), other.processors_and_use_of(self))
    }

    /// The bin as it is reported; `test` says how its tasks look with overheads.
    pub fn close(self, test: &mut impl BinTest) -> Bin {
        let inflated = if self.members.is_empty() { None } else { test.inflated(&self.candidate()) };
        Bin { processors: self.processors, tasks: self.members, inflated, finding: self.finding }
    }

    fn has_room_for(&self, newcomer: &Newcomer) -> bool {
        let terms = self.terms().chain([(newcomer.task.cost, newcomer.task.period)]);
        let sum = self.utilization + newcomer.utilization;
        exact::compare_sum_within(sum, terms, Ratio::whole(self.processors.into())) != Ordering::Greater
    }

    /// True if all of it together asks for no more than the bin's processors.
    pub fn within_capacity(&self) -> bool {
        let capacity = Ratio::whole(self.processors.into());
        exact::compare_sum_within(self.utilization, self.terms(), capacity) != Ordering::Greater
    }

    /// What there is to say of a bin that is not within its capacity.
    pub fn overdemand(&self) -> Finding {
        let (demand, capacity) = (self.utilization.to_f64(), f64::from(self.processors));
        let margin = Margin { demand, capacity, of: Quantity::Utilization };
        Finding::overdemand("capacity", None, Some(margin), 0)
    }

    fn insert(&mut self, newcomer: &Newcomer) -> usize {
        let place = self.members.partition_point(|member| *member < newcomer.index);
        self.members.insert(place, newcomer.index);
        self.tasks.insert(place, newcomer.task);
        self.utilization = self.utilization + newcomer.utilization;
        place
    }

    fn terms(&self) -> impl Iterator<Item = Fraction> {
        self.tasks.iter().map(|task| (task.cost, task.period))
    }

    /// This bin's processors and the other's utilization, as bounds and as terms.
    fn processors_and_use_of(&self, other: &Self) -> (Interval, impl Iterator<Item = Fraction>) {
        let processors = u64::from(self.processors);
        (other.utilization + Interval::whole(processors), other.terms().chain([(processors, 1)]))
    }
}
