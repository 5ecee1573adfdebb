//! Where what was fetched is kept: a folder of the user's cache that may be removed at any time.
//!
//! ```text
//! ~/.cache/prazo/lab/
//!   lock                   held while fetching
//!   qemu-10.0.2/           usr/, lib/: what dpkg-deb unpacked
//!     packages.sha256      every package that was unpacked, with its checksum
//!   grub-2.06/             the same, for making discs
//!   linux-6.1.0-50/        the same, kernels with their modules
//!   headers-6.1.0-50/      the same, for building modules
//!   irqlat-RELEASE-SUM/    the module for one kernel, from the sources with this checksum
//!   fetching-linux-6.12.95/  what an interrupted fetch has got so far
//! ```

use super::packages::Packages;
use crate::error::LabError;
use crate::tree::Tree;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's: `$XDG_CACHE_HOME/prazo/lab`, or `~/.cache/prazo/lab`.
    pub fn of_user() -> Result<Self, LabError> {
        let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        base.map_or(Err(LabError::NoCache), |base| Self::at(base.join("prazo/lab")))
    }

    /// Some other folder; its path must not hold a colon, since the linker's list of folders has no way to write one.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, LabError> {
        let folder = folder.into();
        if folder.as_os_str().as_encoded_bytes().contains(&b':') {
            Err(LabError::Colon { folder })
        } else {
            Ok(Self { folder })
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a set of packages is, if it was fetched. It appears whole or not at all.
    pub(crate) fn place(&self, packages: &Packages) -> PathBuf {
        self.folder.join(packages.folder())
    }

    /// A set of packages that was fetched.
    pub(crate) fn tree(&self, packages: &Packages) -> Result<Tree, LabError> {
        self.set(&packages.folder())
            .map_err(|_| LabError::NotFetched { what: packages.name.clone(), folder: self.folder.clone() })
    }

    /// Where a set of packages is gathered until it is whole.
    pub(crate) fn work(&self, packages: &Packages) -> PathBuf {
        self.folder.join(format!("fetching-{}", packages.folder()))
    }

    /// A set of packages that was fetched, by its folder's name.
    pub(crate) fn set(&self, folder: &str) -> Result<Tree, LabError> {
        let place = self.folder.join(folder);
        let absent = || LabError::NotFetched { what: folder.to_owned(), folder: self.folder.clone() };
        if place.exists() { Ok(Tree::at(place)) } else { Err(absent()) }
    }

    /// The headers that belong to a set of kernels: they have its version.
    pub(crate) fn headers(&self, kernels: &str) -> Result<Tree, LabError> {
        self.set(&format!("headers-{}", kernels.trim_start_matches("linux-")))
    }

    /// Waits until nobody else fetches; the lock is the open file, and ends with it.
    pub(crate) fn lock(&self) -> Result<File, LabError> {
        let refused = || LabError::system(format!("lock {}", self.folder.join("lock").display()));
        std::fs::create_dir_all(&self.folder).map_err(refused())?;
        let lock = File::create(self.folder.join("lock")).map_err(refused())?;
        lock.lock().map_err(refused()).map(|()| lock)
    }
}
