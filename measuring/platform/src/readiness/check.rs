//! The parts of a check: what never changes (its text) and what was seen on this machine.

use super::machine::Machine;
use super::result::{Change, CheckOutcome, CheckResult};
use crate::Severity;
use crate::root::Unavailable;
use crate::tunable::Tunable;

/// The kernel's own guide for real-time configurations.
pub(super) const KERNEL_GUIDE: &str = "Documentation/core-api/real-time/kernel-configuration.rst";
/// The kernel's own guide for real-time hardware.
pub(super) const HARDWARE_GUIDE: &str = "Documentation/core-api/real-time/hardware.rst";
/// The profiles of tuned.
pub(super) const TUNED: &str = "tuned, profiles realtime and cpu-partitioning";
/// Red Hat's guide.
pub(super) const RHEL: &str = "Red Hat Enterprise Linux for Real Time, tuning guide";
/// The kernel's list of boot parameters.
pub(super) const PARAMETERS: &str = "Documentation/admin-guide/kernel-parameters.txt";

/// One check.
pub(super) struct Check {
    pub id: &'static str,
    pub title: &'static str,
    pub severity: Severity,
    pub wanted: &'static str,
    pub why: &'static str,
    pub reference: &'static str,
    pub fix: &'static str,
    pub look: fn(&Machine) -> Observation,
}

/// What was seen on this machine.
pub(super) struct Observation {
    outcome: CheckOutcome,
    found: String,
    source: String,
    severity: Option<Severity>,
    changes: Vec<(Tunable, String, String, Option<&'static str>)>,
}

impl Check {
    /// Looks, and joins what was seen with the check's own text.
    pub(super) fn run(&self, machine: &Machine) -> CheckResult {
        let seen = (self.look)(machine);
        CheckResult {
            id: self.id.into(),
            title: self.title.into(),
            outcome: seen.outcome,
            severity: seen.severity.unwrap_or(self.severity),
            found: seen.found,
            wanted: self.wanted.into(),
            source: seen.source,
            why: self.why.into(),
            reference: self.reference.into(),
            fix: self.fix.into(),
            tunable: seen.changes.into_iter().map(|change| self.change(change)).collect(),
        }
    }

    fn change(&self, (knob, from, to, risk): (Tunable, String, String, Option<&'static str>)) -> Change {
        Change { check: self.id.into(), knob: knob.path().into(), from, to, risk: risk.map(Into::into) }
    }
}

impl Observation {
    fn new(outcome: CheckOutcome, source: impl Into<String>, found: impl Into<String>) -> Self {
        Self { outcome, found: found.into(), source: source.into(), severity: None, changes: Vec::new() }
    }

    /// The same, where a number that was found counts `unit`.
    pub(super) fn in_unit(mut self, unit: &str) -> Self {
        if matches!(self.outcome, CheckOutcome::Ok | CheckOutcome::Finding) {
            self.found = format!("{} {unit}", self.found);
        }
        self
    }

    /// As wanted.
    pub(super) fn ok(source: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(CheckOutcome::Ok, source, found)
    }

    /// Not as wanted.
    pub(super) fn finding(source: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(CheckOutcome::Finding, source, found)
    }

    /// Ok if `good`, else a finding.
    pub(super) fn judged(good: bool, source: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(if good { CheckOutcome::Ok } else { CheckOutcome::Finding }, source, found)
    }

    /// Nothing here that could be so or not, because of `why`.
    pub(super) fn not_applicable(source: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(CheckOutcome::NotApplicable, source, why)
    }

    /// It could not be found out, because of `why`.
    pub(super) fn unknown(source: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(CheckOutcome::Unknown, source, why)
    }

    /// It could not be read.
    pub(super) fn unreadable(error: &Unavailable) -> Self {
        let (Unavailable::Absent { path }
        | Unavailable::Denied { path }
        | Unavailable::Refused { path, .. }
        | Unavailable::Failed { path, .. }) = error;
        Self::unknown(path.clone(), error.to_string())
    }

    /// A weight other than the check's own.
    pub(super) fn weighing(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// A change that would put a finding right. Anything but a finding needs none.
    pub(super) fn with_change(mut self, knob: Tunable, from: &str, to: impl Into<String>) -> Self {
        if self.outcome == CheckOutcome::Finding {
            self.changes.push((knob, from.to_owned(), to.into(), None));
        }
        self
    }

    /// A change that is made only when it is asked for by name.
    pub(super) fn with_risky_change(mut self, knob: Tunable, from: &str, to: &str, risk: &'static str) -> Self {
        if self.outcome == CheckOutcome::Finding {
            self.changes.push((knob, from.to_owned(), to.to_owned(), Some(risk)));
        }
        self
    }

    /// Whether it is a finding.
    pub(super) fn is_finding(&self) -> bool {
        self.outcome == CheckOutcome::Finding
    }
}
