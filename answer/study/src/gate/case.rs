//! What became of each figure, as test systems count it: one case for each compared figure, and one for each cell that was not
//! compared.

use super::result::{Compared, GateResult, Movement};

/// One case.
pub(super) struct TestCase<'a> {
    /// Id of the cell.
    pub(super) cell: &'a str,
    /// The figure; of a cell that was not compared, all of them.
    pub(super) name: String,
    /// The figure's largest value in this run, if the case has a figure.
    pub(super) found_ns: Option<f64>,
    /// What became of it.
    pub(super) outcome: CaseOutcome,
    /// The shift, or the reason why there is none.
    pub(super) what: String,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseOutcome {
    /// The figure did not move, or in a direction that does not count.
    Passed,
    /// It moved in a direction that counts.
    Moved,
    /// Whether it moved could not be decided.
    Open,
    /// Neither side's samples support it.
    Absent,
    /// The cell was not compared.
    NotCompared,
}

impl GateResult {
    /// All cases, in the order of the figures.
    pub(super) fn cases(&self) -> impl Iterator<Item = TestCase<'_>> {
        let left = self.left.iter().map(|left| TestCase {
            cell: &left.cell,
            name: "the comparison as a whole".into(),
            found_ns: None,
            outcome: CaseOutcome::NotCompared,
            what: left.reason.clone(),
        });
        self.compared.iter().map(|one| self.case(one)).chain(left)
    }

    fn case<'a>(&self, one: &'a Compared) -> TestCase<'a> {
        let outcome = match one.movement {
            movement if self.direction.counts(movement) => CaseOutcome::Moved,
            Movement::Undecidable if one.is_open() => CaseOutcome::Open,
            Movement::Undecidable => CaseOutcome::Absent,
            _ => CaseOutcome::Passed,
        };
        TestCase {
            cell: &one.cell,
            name: format!("{} of {}", one.figure, one.quantity),
            found_ns: one.found.map(|ends| ends.high_ns),
            outcome,
            what: match outcome {
                CaseOutcome::Passed | CaseOutcome::Moved => one.shift(),
                _ => one.reason.clone().unwrap_or_default(),
            },
        }
    }
}
