//! A bin while it is being filled: its tasks in ascending order of index, with their utilization between bounds and exactly.

use super::utilization::ends_with_its_period;
use super::{Bin, BinTest, Candidate, Fit, Sums, SureFit};
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

pub(crate) struct OpenBin<'a> {
    processors: u32,
    /// The set that is packed.
    set: &'a [Task],
    /// As many as there are `tasks` in ascending order; after them those that have joined since, in the order in which they did.
    members: Vec<usize>,
    /// Copies of the first members, made when a test looks at them.
    tasks: Vec<Task>,
    utilization: Interval,
    /// The same as a sum of fractions, for the few comparisons that the bounds cannot decide; from the first of those on.
    exact: Option<Grouped>,
    /// How many tasks have a deadline that is not the end of their period.
    unlike_period: usize,
    /// Why the last task was taken, where that needed no test.
    sure_fit: Option<SureFit>,
    /// What the test said when it took the last task, where it was asked.
    finding: Option<Finding>,
}

/// Members that a bin has room for before it grows.
const ROOM: usize = 16;

impl<'a> OpenBin<'a> {
    /// An empty bin for tasks of `set`.
    pub(crate) fn new(processors: u32, set: &'a [Task]) -> Self {
        Self {
            processors,
            set,
            members: Vec::new(),
            tasks: Vec::new(),
            utilization: Interval::ZERO,
            exact: None,
            unlike_period: 0,
            sure_fit: None,
            finding: None,
        }
    }

    /// The bin as it stood with these members.
    pub(crate) fn with(processors: u32, members: &[usize], set: &'a [Task]) -> Self {
        let mut bin = Self::new(processors, set);
        bin.members.reserve_exact(members.len());
        for index in members {
            bin.insert(&Newcomer::new(*index, set));
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
    pub(crate) fn candidate(&mut self, budget: u64) -> Candidate<'_> {
        self.arrange();
        let Sums { processors, utilization, implicit } = self.sums();
        Candidate {
            tasks: &self.tasks,
            members: &self.members,
            interrupts: 0,
            processors,
            utilization,
            implicit,
            budget,
        }
    }

    fn sums(&self) -> Sums {
        let Self { processors, utilization, unlike_period, .. } = *self;
        Sums { processors, utilization, implicit: unlike_period == 0 }
    }

    /// Puts the members that have joined since the last time into their order, and copies their tasks.
    fn arrange(&mut self) {
        if self.tasks.is_empty() {
            self.members.sort_unstable();
            self.tasks.extend(self.members.iter().map(|&index| self.set[index]));
            return;
        }
        for arranged in self.tasks.len()..self.members.len() {
            let index = self.members[arranged];
            let place = self.members[..arranged].partition_point(|member| *member < index);
            self.members[place..=arranged].rotate_right(1);
            self.tasks.insert(place, self.set[index]);
        }
    }

    /// Puts `newcomer` in if there is room and `test`, which may cost `budget`, agrees; else the bin stays as it was.
    #[inline]
    pub(crate) fn offer(&mut self, newcomer: &Newcomer, test: &mut impl BinTest, budget: u64) -> Offer {
        let Compared { ordering, work: room_work } = self.compare_with_capacity(newcomer);
        if ordering == Ordering::Greater {
            return Offer { outcome: Insertion::NoRoom, work: room_work };
        }
        let before = self.utilization;
        self.insert(newcomer);
        if let Some(sure_fit) = test.sure_fit(&self.sums()) {
            self.sure_fit = Some(sure_fit);
            return Offer { outcome: Insertion::Taken, work: room_work };
        }
        let Fit { takes, finding, work } = test.fits(&self.candidate(budget));
        let finding = finding.map(|finding| finding.with_tasks(|position| self.members[position]));
        let work = room_work + work;
        if takes {
            (self.sure_fit, self.finding) = (None, finding);
            return Offer { outcome: Insertion::Taken, work };
        }
        self.remove(newcomer);
        self.utilization = before;
        Offer { outcome: Insertion::Refused(finding), work }
    }

    /// How the spare capacities of two bins compare; `None` if the bounds cannot tell.
    pub(crate) fn compare_spare_within(&self, other: &Self) -> Option<Ordering> {
        // p - U < p' - U' where p + U' < p' + U.
        let [mine, theirs] = [self, other].map(|bin| Interval::whole(bin.processors.into()));
        (other.utilization + mine).compare_with(self.utilization + theirs)
    }

    /// The same exactly, and what that takes.
    pub(crate) fn compare_spare_exactly(&mut self, other: &mut Self) -> Compared {
        match (u64::from(self.processors), u64::from(other.processors)) {
            (mine, theirs) if mine == theirs => other.exact().compare(self.exact()),
            (mine, theirs) => other.exact().plus(mine).compare(&self.exact().plus(theirs)),
        }
    }

    /// The bin as it is reported; `test` says how its tasks look with overheads.
    pub(crate) fn close(mut self, test: &mut impl BinTest) -> Bin {
        let finding = match self.sure_fit {
            Some(sure_fit) => sure_fit.finding(&self.sums()),
            None => self.finding.take(),
        };
        let inflated = match (self.members.is_empty(), test.charges()) {
            (false, true) => test.inflated(&self.candidate(0)),
            _ => None,
        };
        self.members.sort_unstable();
        Bin { processors: self.processors, tasks: self.members, inflated, finding }
    }

    /// How the utilization together with `newcomer` compares with the bin's processors.
    #[inline]
    fn compare_with_capacity(&mut self, newcomer: &Newcomer) -> Compared {
        let capacity = Interval::whole(self.processors.into());
        match (self.utilization + newcomer.utilization).compare_with(capacity) {
            Some(ordering) => Compared { ordering, work: 1 },
            None => self.compare_with_capacity_exactly(newcomer),
        }
    }

    #[cold]
    fn compare_with_capacity_exactly(&mut self, newcomer: &Newcomer) -> Compared {
        let mut sum = self.exact().clone();
        sum.add(newcomer.fraction());
        sum.compare(&Grouped::default().plus(self.processors.into()))
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

    /// Puts `newcomer` in unasked.
    pub(crate) fn insert(&mut self, newcomer: &Newcomer) {
        if self.members.capacity() == 0 {
            self.members.reserve(ROOM);
        }
        self.members.push(newcomer.index);
        self.utilization = self.utilization + newcomer.utilization;
        if let Some(exact) = &mut self.exact {
            exact.add(newcomer.fraction());
        }
        self.unlike_period += usize::from(!ends_with_its_period(&newcomer.task));
    }

    /// The sum of C/T, exactly: added up when it is first asked for, which is mostly never.
    fn exact(&mut self) -> &Grouped {
        self.exact.get_or_insert_with(|| {
            let mut sum = Grouped::default();
            self.members.iter().map(|&index| self.set[index]).for_each(|task| sum.add((task.cost, task.period)));
            sum
        })
    }

    /// Takes out a member that a test has looked at.
    fn remove(&mut self, newcomer: &Newcomer) {
        let place = self.members.partition_point(|member| *member < newcomer.index);
        self.members.remove(place);
        self.tasks.remove(place);
        if let Some(exact) = &mut self.exact {
            exact.take_back(newcomer.fraction());
        }
        self.unlike_period -= usize::from(!ends_with_its_period(&newcomer.task));
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
            bin.insert(&newcomer(3));
            if is_summed {
                bin.exact();
            }
            bin.arrange();
            bin.remove(&newcomer(3));
            bin.utilization = before;
            let offer = bin.offer(&newcomer(2), &mut Capacity, 0);
            assert!(matches!(offer.outcome, Insertion::Taken), "summed before: {is_summed}");
            assert!(bin.within_capacity());
            assert!(matches!(bin.offer(&newcomer(3), &mut Capacity, 0).outcome, Insertion::NoRoom));
        }
    }
}
