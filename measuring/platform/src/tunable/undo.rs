//! Undoing one entry of the journal, whatever happened to the knob since.

use super::entry::{Entry, JournaledChange, module_name};
use super::temporary::{self, Removed};
use super::value::{same_value, writable};
use super::{command, controller, group, receive_stamps, thread};
use crate::root::{Root, Unavailable};
use prazo_sys::kernel_module as sys;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Outcome of undoing one change of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Undone {
    /// The setting has its earlier value or no longer exists, or the folder was removed.
    Restored {
        /// Path or name of the changed setting.
        path: String,
    },
    /// Another prazo process still uses the setting; the last process to use the setting restores the value from before
    /// the first change.
    HandedDown {
        /// Path or name of the changed setting.
        path: String,
    },
    /// Another program changed the setting after prazo did, so prazo left the setting unchanged.
    LeftAlone {
        /// Path or name of the changed setting.
        path: String,
        /// The value that the setting has now.
        found: String,
        /// Value of the setting before prazo changed it.
        before: String,
    },
    /// Another program depends on the setting now, so prazo left the setting unchanged.
    InUse {
        /// Path or name of the changed setting.
        path: String,
        /// What depends on the setting now, such as a control group.
        by: String,
    },
    /// The change belonged to an earlier boot and ended with it.
    Discarded {
        /// Path or name of the changed setting.
        path: String,
    },
    /// The setting could not be restored; its entry stays in the journal, and the next `prazo tune undo` tries again.
    Failed {
        /// Path or name of the changed setting.
        path: String,
        /// Reason why the setting could not be restored.
        why: String,
    },
}

impl Undone {
    /// True where nothing is left to do for anybody.
    pub fn is_restored(&self) -> bool {
        matches!(self, Self::Restored { .. })
    }

    /// True where the entry must stay in the journal.
    pub(super) fn is_pending(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restored { path } => write!(f, "{path}: restored"),
            Self::HandedDown { path } => {
                write!(f, "{path}: still in use by another prazo process, which will restore it")
            }
            Self::LeftAlone { path, found, before } => {
                write!(
                    f,
                    "{path}: left unchanged, because another program has changed it since: now '{found}' (before: '{before}')"
                )
            }
            Self::InUse { path, by } => write!(f, "{path}: left unchanged, because {by} uses it now"),
            Self::Discarded { path } => write!(f, "{path}: changed before the last boot; nothing to undo"),
            Self::Failed { path, why } => write!(f, "{path}: could not be restored: {why}"),
        }
    }
}

/// Undoes the entry `id`, and takes it out of `entries` unless it failed. Panics if there is no such entry.
pub(super) fn undo(root: &Root, entries: &mut Vec<Entry>, id: u64) -> Undone {
    let index = entries.iter().position(|entry| entry.id == id).expect("the caller has seen the entry");
    let entry = entries[index].clone();
    let undone = match &entry.step {
        JournaledChange::Folder { path } => remove(root, path),
        JournaledChange::Group { path } => group::remove(root, path),
        JournaledChange::Process { path, process, session } => command::end(root, *process, *session, path),
        JournaledChange::Command { path } => command::remove(root, path),
        JournaledChange::TemporaryFolder { path } => remove_temporary(path),
        JournaledChange::Controller { path, controller } => match others(entries, &entry) {
            true => Undone::HandedDown { path: path.clone() },
            false => controller::take_back(root, path, controller, &|group| is_about(entries, &entry, group)),
        },
        JournaledChange::Thread { path, .. } => thread::undo(root, &entry.step, path),
        JournaledChange::Module { path } => unload(root, path),
        JournaledChange::ReceiveStamps { path, .. } => match later_holder(entries, &entry) {
            Some(later) => receive_stamps::hand_down(&mut later.step, &entry.step, path),
            None => receive_stamps::undo(&entry.step, path),
        },
        JournaledChange::Write { path, .. } => match later_holder(entries, &entry) {
            Some(later) => hand_down(later, &entry.step, path),
            None => put_back(root, &entry.step, path),
        },
    };
    if !undone.is_pending() {
        entries.remove(index);
    }
    undone
}

/// The next change of the same knob after this one.
fn later_holder<'a>(entries: &'a mut [Entry], entry: &Entry) -> Option<&'a mut Entry> {
    entries.iter_mut().find(|other| {
        let same_knob = other.step.path() == entry.step.path() && other.tree == entry.tree;
        same_knob && other.boot_id == entry.boot_id && other.id > entry.id
    })
}

/// True where another entry is about the same.
fn others(entries: &[Entry], entry: &Entry) -> bool {
    let same = |other: &Entry| (&other.step, &other.tree, &other.boot_id) == (&entry.step, &entry.tree, &entry.boot_id);
    entries.iter().any(|other| other.id != entry.id && same(other))
}

/// True where an entry of the same boot and tree as this one is about `path`.
fn is_about(entries: &[Entry], entry: &Entry, path: &str) -> bool {
    let is_of_here = |other: &Entry| (&other.tree, &other.boot_id) == (&entry.tree, &entry.boot_id);
    entries.iter().any(|other| is_of_here(other) && other.step.path() == path)
}

/// The later holder now answers for the value from before this one, unless the knob was changed by hand in between.
fn hand_down(later: &mut Entry, step: &JournaledChange, path: &str) -> Undone {
    if let JournaledChange::Write { before, effective, inherited, .. } = step
        && let JournaledChange::Write { before: later_before, inherited: later_inherited, .. } = &mut later.step
    {
        // An owner that died before it read back may have left any spelling of what it asked for.
        if effective.as_ref().is_none_or(|effective| same_value(path, later_before, effective)) {
            later_inherited.push(later_before.clone());
            *later_before = before.clone();
        }
        later_inherited.extend(inherited.iter().cloned());
    }
    Undone::HandedDown { path: path.to_owned() }
}

/// True where the knob holds what prazo has put there, as against a change by hand.
fn is_ours(step: &JournaledChange, path: &str, current: &str) -> bool {
    let JournaledChange::Write { requested, effective, inherited, .. } = step else { return false };
    let Some(effective) = effective else { return true };
    [effective, requested].into_iter().chain(inherited).any(|ours| same_value(path, current, ours))
}

fn put_back(root: &Root, step: &JournaledChange, path: &str) -> Undone {
    let JournaledChange::Write { before, .. } = step else { return remove(root, path) };
    let owned = path.to_owned();
    let current = match root.read(path) {
        Ok(current) => current,
        // The device or the interrupt is gone, and its setting with it.
        Err(Unavailable::Absent { .. }) => return Undone::Restored { path: owned },
        Err(error) => return Undone::Failed { path: owned, why: error.to_string() },
    };
    if same_value(path, &current, before) {
        return Undone::Restored { path: owned };
    }
    if !is_ours(step, path, &current) {
        return Undone::LeftAlone { path: owned, found: current, before: before.to_owned() };
    }
    match root.write(path, &writable(before)).and_then(|()| root.read(path)) {
        Ok(now) if same_value(path, &now, before) => Undone::Restored { path: owned },
        Ok(now) => Undone::Failed { path: owned, why: format!("wrote '{before}', read back '{now}'") },
        Err(error) => Undone::Failed { path: owned, why: error.to_string() },
    }
}

/// One that is used cannot be removed; the next start tries again.
fn unload(root: &Root, path: &str) -> Undone {
    let (path, name) = (path.to_owned(), module_name(path).unwrap_or_default());
    if let Err(Unavailable::Absent { .. }) = root.read(&format!("{path}/refcnt")) {
        return Undone::Restored { path };
    }
    match sys::remove_module(name) {
        Ok(()) => Undone::Restored { path },
        Err(error) => Undone::Failed { path, why: format!("the kernel does not unload the module: {error}") },
    }
}

fn remove_temporary(path: &str) -> Undone {
    let path = path.to_owned();
    match temporary::remove(&path) {
        Ok(Removed::Gone) => Undone::Restored { path },
        Ok(Removed::IsAnothers) => {
            let (found, before) = ("a folder of another program".into(), "absent".into());
            Undone::LeftAlone { path, found, before }
        }
        Err(error) => Undone::Failed { path, why: error.to_string() },
    }
}

fn remove(root: &Root, path: &str) -> Undone {
    let path = path.to_owned();
    match root.remove_folder(&path) {
        Ok(()) | Err(Unavailable::Absent { .. }) => Undone::Restored { path },
        Err(error) => Undone::Failed { path, why: error.to_string() },
    }
}
