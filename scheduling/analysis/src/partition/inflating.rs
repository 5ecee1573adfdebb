//! Overheads charged to a bin by who is in it, anew whenever a task joins.
//!
//! What a task costs depends on its company: how many share the queue, how often their releases interrupt, whose cache
//! contents a preemption evicts. Charging the whole set once and packing then makes every processor pay for all tasks;
//! packing first and charging then finds bins too full that another packing would have filled less.

use super::utilization::ends_with_its_period;
use super::{BinTest, Candidate, Fit};
use crate::exact::{self, Interval};
use crate::overheads::{Accounting, Charged};
use crate::{Finding, Margin, Quantity, Task};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

const NAME: &str = "overheads";

/// Asks `T` about the tasks of a bin with overheads charged by `A`.
#[derive(Clone, Debug)]
pub struct Inflating<A, T> {
    accounting: A,
    inner: T,
}

impl<A: Accounting, T: BinTest> Inflating<A, T> {
    /// `accounting` was made for the whole set that is packed; charging one task costs one unit of the candidate's budget.
    pub fn new(accounting: A, inner: T) -> Self {
        Self { accounting, inner }
    }

    fn charge(&mut self, candidate: &Candidate<'_>) -> Result<Charged, Finding> {
        if candidate.budget < candidate.tasks.len() as u64 {
            return Err(Finding::budget_spent(NAME, 0));
        }
        self.accounting
            .charge(candidate.tasks, candidate.members, candidate.processors)
            .map_err(|overload| Finding::overloaded(NAME, overload, 0))
    }
}

impl<A: Accounting, T: BinTest> BinTest for Inflating<A, T> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        let charged = match self.charge(candidate) {
            Ok(charged) => charged,
            Err(finding) => return finding.into(),
        };
        let mut fit = match within_capacity(candidate, &charged) {
            Ok(inflated) => self.inner.fits(&inflated),
            Err(finding) => finding.into(),
        };
        fit.work += candidate.tasks.len() as u64;
        if charged.tasks != candidate.tasks {
            fit.finding = fit.finding.map(|finding| finding.of_uncharged(charged.first_real));
        }
        fit
    }

    fn charges(&self) -> bool {
        true
    }

    fn inflated(&mut self, candidate: &Candidate<'_>) -> Option<Vec<Task>> {
        let charged = self.accounting.charge(candidate.tasks, candidate.members, candidate.processors).ok()?;
        Some(charged.tasks)
    }
}

/// The charged tasks as a candidate, if they leave no processor overfull.
fn within_capacity<'a>(candidate: &Candidate<'a>, charged: &'a Charged) -> Result<Candidate<'a>, Finding> {
    let terms = || charged.tasks.iter().map(|task| (task.cost, task.period));
    let utilization = terms().fold(Interval::ZERO, |sum, (over, under)| sum + Interval::of(over, under));
    let capacity = Ratio::whole(candidate.processors.into());
    if exact::compare_sum_within(utilization, terms(), capacity) == Ordering::Greater {
        let margin = Margin { demand: utilization.to_f64(), capacity: capacity.to_f64(), of: Quantity::Utilization };
        return Err(Finding::does_not_hold(NAME, None, Some(margin), 0));
    }
    Ok(Candidate {
        tasks: &charged.tasks,
        interrupts: charged.first_real,
        utilization,
        implicit: charged.tasks.iter().all(ends_with_its_period),
        ..*candidate
    })
}
