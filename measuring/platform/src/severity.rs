//! How much a finding or a caveat weighs.
//!
//! The words are those of the kernel's own real-time configuration guide
//! (Documentation/core-api/real-time/kernel-configuration.rst).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Severity of a finding or a caveat; ordered, so that the worst is the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing; changes no conclusion.
    Info,
    /// May shift typical figures.
    Medium,
    /// May shift the tail, and therefore the conclusion.
    High,
    /// The run does not show what it claims to show.
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
