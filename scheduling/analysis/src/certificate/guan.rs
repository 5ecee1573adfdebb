//! Response bounds under global fixed priorities (Guan, Stigge, Yi, Yu, RTSS 2009), most urgent task first.

use super::order::Ranked;
use crate::partition::Bin;
use crate::{Task, Ticks};

pub fn evidence(ranked: &Ranked, bin: &Bin) -> Option<String> {
    let mut bounds: Vec<(usize, Task, Ticks)> = Vec::new();
    for (name, task) in &ranked.tasks {
        let bound = response(task, &bounds, bin.processors)?;
        bounds.push((*name, *task, bound));
    }
    bounds.sort_by_key(|(name, ..)| *name);
    let lines: String = bounds.iter().map(|(name, _, bound)| format!("response {name} {bound}\n")).collect();
    Some(format!("test Guan\n{lines}"))
}

/// x = C_k + floor(omega(x)/m), from C_k upwards; `None` beyond min(D, T).
fn response(task: &Task, urgent: &[(usize, Task, Ticks)], processors: u32) -> Option<Ticks> {
    let mut length = task.cost;
    loop {
        let cap = u128::from(length - task.cost) + 1;
        let delay = interference(urgent, length, cap, processors) / u128::from(processors);
        let next = Ticks::try_from(u128::from(task.cost) + delay).ok().filter(|&next| next <= task.window())?;
        if next <= length {
            return Some(length);
        }
        length = next;
    }
}

/// omega: everyone without carry-in, and the m-1 largest increases with it.
fn interference(urgent: &[(usize, Task, Ticks)], length: Ticks, cap: u128, processors: u32) -> u128 {
    let fresh = |task: &Task| workload(task, length, 0).min(cap);
    let plain: u128 = urgent.iter().map(|(_, task, _)| fresh(task)).sum();
    let mut more: Vec<u128> = urgent
        .iter()
        .map(|(_, task, bound)| carried_in(task, *bound, length).min(cap).saturating_sub(fresh(task)))
        .collect();
    more.sort_unstable_by(|a, b| b.cmp(a));
    plain + more.iter().take(processors as usize - 1).sum::<u128>()
}

/// floor(L/T) C + min(C, L mod T - late), at least 0.
fn workload(task: &Task, length: Ticks, late: Ticks) -> u128 {
    let rest = (length % task.period).saturating_sub(late).min(task.cost);
    u128::from(length / task.period) * u128::from(task.cost) + u128::from(rest)
}

/// y = max(0, L - C): floor(y/T) C + C + min(C - 1, max(0, y mod T - (T - R))).
fn carried_in(task: &Task, bound: Ticks, length: Ticks) -> u128 {
    let shorter = Task { cost: task.cost - 1, ..*task };
    let y = length.saturating_sub(task.cost);
    let before = workload(&shorter, y % task.period, task.period.saturating_sub(bound));
    (u128::from(y / task.period) + 1) * u128::from(task.cost) + before
}
