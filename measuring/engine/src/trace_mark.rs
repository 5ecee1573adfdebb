//! A mark in the kernel's trace at the instant a threshold is crossed, where the trace can also be stopped.

use prazo_platform::tracefs::FOLDERS;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// The kernel's trace, or an instance of it, that a run marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedTrace {
    /// Its folder.
    pub folder: PathBuf,
    /// It is stopped behind the mark, so that nothing later overwrites what led to it.
    pub stops: bool,
}

impl MarkedTrace {
    /// The trace of the machine below `root`, if tracefs is mounted there; it goes on behind a mark.
    pub fn find(root: &Path) -> Option<Self> {
        let mut folders = FOLDERS.iter().map(|folder| root.join(&folder[1..]));
        folders.find(|folder| folder.join("trace_marker").exists()).map(|folder| Self { folder, stops: false })
    }
}

/// The open files.
#[derive(Debug)]
pub(crate) struct TraceMark {
    marker: File,
    switch: Option<File>,
}

impl TraceMark {
    /// Opened ahead, since opening takes time; `None` where there is none or it may not be written.
    pub(crate) fn open(trace: Option<&MarkedTrace>) -> Option<Self> {
        let MarkedTrace { folder, stops } = trace?;
        let writable = |name: &str| OpenOptions::new().write(true).open(folder.join(name)).ok();
        Some(Self {
            marker: writable("trace_marker")?,
            switch: if *stops { Some(writable("tracing_on")?) } else { None },
        })
    }

    /// Writes the mark, then stops the trace: one `write` each, no allocation.
    pub(crate) fn write(&self, cpu: u32, latency_ns: u64) {
        let mut text = Cursor::new([0u8; 96]);
        // Cannot fail: the text has at most 80 bytes. Nor does a refused mark change anything measured.
        let _ = writeln!(text, "prazo: processor {cpu}: latency of {latency_ns} ns is above the threshold");
        let length = text.position() as usize;
        let _ = (&self.marker).write_all(&text.get_ref()[..length]);
        if let Some(mut switch) = self.switch.as_ref() {
            let _ = switch.write_all(b"0");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_processor_and_latency_and_stops_the_trace_where_it_shall() {
        for (stops, switch) in [(true, "0"), (false, "1")] {
            let tree = tempfile::tempdir().unwrap();
            let folder = tree.path().join(&FOLDERS[0][1..]);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("trace_marker"), "").unwrap();
            std::fs::write(folder.join("tracing_on"), "1").unwrap();
            let trace = MarkedTrace { stops, ..MarkedTrace::find(tree.path()).unwrap() };
            TraceMark::open(Some(&trace)).unwrap().write(1_023, u64::MAX);
            let text = std::fs::read_to_string(folder.join("trace_marker")).unwrap();
            assert_eq!(text, "prazo: processor 1023: latency of 18446744073709551615 ns is above the threshold\n");
            assert_eq!(std::fs::read_to_string(folder.join("tracing_on")).unwrap(), switch);
        }
    }

    #[test]
    fn without_tracefs_there_is_no_mark() {
        let tree = tempfile::tempdir().unwrap();
        assert_eq!(MarkedTrace::find(tree.path()), None);
        assert!(TraceMark::open(None).is_none());
    }
}
