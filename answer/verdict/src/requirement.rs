//! What is asked of a platform: a deadline, and how much a miss costs.

use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// Every activation shall run within this of being due.
    #[serde(rename = "deadline_ns", with = "prazo_run::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub deadline: Duration,
    /// What a miss means.
    pub kind: Kind,
    /// The share of due activations that must meet the deadline; 1 for hard.
    pub quantile: f64,
}

/// What a miss means (papers/003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A miss invalidates the system.
    Hard,
    /// A miss invalidates the answer.
    Firm,
    /// A miss devalues the answer.
    Soft,
}
