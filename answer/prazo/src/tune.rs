//! What a readiness check found, changed reversibly; and everything that was changed, undone.

use crate::error::Error;
use prazo_core::cpu::CpuSet;
use prazo_core::text::{counted, printable};
use prazo_platform::readiness::{self, Change, Scenario};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, Undone};
use prazo_platform::tune::{self, Applied};
use prazo_verdict::Outcome;
use serde::Serialize;
use std::fmt;

/// The risky change that is made only where it is asked for by name, by its check's name.
const RT_THROTTLING: &str = "rt-throttling";

/// What is said where there is no change to make. Risky changes and boot parameters may remain.
const NOTHING: &str = "there is no setting that `prazo tune apply` would change";

/// Changes that would be made.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Changes(pub Vec<Change>);

/// Changes as they were made.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct AppliedChanges(pub Vec<Applied>);

/// Changes as they were undone.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct UndoneChanges(pub Vec<Undone>);

/// What would be changed for real-time work on `cpus`. `lift_rt_throttling` also lifts the limit on real-time threads'
/// processor time: a thread that never sleeps can then hang the machine.
pub fn changes(cpus: Option<CpuSet>, lift_rt_throttling: bool) -> Changes {
    let results = readiness::check(&Root::system(), &Scenario { rt_cpus: cpus, ..Scenario::default() });
    Changes(tune::plan_with(&results, if lift_rt_throttling { &[RT_THROTTLING] } else { &[] }))
}

/// Makes the changes; they stay until [`undo`] or the next boot. What could not be changed is in the answer.
///
/// # Errors
/// The journal of changes cannot be kept.
pub fn apply(changes: &Changes) -> Result<AppliedChanges, Error> {
    tune::apply(&changes.0, &journal()?).map(AppliedChanges).map_err(Error::failed)
}

/// Puts everything back, also what a killed run left.
///
/// # Errors
/// The journal of changes cannot be read.
pub fn undo() -> Result<UndoneChanges, Error> {
    tune::undo(&journal()?).map(UndoneChanges).map_err(Error::failed)
}

/// Removes what a killed prazo had made, and gives what could not be removed. A journal that cannot be used is for those
/// functions to report that need it.
pub fn remove_leftovers() -> Vec<Undone> {
    let Ok(Some(journal)) = Journal::open_existing(&Root::system()) else { return Vec::new() };
    let mut undone = journal.recover_made().unwrap_or_default();
    undone.retain(|one| matches!(one, Undone::Failed { .. } | Undone::LeftAlone { .. }));
    undone
}

fn journal() -> Result<Journal, Error> {
    Journal::open(&Root::system()).map_err(Error::failed)
}

impl AppliedChanges {
    /// Pass where each change took effect.
    pub fn outcome(&self) -> Outcome {
        if self.0.iter().all(|one| one.problem.is_none()) { Outcome::Pass } else { Outcome::Fail }
    }
}

impl UndoneChanges {
    /// Fail where one could not be undone.
    pub fn outcome(&self) -> Outcome {
        if self.0.iter().any(|one| matches!(one, Undone::Failed { .. })) { Outcome::Fail } else { Outcome::Pass }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Change { knob, from, to, check, .. } in &self.0 {
            let line = format!("{knob}: {from} -> {to}  ({check})");
            writeln!(f, "{}", printable(&line))?;
        }
        if self.0.is_empty() {
            return f.write_str(NOTHING);
        }
        let changes = counted(self.0.len() as u64, "change");
        write!(f, "{changes} for `prazo tune apply` to make; `prazo tune undo` restores the old values")
    }
}

/// `/proc/sys/vm/stat_interval: 1 -> 10`, or why not.
impl fmt::Display for AppliedChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(NOTHING);
        }
        for (place, Applied { change, record, problem }) in self.0.iter().enumerate() {
            // Each problem names the setting. One that was written and reads back otherwise is not what it was before, either.
            let line = match (problem, record) {
                (None, _) => format!("{}: {} -> {}", change.knob, change.from, change.to),
                (Some(problem), None) => format!("not changed: {problem}"),
                (Some(problem), Some(_)) => format!("not as requested: {problem}"),
            };
            write!(f, "{}{}", if place == 0 { "" } else { "\n" }, printable(&line))?;
        }
        Ok(())
    }
}

impl fmt::Display for UndoneChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing to undo");
        }
        self.0.iter().try_for_each(|one| writeln!(f, "{}", printable(&one.to_string())))?;
        write!(f, "{} checked", counted(self.0.len() as u64, "change"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::tunable::TunableRecord;

    fn applied(effective: Option<&str>, problem: Option<&str>) -> Applied {
        let knob = "/proc/sys/vm/stat_interval".to_owned();
        let change =
            Change { check: "a test".into(), knob: knob.clone(), from: "1".into(), to: "10".into(), risk: None };
        let record = effective.map(|effective| TunableRecord {
            knob,
            before: Some("1".into()),
            requested: "10".into(),
            effective: Some(effective.into()),
            restored: false,
        });
        Applied { change, record, problem: problem.map(str::to_owned) }
    }

    #[test]
    fn one_change_that_did_not_take_effect_fails_and_says_whether_the_setting_was_written() {
        let made = AppliedChanges(vec![applied(Some("10"), None)]);
        assert_eq!((made.outcome(), made.to_string().as_str()), (Outcome::Pass, "/proc/sys/vm/stat_interval: 1 -> 10"));
        let refused = AppliedChanges(vec![applied(Some("10"), None), applied(None, Some("cannot set it"))]);
        assert_eq!(refused.outcome(), Outcome::Fail);
        assert!(refused.to_string().ends_with("\nnot changed: cannot set it"), "{refused}");
        let other = AppliedChanges(vec![applied(Some("5"), Some("requested '10', read back '5'"))]);
        assert_eq!(other.outcome(), Outcome::Fail);
        assert_eq!(other.to_string(), "not as requested: requested '10', read back '5'");
    }

    #[test]
    fn nothing_to_do_is_said_so() {
        assert_eq!(Changes(Vec::new()).to_string(), "there is no setting that `prazo tune apply` would change");
        assert_eq!(AppliedChanges(Vec::new()).to_string(), Changes(Vec::new()).to_string());
        assert_eq!(UndoneChanges(Vec::new()).to_string(), "nothing to undo");
    }

    #[test]
    fn a_setting_that_could_not_be_restored_fails_and_one_that_others_changed_does_not() {
        let path = || "/proc/sys/vm/stat_interval".to_owned();
        let left = Undone::LeftAlone { path: path(), found: "7".into(), before: "1".into() };
        assert_eq!(UndoneChanges(vec![left.clone()]).outcome(), Outcome::Pass);
        let failed = Undone::Failed { path: path(), why: "permission denied".into() };
        let undone = UndoneChanges(vec![left, failed]);
        assert_eq!(undone.outcome(), Outcome::Fail);
        let text = undone.to_string();
        assert!(
            text.contains("could not be restored: permission denied") && text.ends_with("2 changes checked"),
            "{text}"
        );
    }
}
