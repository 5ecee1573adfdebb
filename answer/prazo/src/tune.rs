//! What a readiness check found, changed reversibly.

use crate::error::Error;
use prazo_core::cpu::CpuSet;
use prazo_platform::readiness::{self, Change, Scenario};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, Undone};
use prazo_platform::tune::{self, Applied};

/// The risky change that is made only where it is asked for by name, by its check's name.
const RT_THROTTLING: &str = "rt-throttling";

/// What would be changed for real-time work on `cpus`. `lift_rt_throttling` also lifts the limit on real-time threads'
/// processor time: a thread that never sleeps can then hang the machine.
pub fn changes(cpus: Option<CpuSet>, lift_rt_throttling: bool) -> Vec<Change> {
    let results = readiness::check(&Root::system(), &Scenario { rt_cpus: cpus, ..Scenario::default() });
    tune::plan_with(&results, if lift_rt_throttling { &[RT_THROTTLING] } else { &[] })
}

/// Makes the changes; they stay until [`undo`] or the next boot. What could not be changed is in the answer.
///
/// # Errors
/// The journal of changes cannot be kept.
pub fn apply(changes: &[Change]) -> Result<Vec<Applied>, Error> {
    tune::apply(changes, &journal()?).map_err(Error::failed)
}

/// Puts everything back, also what a killed run left.
///
/// # Errors
/// The journal of changes cannot be read.
pub fn undo() -> Result<Vec<Undone>, Error> {
    tune::undo(&journal()?).map_err(Error::failed)
}

fn journal() -> Result<Journal, Error> {
    Journal::open(&Root::system()).map_err(Error::failed)
}
