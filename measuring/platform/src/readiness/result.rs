//! What came of one check, as scripts and reports get it.

use crate::Severity;
use prazo_core::cpu::CpuSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the machine is wanted for; the weight of a finding depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// The processors for the real-time tasks; `None` takes the isolated ones, and without those all.
    pub rt_cpus: Option<CpuSet>,
    /// The tasks never sleep but poll, so that a tick is an interruption and no help.
    pub busy_poll: bool,
    /// The tasks are activated by packets.
    pub network: bool,
}

/// The outcome of a check. A source that could not be read is never ok.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// The setting is as required.
    Ok,
    /// The setting is not as required.
    Finding,
    /// The check does not apply to this machine.
    NotApplicable,
    /// It could not be determined; `found` says why.
    Unknown,
}

/// One change that `prazo tune` can make, and undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The check that requires it.
    pub check: String,
    /// The setting: a file under /proc or /sys.
    pub knob: String,
    /// Its value when it was read.
    pub from: String,
    /// The value to write.
    pub to: String,
    /// The risk; such a change is made only when its flag is given.
    pub risk: Option<String>,
}

/// Outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// A stable name in kebab-case.
    pub id: String,
    /// What is checked, in a few words.
    pub title: String,
    /// Ok, finding, not applicable or unknown.
    pub outcome: CheckOutcome,
    /// Its severity if it is not ok.
    pub severity: Severity,
    /// The value found, or why there is none.
    pub found: String,
    /// The required value.
    pub wanted: String,
    /// The files read or the calls tried.
    pub source: String,
    /// Why it matters for a deadline.
    pub why: String,
    /// Source of the advice.
    pub reference: String,
    /// Remedy, and how to undo it.
    pub fix: String,
    /// The changes that `prazo tune` would make; empty where there are none.
    pub tunable: Vec<Change>,
}

impl CheckResult {
    /// True for a finding at least as heavy as `severity`.
    pub fn is_finding(&self, severity: Severity) -> bool {
        self.outcome == CheckOutcome::Finding && self.severity >= severity
    }
}

/// The word that files and terminals use.
impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Finding => "finding",
            Self::NotApplicable => "not-applicable",
            Self::Unknown => "unknown",
        })
    }
}
