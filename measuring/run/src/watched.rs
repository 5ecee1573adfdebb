//! A watched thread as a run names it: whose activations its series are, what the thread waits for, and what was not seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A watched thread of a program, with how prazo finds its activations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesThread {
    /// Id of the thread.
    pub thread_id: u32,
    /// Id of the thread's process.
    pub process_id: u32,
    /// Name of the thread.
    pub name: String,
    /// Section of the program whose passes the series counts, such as `step` or `A..B`; null where the series counts
    /// activations of the thread.
    #[serde(default)]
    pub section: Option<String>,
    /// System call in which the thread waits for its next activation; for a section, the name of the section.
    pub wait: String,
    /// How prazo finds the instants at which activations are due: `absolute`, `timer`, `relative` or `event`.
    pub rule: String,
    /// Clock of the instants at which activations are due.
    pub clock: String,
    /// Deadline that decides which activations count as missed; null where there is none, or where it is not known
    /// yet.
    pub deadline_ns: Option<u64>,
    /// Number of activations whose beginning or end prazo did not see; no count of the thread's series includes them.
    pub unseen: u64,
}

impl fmt::Display for SeriesThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.thread_id, self.name)?;
        self.section.as_ref().map_or(Ok(()), |section| write!(f, ": {section}"))
    }
}
