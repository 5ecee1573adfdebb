//! Why loads could not be started: what was asked, what came back, what to do.

use std::io;
use std::path::PathBuf;

use super::containment::Containment;

/// Why loads could not be started. Those that had started already are ended before this is returned.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The catalogue has no such load.
    #[error("there is no load '{name}'; choose one of {known}")]
    Unknown {
        /// What was asked.
        name: String,
        /// All names, with commas.
        known: String,
    },
    /// The rate is not one that this load can be asked for.
    #[error("load '{name}' cannot run at {rate}: {wanted}")]
    Rate {
        /// The load.
        name: String,
        /// What was asked.
        rate: f64,
        /// What may be asked.
        wanted: String,
    },
    /// The rhythm's times contradict each other.
    #[error(
        "load '{name}' has an impossible on/off rhythm: the cycle must be at least 1 ms, and on_min <= on_max <= cycle"
    )]
    Rhythm {
        /// The load.
        name: String,
    },
    /// A program that generates the load is not installed.
    #[error("load '{load}' needs '{program}', which is not in {searched}; install it: apt-get install {package}")]
    MissingGenerator {
        /// The load.
        load: String,
        /// The program.
        program: &'static str,
        /// The Debian package that holds it.
        package: &'static str,
        /// The search path.
        searched: String,
    },
    /// The keeper could not even be started.
    #[error("load '{load}': cannot start the supervisor process {executable}: {source}")]
    Keeper {
        /// The load.
        load: String,
        /// The program that was to be the keeper.
        executable: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The caller asked to stop while the load was being prepared.
    #[error("load '{load}': interrupted while the load was being prepared")]
    Stopped {
        /// The load.
        load: String,
    },
    /// The keeper ended or said nothing sensible.
    #[error(
        "load '{load}': the supervisor process {executable} did not answer ({what}); try again when the disk is less busy; \
         a program of your own that starts loads must call prazo_load::child_main at the beginning of its main function"
    )]
    Silent {
        /// The load.
        load: String,
        /// The program that was to be the keeper.
        executable: PathBuf,
        /// What was seen instead of an answer.
        what: String,
    },
    /// No way to contain the load is allowed here.
    #[error("cannot isolate load '{load}' with {}: {why}", tried.name())]
    NotContained {
        /// The load.
        load: String,
        /// What was tried last.
        tried: Containment,
        /// The system's reason.
        why: String,
    },
    /// The load's files, network or programs could not be prepared.
    #[error("cannot prepare load '{load}': {what}")]
    SetUp {
        /// The load.
        load: String,
        /// What failed and what the system said.
        what: String,
    },
}

impl LoadError {
    /// True where the user asked for something that cannot be; otherwise the world refused.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Rate { .. } | Self::Rhythm { .. })
    }
}
