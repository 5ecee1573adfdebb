//! A fixed order of tasks on one processor: exact by response times, quickly by bounds on the utilization.

pub mod hyperbolic;
pub mod liu_layland;
mod long_product;
pub mod response_time;

pub use response_time::{response_times, test};

use crate::TaskSet;
use crate::uniprocessor::priority::PriorityOrder;

/// Why a bound that is meant for rate-monotonic priorities does not speak of these tasks in this order.
fn not_rate_monotonic(tasks: TaskSet<'_>, order: &PriorityOrder) -> Option<&'static str> {
    if tasks.has_jitter() {
        Some("this bound does not cover release jitter; the response-time test does")
    } else if tasks.iter().any(|task| task.deadline < task.period) {
        Some("this bound needs D >= T; the response-time test does not")
    } else if !order.indices().is_sorted_by_key(|index| tasks[*index].period) {
        Some("this bound needs rate-monotonic priorities; the response-time test does not")
    } else {
        None
    }
}
