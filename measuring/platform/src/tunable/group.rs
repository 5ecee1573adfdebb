//! A control group of prazo's own, and a process that prazo has started: what a deployment leaves behind, taken away as a whole.
//!
//! A deployed process may have forked by the time that its group is removed, and nobody wrote its children down: what is still
//! in a group is moved to the one above before the folder goes.

use super::TunableRecord;
use super::entry::Step;
use super::held::Held;
use super::journal::{Journal, JournalError, TuneError};
use super::owner::Owner;
use super::state::State;
use super::thread::Thread;
use super::undo::Undone;
use crate::root::{Root, Unavailable};
use crate::sys::ProcessHandle;
use std::time::{Duration, Instant};

/// How long a process may take to end once it is asked, and a group to become empty.
const PATIENCE: Duration = Duration::from_secs(5);
const GLANCE: Duration = Duration::from_millis(5);

impl Journal {
    /// Makes a control group and holds it; when it is let go of, what is left in it moves one group up.
    pub fn hold_group(&self, path: &str) -> Result<Held, TuneError> {
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(self.folder())?;
        let id = self.write_down(&mut state, owner, Step::Group { path: path.to_owned() })?;
        if let Err(why) = self.root().make_folder(path) {
            state.entries_mut().retain(|entry| entry.id != id);
            state.store()?;
            return Err(TuneError::Refused { knob: path.to_owned(), requested: "a new control group".into(), why });
        }
        Ok(Held::new(self.clone(), Some(id), made(path.to_owned(), "a new control group")))
    }

    /// Writes down a process that was started for a deployment: it is ended when it is let go of.
    pub fn hold_process(&self, process: Thread) -> Result<Held, TuneError> {
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(self.folder())?;
        let path = format!("process {}", process.id);
        let id = self.write_down(&mut state, owner, Step::Process { path: path.clone(), process })?;
        Ok(Held::new(self.clone(), Some(id), made(path, "started")))
    }
}

fn made(knob: String, what: &str) -> TunableRecord {
    TunableRecord { knob, before: None, requested: what.into(), effective: Some(what.into()), restored: false }
}

/// Moves everybody out and removes the folder; tries again while somebody forks.
pub(super) fn remove(root: &Root, path: &str) -> Undone {
    let (path, until) = (path.to_owned(), Instant::now() + PATIENCE);
    loop {
        evacuate(root, &path);
        match root.remove_folder(&path) {
            Ok(()) | Err(Unavailable::Absent { .. }) => return Undone::Restored { path },
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

/// Asks the process to end, and sees to it.
pub(super) fn end(root: &Root, process: Thread, path: &str) -> Undone {
    let path = path.to_owned();
    let ended = |process: Thread| !process.is_there(root);
    let handle = match ProcessHandle::open(process.id) {
        // Opened first and looked at then, so that the handle is of the process that was looked at.
        Ok(handle) if !ended(process) => handle,
        Ok(_) => return Undone::Restored { path },
        Err(_) if ended(process) => return Undone::Restored { path },
        Err(error) => return Undone::Failed { path, why: error.to_string() },
    };
    for (signal, patience) in [(libc::SIGTERM, PATIENCE), (libc::SIGKILL, PATIENCE)] {
        // One that was stopped before it began is continued, so that it can take the signal. It may end meanwhile.
        let _ = handle.signal(signal).and_then(|()| handle.signal(libc::SIGCONT));
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if ended(process) {
                return Undone::Restored { path };
            }
            std::thread::sleep(GLANCE);
        }
    }
    Undone::Failed { path, why: "it does not end, not even by SIGKILL".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_started_is_ended_also_where_it_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open_in(&folder.path().join("state"), &Root::system()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let thread = Thread::find(&Root::system(), child.id()).unwrap();
        ProcessHandle::open(child.id()).unwrap().signal(libc::SIGSTOP).unwrap();
        let held = journal.hold_process(thread).unwrap();
        assert!(held.release().restored);
        assert!(!child.wait().unwrap().success());
        assert!(journal.hold_process(thread).unwrap().release().restored, "it is gone already");
    }
}
