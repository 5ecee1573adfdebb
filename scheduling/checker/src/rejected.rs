//! Why a certificate is not accepted.

use std::fmt;

/// Why a certificate shows nothing; the text says where and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The text is not a certificate in the format's words.
    Unreadable {
        /// The line, from 1; one past the last if the text ends too early.
        line: usize,
        /// What was expected there.
        why: String,
    },
    /// The certificate is larger than the checker is willing to read or to compute.
    TooLarge(String),
    /// Parts of the certificate do not fit each other: a task in two bins, an order that the policy does not give.
    Inconsistent(String),
    /// The charged tasks are not what the overheads make of the tasks.
    WronglyCharged(String),
    /// The published test does not speak of such tasks.
    NotApplicable(String),
    /// The inequality that was to be shown does not hold, or is not shown everywhere it must.
    NotShown(String),
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { line, why } => write!(f, "line {line}: {why}"),
            Self::TooLarge(why) => write!(f, "too large to check: {why}"),
            Self::Inconsistent(why) => write!(f, "the certificate contradicts itself: {why}"),
            Self::WronglyCharged(why) => write!(f, "the overheads are charged incorrectly: {why}"),
            Self::NotApplicable(why) => write!(f, "the test or disproof does not apply: {why}"),
            Self::NotShown(why) => write!(f, "the proof or disproof fails: {why}"),
        }
    }
}

impl std::error::Error for Rejected {}

/// `Ok` if `holds`, else what `why` says as [`Rejected::NotShown`].
pub(crate) fn show(holds: bool, why: impl FnOnce() -> String) -> Result<(), Rejected> {
    if holds { Ok(()) } else { Err(Rejected::NotShown(why())) }
}

/// `Ok` if `holds`, else [`Rejected::NotApplicable`].
pub(crate) fn applies(holds: bool, why: &str) -> Result<(), Rejected> {
    if holds { Ok(()) } else { Err(Rejected::NotApplicable(why.into())) }
}

/// `Ok` if `holds`, else [`Rejected::Inconsistent`].
pub(crate) fn consistent(holds: bool, why: impl FnOnce() -> String) -> Result<(), Rejected> {
    if holds { Ok(()) } else { Err(Rejected::Inconsistent(why())) }
}

/// A number that left 128 bits.
pub(crate) fn overflow() -> Rejected {
    Rejected::TooLarge("a number exceeds 128 bits".into())
}
