//! Bins being filled by one heuristic under one test, as far as the work allowed goes.
//!
//! The bins stand in the order in which the heuristic tries them. A task changes one bin, so one bin moves to its new
//! place, found in as many comparisons as the logarithm of their number.

use super::open_bin::{Insertion, Newcomer, Offer, OpenBin};
use super::{Allowance, Bin, BinTest, Heuristic, Refusal};
use crate::exact::Fraction;
use crate::exact::grouped::{Compared, lowest_terms};
use crate::{Budget, Finding};
use std::cmp::Ordering;
use std::collections::HashMap;

/// What a finding is called where the packing itself used up its work.
const NAME: &str = "packing";

pub(super) struct Filling<'a, 't, T> {
    heuristic: Heuristic,
    bins: Vec<OpenBin<'a>>,
    /// What is known of equal utilizations.
    classes: Classes,
    /// The bins in the order in which the heuristic tries them.
    preferred: Vec<usize>,
    last: usize,
    /// Who last refused the task that was last placed.
    refusal: Option<Refusal>,
    test: &'t mut T,
    /// What each test may cost.
    of_test: u64,
    budget: Budget,
    is_spent: bool,
}

impl<'a, 't, T: BinTest> Filling<'a, 't, T> {
    pub(super) fn new(heuristic: Heuristic, bins: Vec<OpenBin<'a>>, test: &'t mut T, allowance: Allowance) -> Self {
        let mut classes = Classes::default();
        bins.iter().for_each(|bin| classes.open(bin.is_empty()));
        let mut filling = Self {
            heuristic,
            classes,
            preferred: Vec::with_capacity(bins.len()),
            bins,
            last: 0,
            refusal: None,
            test,
            of_test: allowance.each_test,
            budget: Budget::new(allowance.all),
            is_spent: false,
        };
        (0..filling.bins.len()).for_each(|bin| filling.rank(bin));
        filling
    }

    /// Counts `work` that was done for the packing elsewhere.
    pub(super) fn spend(&mut self, work: u64) {
        self.is_spent |= self.budget.spend(work).is_err();
    }

    /// Puts the task into the first bin that takes it, and says which.
    pub(super) fn place(&mut self, newcomer: &Newcomer) -> Option<usize> {
        self.refusal = None;
        for place in self.heuristic.first(self.last)..self.preferred.len() {
            let bin = self.preferred[place];
            if self.accepts(bin, newcomer) {
                if self.heuristic.compares_spare() {
                    self.preferred.remove(place);
                    self.rank(bin);
                }
                return Some(bin);
            }
            if self.is_spent {
                break;
            }
        }
        None
    }

    /// Opens another bin for the task; false if even that does not take it.
    pub(super) fn place_in_new(&mut self, bin: OpenBin<'a>, newcomer: &Newcomer) -> bool {
        let number = self.bins.len();
        self.bins.push(bin);
        self.classes.open(true);
        let accepted = self.accepts(number, newcomer);
        self.rank(number);
        accepted
    }

    pub(super) fn count(&self) -> usize {
        self.bins.len()
    }

    /// True if the work allowed was used up.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Who last refused the task that found no place; `None` if no bin had the capacity.
    pub(super) fn take_refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// The bins as they are reported, and the work that filled them.
    pub(super) fn close(self) -> (Vec<Bin>, u64) {
        (self.bins.into_iter().map(|bin| bin.close(self.test)).collect(), self.budget.spent())
    }

    /// Puts the task into this bin, if it goes.
    fn accepts(&mut self, bin: usize, newcomer: &Newcomer) -> bool {
        if self.is_spent || self.budget.left() == 0 {
            self.is_spent = true;
            let finding = Finding::budget_spent(NAME, self.budget.spent());
            self.refusal = Some(Refusal { bin: bin as u32, finding });
            return false;
        }
        let of_test = self.of_test.min(self.budget.left());
        let Offer { outcome, work } = self.bins[bin].offer(newcomer, self.test, of_test);
        // The last offer is answered whatever it cost; there is no other after it.
        let _ = self.budget.spend(work);
        match outcome {
            Insertion::Taken => {
                if self.heuristic.compares_spare() {
                    self.classes.joined.push((bin, newcomer.fraction()));
                }
                self.last = bin;
                return true;
            }
            Insertion::NoRoom => {}
            Insertion::Refused(finding) => {
                self.refusal = finding.map(|finding| Refusal { bin: bin as u32, finding });
            }
        }
        false
    }

    /// Puts the bin into the heuristic's order of all others.
    fn rank(&mut self, bin: usize) {
        let (mut from, mut to) = (0, self.preferred.len());
        while from < to {
            let middle = (from + to) / 2;
            if self.compare(self.preferred[middle], bin).is_lt() { from = middle + 1 } else { to = middle }
        }
        self.preferred.insert(from, bin);
    }

    /// Which of two bins is tried first, ties to the lower number.
    fn compare(&mut self, one: usize, other: usize) -> Ordering {
        let heuristic = self.heuristic;
        heuristic.compare(|| self.compare_spare(one, other)).then(one.cmp(&other))
    }

    /// How the spare capacities of two bins compare; what is once seen to be equal is not computed again.
    fn compare_spare(&mut self, one: usize, other: usize) -> Ordering {
        let equal = Compared { ordering: Ordering::Equal, work: 1 };
        let compared = match self.bins.get_disjoint_mut([one, other]) {
            Ok([first, second]) => match first.compare_spare_within(second) {
                Some(ordering) => Compared { ordering, work: 1 },
                None if self.classes.are_equal(one, other) && first.processors() == second.processors() => equal,
                None => first.compare_spare_exactly(second),
            },
            Err(_) => equal,
        };
        if compared.ordering == Ordering::Equal && self.bins[one].processors() == self.bins[other].processors() {
            self.classes.equate(one, other);
        }
        self.spend(compared.work);
        compared.ordering
    }
}

/// Names for utilizations: bins that were equal and got equal tasks are equal, without adding anything up.
#[derive(Default)]
struct Classes {
    /// By bin, without those that have `joined` since: bins of one class have equal utilization.
    of_bins: Vec<u32>,
    /// Which bin got which task. It is looked at only when bounds cannot tell two bins apart, which is mostly never.
    joined: Vec<(usize, Fraction)>,
    with: HashMap<(u32, Fraction), u32>,
    count: u32,
}

impl Classes {
    /// Of all bins without tasks.
    const EMPTY: u32 = 0;

    /// Another bin.
    fn open(&mut self, is_empty: bool) {
        let class = if is_empty { Self::EMPTY } else { self.unlike_all() };
        self.of_bins.push(class);
    }

    /// True if the two bins are known to be equal.
    fn are_equal(&mut self, one: usize, other: usize) -> bool {
        self.settle();
        self.of_bins[one] == self.of_bins[other]
    }

    /// The two bins have been seen to be equal.
    fn equate(&mut self, one: usize, other: usize) {
        self.settle();
        self.of_bins[other] = self.of_bins[one];
    }

    /// Gives each bin that tasks have joined the class of such bins.
    fn settle(&mut self) {
        for (bin, fraction) in std::mem::take(&mut self.joined) {
            let key = (self.of_bins[bin], lowest_terms(fraction));
            let new = self.count + 1;
            let class = *self.with.entry(key).or_insert(new);
            self.count = self.count.max(class);
            self.of_bins[bin] = class;
        }
    }

    /// A class that nothing is known of.
    fn unlike_all(&mut self) -> u32 {
        self.count += 1;
        self.count
    }
}
