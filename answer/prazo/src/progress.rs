//! What happens while a function of the library works: stages, counts and remarks for the caller, and the caller's wish to stop.

use prazo_core::time::Duration;
use prazo_probe::StopFlag;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

/// The caller's side of a function that takes a while. Every method but [`Progress::stop`] may ignore what it hears.
pub trait Progress {
    /// A stage begins, named in a few words: `evaluate 3/6 here.loaded.fifo`.
    fn stage(&mut self, name: &str) {
        let _ = name;
    }

    /// So much of the present stage is done.
    fn count(&mut self, count: &Count) {
        let _ = count;
    }

    /// Something that a reader should know now, whatever the answer will be.
    fn remark(&mut self, remark: &Remark) {
        let _ = remark;
    }

    /// How the caller asks to stop. It is asked for only by functions that can stop early, so that an implementation may
    /// begin to listen for signals here.
    fn stop(&mut self) -> io::Result<Stop>;
}

/// How much of a stage is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// How many parts are done, those found from an earlier call included.
    pub done: u64,
    /// Of these, how many were there before.
    pub found: u64,
    /// How many parts there are.
    pub total: u64,
    /// Estimated time until the stage is over; `None` before there is anything to estimate from.
    pub left: Option<Duration>,
}

/// Something to know at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// A file was written.
    Written {
        /// What it is, in a word or two: `certificate`, `picture`.
        what: &'static str,
        /// Where it is.
        file: PathBuf,
    },
    /// A sentence.
    Text(String),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written { what, file } => write!(f, "{what}: {}", file.display()),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The caller's wish to stop, shared with whoever sets it.
#[derive(Clone)]
pub enum Stop {
    /// A flag that lives as long as the process.
    Process(&'static StopFlag),
    /// A flag of the caller's.
    Shared(Arc<StopFlag>),
}

impl Stop {
    /// A flag that nobody has set; fails where the process has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        StopFlag::new().map(|flag| Self::Shared(Arc::new(flag)))
    }

    /// The flag that SIGINT, SIGTERM and SIGHUP set from now on.
    pub fn on_interrupt() -> io::Result<Self> {
        StopFlag::on_interrupt().map(Self::Process)
    }
}

impl Deref for Stop {
    type Target = StopFlag;

    fn deref(&self) -> &StopFlag {
        match self {
            Self::Process(flag) => flag,
            Self::Shared(flag) => flag,
        }
    }
}

/// Hears nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn stop(&mut self) -> io::Result<Stop> {
        Stop::new()
    }
}
