//! What the simulator remembers of tasks and processors between two events.

use crate::arrival::{JobArrival, Pattern};
use prazo_core::overrun::Overruns;
use prazo_core::server::Server;
use prazo_core::time::{Duration, Instant};
use std::collections::VecDeque;

/// No task.
pub(crate) const NOBODY: usize = usize::MAX;

/// One task between two events.
#[derive(Clone, Copy, Debug)]
pub struct TaskState {
    /// Its next job to arrive.
    pub arriving: JobArrival,
    /// Its next job to be released.
    pub releasing: JobArrival,
    /// Its oldest job that is neither late nor done.
    pub due: JobArrival,
    /// Its oldest job that is not done: the one that may run.
    pub serving: JobArrival,
    /// What that job still needs, while it does not run.
    pub remaining: Duration,
    /// Where that job last ran; `None` before its first dispatch.
    pub last_cpu: Option<usize>,
    /// How many times that job has suspended itself.
    pub suspended: usize,
    /// Since when it is suspended; `None` while it is not.
    pub suspended_since: Option<Instant>,
}

impl TaskState {
    /// Before the first job of `pattern`.
    pub fn before(pattern: &Pattern) -> Self {
        let first = pattern.first();
        Self {
            arriving: first,
            releasing: first,
            due: first,
            serving: first,
            remaining: Duration::ZERO,
            last_cpu: None,
            suspended: 0,
            suspended_since: None,
        }
    }

    /// Jobs that were released, or left out in the meantime, and are not done.
    pub fn pending(&self) -> u64 {
        self.releasing.job - self.serving.job
    }
}

/// What the overrun policy has made of a task's jobs.
#[derive(Clone, Debug)]
pub(crate) struct OverrunState {
    /// Overruns that later jobs pay for.
    pub overruns: Overruns,
    /// Jobs left out, from the oldest that is not done on; no longer than the backlog.
    pub skipped: VecDeque<u64>,
}

/// What a task's server has granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerState {
    /// Its budget and the deadline that the task ranks by.
    pub server: Server,
    /// Since when the running job's time has not been charged.
    pub charged_to: Instant,
}

/// One processor between two events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuState {
    /// The task whose job runs, or [`NOBODY`].
    pub running: usize,
    /// Interrupts served at this instant, not yet charged to anybody.
    pub owed: Duration,
    /// Until when an interrupt holds up the processor, which idles otherwise.
    pub held_until: Instant,
    /// When a job last ended or stepped back here: whoever comes next needs no interrupt from elsewhere.
    pub freed_at: Option<Instant>,
}

impl CpuState {
    /// An idle processor.
    pub(crate) const IDLE: CpuState =
        CpuState { running: NOBODY, owed: Duration::ZERO, held_until: Instant::EPOCH, freed_at: None };
}
