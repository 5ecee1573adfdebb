//! Sections of watched programs: what was seen of each in each thread.

use super::work::{WatchedQuantiles, WatchedWork};
use schemars::JsonSchema;
use serde::Serialize;

/// A section as one thread passed it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SectionRow")]
pub struct WatchedSection {
    /// The section, as it was given.
    pub section: String,
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Its name.
    pub name: String,
    /// How often it began; of a recursive function the outermost calls.
    pub begun: u64,
    /// How often it ended after it had begun.
    pub ended: u64,
    /// How often it began again before it had ended; the earlier beginning then counts in no duration.
    pub restarted: u64,
    /// How often its end was reached without its beginning.
    pub unbegun: u64,
    /// Passes whose beginning or end was not seen.
    pub unseen: u64,
    /// The usual time between its beginnings; null before three of them.
    pub period_ns: Option<u64>,
    /// From beginning to end; null before one ended.
    pub time: Option<WatchedQuantiles>,
    /// Within its passes.
    #[serde(flatten)]
    pub work: WatchedWork,
}
