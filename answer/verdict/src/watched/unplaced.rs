//! Places of a program that a watch could not look at.

use super::reasons::reason;
use crate::verdict::{Outcome, Reason};
use schemars::JsonSchema;
use serde::Serialize;

/// A place in a program that was not found, or that cannot be traced.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "UnplacedRow")]
pub struct UnplacedPlace {
    /// The place as it was given, such as a function's name.
    pub place: String,
    /// Why the place could not be watched.
    pub why: String,
}

/// What was not looked at may have broken every rule.
pub(super) fn of_unplaced(unplaced: &UnplacedPlace) -> Reason {
    let text = format!("'{}' was not watched: {}", unplaced.place, unplaced.why);
    reason("place-not-found", Outcome::Inconclusive, text)
}
