//! EDF on one processor, deadlines not before the next release: U <= 1 is exact (Liu, Layland, JACM 20(1), 1973).
//!
//! With D >= T + J the demand line has nothing but its slope: dbf(t) <= sum (t + T + J - D) C/T <= U t <= t.

use super::Queue;
use crate::demand::utilization;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, applies, show};

pub(super) fn check(queue: &Queue<'_>) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let late = queue.tasks.iter().all(|task| task.deadline >= task.period + task.jitter);
    applies(late, "some task has D < T + J, so a deadline may precede the next release")?;
    show(utilization(queue.tasks) <= Fraction::whole(1u64), || "the utilization is above 1".into())
}
