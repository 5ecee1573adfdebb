//! What can be wrong with a study or with the folder that keeps its results.

use std::path::PathBuf;

/// Why a study could not be run at all; a single cell that fails does not stop a study.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The study names several platforms and nobody said which one this machine is.
    #[error("study '{study}' has the platforms {platforms}; name the platform of this machine with --platform ID")]
    WhichPlatform {
        /// The study's name.
        study: String,
        /// Its platforms.
        platforms: String,
    },
    /// The platform that this machine was said to be is not in the study, or is a guest or a board.
    #[error("study '{study}' has no platform '{asked}' for this machine; {remedy}")]
    UnknownPlatform {
        /// What was said.
        asked: String,
        /// The study's name.
        study: String,
        /// What to name instead.
        remedy: String,
    },
    /// A file of the results folder could not be read or written.
    #[error("{}: could not {action}: {cause}; choose another results folder, or give this one read and write access and free space", path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system answered.
        cause: std::io::Error,
    },
    /// Another process is writing into the folder.
    #[error("{}: another process is writing to this folder; wait for it, or choose another results folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The journal is there but is not one of ours.
    #[error("{} is not the journal of a study ({cause}); move the file away to start this study again", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The folder belongs to another study.
    #[error("{}: contains the results of study '{found}', not of '{wanted}'; choose another results folder", path.display())]
    OtherStudy {
        /// The journal.
        path: PathBuf,
        /// Whose results it keeps.
        found: String,
        /// Whose were asked for.
        wanted: String,
    },
}
