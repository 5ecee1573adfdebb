//! Why nothing was deployed.

use prazo_platform::tunable::JournalError;
use std::path::PathBuf;

/// Why nothing was deployed. What had been changed is as before, or told on standard error and kept in the journal.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The machine refused a step.
    #[error(
        "could not carry out the step \"{step}\": {why}; prazo undid the earlier changes; changes that it could not \
         undo are listed above and stay in the journal (see `prazo tune undo`)"
    )]
    Refused {
        /// What was being done.
        step: String,
        /// What came back, and what explains it.
        why: String,
        /// True where the kernel's admission refused a policy.
        by_admission: bool,
    },
    /// The journal could not be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The record of what is deployed could not be read.
    #[error(
        "cannot read {file}, the record of the current deployment: {why}; run `prazo sched undeploy`, then deploy again"
    )]
    Unread {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        why: String,
    },
    /// The record could not be kept.
    #[error(
        "cannot write {file}: {why}; prazo undid the earlier changes; changes that it could not undo are listed above \
         and stay in the journal (see `prazo tune undo`)"
    )]
    Record {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        why: String,
    },
}
