//! Deployed tasks and other programs that were watched while they ran: from what was seen to a verdict.

mod judge;
mod program;
mod reasons;
mod rule;
mod section;
mod task;
mod unplaced;
mod work;

pub use judge::{WatchedEvidence, judge_watched};
pub use program::{DeployedTasks, ProgramEvidence, WatchedThread, judge_program};
pub use rule::{RuleState, WatchedBreach, WatchedRule, WatchedRuleThread};
pub use section::WatchedSection;
pub use task::WatchedTask;
pub use unplaced::UnplacedPlace;
pub use work::{WatchedPart, WatchedQuantiles, WatchedWork};
