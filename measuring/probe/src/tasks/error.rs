//! Why a task set could not be run: what was asked, what came back, what to do.

use prazo_run::store::StoreError;
use std::io;

/// Why a task set could not be run.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// The set cannot be run as it stands: a usage error.
    #[error("{set}: {problem}; {remedy}")]
    Plan {
        /// The set.
        set: String,
        /// What cannot be.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The kernel refused a task its policy.
    #[error("the kernel refused {policy} for task '{task}' ({requested}): {source}; {}", reasons.join("; or "))]
    Refused {
        /// The policy's name.
        policy: &'static str,
        /// The task.
        task: String,
        /// The request.
        requested: String,
        /// What came back.
        source: io::Error,
        /// Likely reasons with their remedies; never empty.
        reasons: Vec<String>,
    },
    /// The kernel accepted a policy, and another was in effect afterwards.
    #[error(
        "requested policy {requested} for task '{task}', read back {effective}; prazo ran no task, because this task \
         would have run under the wrong policy"
    )]
    NotEffective {
        /// The task.
        task: String,
        /// The request.
        requested: String,
        /// What was read back.
        effective: String,
    },
    /// The clusters could not be parted from each other.
    #[error("{set}: cannot separate the clusters of the task set on this machine: {why}")]
    Place {
        /// The set.
        set: String,
        /// What is missing, and what to do.
        why: String,
    },
    /// The operating system refused something else that every run needs.
    #[error("{what} failed: {source}; this kernel or container may forbid a system call that every run needs")]
    System {
        /// The request that failed.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// The run file could not be written or read again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TasksError {
    /// Something that every run needs.
    pub(super) fn system(what: &'static str, source: io::Error) -> Self {
        Self::System { what, source }
    }

    /// True where the user asked for something that cannot be; otherwise the world refused.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Plan { .. } => true,
            Self::Store(error) => matches!(error, StoreError::Exists { .. }),
            _ => false,
        }
    }
}
