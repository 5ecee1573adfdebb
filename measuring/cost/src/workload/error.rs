//! Why a workload could not be put up.

use crate::run::CostError;
use std::io;
use std::path::PathBuf;

/// Why a workload could not be put up.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// A program is missing.
    #[error("workload '{workload}' needs the program {program}; install the Debian package {package}")]
    Missing {
        /// The workload.
        workload: &'static str,
        /// The program.
        program: &'static str,
        /// The Debian package that holds it.
        package: &'static str,
    },
    /// Its folder or its data could not be made.
    #[error("cannot prepare workload '{workload}' in {folder}: {error}", folder = folder.display())]
    Prepare {
        /// The workload.
        workload: &'static str,
        /// Where its data was to be.
        folder: PathBuf,
        /// What came back.
        error: io::Error,
    },
    /// Its server did not come up.
    #[error("the server of workload '{workload}' ({server}) does not listen: {reason}")]
    Server {
        /// The workload.
        workload: &'static str,
        /// The server's command.
        server: String,
        /// What became of it.
        reason: String,
    },
    /// Its server ended in the middle of a run.
    #[error("the server of workload '{workload}' ({server}) ended {how} during a run; {last_lines}")]
    ServerEnded {
        /// The workload.
        workload: &'static str,
        /// The server's command.
        server: String,
        /// With which status, or by which signal.
        how: String,
        /// What it said last.
        last_lines: String,
    },
    /// A run of it could not be costed.
    #[error(transparent)]
    Cost(#[from] CostError),
}

impl WorkloadError {
    /// The status that env(1) ends with.
    pub fn status(&self) -> u8 {
        if let Self::Cost(error) = self { error.status() } else { 125 }
    }
}
