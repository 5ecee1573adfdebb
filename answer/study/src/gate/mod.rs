//! The gate for kernels: did a latency under counted time move beyond what the spread over seeds explains?
//!
//! ```text
//! runs ─► Baseline (figures and conditions of each seed) ─┐
//! runs ─► Baseline ───────────────────────────────────────┴─► judge ─► GateResult
//! ```
//! What was measured under other conditions than those under test is refused, for then a movement has two causes. The rule
//! that decides a movement is in [`prazo_stats::seed_shift`]; docs/statistics.md says why it is this one.

mod baseline;
mod before;
mod case;
mod conditions;
mod explained;
mod explanation_text;
pub mod history;
mod judge;
mod junit;
mod ktap;
mod lava;
mod line;
mod markdown;
mod result;
mod sides;
mod table;
#[cfg(test)]
mod testing;

pub use baseline::{Baseline, BaselineError, Trajectory};
pub use before::{conditions_now, differs_now, lacks_now};
pub use conditions::{Condition, Different};
pub use explained::{ExplainedActivation, GateExplanation};
pub use judge::judge;
pub use junit::junit;
pub use ktap::ktap;
pub use lava::lava;
pub use markdown::markdown;
pub use result::{Compared, Direction, GateOutcome, GateResult, Left, Movement};
pub use sides::Question;
pub use table::differing;
