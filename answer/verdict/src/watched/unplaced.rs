//! Places of a program that a watch could not look at.

use super::reasons::reason;
use crate::verdict::{Outcome, Reason};
use schemars::JsonSchema;
use serde::Serialize;

/// A place that was found nowhere, or that cannot be looked at.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "UnplacedRow")]
pub struct UnplacedPlace {
    /// The place, as it was given.
    pub place: String,
    /// Why.
    pub why: String,
}

/// What was not looked at may have broken every rule.
pub(super) fn of_unplaced(unplaced: &UnplacedPlace) -> Reason {
    let text = format!("'{}' was not watched: {}", unplaced.place, unplaced.why);
    reason("place-not-found", Outcome::Inconclusive, text)
}
