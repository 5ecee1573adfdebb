//! What can stop an experiment that was read without complaint.

use std::path::PathBuf;

/// Why an experiment could not be run or resumed.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
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
    /// The folder keeps the chunks of another experiment, or of another version of this one.
    #[error(
        "{}: contains chunks of experiment '{found}', not of '{wanted}'; choose another results folder, or move that \
         file away to start again",
        path.display()
    )]
    OtherExperiment {
        /// The file.
        path: PathBuf,
        /// Whose chunks it keeps: name and fingerprint.
        found: String,
        /// Whose were asked for.
        wanted: String,
    },
    /// A line of the file is not a chunk's.
    #[error("{}:{line}: not a line of this experiment ({cause}); move this file away to start again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// Another process is writing into the folder.
    #[error("{}: another process is writing to this file; wait until that process ends, or choose another results folder", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A family drew a set that cannot be computed with.
    #[error(
        "task set {index} of family '{family}' at utilization {utilization} cannot be analysed: {why}; \
         change the parameters of the family"
    )]
    Set {
        /// The family's id.
        family: String,
        /// The utilization.
        utilization: String,
        /// Which set, from 0.
        index: u64,
        /// What is wrong with it.
        why: String,
    },
}
