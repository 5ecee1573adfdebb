//! The folder that a set of packages is gathered in: what came is kept for the next attempt, everything else goes.
//!
//! An attempt may end anywhere, even by SIGKILL, so that the next one clears up before it begins. Only a pinned
//! package can be kept, since its checksum says whether it came whole; apt then finds it there and goes on with the
//! next.

use super::apt;
use super::packages::Pinned;
use crate::checksum::sha256;
use crate::error::LabError;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder while it is used.
pub(super) struct Work {
    folder: PathBuf,
    pinned: Vec<Pinned>,
}

impl Work {
    /// Makes it, or takes over what an earlier attempt left.
    pub(super) fn open(folder: &Path, pinned: Vec<Pinned>) -> Result<Self, LabError> {
        let work = Self { folder: folder.to_owned(), pinned };
        work.clear_up().map_err(LabError::system(format!("remove {}", folder.display())))?;
        fs::create_dir_all(folder).map_err(LabError::system(format!("make {}", folder.display())))?;
        Ok(work)
    }

    /// Where.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes it, packages and all.
    pub(super) fn remove(self) -> Result<(), LabError> {
        fs::remove_dir_all(&self.folder).map_err(LabError::system(format!("remove {}", self.folder.display())))
    }

    /// Leaves the packages and nothing else; without any, not even the folder.
    fn clear_up(&self) -> std::io::Result<()> {
        if !self.folder.exists() {
            return Ok(());
        }
        for entry in fs::read_dir(&self.folder)?.flatten().filter(|entry| entry.file_name() != apt::PACKAGES) {
            if entry.path().is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
        }
        if self.keeps_any()? { Ok(()) } else { fs::remove_dir_all(&self.folder) }
    }

    /// Removes every package that is not whole; true if any is left.
    fn keeps_any(&self) -> std::io::Result<bool> {
        let Ok(entries) = fs::read_dir(self.folder.join(apt::PACKAGES)) else { return Ok(false) };
        let mut any = false;
        for file in entries.flatten().map(|entry| entry.path()) {
            let sum = sha256(&fs::read(&file)?);
            let is_whole = self.pinned.iter().any(|package| package.sha256 == sum);
            any |= is_whole;
            if !is_whole {
                fs::remove_file(&file)?;
            }
        }
        Ok(any)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // The next attempt clears up again, and says so where it cannot.
        let _ = self.clear_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(content: &[u8]) -> Vec<Pinned> {
        vec![Pinned { name: "a".into(), version: "1".into(), sha256: sha256(content) }]
    }

    #[test]
    fn whole_packages_are_kept_for_the_next_attempt_and_everything_else_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (place, pinned) = (folder.path().join("fetching-a"), pinned(b"whole"));
        let (packages, lists) = (place.join(apt::PACKAGES), place.join("lists"));
        let work = Work::open(&place, pinned.clone()).unwrap();
        [&packages, &lists].iter().for_each(|part| fs::create_dir_all(part).unwrap());
        let names = ["lists/list", "packages/a.deb", "packages/b.deb"];
        for (name, content) in names.into_iter().zip(["list", "whole", "hal"]) {
            fs::write(place.join(name), content).unwrap();
        }
        drop(work);
        assert_eq!(names.map(|name| place.join(name).exists()), [false, true, false]);
        let work = Work::open(&place, pinned.clone()).unwrap();
        assert!(packages.join("a.deb").exists());
        work.remove().unwrap();
        assert!(!place.exists());
    }

    #[test]
    fn an_attempt_that_got_nothing_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (place, pinned) = (folder.path().join("fetching-a"), pinned(b"whole"));
        let work = Work::open(&place, pinned.clone()).unwrap();
        fs::create_dir_all(place.join(apt::PACKAGES)).unwrap();
        drop(work);
        assert!(!place.exists());
    }
}
