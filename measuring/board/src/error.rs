//! Why a board could not be used: what was attempted, what came back, what to do.

use std::io;
use std::path::PathBuf;

/// Why a board could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// OpenSSH's client could not be started.
    #[error("cannot start {program}: {cause}; install the OpenSSH client, or set PRAZO_SSH to another ssh program")]
    NoSsh {
        /// What was started.
        program: String,
        /// What came back.
        cause: io::Error,
    },
    /// No connection.
    #[error("cannot connect to {address}: {answer}; {remedy}")]
    Connect {
        /// Which board.
        address: String,
        /// The last lines of OpenSSH's client.
        answer: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The board's shell answered something else than the survey's lines.
    #[error(
        "{address} answered '{answer}' instead of its processor type and kernel; a login on the board must start a POSIX shell and print no text of its own"
    )]
    Survey {
        /// Which board.
        address: String,
        /// What came back.
        answer: String,
    },
    /// There is no folder that programs can be copied to and started from.
    #[error(
        "{address} has no folder to copy prazo to ({tried}); choose a writable folder there on a file system that is not mounted noexec, and name it \
         as in {example}"
    )]
    NoFolder {
        /// Which board.
        address: String,
        /// The folders that were tried, each with its reason.
        tried: String,
        /// An address with a folder.
        example: String,
    },
    /// There is a folder, but too little room in it.
    #[error(
        "{address} has {free:.1} MB free in {folder}, but prazo needs {needed:.1} MB; free some space, or name another \
         folder as in {example}", free = megabytes(*free_kib), needed = megabytes(*needed_kib)
    )]
    NoRoom {
        /// Which board.
        address: String,
        /// Where.
        folder: String,
        /// What is free, in KiB.
        free_kib: u64,
        /// What is needed, in KiB.
        needed_kib: u64,
        /// An address with another folder.
        example: String,
    },
    /// No prazo for the board's processor.
    #[error(
        "{address}: its processor is {machine}, but no prazo program for {machine} was found here (looked in {}); install \
         the package prazo-boards, or build one with `cargo xtask dist --target {machine}`", places.join(", ")
    )]
    NoProgram {
        /// Which board.
        address: String,
        /// What `uname -m` says there.
        machine: String,
        /// Where a program was looked for.
        places: Vec<String>,
    },
    /// The copied program does not run on the board.
    #[error(
        "prazo does not run on {address}: {answer}; the copied file, {program}, must be a static program for {machine}"
    )]
    NotRunning {
        /// Which board.
        address: String,
        /// What came back.
        answer: String,
        /// What was copied.
        program: PathBuf,
        /// What `uname -m` says there.
        machine: String,
    },
    /// A step on the board failed.
    #[error("{address}: cannot {step}: {answer}")]
    Step {
        /// Which board.
        address: String,
        /// What was attempted.
        step: String,
        /// What came back.
        answer: String,
    },
    /// The connection ended while the command ran.
    #[error(
        "the connection to {address} was lost after {seconds} s; the board interrupts the command within {} s and keeps its \
         results for an hour; copy them with `prazo fetch {folder}`", crate::guard::SILENCE.as_secs()
    )]
    Lost {
        /// Which board.
        address: String,
        /// How long the command had run.
        seconds: u64,
        /// The board with the job's folder.
        folder: String,
    },
    /// What watches over the command on the board was killed.
    #[error(
        "the process on {address} that watches over the command was killed, so it is unknown how the command ended; the command may still run; \
         copy its results with `prazo fetch {folder}`"
    )]
    Unguarded {
        /// Which board.
        address: String,
        /// The board with the job's folder.
        folder: String,
    },
    /// The command ended, and its results could not be brought here.
    #[error(
        "{cause}. The command has ended, and its results stay on the board for an hour; copy them with \
         `prazo fetch {folder}`"
    )]
    Untaken {
        /// Why not.
        cause: Box<BoardError>,
        /// The board with the job's folder.
        folder: String,
    },
    /// A result's place here is taken; nothing was replaced.
    #[error(
        "cannot write {}: the file exists; all results are in {} instead; --force replaces existing files",
        file.display(), kept.display()
    )]
    Taken {
        /// The place.
        file: PathBuf,
        /// Where the results are instead.
        kept: PathBuf,
    },
    /// A job that shall be fetched is not there.
    #[error("{address}: {answer}; results stay on the board for an hour after the command's end")]
    NoJob {
        /// Board and folder.
        address: String,
        /// What came back.
        answer: String,
    },
    /// A file here could not be read or written.
    #[error("cannot {step} {}: {cause}", file.display())]
    Here {
        /// What was attempted.
        step: &'static str,
        /// Which file.
        file: PathBuf,
        /// What came back.
        cause: io::Error,
    },
    /// The caller asked to stop before the command ran.
    #[error("interrupted before the command ran on the board")]
    Interrupted,
}

fn megabytes(kib: u64) -> f64 {
    kib as f64 * 1024.0 / 1e6
}
