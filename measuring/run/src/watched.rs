//! A watched thread as a run names it: whose activations its series are, what the thread waits for, and what was not seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A thread of a watched program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesThread {
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Its name.
    pub name: String,
    /// The section whose passes these are, as in `step` or `A..B`; null where they are activations.
    #[serde(default)]
    pub section: Option<String>,
    /// The system call in which the thread waits; for a section, the section's name.
    pub wait: String,
    /// How its due instants are found: `absolute`, `timer`, `relative` or `event`.
    pub rule: String,
    /// Clock of the due instants.
    pub clock: String,
    /// The deadline that its misses were counted against; `None` where there is none, or before it was known.
    pub deadline_ns: Option<u64>,
    /// Activations whose beginning or end was not seen; they are in no count of its series.
    pub unseen: u64,
}

impl fmt::Display for SeriesThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.thread_id, self.name)?;
        self.section.as_ref().map_or(Ok(()), |section| write!(f, ": {section}"))
    }
}
