//! Why nothing could be measured: what was asked, what came back, what to do.

use super::plan_check::PlanError;
use prazo_platform::policy::Refusal;
use serde::{Deserialize, Serialize};
use std::io;

/// Why a plan could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The plan cannot be measured as it stands: a usage error.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A measuring thread could not be set up as asked.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The operating system refused something else that every run needs.
    #[error("{what} failed: {source}; {remedy}")]
    System {
        /// The request that failed.
        what: &'static str,
        /// What came back.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The samples could not be handed on; measuring was stopped.
    #[error("the run was stopped because its samples could not be stored: {0}")]
    Sink(#[source] SinkError),
    /// A measuring thread or process ended without its report.
    #[error(
        "the measuring thread of processor {cpu} ended without a result ({how}); if the thread printed an error message, see it above"
    )]
    WorkerLost {
        /// Its processor.
        cpu: u32,
        /// How it ended, as far as that is known.
        how: String,
    },
}

/// What a sink answers when it cannot take samples.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Why a measuring thread could not be set up; plain data, since a child process sends it to its parent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum SetupError {
    /// The thread may not run on its processor.
    #[error("sched_setaffinity refused processor {cpu} ({}); the processor must be online and in this process's cpuset", error_of(*errno))]
    Affinity {
        /// The processor asked for.
        cpu: u32,
        /// The error number.
        errno: i32,
    },
    /// The kernel accepted the processor, and the thread was not on it afterwards.
    #[error(
        "prazo requested an affinity to processor {cpu} only, but read back {effective}; another program changes the affinity of \
         this thread: stop that program and measure again"
    )]
    AffinityNotEffective {
        /// The processor asked for.
        cpu: u32,
        /// What was read back.
        effective: String,
    },
    /// The scheduling policy was refused.
    #[error("policy {} was refused on processor {cpu}: {}; {}. Policy `other` needs no \
             privileges", refusal.asked, refusal.came_back(), refusal.reasons.join("; or "))]
    Policy {
        /// The processor of the thread.
        cpu: u32,
        /// What was requested, and why it was refused.
        refusal: Refusal,
    },
    /// The kernel accepted the policy, and another was in effect afterwards.
    #[error(
        "prazo requested policy {requested} on processor {cpu}, but read back {effective}; another program changes the \
         policy of this thread: stop that program and measure again"
    )]
    PolicyNotEffective {
        /// The processor of the thread.
        cpu: u32,
        /// The request.
        requested: String,
        /// What was read back.
        effective: String,
    },
    /// The thread that wakes a measuring thread panicked.
    #[error(
        "the thread on processor {cpu} that wakes the measured thread panicked; see its message above and measure again; \
         report this if it happens again"
    )]
    WakerPanicked {
        /// The processor of the waking thread.
        cpu: u32,
    },
    /// A thread whose moves are measured stays where it is.
    #[error(
        "the measured thread never moved from processor {cpu} to processor {target}, in {activations} activations. Check whether isolcpus= or \
         an isolated cpuset partition separates the two processors, and which threads on processor {target} run at or \
         above the priority of the measured thread; or measure other processors (--cpus)"
    )]
    NeverMoved {
        /// Where it stays.
        cpu: u32,
        /// Where it was to move.
        target: u32,
        /// How often it was to move.
        activations: u64,
    },
    /// Another call failed.
    #[error("{call} failed on processor {cpu}: {}; {remedy}", error_of(*errno))]
    Call {
        /// The processor of the thread.
        cpu: u32,
        /// The call.
        call: String,
        /// The error number.
        errno: i32,
        /// What to do.
        remedy: String,
    },
}

impl SetupError {
    /// A failed call whose remedy is nothing special.
    pub fn call(cpu: u32, call: &str, error: &io::Error) -> Self {
        let remedy = "this kernel or container may forbid this call; another --method may not need this call".into();
        Self::Call { cpu, call: call.into(), errno: error.raw_os_error().unwrap_or(0), remedy }
    }
}

/// The system's words for an error number.
pub(crate) fn error_of(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}
