//! When the jobs of each task's longest busy period complete (Lehoczky, RTSS 1990; jitter as Tindell, Burns, Wellings
//! 1994).

use super::order::Ranked;
use super::text::spaced;
use crate::{Task, Ticks};

/// More jobs of one busy period than this are not written.
const JOBS_MAX: u64 = 100_000;

pub(super) fn evidence(ranked: &Ranked) -> Option<String> {
    let mut urgent = ranked.interrupts.clone();
    let mut lines = String::from("test response-times\n");
    for (name, task) in &ranked.tasks {
        lines += &format!("completions {name}{}\n", spaced(completions(task, &urgent)?));
        urgent.push(*task);
    }
    Some(lines)
}

/// Completions of jobs 0, 1, ... until no job waits; `None` if one is late.
pub(super) fn completions(task: &Task, urgent: &[Task]) -> Option<Vec<Ticks>> {
    let mut all = Vec::new();
    for job in 0..JOBS_MAX {
        let latest = (job.checked_mul(task.period)? + task.deadline).checked_sub(task.jitter)?;
        let at = completion((job + 1).checked_mul(task.cost)?, urgent, latest)?;
        all.push(at);
        if at + task.jitter <= (job + 1).checked_mul(task.period)? {
            return Some(all);
        }
    }
    None
}

/// The least w with w = `own` + sum ceil((w + J)/T) C over `urgent`; `None` beyond `latest`.
fn completion(own: u64, urgent: &[Task], latest: Ticks) -> Option<Ticks> {
    let mut w = own;
    loop {
        let before = |task: &Task| u128::from((w + task.jitter).div_ceil(task.period)) * u128::from(task.cost);
        let demand = u128::from(own) + urgent.iter().map(before).sum::<u128>();
        let next = Ticks::try_from(demand).ok().filter(|&next| next <= latest)?;
        if next == w {
            return Some(w);
        }
        w = next;
    }
}
