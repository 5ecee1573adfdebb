//! A journal for tests, of this machine and in a folder of its own.

use super::Journal;
use crate::root::Root;
use tempfile::TempDir;

/// The folder, which must outlive the journal, and the journal.
pub(super) fn journal() -> (TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open_in(&folder.path().join("state"), &Root::system()).unwrap();
    (folder, journal)
}
