//! The cache as one file: the package archives drop old kernels, and some machines have no way to them.
//!
//! ```text
//! prazo-lab.list          first: a line for each file and link, in the order in which they follow
//! qemu-10.0.2/usr/...     everything else, without times and owners: the same cache makes the same bytes
//! ```
//! tar in zstd. What comes in must be what the list says, entry by entry, and a list that leads anywhere but into a set's own
//! folder is refused before the first byte is written. The list comes with the archive: it shows damage, not who made it. Invariant: a set appears in the cache whole or not at all.

mod export;
mod import;
mod zstd;

use crate::error::LabError;
use std::path::Path;

/// The name of the list in an archive.
const LIST: &str = "prazo-lab.list";

/// What went out or came in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The sets that were carried.
    pub sets: Vec<String>,
    /// Those of the archive's that were in the cache already, and were left alone.
    pub there: Vec<String>,
    /// Files and links of `sets`.
    pub entries: u64,
    /// Bytes in these files.
    pub bytes: u64,
    /// The checksum of the archive's list: equal on both sides where everything is equal.
    pub sha256: String,
}

fn refused(file: &Path, why: impl Into<String>) -> LabError {
    LabError::Archive { file: file.to_owned(), why: why.into() }
}
