//! What the lab and the agent in its guests agree on: files in the guest's memory, a word on the console, and the answer.
//!
//! ```text
//! prazo-answer 1 {"outcome":"measured","why":null,"bytes":20480}\n   then 20480 bytes: the run file, gzip
//! ```
//! gzip carries its own checksum, so that a byte lost on the way is seen.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Process 1 of a guest: the agent.
pub const AGENT: &str = "/prazo/agent";

/// The request, as JSON.
pub const REQUEST: &str = "/prazo/order.json";

/// The folder of kernel modules, which are loaded in the order of their names.
pub const MODULES: &str = "/prazo/modules";

/// The request for the kernel's symbols, as JSON: the answer's file is what /proc/kallsyms says.
pub const SYMBOLS: &str = "\"symbols\"";

/// What the agent writes to the console when the guest has booted.
pub const BOOTED: &str = "prazo-agent: booted";

/// What an answer begins with; the number is the version of its form.
pub const GREETING: &str = "prazo-answer 1 ";

/// How it went in the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was measured.
    Measured {
        /// The run file, unpacked.
        file: Vec<u8>,
        /// What threatens the run, if anything.
        note: Option<String>,
    },
    /// The request cannot be carried out there: the user's to change.
    Refused(String),
    /// The guest could not do it.
    Failed(String),
}

/// What an answer says of itself in its first line, behind the greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerHead {
    /// How it went.
    pub outcome: AnswerOutcome,
    /// What threatens the run, or why there is none.
    pub why: Option<String>,
    /// How many bytes follow the line.
    pub bytes: usize,
}

/// An answer without its file and its reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // As in `Answer`.
pub enum AnswerOutcome {
    Measured,
    Refused,
    Failed,
}

/// A path of a guest as an archive has it: without the root's slash.
pub const fn in_archive(path: &'static str) -> &'static str {
    path.split_at(1).1
}
