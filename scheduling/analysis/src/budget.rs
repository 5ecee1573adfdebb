//! How much work a question may cost, counted in evaluated terms so that the answer does not depend on the machine.

/// A deterministic allowance of work: one unit is one task's term evaluated once (about one integer division).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u64,
    spent: u64,
}

/// The allowance is used up; the test that sees it answers Unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

/// Why a search came to no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// It would take more work than allowed.
    BudgetSpent,
    /// A number, or the number of things to be kept, is larger than is computed with.
    TooLarge,
}

impl From<Spent> for Unfinished {
    fn from(_: Spent) -> Self {
        Self::BudgetSpent
    }
}

impl Budget {
    /// `units` of work.
    pub const fn new(units: u64) -> Self {
        Self { left: units, spent: 0 }
    }

    /// As much as anyone could wait for; for twins and tests.
    pub const fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Takes `units`; refuses, and takes what is left, if there are not that many.
    pub fn spend(&mut self, units: u64) -> Result<(), Spent> {
        let granted = units.min(self.left);
        self.left -= granted;
        self.spent += granted;
        if granted == units { Ok(()) } else { Err(Spent) }
    }

    /// Units spent so far.
    pub const fn spent(&self) -> u64 {
        self.spent
    }

    /// Units left.
    pub const fn left(&self) -> u64 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_exactly_where_it_says() {
        let mut budget = Budget::new(3);
        assert_eq!(budget.spend(2), Ok(()));
        assert_eq!(budget.spend(1), Ok(()));
        assert_eq!(budget.spend(1), Err(Spent));
        assert_eq!((budget.spent(), budget.left()), (3, 0));
    }
}
