//! A control group (version 2) of its own for one run: its processor time is counted to the last, and it ends as a whole.
//!
//! It stands in the journal: if prazo is killed, the next start of any command ends what still runs in it and removes it.

use crate::name::fresh_name;
use prazo_platform::Root;
use prazo_platform::cgroup::Cgroups;
use prazo_platform::tunable::{Held, Journal};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// A group that exists for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Group {
    path: PathBuf,
    folder: File,
    // Removes it, and ends what is still in it.
    _held: Held,
}

/// Processor time of all that ever ran in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupTime {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl Group {
    /// Makes a group below our own; `Err` says why there is none.
    pub(crate) fn make() -> Result<Self, String> {
        let groups = Cgroups::read(&Root::system()).map_err(|error| error.to_string())?;
        let own = groups.own_v2().ok_or("no control groups of version 2 are mounted")?;
        let path = Path::new(&own).join(fresh_name()?).display().to_string();
        let journal = Journal::open(&Root::system()).map_err(|error| error.to_string())?;
        let held = journal.hold_command(&path).map_err(|error| error.to_string())?;
        let folder = File::open(&path).map_err(|error| format!("cannot open the control group {path}: {error}"))?;
        Ok(Self { path: path.into(), folder, _held: held })
    }

    /// The group as a place to begin in.
    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Processor time so far.
    pub(crate) fn time(&self) -> Result<GroupTime, String> {
        let file = self.path.join("cpu.stat");
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        time_in(&text).ok_or_else(|| format!("{} contains no user_usec and system_usec", file.display()))
    }

    /// Ends everything in it at once.
    pub(crate) fn end(&self) -> io::Result<()> {
        fs::write(self.path.join("cgroup.kill"), "1")
    }
}

fn time_in(text: &str) -> Option<GroupTime> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().parse::<u64>().ok()?.checked_mul(1_000)
    };
    Some(GroupTime { user_ns: value("user_usec ")?, system_ns: value("system_usec ")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_kernels_text() {
        let text = "usage_usec 30\nuser_usec 10\nsystem_usec 20\nnice_usec 0\n";
        assert_eq!(time_in(text), Some(GroupTime { user_ns: 10_000, system_ns: 20_000 }));
        assert_eq!(time_in("usage_usec 30\n"), None);
    }
}
