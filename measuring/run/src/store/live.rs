//! The run files that this process has open for writing, so that it never opens one a second time.
//!
//! Between processes SQLite's own locks tell: a writer holds a shared lock for as long as it lives, however it dies. But
//! POSIX locks belong to a process, and closing any descriptor of a file drops them all; so within one process a file
//! that is claimed here is not even looked into.
//!
//! A claimed file is held by a descriptor, because the file system may give the inode number of a removed file to the next
//! one, which would then seem to be claimed. The descriptor is `O_PATH`: the kernel keeps the locks when it is closed.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Device and inode.
pub(super) type Identity = (u64, u64);

static CLAIMED: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// The right to open one file; given back when dropped.
#[derive(Debug)]
pub(super) struct Claim {
    identity: Identity,
    _held: File,
}

/// The file now at `path`; `None` where there is none.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

impl Claim {
    /// Claims the file now at `path`; `None` where this process has it open already. Fails where there is no such file.
    pub(super) fn new(path: &Path) -> std::io::Result<Option<Self>> {
        let held = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?;
        let meta = held.metadata()?;
        let identity = (meta.dev(), meta.ino());
        let is_new = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).insert(identity);
        // Not `then_some`: a claim that is made only to be dropped would give back somebody else's.
        Ok(is_new.then(|| Self { identity, _held: held }))
    }

    /// The file that is claimed.
    pub(super) fn identity(&self) -> Identity {
        self.identity
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.identity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_claimed_once_until_the_claim_is_dropped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let claim = || Claim::new(file.path()).unwrap();
        let first = claim().unwrap();
        assert!(claim().is_none());
        assert!(claim().is_none(), "a refused claim must not release the first");
        drop(first);
        assert!(claim().is_some());
    }

    /// On the disk of this build: a file system in memory numbers each file anew.
    #[test]
    fn a_new_file_is_never_taken_for_a_claimed_one_that_was_removed() {
        let here = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir_in(here.parent().unwrap()).unwrap();
        let make = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let removed = make("removed");
        let _claim = Claim::new(&removed).unwrap().unwrap();
        std::fs::remove_file(&removed).unwrap();
        for name in 0..100 {
            assert!(Claim::new(&make(&name.to_string())).unwrap().is_some(), "file {name}");
        }
    }
}
