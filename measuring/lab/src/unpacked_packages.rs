//! Packages unpacked into a folder of prazo's: programs that find their libraries and each other there.

use prazo_platform::programs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with `usr` and `lib` in it. Its path holds no colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree(PathBuf);

impl Tree {
    /// The one in `folder`.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// A part of it.
    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.0.join(part)
    }

    /// One of its programs.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.path("usr/bin").join(name)
    }

    /// Starts a program with the libraries and the programs of the tree before those of the system.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let libraries = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"].map(|folder| self.path(folder));
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", joined(&libraries));
        let path = programs::search_path();
        let programs: Vec<_> = std::iter::once(self.path("usr/bin")).chain(std::env::split_paths(&path)).collect();
        command.env("PATH", joined(&programs));
        command
    }
}

fn joined(folders: &[PathBuf]) -> OsString {
    std::env::join_paths(folders).expect("the cache refuses colons, and what was split holds none")
}
