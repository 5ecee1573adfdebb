//! A control group of prazo's own, taken away with nobody left in it.
//!
//! A deployed process may have forked by the time that its group is removed, and nobody wrote its children down: what is still
//! in a group is moved to the one above before the folder goes.

use super::entry::JournaledChange;
use super::held::Held;
use super::journal::{Journal, TuneError};
use super::undo::Undone;
use crate::root::{Reading, Root, Unavailable};
use std::time::{Duration, Instant};

/// How long a group may take to become empty.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
pub(super) const GLANCE: Duration = Duration::from_millis(5);

impl Journal {
    /// Makes a control group and holds it; when it is let go of, what is left in it moves one group up.
    pub fn hold_group(&self, path: &str) -> Result<Held, TuneError> {
        self.hold_made(JournaledChange::Group { path: path.to_owned() }, "a new control group")
    }
}

/// Moves everybody out and removes the folder; tries again while somebody forks.
pub(super) fn remove(root: &Root, path: &str) -> Undone {
    once_empty(path, || {
        evacuate(root, path);
        remove_folder(root, path)
    })
}

/// Removes the folder; one that is gone is removed.
pub(super) fn remove_folder(root: &Root, path: &str) -> Reading<()> {
    match root.remove_folder(path) {
        Err(Unavailable::Absent { .. }) => Ok(()),
        other => other,
    }
}

/// Tries to remove a group as long as it may take to become empty.
pub(super) fn once_empty(path: &str, remove: impl Fn() -> Reading<()>) -> Undone {
    let (path, until) = (path.to_owned(), Instant::now() + PATIENCE);
    loop {
        match remove() {
            Ok(()) => return Undone::Restored { path },
            Err(error) if Instant::now() >= until => return Undone::Failed { path, why: error.to_string() },
            Err(_) => std::thread::sleep(GLANCE),
        }
    }
}

/// A threaded group of version 2 tells its threads, one of version 1 its tasks; what cannot be moved shows when the folder
/// stays.
fn evacuate(root: &Root, path: &str) {
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    for file in ["cgroup.threads", "tasks"] {
        let members = root.read(&format!("{path}/{file}")).unwrap_or_default();
        members.lines().for_each(|member| drop(root.write(&format!("{above}/{file}"), member)));
    }
}
