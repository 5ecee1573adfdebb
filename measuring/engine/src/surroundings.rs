//! Where the probe finds the machine's files: the root that they lie below, so that a copied or crippled tree can stand in.

use std::path::{Path, PathBuf};

/// The root of the machine's /proc, /sys and /dev.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    root: PathBuf,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self::below("/")
    }
}

impl Surroundings {
    /// The files below `root`; `/` is this machine.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The root itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file, named without its leading slash.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The text of a file, trimmed; `None` where it cannot be read.
    pub fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok().map(|text| text.trim().to_owned())
    }
}
