//! Sections of watched programs: what was seen of each in each thread.

use super::work::{WatchedQuantiles, WatchedWork};
use schemars::JsonSchema;
use serde::Serialize;

/// Observations of one section of a program in one thread.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SectionRow")]
pub struct WatchedSection {
    /// The section as it was given to `--section` or in a rule.
    pub section: String,
    /// Id of the thread.
    pub thread_id: u32,
    /// Id of the thread's process.
    pub process_id: u32,
    /// Name of the thread.
    pub name: String,
    /// Number of times that the section began; of a recursive function only the outermost calls count.
    pub begun: u64,
    /// Number of times that the section ended after it had begun.
    pub ended: u64,
    /// Number of times that the section began again before it had ended; no duration is measured from the earlier beginning.
    pub restarted: u64,
    /// Number of times that the end of the section was reached without its beginning.
    pub unbegun: u64,
    /// Number of passes of the section whose beginning or end was not recorded.
    pub unseen: u64,
    /// The usual time between two beginnings of the section; null before three such times were seen.
    pub period_ns: Option<u64>,
    /// Duration of the section from its beginning to its end; null before one pass ended.
    pub time: Option<WatchedQuantiles>,
    /// Execution and waiting within the passes of the section.
    #[serde(flatten)]
    pub work: WatchedWork,
}
