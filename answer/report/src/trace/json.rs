//! The JSON of Chrome's trace viewer, which Perfetto reads: a document of events, of which each names its track.

use serde_json::{Value, json};
use std::io::{self, Write};

/// A track: a thread of a process, as the viewer has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    pub process: u32,
    pub thread: u32,
}

/// What the head of a document says, up to the list of events.
pub(super) const HEAD: &str = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";

/// Writes a document with these events.
pub(super) fn document(events: impl Iterator<Item = Value>, mut to: impl Write) -> io::Result<()> {
    write!(to, "{HEAD}")?;
    let mut separator = "\n";
    for event in events {
        write!(to, "{separator}{event}")?;
        separator = ",\n";
    }
    writeln!(to, "\n]}}")
}

/// The name of a process or of one of its tracks: `what` is `process_name` or `thread_name`.
pub(super) fn named(what: &str, track: Track, name: &str) -> Value {
    json!({"name": what, "ph": "M", "pid": track.process, "tid": track.thread, "args": {"name": name}})
}

/// Something that lasts.
pub(super) fn slice(name: &str, kind: &str, track: Track, from_ns: u64, to_ns: u64) -> Value {
    json!({"name": name, "cat": kind, "ph": "X", "pid": track.process, "tid": track.thread, "ts": us(from_ns), "dur": us(to_ns - from_ns)})
}

/// The format's times are microseconds.
pub(super) fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}
