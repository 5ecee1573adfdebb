//! Where a thread runs and how it is scheduled, changed for another process: written down, set, and put back like a knob.
//!
//! A thread is named by its number and its start, so that nothing is ever put back to a later thread of the same number. A
//! thread that has ended took its settings with it, which counts as put back.

use super::TunableRecord;
use super::entry::JournaledChange;
use super::held::Held;
use super::journal::{Journal, JournalError, TuneError};
use super::known::is_knob;
use super::owner::Owner;
use super::state::State;
use super::undo::{self, Undone};
use crate::process::Process;
use crate::root::{Reading, Root, Unavailable};
use prazo_core::cpu::CpuSet;
use prazo_sys::scheduling::SchedAttr;
use serde::{Deserialize, Serialize};
use std::{fmt, io};

/// A thread for good: its number and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// Its number; that of a process is its first thread's.
    pub id: u32,
    /// Its start, in clock ticks since boot.
    pub started_ticks: u64,
}

/// What a thread was, or is to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "setting")]
pub enum ThreadSetting {
    /// A scheduling policy with its parameters.
    Policy {
        /// As sched_setattr(2) takes it.
        attr: SchedAttr,
    },
    /// The processors that it wants to run on; what it gets is bounded by its cpuset.
    Affinity {
        /// As a list.
        cpus: String,
    },
    /// A control group, by the file that its number is written to: `cgroup.procs` takes the whole process along.
    Group {
        /// The file.
        file: String,
    },
}

impl Thread {
    /// The thread that has this number now.
    pub fn find(root: &Root, id: u32) -> Reading<Self> {
        Process::read(root, id).map(|found| Self { id, started_ticks: found.started_ticks })
    }

    /// The calling thread.
    pub fn this() -> Reading<Self> {
        Self::find(&Root::system(), prazo_sys::process::thread_id() as u32)
    }

    /// True while it runs; one that waits to be collected does not.
    pub fn is_there(self, root: &Root) -> bool {
        Process::read(root, self.id).is_ok_and(|found| found.started_ticks == self.started_ticks && !found.has_ended())
    }
}

impl fmt::Display for ThreadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy { attr } => write!(f, "{attr}"),
            Self::Affinity { cpus } => write!(f, "processors {cpus}"),
            Self::Group { file } => write!(f, "group {}", folder_of(file)),
        }
    }
}

impl ThreadSetting {
    /// What the journal calls the setting of a thread; no file.
    pub(super) fn knob(&self, thread: Thread) -> String {
        let what = match self {
            Self::Policy { .. } => "policy",
            Self::Affinity { .. } => "affinity",
            Self::Group { file } => return format!("control group of thread {} below {}", thread.id, mount_of(file)),
        };
        format!("{what} of thread {}", thread.id)
    }

    /// True where putting it back touches nothing but what prazo changes.
    pub(super) fn is_ours_to_undo(&self) -> bool {
        !matches!(self, Self::Group { file } if !is_knob(file))
    }

    /// What the thread has now where this asks for something.
    fn now(&self, root: &Root, thread: u32) -> Result<Self, Unavailable> {
        let failed = |error: io::Error| unavailable(thread, &error);
        Ok(match self {
            Self::Policy { .. } => Self::Policy { attr: prazo_sys::scheduling::attributes_of(thread).map_err(failed)? },
            Self::Affinity { .. } => {
                Self::Affinity { cpus: prazo_sys::scheduling::affinity_of(thread).map_err(failed)?.to_string() }
            }
            Self::Group { file } => Self::Group { file: group_file(root, thread, file)? },
        })
    }

    fn set(&self, root: &Root, thread: u32) -> Result<(), Unavailable> {
        let failed = |error: io::Error| unavailable(thread, &error);
        match self {
            Self::Policy { attr } => prazo_sys::scheduling::set_attributes_of(thread, attr).map_err(failed),
            Self::Affinity { cpus } => {
                let set: CpuSet = cpus.parse().map_err(|error| failed(io::Error::other(format!("{error}"))))?;
                prazo_sys::scheduling::set_affinity_of(thread, &set).map_err(failed)
            }
            Self::Group { file } => root.write(file, &thread.to_string()),
        }
    }

    /// True where both are one setting.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Policy { attr: one }, Self::Policy { attr: other }) => one.is_same(other),
            _ => self == other,
        }
    }

    /// True where the system may answer with less than was asked: an affinity is bounded by a cpuset.
    fn is_a_wish(&self) -> bool {
        matches!(self, Self::Affinity { .. })
    }
}

/// The group's folder.
fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a group's file is called, and the mount that it is most probably under, for people.
fn mount_of(file: &str) -> String {
    file.split('/').take(5).collect::<Vec<_>>().join("/")
}

/// The same file in the group that the thread is in now, in the hierarchy that `file` belongs to.
fn group_file(root: &Root, thread: u32, file: &str) -> Reading {
    let name = file.rsplit('/').next().unwrap_or_default();
    let groups = crate::cgroup::Cgroups::of(root, &format!("/proc/{thread}/cgroup"))?;
    let folder = groups.own_beside(file).ok_or_else(|| Unavailable::Failed {
        path: format!("/proc/{thread}/cgroup"),
        why: format!("names no control group in the hierarchy of {file}"),
    })?;
    Ok(format!("{folder}/{name}"))
}

fn unavailable(thread: u32, error: &io::Error) -> Unavailable {
    let path = format!("thread {thread}");
    match error.raw_os_error() {
        Some(libc::ESRCH) => Unavailable::Absent { path },
        Some(errno) => Unavailable::Refused { path, errno },
        None => Unavailable::Failed { path, why: error.to_string() },
    }
}

impl Journal {
    /// Sets something of a thread for as long as the returned value lives, or until it is kept ([`Journal::keep`]).
    pub fn hold_thread(&self, thread: Thread, setting: &ThreadSetting) -> Result<Held, TuneError> {
        let knob = setting.knob(thread);
        let refused = |why| TuneError::Refused { knob: knob.clone(), requested: setting.to_string(), why };
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(self.folder())?;
        if !thread.is_there(self.root()) {
            return Err(refused(Unavailable::Absent { path: format!("thread {}", thread.id) }));
        }
        let before = setting.now(self.root(), thread.id).map_err(refused)?;
        let step =
            JournaledChange::Thread { path: knob.clone(), thread, before: before.clone(), requested: setting.clone() };
        let id = self.write_down(&mut state, owner, step)?;
        match apply(self.root(), thread, setting) {
            Ok(effective) => Ok(Held::new(self.clone(), Some(id), record(knob, &before, setting, &effective))),
            Err(why) => {
                undo::undo(self.root(), state.entries_mut(), id);
                state.store()?;
                Err(refused(why))
            }
        }
    }
}

/// Sets and reads back.
fn apply(root: &Root, thread: Thread, setting: &ThreadSetting) -> Result<ThreadSetting, Unavailable> {
    setting.set(root, thread.id)?;
    let effective = setting.now(root, thread.id)?;
    match effective.is_same(setting) || setting.is_a_wish() {
        true => Ok(effective),
        false => {
            let why = format!("requested {setting}, read back {effective}");
            Err(Unavailable::Failed { path: format!("thread {}", thread.id), why })
        }
    }
}

fn record(knob: String, before: &ThreadSetting, requested: &ThreadSetting, effective: &ThreadSetting) -> TunableRecord {
    TunableRecord {
        knob,
        before: Some(before.to_string()),
        requested: requested.to_string(),
        effective: Some(effective.to_string()),
        restored: false,
    }
}

/// Puts the setting from before back, unless the thread has ended or somebody else has changed it since.
pub(super) fn undo(root: &Root, step: &JournaledChange, path: &str) -> Undone {
    let owned = path.to_owned();
    let JournaledChange::Thread { thread, before, requested, .. } = step else {
        return Undone::Failed { path: owned, why: "this journal entry is not a setting of a thread".into() };
    };
    if !thread.is_there(root) {
        return Undone::Restored { path: owned };
    }
    match put_back(root, *thread, before, requested) {
        Ok(None) => Undone::Restored { path: owned },
        Ok(Some(found)) => Undone::LeftAlone { path: owned, found, before: before.to_string() },
        // It ended while we looked.
        Err(_) if !thread.is_there(root) => Undone::Restored { path: owned },
        Err(error) => Undone::Failed { path: owned, why: error.to_string() },
    }
}

/// What somebody else has set it to since; `None` where the setting before is back.
fn put_back(
    root: &Root,
    thread: Thread,
    before: &ThreadSetting,
    requested: &ThreadSetting,
) -> Result<Option<String>, Unavailable> {
    let now = before.now(root, thread.id)?;
    if now.is_same(before) {
        return Ok(None);
    }
    if !now.is_same(requested) && !requested.is_a_wish() {
        return Ok(Some(now.to_string()));
    }
    match apply(root, thread, before) {
        // The group that it came from is gone, as after its service was stopped: its own cpuset's root takes it.
        Err(Unavailable::Absent { .. }) if matches!(before, ThreadSetting::Group { .. }) => {
            let ThreadSetting::Group { file } = requested else { return Ok(None) };
            apply(root, thread, &ThreadSetting::Group { file: above(file) }).map(|_| None)
        }
        answer => answer.map(|_| None),
    }
}

/// The same file one group up.
fn above(file: &str) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
    format!("{parent}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tunable::scratch::journal;

    fn narrow() -> (ThreadSetting, CpuSet) {
        let all = prazo_sys::scheduling::affinity().unwrap();
        (ThreadSetting::Affinity { cpus: CpuSet::only(all.first()).to_string() }, all)
    }

    #[test]
    fn a_threads_affinity_is_set_and_put_back() {
        let ((_folder, journal), (setting, all)) = (journal(), narrow());
        let held = journal.hold_thread(Thread::this().unwrap(), &setting).unwrap();
        assert_eq!(prazo_sys::scheduling::affinity().unwrap(), CpuSet::only(all.first()));
        assert!(held.release().restored);
        assert_eq!((prazo_sys::scheduling::affinity().unwrap(), journal.entries().unwrap().len()), (all, 0));
    }

    #[test]
    fn what_is_kept_outlives_its_holder_and_is_undone_by_one_call() {
        let ((_folder, journal), (setting, all)) = (journal(), narrow());
        let held = journal.hold_thread(Thread::this().unwrap(), &setting).unwrap();
        journal.keep(vec![held]).unwrap();
        assert_eq!(prazo_sys::scheduling::affinity().unwrap(), CpuSet::only(all.first()));
        assert_eq!(journal.recover().unwrap(), [], "a deployment is meant to stay");
        assert!(journal.undo_deployed().unwrap().iter().all(Undone::is_restored));
        assert_eq!(prazo_sys::scheduling::affinity().unwrap(), all);
    }

    #[test]
    fn a_thread_that_ended_has_nothing_to_put_back_and_its_number_s_next_user_is_left_alone() {
        let ((_folder, journal), (setting, all)) = (journal(), narrow());
        let this = Thread::this().unwrap();
        let gone = Thread { started_ticks: this.started_ticks + 1, ..this };
        let error = journal.hold_thread(gone, &setting).unwrap_err().to_string();
        assert!(error.contains("does not exist"), "{error}");
        let step = JournaledChange::Thread {
            path: setting.knob(gone),
            thread: gone,
            before: setting.clone(),
            requested: ThreadSetting::Affinity { cpus: all.to_string() },
        };
        assert!(undo(&Root::system(), &step, "x").is_restored());
        assert_eq!(prazo_sys::scheduling::affinity().unwrap(), all, "the thread of today is not the one of then");
    }

    #[test]
    fn a_refused_policy_leaves_no_entry() {
        let (_folder, journal) = journal();
        let attr = SchedAttr { policy: 77, ..SchedAttr::default() };
        let error = journal.hold_thread(Thread::this().unwrap(), &ThreadSetting::Policy { attr }).unwrap_err();
        assert!(error.to_string().contains("policy of thread"), "{error}");
        assert_eq!(journal.entries().unwrap(), []);
    }
}
