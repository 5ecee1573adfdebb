//! The folder that something is built in, in the cache.

use crate::error::LabError;
use std::fs;
use std::path::PathBuf;

/// The folder of one build, which is removed at its end. What an earlier build left in it is removed first.
pub(crate) struct BuildFolder(PathBuf);

impl BuildFolder {
    /// Takes over this folder; it is made with its first part.
    pub(crate) fn open(folder: PathBuf) -> Result<Self, LabError> {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(LabError::system(format!("remove {}", folder.display())))?;
        }
        Ok(Self(folder))
    }

    /// A folder in it.
    pub(crate) fn part(&self, name: &str) -> Result<PathBuf, LabError> {
        let part = self.0.join(name);
        fs::create_dir_all(&part).map_err(LabError::system(format!("make {}", part.display())))?;
        Ok(part)
    }
}

impl Drop for BuildFolder {
    fn drop(&mut self) {
        // The next build clears up again, and says so where it cannot.
        let _ = fs::remove_dir_all(&self.0);
    }
}
