//! A mark in the kernel's trace at the instant a threshold is crossed, so that a trace taken beside the run can be cut there.

use std::fs::{File, OpenOptions};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// Where the kernel's trace takes marks, below the root of a machine.
const MARKERS: [&str; 2] = ["sys/kernel/tracing/trace_marker", "sys/kernel/debug/tracing/trace_marker"];

/// The trace's file for marks on the machine below `root`, if tracefs is mounted there.
pub(crate) fn find(root: &Path) -> Option<PathBuf> {
    MARKERS.iter().map(|marker| root.join(marker)).find(|path| path.exists())
}

/// The open file.
#[derive(Debug)]
pub(crate) struct TraceMark(File);

impl TraceMark {
    /// Opened ahead, since opening takes time; `None` where there is none or it may not be written.
    pub(crate) fn open(path: Option<&Path>) -> Option<Self> {
        OpenOptions::new().write(true).open(path?).ok().map(Self)
    }

    /// Writes the mark: one `write`, no allocation.
    pub(crate) fn write(&self, cpu: u32, latency_ns: u64) {
        let mut text = Cursor::new([0u8; 96]);
        // Cannot fail: the text has at most 80 bytes. Nor does a refused mark change anything measured.
        let _ = writeln!(text, "prazo: processor {cpu}: latency of {latency_ns} ns is above the threshold");
        let length = text.position() as usize;
        let _ = (&self.0).write_all(&text.get_ref()[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_processor_and_latency() {
        let file = tempfile::NamedTempFile::new().unwrap();
        TraceMark::open(Some(file.path())).unwrap().write(1_023, u64::MAX);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert_eq!(text, "prazo: processor 1023: latency of 18446744073709551615 ns is above the threshold\n");
    }

    #[test]
    fn without_tracefs_there_is_no_mark() {
        let tree = tempfile::tempdir().unwrap();
        assert_eq!(find(tree.path()), None);
        assert!(TraceMark::open(None).is_none());
    }
}
