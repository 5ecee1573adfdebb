//! BAK (Baker, RTSS 2003; TPDS 16(8), 2005): for every k, with lambda = C_k/min(D_k,T_k),
//! sum of min(1, beta_i) <= m (1 - lambda) + lambda.
//!
//! beta_i = u_i (1 + max(0, T_i - D_i)/D_k) + [lambda < u_i] (C_i - lambda T_i)/D_k, and the sum includes k. With p/q
//! for lambda every beta_i is a fraction over q T_i D_k, and both sides are multiplied by q D_k.

use super::Queue;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, show};
use prazo_core::task::Task;

pub(super) fn check(queue: &Queue<'_>) -> Result<(), Rejected> {
    queue.applies_globally()?;
    queue.tasks.iter().zip(queue.names).try_for_each(|(k, name)| {
        show(holds_for(k, queue), || format!("BAK's condition does not hold for task {name}"))
    })
}

/// Sum min(1, beta) D_k + (m-1) lambda D_k <= m D_k.
fn holds_for(k: &Task, queue: &Queue<'_>) -> bool {
    let whole = Fraction::whole(k.deadline);
    let terms: Vec<Fraction> = queue.tasks.iter().map(|task| beta(task, k).min(whole.clone())).collect();
    let lambda = Fraction::new(u128::from(k.cost) * u128::from(k.deadline), k.window());
    let left = &Fraction::sum(&terms) + &(&Fraction::whole(queue.m() - 1) * &lambda);
    left <= &Fraction::whole(queue.m()) * &whole
}

/// beta_i D_k = C_i (D_k + max(0, T_i - D_i))/T_i + max(0, C_i q - p T_i)/q, where lambda = p/q.
fn beta(task: &Task, k: &Task) -> Fraction {
    let length = u128::from(k.deadline) + u128::from(task.period.saturating_sub(task.deadline));
    let steady = Fraction::new(u128::from(task.cost) * length, task.period);
    let (p, q) = (u128::from(k.cost), u128::from(k.window()));
    let above = (u128::from(task.cost) * q).saturating_sub(p * u128::from(task.period));
    &steady + &Fraction::new(above, k.window())
}
