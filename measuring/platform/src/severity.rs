//! How much a finding or a caveat weighs.
//!
//! The words are those of the kernel's own real-time configuration guide
//! (Documentation/core-api/real-time/kernel-configuration.rst).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Severity of a finding or a caveat, from `info` (least severe) to `fatal` (most severe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The finding or caveat is worth knowing and changes no conclusion.
    Info,
    /// The finding or caveat may change typical latencies, such as the median.
    Medium,
    /// The finding or caveat may change the largest latencies, and therefore the conclusion.
    High,
    /// The finding or caveat means that a run does not show what it claims to show.
    Fatal,
}

/// The word that files and terminals use.
impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Fatal => "fatal",
        })
    }
}
