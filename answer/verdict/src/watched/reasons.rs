//! Reasons of a watch, and the outcome that they lead to.

use crate::{Outcome, Reason};
use prazo_core::text::micros;
use prazo_core::verdict::Verdict;

/// One reason that decides.
pub(super) fn reason(id: &str, speaks_for: Outcome, text: String) -> Reason {
    Reason { id: id.into(), speaks_for, text, is_remark: false }
}

/// A response longer than the proof allows. Times are in nanoseconds.
pub(super) fn bound_exceeded(name: &str, response_ns: u64, bound_ns: u64) -> Reason {
    let text = format!(
        "{name}: a response time of {} µs exceeds the proven bound of {} µs, so the proof does not apply to what is running",
        micros(response_ns),
        micros(bound_ns)
    );
    reason("bound-exceeded", Outcome::Fail, text)
}

/// What the analysis said when the tasks were deployed; `None` where that is a proof.
pub(super) fn not_proven(verdict: Verdict) -> Option<Reason> {
    let text = "the deadlines of these tasks are not proven, and observation cannot prove them".to_owned();
    (verdict != Verdict::Proven).then(|| reason("not-proven", Outcome::Inconclusive, text))
}

/// Something is not as it was deployed.
pub(super) fn of_difference(sentence: &str) -> Reason {
    reason("not-as-deployed", Outcome::Inconclusive, sentence.to_owned())
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
