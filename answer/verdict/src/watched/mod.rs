//! Deployed tasks and other programs that were watched while they ran: from what was seen to a verdict.

mod judge;
mod program;
mod reasons;
mod rule;
mod section;
mod task;

pub use judge::{WatchedEvidence, judge_watched};
pub use program::{ProgramEvidence, WatchedQuantiles, WatchedThread, WatchedWorst, judge_program};
pub use rule::{RuleState, WatchedBreach, WatchedRule, WatchedRuleThread};
pub use section::{UnplacedSection, WatchedSection};
pub use task::WatchedTask;
