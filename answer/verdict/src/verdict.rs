//! Pass, Fail or Inconclusive, never a bare number.

use crate::Requirement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Pass, Fail or Inconclusive.
    pub outcome: Outcome,
    /// The requirement.
    pub requirement: Requirement,
    /// The answer in one sentence.
    pub sentence: String,
    /// Why, most decisive first.
    pub reasons: Vec<Reason>,
    /// The class of platforms to which the result applies (Blaess 2014).
    pub class: PlatformClass,
}

/// The three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All observations met the requirement, and there were enough of them.
    Pass,
    /// The requirement was not met.
    Fail,
    /// The evidence supports neither.
    Inconclusive,
}

impl Outcome {
    /// The worse of two: fail, inconclusive, pass.
    pub fn worst(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
            (Self::Inconclusive, _) | (_, Self::Inconclusive) => Self::Inconclusive,
            (Self::Pass, Self::Pass) => Self::Pass,
        }
    }
}

/// Proven is a pass, disproven a fail.
impl From<prazo_core::verdict::Verdict> for Outcome {
    fn from(verdict: prazo_core::verdict::Verdict) -> Self {
        match verdict {
            prazo_core::verdict::Verdict::Proven => Self::Pass,
            prazo_core::verdict::Verdict::Disproven => Self::Fail,
            prazo_core::verdict::Verdict::Unknown => Self::Inconclusive,
        }
    }
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// A stable name in kebab-case: `miss-observed`, `too-few-activations`, `fatal-caveat`.
    pub id: String,
    /// The outcome that it supports.
    pub speaks_for: Outcome,
    /// One sentence with its figures.
    pub text: String,
    /// True for information only: the outcome would be the same without it.
    #[serde(default)]
    pub is_remark: bool,
}

/// The four categories of Blaess 2014, by what disturbs a response. No measurement yields `StrictCertifiable` or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlatformClass {
    /// Not guaranteed, independent of less urgent activity in user space (vanilla Linux with real-time priorities).
    Soft,
    /// Not guaranteed, independent of all less urgent activity of the system (PREEMPT_RT, Xenomai).
    StrictNonCertifiable,
    /// Fluctuating but bounded (a small kernel whose code can be analysed).
    StrictCertifiable,
    /// Fixed (hard-wired logic).
    Absolute,
}

prazo_core::words!(Outcome: Pass => "pass", Fail => "fail", Inconclusive => "inconclusive");

impl PlatformClass {
    /// What the class means, for people (Blaess 2014).
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Soft => "soft real-time: no guarantee, but less urgent activity in user space does not matter",
            Self::StrictNonCertifiable => {
                "strict, not certifiable: no guarantee, but less urgent activity anywhere in the system does not matter"
            }
            Self::StrictCertifiable => "strict, certifiable: latency varies, but analysis of the code bounds it",
            Self::Absolute => "absolute: hardware alone determines the latency",
        }
    }
}
