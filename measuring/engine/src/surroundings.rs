//! Where the machine's files are found: the root that they lie below, so that a copied or crippled tree can stand in.

use super::trace_mark::MarkedTrace;
use prazo_sys::deadline_bandwidth::wait_before_reading;
use std::path::{Path, PathBuf};

/// The root of the machine's /proc, /sys and /dev, and the trace that is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    root: PathBuf,
    trace: Option<MarkedTrace>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self::below("/")
    }
}

impl Surroundings {
    /// The files below `root`; `/` is this machine.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), trace: None }
    }

    /// The same with a trace that is marked instead of the machine's.
    pub fn marking(self, trace: Option<MarkedTrace>) -> Self {
        Self { trace, ..self }
    }

    /// The trace to be marked, if there is one.
    pub(crate) fn marked_trace(&self) -> Option<MarkedTrace> {
        self.trace.clone().or_else(|| MarkedTrace::find(&self.root))
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
        let path = self.path(name);
        wait_before_reading(&path);
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    }
}
