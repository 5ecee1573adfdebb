//! Proofs that a set cannot work: more demand than any schedule could serve, or a job seen to miss under the policy itself.
//!
//! A schedulability test that fails decides nothing. These searches decide the other side: what they find is a proof, and
//! what they do not find is Unknown, never Proven. One legal arrival sequence is looked at, in which all tasks arrive at
//! instant 0 and then as often as they may. With several processors another sequence may be worse, for the critical instant of
//! Liu and Layland is a fact about one processor; so a schedule without a miss proves nothing about sporadic tasks.
//!
//! Those arrivals are at whole ticks, and jobs that need all of C run for whole ticks. They are legal in both time models, so a
//! disproof holds in both.

pub mod global_edf;
pub mod global_fixed_priority;
pub mod necessary;
pub mod schedule;

use crate::{Budget, Finding, TaskSet, Ticks};
use schedule::{Ending, Rank, Schedule};

/// The longest stretch a simulated clock runs: with deadlines up to 2^48 beyond it, instants stay within 63 bits.
pub const HORIZON_MAX: Ticks = 1 << 62;

/// Runs the synchronous schedule up to `horizon` and looks for a job that ends late.
fn search<R: Rank>(
    test: &'static str,
    tasks: TaskSet<'_>,
    schedule: Schedule<R>,
    horizon: Ticks,
    budget: &mut Budget,
) -> Finding {
    let before = budget.spent();
    let (missed, ending) = schedule::first_late_job(tasks, schedule, horizon, budget);
    let work = budget.spent() - before;
    match (missed, ending) {
        (Some(job), _) => Finding::missed(test, job, work),
        (None, Ending::BudgetSpent) => Finding::budget_spent(test, work),
        (None, _) => Finding::does_not_hold(test, None, None, work),
    }
}
