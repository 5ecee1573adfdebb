//! The run files that this process has open for writing, so that it never opens one a second time.
//!
//! Between processes SQLite's own locks tell: a writer holds a shared lock for as long as it lives, however it dies. But
//! POSIX locks belong to a process, and closing any descriptor of a file drops them all; so within one process a file
//! that is claimed here is not even looked into.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Device and inode.
pub(super) type Identity = (u64, u64);

static CLAIMED: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// The right to open one file; given back when dropped.
#[derive(Debug)]
pub(super) struct Claim(Identity);

/// The file now at `path`; `None` where there is none.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

impl Claim {
    /// Claims a file; `None` where this process has it open already.
    pub(super) fn new(identity: Identity) -> Option<Self> {
        let is_new = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).insert(identity);
        // Not `then_some`: a claim that is made only to be dropped would give back somebody else's.
        is_new.then(|| Self(identity))
    }

    /// The file that is claimed.
    pub(super) fn identity(&self) -> Identity {
        self.0
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_claimed_once_until_the_claim_is_dropped() {
        let identity = (u64::MAX, 1);
        let claim = Claim::new(identity).unwrap();
        assert!(Claim::new(identity).is_none());
        assert!(Claim::new(identity).is_none(), "a refused claim must not release the first");
        drop(claim);
        assert!(Claim::new(identity).is_some());
    }
}
