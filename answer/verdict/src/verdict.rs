//! Pass, Fail or Inconclusive, never a bare number.

use crate::Requirement;
use crate::look::percent;
use prazo_core::time::Exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Verdict on a requirement, with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Outcome of the verdict: pass, fail or inconclusive.
    pub outcome: Outcome,
    /// The requirement that was judged.
    pub requirement: Requirement,
    /// The verdict in one sentence.
    pub sentence: String,
    /// Reasons for the verdict, most decisive first.
    pub reasons: Vec<Reason>,
    /// The class of platforms to which the result applies (Blaess 2014).
    pub class: PlatformClass,
}

impl Verdict {
    /// The beginning of the sentence, without the reason: `Passes (1 ms firm, 99.9 %)`.
    pub fn short(&self) -> String {
        short(self.outcome, &self.requirement)
    }
}

/// `Passes (1 ms firm, 99.9 %)`.
pub(crate) fn short(outcome: Outcome, requirement: &Requirement) -> String {
    let outcome = match outcome {
        Outcome::Pass => "Passes",
        Outcome::Fail => "Fails",
        Outcome::Inconclusive => "Inconclusive",
    };
    let (deadline, kind) = (Exact(requirement.deadline), requirement.kind.name());
    format!("{outcome} ({deadline} {kind}, {} %)", percent(requirement.quantile))
}

/// Outcome of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The observations together met the requirement, and there were enough of them.
    Pass,
    /// The requirement was not met.
    Fail,
    /// The evidence supports neither pass nor fail.
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

/// One reason for a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Name of the reason in kebab-case, such as `miss-observed`, `too-few-activations` or `fatal-caveat`; it stays the same in
    /// every version.
    pub id: String,
    /// The outcome that the reason supports.
    pub speaks_for: Outcome,
    /// The reason in one sentence, with its figures.
    pub text: String,
    /// True if the reason is for information only: the outcome would be the same without it.
    #[serde(default)]
    pub is_remark: bool,
}

/// Class of a platform, by the disturbances of its response times: one of the four categories of Blaess 2014. No measurement
/// yields `strict-certifiable` or `absolute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlatformClass {
    /// Response times are not guaranteed, but less urgent activity in user space does not affect them (vanilla Linux
    /// with real-time priorities).
    Soft,
    /// Response times are not guaranteed, but less urgent activity anywhere in the system does not affect them (PREEMPT_RT, Xenomai).
    StrictNonCertifiable,
    /// Response times vary but are bounded (a small kernel whose code can be analysed).
    StrictCertifiable,
    /// Response times are fixed (hard-wired logic).
    Absolute,
}

prazo_core::words!(Outcome: Pass => "pass", Fail => "fail", Inconclusive => "inconclusive");

impl PlatformClass {
    /// What the class means, for people (Blaess 2014).
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Soft => {
                "soft real-time: no guaranteed bound, but less urgent activity in user space does not delay a \
                 real-time task"
            }
            Self::StrictNonCertifiable => {
                "strict, not certifiable: no guaranteed bound, but less urgent activity anywhere in the system does \
                 not delay a real-time task"
            }
            Self::StrictCertifiable => "strict, certifiable: latency varies, but analysis of the code bounds it",
            Self::Absolute => "absolute: hardware alone determines the latency",
        }
    }
}
