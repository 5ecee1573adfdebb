//! What can be evaluated: this machine against a deadline, or a task set on this machine.

use prazo_core::time::Duration;
use prazo_verdict::Requirement;
use std::path::PathBuf;

/// Judged where the caller names no deadline.
pub const DEADLINE: Duration = Duration::from_ms(1);

/// How long a task set runs where the caller does not say.
pub const TASKS_DURATION: Duration = Duration::from_s(60);

/// What shall be judged.
#[derive(Clone, Debug)]
pub struct EvaluateRequest {
    /// The deadline and what it asks for.
    pub requirement: Requirement,
    /// How long each run measures; `None` measures as long as the requirement needs.
    pub duration: Option<Duration>,
    /// Folder for the run files; one that an interrupted evaluation left is resumed.
    pub folder: PathBuf,
    /// Also cost workloads alone and beside a real-time task.
    pub with_cost: bool,
    /// The command line that repeats this, as it is recorded in runs.
    pub command: String,
}

/// Which task set is evaluated, for how long, and where the results go.
#[derive(Clone, Debug)]
pub struct EvaluateTasksRequest {
    /// The scenario's file.
    pub scenario: PathBuf,
    /// Folder for run files, tables and the placed scenario.
    pub folder: PathBuf,
    /// How long the set runs under load with the chosen scheduler; no step before takes longer.
    pub duration: Duration,
    /// The command line that repeats this, as it is recorded in runs.
    pub command: String,
}
