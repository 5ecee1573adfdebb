//! Deployed tasks that were watched while they ran: from what was seen of each job to a verdict.

mod judge;
mod task;

pub use judge::{WatchedEvidence, judge_watched};
pub use task::WatchedTask;
