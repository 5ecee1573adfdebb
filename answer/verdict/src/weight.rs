//! Reasons with their weight, and the outcome that follows from them.

use crate::{Outcome, Reason};

/// What a reason does to the outcome, most decisive first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// The requirement was not met.
    Fails,
    /// Nothing passes while this stands.
    Blocks,
    /// Speaks for a pass.
    Supports,
    /// To be known, and no more.
    Remark,
}

/// A reason with its weight.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    /// What it does.
    pub weight: Weight,
    /// Stable name.
    pub id: &'static str,
    /// One sentence with its figures.
    pub text: String,
}

impl Weighed {
    /// Says that the requirement was not met.
    pub(crate) fn fails(id: &'static str, text: String) -> Self {
        Self { weight: Weight::Fails, id, text }
    }

    /// Says why nothing can pass.
    pub(crate) fn blocks(id: &'static str, text: String) -> Self {
        Self { weight: Weight::Blocks, id, text }
    }

    /// Speaks for a pass.
    pub(crate) fn supports(id: &'static str, text: String) -> Self {
        Self { weight: Weight::Supports, id, text }
    }

    /// Is to be known.
    pub(crate) fn remark(id: &'static str, text: String) -> Self {
        Self { weight: Weight::Remark, id, text }
    }

    fn into_reason(self) -> Reason {
        let speaks_for = match self.weight {
            Weight::Fails => Outcome::Fail,
            Weight::Blocks | Weight::Remark => Outcome::Inconclusive,
            Weight::Supports => Outcome::Pass,
        };
        Reason { id: self.id.into(), speaks_for, text: self.text, is_remark: self.weight == Weight::Remark }
    }
}

/// The outcome: one failure fails, one obstacle leaves it open, and a pass needs support.
pub(crate) fn outcome(reasons: &[Weighed]) -> Outcome {
    let any = |weight| reasons.iter().any(|reason| reason.weight == weight);
    match (any(Weight::Fails), any(Weight::Blocks), any(Weight::Supports)) {
        (true, ..) => Outcome::Fail,
        (_, false, true) => Outcome::Pass,
        _ => Outcome::Inconclusive,
    }
}

/// The reasons, most decisive first, otherwise in the order in which they were found.
pub(crate) fn sorted(mut reasons: Vec<Weighed>) -> Vec<Reason> {
    reasons.sort_by_key(|reason| reason.weight);
    reasons.into_iter().map(Weighed::into_reason).collect()
}
