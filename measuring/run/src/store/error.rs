//! What can go wrong with a run file, each naming the file and what to do.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why a run file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: could not {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What came back.
        source: std::io::Error,
    },
    /// A new run must not replace an old one.
    #[error("{}: exists already, and run files are never overwritten; move it, or choose another place with -o", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: not a prazo run file: {why}; to read another tool's output, use `prazo import`", path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// The file was written by another version of prazo.
    #[error("{}: its schema version is {found}; this prazo reads version {known} and older: use the prazo that wrote \
             the file", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The version that is known here.
        known: u32,
    },
    /// The file is a run file, but its content cannot be right.
    #[error("{}: damaged: {what}; copy the file again from the machine that measured it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The journal beside the file names further files, which SQLite would look for and may delete.
    #[error(
        "{}: not opened, because its journal {} names other files, and SQLite may delete these files when it opens this one; remove the journal",
        path.display(),
        journal.display()
    )]
    FarReaching {
        /// The file.
        path: PathBuf,
        /// Its journal.
        journal: PathBuf,
    },
    /// The run holds a value that a run file cannot.
    #[error("{}: cannot store this run: {what}", path.display())]
    Unstorable {
        /// The file that was to be written.
        path: PathBuf,
        /// The value.
        what: String,
    },
    /// A measurement is still writing the file, or another program holds it open.
    #[error(
        "{}: in use by a measurement or another program; try again after the measurement or program ends",
        path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// No space is left.
    #[error("{}: no space left on the disk to {doing}; free some space on that disk", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// Another program holds a lock.
    #[error("{}: could not {doing}, because another program has locked the file; close that program", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// The file was removed or replaced while it was being written.
    #[error("{}: could not be written, or was removed or replaced during the measurement, and prazo could not create a new file: {why}", path.display())]
    Removed {
        /// The file.
        path: PathBuf,
        /// Why no new file could be made.
        why: String,
    },
    /// Anything else that SQLite reports.
    #[error("{}: could not {doing}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What came back.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Sorts an error of SQLite into ours.
    pub(super) fn database(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { path, doing },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path, doing },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Damaged { path, what: source.to_string() }
            }
            _ => Self::Database { path, doing, source },
        }
    }

    /// Wraps an error of the operating system.
    pub(super) fn io(path: &Path, doing: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), doing, source }
    }

    /// The run contains `what`, which no file can hold.
    pub(super) fn contains(path: &Path, what: &str) -> Self {
        Self::Unstorable { path: path.to_owned(), what: format!("it contains {what}") }
    }

    /// The content cannot be right.
    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }

    /// The file is something else.
    pub(super) fn not_a_run(path: &Path, why: impl Into<String>) -> Self {
        Self::NotARun { path: path.to_owned(), why: why.into() }
    }
}

/// What a query met, before it is known which file it was about.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite reports an error.
    Sqlite(rusqlite::Error),
    /// A value cannot be right.
    Content(String),
}

impl Fault {
    /// Names the file and the action.
    pub(super) fn at(self, path: &Path, doing: &'static str) -> StoreError {
        match self {
            Self::Sqlite(source) if is_content(&source) => StoreError::damaged(path, source.to_string()),
            Self::Sqlite(source) => StoreError::database(path, doing, source),
            Self::Content(what) => StoreError::damaged(path, what),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

/// True where a column holds a value of the wrong type or out of its range.
fn is_content(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    matches!(
        error,
        E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) | E::Utf8Error(..) | E::InvalidColumnType(..)
    )
}
