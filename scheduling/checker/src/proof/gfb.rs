//! GFB (Goossens, Funk, Baruah, Real-Time Systems 25, 2003; density form: Bertogna, Cirinei, Lipari, ECRTS 2005):
//! sum of C/D <= m - (m-1) max C/D.
//!
//! Multiplied out so that nothing is subtracted: sum C/D + (m-1) max C/D <= m.

use super::Queue;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, show};
use prazo_core::task::Task;

pub(super) fn check(queue: &Queue<'_>) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    let density = |task: &Task| Fraction::new(task.cost.into(), task.deadline);
    let total = Fraction::sum(&queue.tasks.iter().map(density).collect::<Vec<_>>());
    let largest = queue.densest().map_or(Fraction::whole(0u64), density);
    let left = &total + &(&Fraction::whole(queue.m() - 1) * &largest);
    show(left <= Fraction::whole(queue.m()), || {
        "the sum of the densities is above m - (m-1) times the largest density".into()
    })
}
