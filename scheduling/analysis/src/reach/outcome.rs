//! What a search comes to, and what ends it early.

use crate::answer::LatePattern;

/// The most tasks that are searched.
pub const TASKS_MAX: usize = 6;

/// Which of two jobs of equal deadline goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// Either, and they may change places at any instant.
    Any,
    /// A running one, else the one of the lower index.
    House,
}

/// What a search comes to.
pub(super) enum Found {
    /// No job is late, where ties are broken in this way.
    NoneLate(Ties),
    /// These arrivals make a job late.
    Late(LatePattern),
    /// There are late states, but no arrivals were found that make a job late under the rule for ties.
    Doubtful,
}
