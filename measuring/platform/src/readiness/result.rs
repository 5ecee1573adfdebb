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

/// Outcome of a check; never `ok` where the source of the check could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// The setting is as required.
    Ok,
    /// The setting is not as required.
    Finding,
    /// The check does not apply to this machine.
    NotApplicable,
    /// Whether the setting is as required could not be determined; `found` says why.
    Unknown,
}

/// One change of a setting, which `prazo tune` can make and undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Name of the check that requires the change.
    pub check: String,
    /// The setting to change: a file under /proc or /sys.
    pub knob: String,
    /// Value of the setting when the check read it.
    pub from: String,
    /// Value that the change writes to the setting.
    pub to: String,
    /// Risk of the change; null where there is none. A risky change is made only when its own flag is given.
    pub risk: Option<String>,
}

/// Result of one readiness check of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// Stable name of the check, in kebab-case: `irq-affinity`.
    pub id: String,
    /// What is checked, in a few words.
    pub title: String,
    /// Outcome of the check: ok, finding, not applicable or unknown.
    pub outcome: CheckOutcome,
    /// Severity of the check if its outcome is not ok.
    pub severity: Severity,
    /// Value that the check found, or why the value could not be read.
    pub found: String,
    /// Value that the check requires.
    pub wanted: String,
    /// Files that the check read, or calls that it tried.
    pub source: String,
    /// Why the setting matters for meeting deadlines.
    pub why: String,
    /// Publication or page that the advice comes from.
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
