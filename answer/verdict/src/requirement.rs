//! What is asked of a platform: a deadline, and how much a miss costs.

use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Due activations under load below which "none observed" says too little.
pub(crate) const ACTIVATIONS_MIN: u64 = 1_000_000;
/// Expected events behind none observed: the upper 97.5 % limit.
pub(crate) const NONE_OBSERVED: f64 = 3.7;

/// A requirement on a platform: a deadline, and how many activations must meet it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// Longest time that may pass from the due instant of an activation until it runs.
    #[serde(rename = "deadline_ns", with = "prazo_run::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub deadline: Duration,
    /// Kind of the deadline: the effect of a miss.
    pub kind: Kind,
    /// The share of due activations that must meet the deadline; 1 for a hard deadline.
    pub quantile: f64,
}

/// Kind of a deadline, by the effect of a miss (Marsal 2013).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A miss invalidates the whole system.
    Hard,
    /// A miss makes the late result useless, but the system continues.
    Firm,
    /// A miss reduces the value of the late result.
    Soft,
}

/// Why a requirement makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RequirementError {
    /// The deadline is zero.
    #[error("a deadline of 0 cannot be met; give the time within which an activation shall run, as in 200us")]
    NoDeadline,
    /// The quantile is not a share.
    #[error("{0} is not a share of activations; give a quantile above 0 and at most 1, as in 0.999")]
    Quantile(f64),
    /// Hard asks for all activations, and a quantile for fewer.
    #[error("a hard deadline holds for every activation, so it takes no quantile of {0}; choose firm or soft instead")]
    HardQuantile(f64),
}

prazo_core::words!(Kind: Hard => "hard", Firm => "firm", Soft => "soft");

impl Kind {
    /// The share of activations that this kind asks for by default: Marsal 2013 has the 99th percentile for soft and the
    /// maximum for hard; firm lies between.
    pub const fn default_quantile(self) -> f64 {
        match self {
            Self::Hard => 1.0,
            Self::Firm => 0.999,
            Self::Soft => 0.99,
        }
    }
}

impl Requirement {
    /// A requirement; without a quantile, that of its kind.
    pub fn new(deadline: Duration, kind: Kind, quantile: Option<f64>) -> Result<Self, RequirementError> {
        let quantile = quantile.unwrap_or(kind.default_quantile());
        if deadline.is_zero() {
            return Err(RequirementError::NoDeadline);
        }
        if !(quantile > 0.0 && quantile <= 1.0) {
            return Err(RequirementError::Quantile(quantile));
        }
        if kind == Kind::Hard && quantile < 1.0 {
            return Err(RequirementError::HardQuantile(quantile));
        }
        Ok(Self { deadline, kind, quantile })
    }

    /// True where not a single activation may miss.
    pub fn allows_no_miss(&self) -> bool {
        self.kind == Kind::Hard || self.quantile >= 1.0
    }

    /// Due activations under load that a pass takes at least, if none misses and each is independent of the others.
    pub fn activations_min(&self) -> u64 {
        match self.allows_no_miss() {
            true => ACTIVATIONS_MIN,
            false => (NONE_OBSERVED / self.miss_share_allowed()).ceil() as u64,
        }
    }

    /// The share of due activations that may miss.
    pub fn miss_share_allowed(&self) -> f64 {
        if self.allows_no_miss() { 0.0 } else { 1.0 - self.quantile }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEADLINE: Duration = Duration::from_us(200);

    #[test]
    fn each_kind_has_its_number_of_activations() {
        let min = |kind| Requirement::new(DEADLINE, kind, None).unwrap().activations_min();
        assert_eq!([min(Kind::Soft), min(Kind::Firm), min(Kind::Hard)], [370, 3_700, 1_000_000]);
    }

    #[test]
    fn each_kind_has_its_quantile() {
        let quantile = |kind| Requirement::new(DEADLINE, kind, None).unwrap().quantile;
        assert_eq!([quantile(Kind::Soft), quantile(Kind::Firm), quantile(Kind::Hard)], [0.99, 0.999, 1.0]);
    }

    #[test]
    fn senseless_requirements_are_refused_with_a_remedy() {
        let refused = |deadline, kind, quantile| Requirement::new(deadline, kind, quantile).unwrap_err();
        assert_eq!(refused(Duration::ZERO, Kind::Soft, None), RequirementError::NoDeadline);
        assert_eq!(refused(DEADLINE, Kind::Soft, Some(99.0)), RequirementError::Quantile(99.0));
        assert_eq!(refused(DEADLINE, Kind::Soft, Some(0.0)), RequirementError::Quantile(0.0));
        assert!(matches!(refused(DEADLINE, Kind::Soft, Some(f64::NAN)), RequirementError::Quantile(_)));
        assert_eq!(refused(DEADLINE, Kind::Hard, Some(0.99)), RequirementError::HardQuantile(0.99));
        assert!(refused(DEADLINE, Kind::Hard, Some(0.99)).to_string().contains("choose firm or soft"));
    }

    #[test]
    fn a_quantile_of_1_allows_no_miss_whatever_the_kind() {
        let below = 1.0_f64.next_down();
        let cases = [
            (Kind::Hard, None, true),
            (Kind::Firm, Some(1.0), true),
            (Kind::Soft, Some(1.0), true),
            (Kind::Firm, Some(below), false),
            (Kind::Firm, None, false),
        ];
        for (kind, quantile, wanted) in cases {
            let requirement = Requirement::new(DEADLINE, kind, quantile).unwrap();
            assert_eq!(requirement.allows_no_miss(), wanted, "{kind} {quantile:?}");
            assert_eq!(requirement.miss_share_allowed() == 0.0, wanted, "{kind} {quantile:?}");
            assert_eq!(requirement.activations_min() == ACTIVATIONS_MIN, wanted, "{kind} {quantile:?}");
        }
    }
}
