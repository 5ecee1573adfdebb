//! What is known of a deployed task.

use prazo_core::cpu::CpuSet;

/// A task to be followed job by job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedTask {
    /// Its thread.
    pub thread_id: u32,
    /// The processors of its cluster.
    pub cluster: CpuSet,
    /// T.
    pub period_ns: u64,
    /// D.
    pub deadline_ns: u64,
    /// What one job may take; `None` where nothing limits it.
    pub budget_ns: Option<u64>,
    /// Its priority inside the kernel, less is more urgent: -1 of a deadline thread, 99 less its own of a real-time one.
    pub priority: Option<i16>,
}
