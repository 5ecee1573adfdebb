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

/// The outcome of a check. What could not be read is never ok.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// As wanted.
    Ok,
    /// Not as wanted.
    Finding,
    /// This machine has nothing that could be so or not.
    NotApplicable,
    /// It could not be found out; `found` says why.
    Unknown,
}

/// One change that `prazo tune` can make, and undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The check that asks for it.
    pub check: String,
    /// The knob: a file under /proc or /sys.
    pub knob: String,
    /// What it held when it was looked at.
    pub from: String,
    /// What to write.
    pub to: String,
    /// What may go wrong; such a change is made only when it is asked for by name.
    pub risk: Option<String>,
}

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// A stable name in kebab-case.
    pub id: String,
    /// What is looked at, in a few words.
    pub title: String,
    /// Ok, finding, not applicable or unknown.
    pub outcome: CheckOutcome,
    /// How much it weighs if it is not ok.
    pub severity: Severity,
    /// What was found, or why nothing was.
    pub found: String,
    /// What is wanted.
    pub wanted: String,
    /// The files read or the calls tried.
    pub source: String,
    /// What it does to a deadline.
    pub why: String,
    /// Who says so.
    pub reference: String,
    /// What to do about it, and how to take it back.
    pub fix: String,
    /// The changes that `prazo tune` would make; empty where it would not.
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
