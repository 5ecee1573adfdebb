//! Response bounds for BCLI (Bertogna, Cirinei, Lipari, TPDS 20(4), 2009) and RTA (Bertogna, Cirinei, RTSS 2007).
//!
//! In rounds as the papers have it; the bounds of the last round satisfy all inequalities at once, and only they are
//! written.

use crate::capped::{self, Interference, Term, least_limit};
use crate::partition::Bin;
use crate::{Task, Ticks, TimeModel};

/// By deadlines alone, without slack for the window of a response.
pub(super) fn bcli(tasks: &[Task], bin: &Bin, time: TimeModel) -> Option<String> {
    rounds(tasks, |bounds, k| {
        let task = &tasks[k];
        let laxity = task.deadline - task.cost;
        let mut sum = Interference::default();
        for i in (0..tasks.len()).filter(|&i| i != k) {
            sum.add(by_deadlines(&tasks[i], bounds[i], task), capped::limit(time, laxity));
        }
        bound(task, sum.delay(time, bin.processors, laxity))
    })
    .map(|bounds| lines(&bounds, bin))
}

/// By deadlines and by the window of a response.
pub(super) fn rta(tasks: &[Task], bin: &Bin, time: TimeModel) -> Option<String> {
    rounds(tasks, |bounds, k| response(tasks, bounds, k, bin.processors, time)).map(|bounds| lines(&bounds, bin))
}

fn lines(bounds: &[Ticks], bin: &Bin) -> String {
    bin.tasks.iter().zip(bounds).map(|(task, bound)| format!("response {task} {bound}\n")).collect()
}

/// Improves all bounds in turn, from D, until each holds or none gets better.
fn rounds(tasks: &[Task], improve: impl Fn(&[Ticks], usize) -> Option<Ticks>) -> Option<Vec<Ticks>> {
    let mut bounds: Vec<Ticks> = tasks.iter().map(|task| task.deadline).collect();
    loop {
        let (mut all, mut better) = (true, false);
        for k in 0..tasks.len() {
            let improved = improve(&bounds, k);
            all &= improved.is_some();
            better |= improved.is_some_and(|bound| bound < bounds[k]);
            bounds[k] = improved.unwrap_or(bounds[k]).min(bounds[k]);
        }
        match (all, better) {
            (true, _) => return Some(bounds),
            (false, false) => return None,
            (false, true) => {}
        }
    }
}

/// C + `delay` if that is within D.
fn bound(task: &Task, delay: u128) -> Option<Ticks> {
    Ticks::try_from(delay + u128::from(task.cost)).ok().filter(|&bound| bound <= task.deadline)
}

/// The least R at which a job of k has ended, from C_k upwards, where task i takes min(W_i(R), w_i).
fn response(tasks: &[Task], bounds: &[Ticks], k: usize, processors: u32, time: TimeModel) -> Option<Ticks> {
    let task = &tasks[k];
    let mut length = task.cost;
    loop {
        let limit = capped::limit(time, length - task.cost);
        let others = (0..tasks.len()).filter(|&i| i != k);
        let terms: Vec<Term> = others
            .map(|i| in_window(&tasks[i], bounds[i], length, by_deadlines(&tasks[i], bounds[i], task)))
            .map(|(work, cap)| Term::new(work, cap, limit))
            .collect();
        let next = bound(task, capped::laxity(time, least_limit(time, &terms, processors, limit)))?;
        if next == length {
            return Some(length);
        }
        length = next;
    }
}

/// w_i = floor(D_k/T_i) C_i + min(C_i, max(0, D_k mod T_i - (D_i - R_i))).
fn by_deadlines(task: &Task, bound: Ticks, k: &Task) -> Ticks {
    let carried = (k.deadline % task.period).saturating_sub(task.deadline - bound).min(task.cost);
    // A window of D ticks holds no more than D of work.
    k.deadline / task.period * task.cost + carried
}

/// W_i(L), with y = L + R_i - C_i: floor(y/T_i) C_i + min(C_i, y mod T_i), but at most w_i; and until when it grows.
fn in_window(task: &Task, bound: Ticks, length: Ticks, most: Ticks) -> (Ticks, Ticks) {
    let y = length + bound - task.cost;
    let before = y / task.period * task.cost;
    ((before + (y % task.period).min(task.cost)).min(most), (before + task.cost).min(most))
}
