//! BCL (Bertogna, Cirinei, Lipari, ECRTS 2005): for every k, the others interfere less than the laxity of k allows.
//!
//! With N = floor((D_k - D_i)/T_i) + 1 (at least 0) and b_i = N C_i + min(C_i, max(0, D_k - N T_i)):
//! sum of min(b_i, D_k - C_k) over i /= k is below m (D_k - C_k), or equal with some 0 < b_i <= D_k - C_k.

use super::Queue;
use crate::demand::demand_bound;
use crate::rejected::{Rejected, show};
use prazo_core::task::Task;

pub(super) fn check(queue: &Queue<'_>) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    (0..queue.tasks.len()).try_for_each(|k| {
        show(holds_for(k, queue), || format!("BCL's condition does not hold for task {}", queue.names[k]))
    })
}

fn holds_for(k: usize, queue: &Queue<'_>) -> bool {
    let laxity = u128::from(queue.tasks[k].deadline - queue.tasks[k].cost);
    let others = queue.tasks.iter().enumerate().filter(|(i, _)| *i != k);
    let bounds: Vec<u128> = others.map(|(_, task)| workload(task, &queue.tasks[k])).collect();
    let total: u128 = bounds.iter().map(|bound| (*bound).min(laxity)).sum();
    let available = queue.m() * laxity;
    total < available || (total == available && bounds.iter().any(|bound| (1..=laxity).contains(bound)))
}

/// b_i: what `task` can ask for in a window D_k, its last deadline at the window's end.
fn workload(task: &Task, k: &Task) -> u128 {
    let whole = demand_bound(task, k.deadline);
    let jobs = whole / u128::from(task.cost);
    let rest = u128::from(k.deadline).saturating_sub(jobs * u128::from(task.period));
    whole + rest.min(task.cost.into())
}
