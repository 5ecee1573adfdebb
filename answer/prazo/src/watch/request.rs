//! What a watch is asked for.

use super::find::Target;
use super::rules::Rules;
use prazo_core::time::Duration;
use prazo_probe::activations::ProgramSection;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Whom to watch, for how long, and what overrules what is found.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// Whom.
    pub target: Target,
    /// For how long; by default until it ends or the caller stops it.
    pub duration: Option<Duration>,
    /// Stop at the first missed deadline or broken rule.
    pub until_miss: bool,
    /// Only so much of the end is in the run file, in whole seconds.
    pub keep: Option<Duration>,
    /// The period; found by default.
    pub period: Option<Duration>,
    /// The relative deadline; the period by default.
    pub deadline: Option<Duration>,
    /// What one activation may compute.
    pub budget: Option<Duration>,
    /// What each activation is held against.
    pub rules: Rules,
    /// Sections of the program that are measured.
    pub sections: Vec<ProgramSection>,
    /// How many of each thread's worst activations are explained.
    pub worst: usize,
    /// The processors' interrupts and switches, and the duration of page faults, are traced for the causes.
    pub causes: bool,
    /// A started program's output goes to standard error.
    pub output_to_error: bool,
    /// The run file, which must not exist; `None` is a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// A file for the worst activations with what happened around them, which Perfetto opens.
    pub trace: Option<PathBuf>,
    /// The loopback address at which the figures are served as OpenMetrics.
    pub metrics: Option<SocketAddr>,
    /// Have the kernel count what watching costs it.
    pub cost: bool,
    /// The command that repeats it, which the run file keeps.
    pub command: String,
}
