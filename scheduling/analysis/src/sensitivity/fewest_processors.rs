//! How many processors the set needs by these tests.
//!
//! A test may accept m processors and reject m+1 (BAR's and FF-DBF's bounds depend on m in more than one place), so the
//! numbers are asked one after the other, from the least that could do: what is returned is the fewest, not a boundary.

use crate::{TaskSet, Verdict};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// The fewest that are proven; `None` if none up to the limit is.
    pub fewest: Option<u32>,
    /// A larger number that is not proven, among the next few: the verdict is not monotone.
    pub contradicted_by: Option<u32>,
    /// Number of tests that were run.
    pub questions: u32,
}

/// The fewest processors up to `limit` on which `ask` proves `tasks`.
pub fn fewest_processors(tasks: TaskSet<'_>, limit: u32, ask: &mut dyn FnMut(u32) -> Verdict) -> Processors {
    const FURTHER: u32 = 3;
    let mut questions = 0;
    let mut is_proven = |processors: &u32| {
        questions += 1;
        ask(*processors) == Verdict::Proven
    };
    // With fewer than the utilization needs, nothing can be proven.
    let least = u32::try_from(tasks.utilization_ceil()).unwrap_or(u32::MAX);
    let fewest = (least..=limit).find(&mut is_proven);
    let contradicted_by = fewest.and_then(|fewest| {
        let last = fewest.saturating_add(FURTHER).min(limit);
        (fewest + 1..=last).find(|processors| !is_proven(processors))
    });
    Processors { fewest, contradicted_by, questions }
}
