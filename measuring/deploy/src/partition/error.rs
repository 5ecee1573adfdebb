//! Why clusters cannot be made, or not entered.

use crate::step::StepError;
use prazo_platform::root::Unavailable;
use prazo_platform::tunable::{JournalError, TuneError};

/// Why clusters cannot be made, or not entered.
#[derive(Debug, thiserror::Error)]
pub enum PartitionError {
    /// Nothing on this machine makes root domains.
    #[error("cannot make clusters of processors on this machine: {why}")]
    NoWay {
        /// What is missing.
        why: String,
    },
    /// There are not so many processors.
    #[error(
        "cluster {cluster} requests processors {absent}, which are not online; choose from the online processors \
         {online}"
    )]
    NotOnline {
        /// Its index.
        cluster: usize,
        /// What is not there.
        absent: String,
        /// What is there.
        online: String,
    },
    /// Two clusters want the same processor.
    #[error(
        "cluster {cluster} and an earlier cluster both contain processors {shared}; give each processor to one cluster"
    )]
    Overlap {
        /// Its index.
        cluster: usize,
        /// What both have.
        shared: String,
    },
    /// Somebody else has them.
    #[error(
        "processors {cpus} belong to the control group {by}; choose others with --cpus, or remove that group first"
    )]
    Owned {
        /// The processors.
        cpus: String,
        /// Whose they are.
        by: String,
    },
    /// A file of the system's gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The machine refused a step; those before it are undone.
    #[error("could not carry out the step \"{step}\": {why}")]
    Refused {
        /// What was being done.
        step: String,
        /// What came back.
        why: String,
    },
    /// The journal could not be kept, so nothing was tried.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl From<StepError> for PartitionError {
    fn from(refused: StepError) -> Self {
        match refused.why {
            TuneError::Journal(error) => Self::Journal(error),
            TuneError::Refused { why, .. } | TuneError::NotMade { why, .. } => {
                Self::Refused { step: refused.step.to_string(), why: why.to_string() }
            }
        }
    }
}
