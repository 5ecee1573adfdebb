//! Reasons of a watch, and the outcome that they lead to.

use crate::{Outcome, Reason};

/// One reason that decides.
pub(super) fn reason(id: &str, speaks_for: Outcome, text: String) -> Reason {
    Reason { id: id.into(), speaks_for, text, is_remark: false }
}

/// The outcome and its reasons, most decisive first. There is at least one.
pub(super) fn decided(mut reasons: Vec<Reason>) -> (Outcome, Vec<Reason>) {
    reasons.sort_by_key(|reason| match reason.speaks_for {
        Outcome::Fail => 0,
        Outcome::Inconclusive => 1,
        Outcome::Pass => 2,
    });
    (reasons[0].speaks_for, reasons)
}
