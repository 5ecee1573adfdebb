//! Why a file was not imported: which file, at which line, what was found there, and what to do about it.

use super::Format;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file that was not imported.
#[derive(Debug)]
pub struct ImportError {
    /// The file as it was named.
    pub file: PathBuf,
    /// The line that was being read, counted from 1; `None` before the first and for binary files.
    pub line: Option<u64>,
    /// What was wrong.
    pub problem: Problem,
}

/// What was wrong with a file; each message ends with what to do.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The operating system refused.
    #[error("cannot be read: {0}; check the path and its permissions")]
    Io(#[from] std::io::Error),
    /// A folder, a device, a pipe.
    #[error(
        "is not a regular file; give a file with the results of one run, and save the output of a pipe to a file first"
    )]
    NotAFile,
    /// More than this program is willing to read.
    #[error(
        "is larger than {limit} bytes, the maximum for this format; if it has several runs, split it into one file for each run"
    )]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Nothing in it.
    #[error("is empty; run the tool again and look at the tool's standard error output")]
    Empty,
    /// No format claims it.
    #[error(
        "is in no format that prazo recognises (it begins with {beginning:?}); give --format with one of {}",
        Format::NAMES.join(", ")
    )]
    Unknown {
        /// How the file begins, made printable.
        beginning: String,
    },
    /// Recognised, and not importable.
    #[error("is {what}; {instead}")]
    NotImported {
        /// What it is.
        what: String,
        /// What to import instead.
        instead: &'static str,
    },
    /// Something that the format leaves out, and that nobody gave.
    #[error("does not state {what}; give {flag}")]
    Unstated {
        /// What is not stated.
        what: &'static str,
        /// The flag that states it.
        flag: &'static str,
    },
    /// An event that no column of a table of overheads stands for.
    #[error("has the event {event:?}, which prazo cannot import as an overhead; import one of {known}")]
    NoOverhead {
        /// The event.
        event: String,
        /// Those that are.
        known: String,
    },
    /// A line that does not say what it should.
    #[error("has {found:?} instead of {wanted}; use the unedited output of the tool")]
    Malformed {
        /// What is there, shortened.
        found: String,
        /// What should be there.
        wanted: &'static str,
    },
    /// The end came too early.
    #[error("ends before {wanted}; copy the file again, or let the tool run to its end")]
    Truncated {
        /// What is missing.
        wanted: &'static str,
    },
    /// Two of its statements cannot both be true.
    #[error("contradicts itself: {0}; the file was truncated or edited: use the original")]
    Contradiction(String),
    /// More of something than any real measurement has.
    #[error(
        "contains {what} (limit: {limit}), which is impossible in a measurement; use the unedited output of the tool"
    )]
    TooMuch {
        /// What there is too much of.
        what: String,
        /// How much would be accepted.
        limit: u64,
    },
    /// A well-formed file without a measurement.
    #[error("contains no sample ({0}); run the tool again")]
    NoSamples(String),
    /// Not JSON, or not the JSON of this format.
    #[error("is not valid JSON of this format: {0}; use the unedited file of the tool")]
    Json(#[from] serde_json::Error),
}

/// How much of a file's text an error shows.
const SHOWN_MAX: usize = 60;

impl Problem {
    /// A line that does not hold what is wanted.
    pub(super) fn malformed(found: &str, wanted: &'static str) -> Self {
        Self::Malformed { found: shown(found), wanted }
    }
}

/// The beginning of a foreign text.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl ImportError {
    /// `problem` in `file`, while reading `line`.
    pub(super) fn new(file: &Path, line: Option<u64>, problem: Problem) -> Self {
        Self { file: file.to_owned(), line, problem }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, " {}", self.problem)
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}
