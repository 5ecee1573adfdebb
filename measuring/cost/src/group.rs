//! A control group (version 2) of its own for one run: its processor time is counted to the last, and it ends as a whole.
//!
//! Its name holds its owner: the next run removes the groups of owners that are gone, and ends what still runs in them.

use crate::owner::{fresh_name, is_abandoned};
use prazo_platform::Root;
use prazo_platform::cgroup::Cgroups;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a group may take to empty after all in it were killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A group that exists for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Group {
    path: PathBuf,
    folder: File,
}

/// Processor time of all that ever ran in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupTime {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl Group {
    /// Makes a group below our own; `Err` says why there is none.
    pub fn make() -> Result<Self, String> {
        let groups = Cgroups::read(&Root::system()).map_err(|error| error.to_string())?;
        let own = groups.own_v2().ok_or("no control groups of version 2 are mounted")?;
        sweep(Path::new(&own));
        let path = Path::new(&own).join(fresh_name()?);
        let failed = |error: io::Error| format!("cannot make the control group {}: {error}", path.display());
        fs::create_dir(&path).map_err(failed)?;
        let folder = File::open(&path).map_err(failed)?;
        Ok(Self { path, folder })
    }

    /// The group as a place to begin in.
    pub fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Processor time so far.
    pub fn time(&self) -> Result<GroupTime, String> {
        let file = self.path.join("cpu.stat");
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        time_in(&text).ok_or_else(|| format!("{} holds no user_usec and system_usec", file.display()))
    }

    /// Ends everything in it at once.
    pub fn end(&self) -> io::Result<()> {
        fs::write(self.path.join("cgroup.kill"), "1")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a group as soon as it is empty; what still runs in it is ended.
fn remove(path: &Path) {
    let until = Instant::now() + PATIENCE;
    while fs::remove_dir(path).is_err_and(|error| error.kind() != io::ErrorKind::NotFound) && Instant::now() < until {
        let _ = fs::write(path.join("cgroup.kill"), "1");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn time_in(text: &str) -> Option<GroupTime> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().parse::<u64>().ok()?.checked_mul(1_000)
    };
    Some(GroupTime { user_ns: value("user_usec ")?, system_ns: value("system_usec ")? })
}

/// Removes the groups in `parent` whose owners are gone.
fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_abandoned(&entry.file_name().to_string_lossy())) {
        remove(&entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::{PREFIX, own_namespace};
    use prazo_testing::{Need, skip};

    #[test]
    fn times_are_read_from_the_kernels_text() {
        let text = "usage_usec 30\nuser_usec 10\nsystem_usec 20\nnice_usec 0\n";
        assert_eq!(time_in(text), Some(GroupTime { user_ns: 10_000, system_ns: 20_000 }));
        assert_eq!(time_in("usage_usec 30\n"), None);
    }

    #[test]
    fn a_group_left_by_a_killed_owner_is_removed_with_what_runs_in_it() {
        let Some(own) = Cgroups::read(&Root::system()).ok().and_then(|groups| groups.own_v2()) else {
            skip!(Need::ControlGroups, "none are mounted");
        };
        let left = Path::new(&own).join(format!("{PREFIX}4194305-1-{}-0", own_namespace()));
        if let Err(error) = fs::create_dir(&left) {
            skip!(Need::ControlGroups, "{}: {error}", left.display());
        }
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        fs::write(left.join("cgroup.procs"), child.id().to_string()).unwrap();
        // What was killed leaves its group before it is collected.
        sweep(Path::new(&own));
        assert!(!left.exists());
        assert!(!child.wait().unwrap().success());
    }
}
