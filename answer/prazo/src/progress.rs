//! What happens while a function of the library works: stages, counts and remarks for the caller, and the caller's wish to stop.

use prazo_core::time::{Duration, Wait};
use prazo_probe::StopFlag;
use prazo_verdict::Outcome;
use prazo_verdict::watched::WatchedTask;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

/// The caller's side of a function that takes a while. Every method but [`Progress::stop`] may ignore what it hears.
pub trait Progress: Send {
    /// A stage begins, named in a few words: `evaluate 3/6 here.loaded.fifo`.
    fn stage(&mut self, name: &str) {
        let _ = name;
    }

    /// So much of the present stage is done.
    fn count(&mut self, count: &Count) {
        let _ = count;
    }

    /// How the measurement of the present stage goes, once a second.
    fn measuring(&mut self, progress: &prazo_probe::Progress) {
        let _ = progress;
    }

    /// The measurement of the present stage is over.
    fn measured(&mut self) {}

    /// How far the lab's fetching, packing or building is.
    fn fetching(&mut self, progress: prazo_lab::Progress<'_>) {
        let _ = progress;
    }

    /// How far a guest of the lab is, several times a second.
    fn guest(&mut self, guest: &GuestProgress) {
        let _ = guest;
    }

    /// Something that a reader should know now, whatever the answer will be.
    fn remark(&mut self, remark: &Remark) {
        let _ = remark;
    }

    /// What is seen of watched tasks, once a second.
    fn glance(&mut self, glance: &Glance<'_>) {
        let _ = glance;
    }

    /// How the caller asks to stop. It is asked for only by functions that can stop early, so that an implementation may
    /// begin to listen for signals here. One function may ask several times: each time it is the same wish.
    fn stop(&mut self) -> io::Result<Stop>;
}

/// How far a guest of the lab is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestProgress {
    /// Its platform, or its machine.
    pub name: String,
    /// What it does now, as in "booting".
    pub does: &'static str,
    /// How long it has run.
    pub elapsed: Duration,
    /// When it is ended if it has not ended by then.
    pub limit: Duration,
}

impl fmt::Display for GuestProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, does, elapsed, limit } = self;
        write!(f, "{name}: {does}, {} elapsed, time limit {}", Wait(*elapsed), Wait(*limit))
    }
}

/// How much of a stage is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is counted, in the plural.
    pub parts: &'static str,
    /// How many parts are done, those found from an earlier call included.
    pub done: u64,
    /// Of these, how many were there before.
    pub found: u64,
    /// How many parts there are.
    pub total: u64,
    /// Estimated time until the stage is over; `None` before there is anything to estimate from.
    pub left: Option<Duration>,
    /// How long the stage has taken, where that is known; for as long as the time left is not.
    pub elapsed: Option<Duration>,
}

/// What is seen of watched tasks by now.
#[derive(Clone, Copy, Debug)]
pub struct Glance<'a> {
    /// How long they have been watched.
    pub elapsed: Duration,
    /// How long they will be; `None` until the caller stops it.
    pub length: Option<Duration>,
    /// The outcome if it ended now.
    pub outcome: Outcome,
    /// The tasks.
    pub tasks: &'a [WatchedTask],
}

/// Something to know at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// A file was written.
    Written {
        /// What it is.
        what: FileKind,
        /// Its path.
        file: PathBuf,
    },
    /// A certificate was wanted, but nothing was decided, so there is nothing to certify.
    NoCertificate {
        /// Where it would be.
        file: PathBuf,
    },
    /// What follows happens in a virtual machine.
    OnGuest {
        /// The platform's name in the lab.
        platform: String,
        /// What happens there, as in "running".
        does: &'static str,
    },
    /// A run file could not be written to its end and holds a part; the whole run is in another.
    KeptElsewhere {
        /// The file that holds a part.
        wanted: PathBuf,
        /// The file that holds all of it.
        file: PathBuf,
    },
    /// Figures are served here from now on.
    Serving {
        /// The page's address.
        url: String,
    },
    /// A sentence.
    Text(String),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written { what, file } => write!(f, "{what}: {}", file.display()),
            Self::NoCertificate { file } => {
                write!(f, "no certificate was written to {}, because nothing was decided", file.display())
            }
            Self::OnGuest { platform, does } => {
                write!(f, "{does} on lab:{platform}; guest time and elapsed time differ")
            }
            Self::KeptElsewhere { wanted, file } => write!(
                f,
                "prazo: {} could not be written completely and holds a part of the run; the complete run is in {}",
                wanted.display(),
                file.display()
            ),
            Self::Serving { url } => write!(f, "prazo: metrics at {url}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What a written file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// What is needed to re-check a verdict.
    Certificate,
    /// An experiment's result in a form that the request named.
    Export,
    /// A report in a form that the request named.
    Report,
    /// A figure that stands alone.
    Picture,
    /// The kernel's events up to a latency.
    Trace,
    /// A task set.
    TaskSet,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Certificate => "certificate",
            Self::Export => "written",
            Self::Report => "report",
            Self::Picture => "picture",
            Self::Trace => "trace",
            Self::TaskSet => "task set",
        })
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
