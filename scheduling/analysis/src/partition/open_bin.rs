//! A bin while it is being filled: its tasks in ascending order of index, with their utilization between bounds and exactly.

use super::utilization::ends_with_its_period;
use super::{Bin, BinTest, Candidate, Fit};
use crate::exact::grouped::{Compared, Grouped};
use crate::exact::{Fraction, Interval};
use crate::{Finding, Margin, Quantity, Task};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// A task that looks for a bin.
pub(crate) struct Newcomer {
    pub index: usize,
    task: Task,
    utilization: Interval,
}

impl Newcomer {
    pub(crate) fn new(index: usize, tasks: &[Task]) -> Self {
        let task = tasks[index];
        Self { index, task, utilization: Interval::of(task.cost, task.period) }
    }

    /// C/T.
    pub(crate) fn fraction(&self) -> Fraction {
        (self.task.cost, self.task.period)
    }
}

/// What became of an offer, and what it cost.
pub(crate) struct Offer {
    pub outcome: Insertion,
    pub work: u64,
}

/// Does the bin hold the task now?
pub(crate) enum Insertion {
    Taken,
    NoRoom,
    Refused(Option<Finding>),
}

pub(crate) struct OpenBin {
    processors: u32,
    members: Vec<usize>,
    tasks: Vec<Task>,
    utilization: Interval,
    /// The same as a sum of fractions, for the few comparisons that the bounds cannot decide; without `unsummed`.
    exact: Grouped,
    /// Those that have joined since the last such comparison: mostly all of them, and no sum is ever needed.
    unsummed: Vec<Fraction>,
    /// How many tasks have a deadline that is not the end of their period.
    unlike_period: usize,
    finding: Option<Finding>,
}

impl OpenBin {
    pub(crate) fn new(processors: u32) -> Self {
        Self {
            processors,
            members: Vec::new(),
            tasks: Vec::new(),
            utilization: Interval::ZERO,
            exact: Grouped::default(),
            unsummed: Vec::new(),
            unlike_period: 0,
            finding: None,
        }
    }

    /// The bin as it stood with these members.
    pub(crate) fn with(processors: u32, members: &[usize], tasks: &[Task]) -> Self {
        let mut bin = Self::new(processors);
        for index in members {
            bin.insert(&Newcomer::new(*index, tasks));
        }
        bin
    }

    pub(crate) fn processors(&self) -> u32 {
        self.processors
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// What a test is asked about; each test may cost `budget`.
    pub(crate) fn candidate(&self, budget: u64) -> Candidate<'_> {
        Candidate {
            tasks: &self.tasks,
            members: &self.members,
            interrupts: 0,
            processors: self.processors,
            utilization: self.utilization,
            implicit: self.unlike_period == 0,
            budget,
        }
    }

    /// Puts `newcomer` in if there is room and `test`, which may cost `budget`, agrees; else the bin stays as it was.
    pub(crate) fn offer(&mut self, newcomer: &Newcomer, test: &mut impl BinTest, budget: u64) -> Offer {
        let Compared { ordering, work: room_work } = self.compare_with_capacity(newcomer);
        if ordering == Ordering::Greater {
            return Offer { outcome: Insertion::NoRoom, work: room_work };
        }
        let before = self.utilization;
        let place = self.insert(newcomer);
        let Fit { takes, finding, work } = test.fits(&self.candidate(budget));
        let finding = finding.map(|finding| finding.with_tasks(|position| self.members[position]));
        let work = room_work + work;
        if takes {
            self.finding = finding;
            return Offer { outcome: Insertion::Taken, work };
        }
        self.remove(place);
        self.utilization = before;
        Offer { outcome: Insertion::Refused(finding), work }
    }

    /// How the spare capacities of two bins compare, exactly.
    pub(crate) fn compare_spare(&mut self, other: &mut Self) -> Compared {
        // p - U < p' - U' where p + U' < p' + U.
        let (mine, theirs) = (u64::from(self.processors), u64::from(other.processors));
        let bounds = (other.utilization + Interval::whole(mine), self.utilization + Interval::whole(theirs));
        match bounds.0.compare_with(bounds.1) {
            Some(ordering) => Compared { ordering, work: 1 },
            None if mine == theirs => other.exact().compare(self.exact()),
            None => other.exact().plus(mine).compare(&self.exact().plus(theirs)),
        }
    }

    /// The bin as it is reported; `test` says how its tasks look with overheads.
    pub(crate) fn close(self, test: &mut impl BinTest) -> Bin {
        let inflated = if self.members.is_empty() { None } else { test.inflated(&self.candidate(0)) };
        Bin { processors: self.processors, tasks: self.members, inflated, finding: self.finding }
    }

    /// How the utilization together with `newcomer` compares with the bin's processors.
    fn compare_with_capacity(&mut self, newcomer: &Newcomer) -> Compared {
        let capacity = Ratio::whole(self.processors.into());
        match (self.utilization + newcomer.utilization).compare(capacity) {
            Some(ordering) => Compared { ordering, work: 1 },
            None => {
                let mut sum = self.exact().clone();
                sum.add(newcomer.fraction());
                sum.compare(&Grouped::default().plus(self.processors.into()))
            }
        }
    }

    /// True if all of it together asks for no more than the bin's processors.
    pub(crate) fn within_capacity(&mut self) -> bool {
        let ordering = self.utilization.compare(Ratio::whole(self.processors.into()));
        let capacity = u64::from(self.processors);
        let exactly = || self.exact().compare(&Grouped::default().plus(capacity)).ordering;
        ordering.unwrap_or_else(exactly) != Ordering::Greater
    }

    /// What there is to say of a bin that is not within its capacity.
    pub(crate) fn overdemand(&self) -> Finding {
        let (demand, capacity) = (self.utilization.to_f64(), f64::from(self.processors));
        let margin = Margin { demand, capacity, of: Quantity::Utilization };
        Finding::overdemand("capacity", None, Some(margin), 0)
    }

    /// Puts `newcomer` in unasked, and says at which place.
    pub(crate) fn insert(&mut self, newcomer: &Newcomer) -> usize {
        let place = self.members.partition_point(|member| *member < newcomer.index);
        self.members.insert(place, newcomer.index);
        self.tasks.insert(place, newcomer.task);
        self.utilization = self.utilization + newcomer.utilization;
        self.unsummed.push(newcomer.fraction());
        self.unlike_period += usize::from(!ends_with_its_period(&newcomer.task));
        place
    }

    /// The sum of C/T, exactly.
    fn exact(&mut self) -> &Grouped {
        self.unsummed.drain(..).for_each(|fraction| self.exact.add(fraction));
        &self.exact
    }

    fn remove(&mut self, place: usize) {
        self.members.remove(place);
        let task = self.tasks.remove(place);
        let fraction = (task.cost, task.period);
        match self.unsummed.iter().rposition(|other| *other == fraction) {
            Some(at) => {
                self.unsummed.swap_remove(at);
            }
            None => self.exact.take_back(fraction),
        }
        self.unlike_period -= usize::from(!ends_with_its_period(&task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Capacity;

    /// Three thirds fill a bin exactly, which only the exact sum can say; a refused task must leave that sum as it was, whether it
    /// had been added up by then or not.
    #[test]
    fn a_task_that_is_taken_out_leaves_the_exact_sum_as_it_was() {
        let tasks = [Task::implicit(1, 3), Task::implicit(1, 3), Task::implicit(1, 3), Task::implicit(1, 7)];
        let newcomer = |index| Newcomer::new(index, &tasks);
        for is_summed in [false, true] {
            let mut bin = OpenBin::with(1, &[0, 1], &tasks);
            let before = bin.utilization;
            let place = bin.insert(&newcomer(3));
            if is_summed {
                bin.exact();
            }
            bin.remove(place);
            bin.utilization = before;
            let offer = bin.offer(&newcomer(2), &mut Capacity, 0);
            assert!(matches!(offer.outcome, Insertion::Taken), "summed before: {is_summed}");
            assert!(bin.within_capacity());
            assert!(matches!(bin.offer(&newcomer(3), &mut Capacity, 0).outcome, Insertion::NoRoom));
        }
    }
}
