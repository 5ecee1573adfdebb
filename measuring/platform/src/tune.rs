//! Changes that readiness asks for, made and undone: `prazo tune --dry-run | apply | undo`.
//!
//! Only changes that can be undone are offered. One that may hang the machine carries its risk and is made only when its
//! check is asked for by name.

use crate::readiness::{Change, CheckResult};
use crate::tunable::{Journal, JournalError, Tunable, TunableRecord, TuneError, Undone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Outcome of one change that `prazo tune` made or tried to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Applied {
    /// The requested change.
    pub change: Change,
    /// The setting before and after the change; null where the change was refused.
    pub record: Option<TunableRecord>,
    /// Why the change was refused or did not take effect; null where it took effect.
    pub problem: Option<String>,
}

/// The changes that the findings ask for, in order and each knob once, without the risky ones.
pub fn plan(results: &[CheckResult]) -> Vec<Change> {
    plan_with(results, &[])
}

/// The same, together with the risky changes of the checks that are asked for by name.
pub fn plan_with(results: &[CheckResult], requested: &[&str]) -> Vec<Change> {
    let is_wanted = |change: &&Change| change.risk.is_none() || requested.contains(&change.check.as_str());
    let mut plan: Vec<Change> = Vec::new();
    for change in results.iter().flat_map(|result| &result.tunable).filter(is_wanted) {
        if !plan.iter().any(|other| other.knob == change.knob) {
            plan.push(change.clone());
        }
    }
    plan
}

/// Makes the changes; they stay until [`undo`] or the next boot. A change that the machine refuses is reported and the
/// others are made; a journal that cannot be kept stops all.
pub fn apply(changes: &[Change], journal: &Journal) -> Result<Vec<Applied>, JournalError> {
    changes.iter().map(|change| apply_one(change, journal)).collect()
}

fn apply_one(change: &Change, journal: &Journal) -> Result<Applied, JournalError> {
    let refused = |why: String| Applied { change: change.clone(), record: None, problem: Some(why) };
    let Some(knob) = Tunable::file(&change.knob) else {
        return Ok(refused(format!("{} is not a setting that prazo changes", change.knob)));
    };
    match journal.apply(&knob, &change.to) {
        Ok(record) => {
            let found = record.effective.as_deref().unwrap_or("nothing");
            let problem = (!record.took_effect())
                .then(|| format!("{}: requested '{}', read back '{found}'", change.knob, change.to));
            Ok(Applied { change: change.clone(), record: Some(record), problem })
        }
        Err(TuneError::Journal(error)) => Err(error),
        Err(error) => Ok(refused(error.to_string())),
    }
}

/// Undoes all applied changes of this boot, and what runs left behind that are gone. What live runs hold stays.
pub fn undo(journal: &Journal) -> Result<Vec<Undone>, JournalError> {
    journal.undo_applied()
}
