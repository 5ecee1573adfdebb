//! Response times under fixed priorities where jobs suspend themselves, at any instants, for at most S each in all.
//!
//! For deadlines D <= T, tasks 1, 2, ... by urgency, and a choice x of some more urgent tasks that suspend themselves, the response of task
//! k is at most J_k and the least w > 0 with
//!
//! ```text
//! C_k + S_k + sum over i < k of ceil((w + V_i) / T_i) C_i <= w      V_i = Q_i + (J_i if i is in x, or S_i = 0; else R_i - C_i)
//!                                                                   Q_i = sum of S_j over j in x, i <= j < k
//! ```
//!
//! if all tasks above k are in time, R_i being a bound on their response. Chen, Nelissen, Huang, ECRTS 2016, theorem 1. Every choice x
//! gives a bound, and the least is taken. Where x is empty this is the jitter R_i - C_i of each task that suspends itself (Nelissen
//! and others 2015, Huang and others 2015, as corrected in Bletsas and others 2018); x with those of S <= C is no worse than S counted as
//! blocking, min(S, C) a task (Liu 2000; Chen, Huang, Nelissen 2016); and x with all of them is no worse than S counted as execution.
//!
//! Why it holds, also with jitter and at any real instant: let task k's job be released at r_k = t_k and end at f. For i = k - 1, ..., 1 in
//! turn, t_i is the release of the job of i that is pending at t_(i+1), if i is in x or never suspends itself, and there is one; else
//! t_(i+1). In [t_i, t_(i+1)) somebody above i runs, or i does, or i is suspended, for s_i <= S_i. Let w be what is left of f - t_1
//! without these s_i. Of i in x, or with S_i = 0, nothing released before t_i is left there, and f - t_i <= w + Q_i. Of all others, what runs from t_i on
//! is no more than if their jobs ran last, R_i - C_i after they arrived. So the left side, taken at w, has all that runs from t_1
//! to f, and k's own suspension. Until f it exceeds w, since job k is not done. And f - r_k <= w.

use super::system::System;
use crate::budget::Spent;
use crate::{Budget, Ticks};

/// Above so many more urgent tasks that suspend themselves, only some choices are tried.
const ALL_CHOICES: usize = 7;

/// A bound on one task's response, and the choice that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// From arrival to completion at most this.
    pub response: Ticks,
    /// x: positions of more urgent tasks.
    pub chosen: Vec<usize>,
}

/// One task above another.
#[derive(Clone, Copy, Debug)]
struct Above {
    cost: u128,
    period: u128,
    jitter: u128,
    suspension: u128,
    /// R.
    response: u128,
}

/// True if the bound above is for such tasks: D <= T, and no bursts.
pub fn covers(system: &System<'_>) -> bool {
    system.tasks.iter().all(|task| task.deadline <= task.period)
        && system.of_tasks.iter().all(|behaviour| behaviour.burst.is_none() && behaviour.curve.is_none())
}

/// The bound of each task of `system`, most urgent first, up to the first that has none within its deadline: for that one a time
/// that every choice exceeds. The system must be one that [`covers`] holds for.
pub fn bounds(system: &System<'_>, budget: &mut Budget) -> Result<Vec<Result<Bound, u128>>, Spent> {
    let (mut above, mut bounds) = (Vec::<Above>::new(), Vec::new());
    for (task, behaviour) in system.tasks.iter().zip(&system.of_tasks) {
        let [cost, period, jitter, suspension] =
            [task.cost, task.period, task.jitter, behaviour.suspension].map(u128::from);
        let (own, latest) = (cost + suspension, u128::from(task.deadline).saturating_sub(jitter));
        let mut least: Result<(u128, Vec<usize>), u128> = Err(u128::MAX);
        for chosen in choices(&above) {
            match (window(own, &above, &chosen, latest, budget)?, &least) {
                (Ok(w), Ok((so_far, _))) if w >= *so_far => {}
                (Ok(w), _) => least = Ok((w, chosen)),
                (Err(beyond), Err(so_far)) => least = Err(beyond.min(*so_far)),
                (Err(_), Ok(_)) => {}
            }
        }
        match least {
            Ok((w, chosen)) => {
                above.push(Above { cost, period, jitter, suspension, response: w + jitter });
                bounds.push(Ok(Bound { response: (w + jitter) as Ticks, chosen }));
            }
            Err(beyond) => {
                bounds.push(Err(beyond + jitter));
                break;
            }
        }
    }
    Ok(bounds)
}

/// Every choice of tasks that suspend themselves; of many tasks, the few choices that are known to be good.
fn choices(above: &[Above]) -> Vec<Vec<usize>> {
    let suspending: Vec<usize> = (0..above.len()).filter(|&index| above[index].suspension > 0).collect();
    let those = |is_chosen: &dyn Fn(&Above) -> bool| -> Vec<usize> {
        suspending.iter().copied().filter(|&index| is_chosen(&above[index])).collect()
    };
    if suspending.len() <= ALL_CHOICES {
        let bits = 0..1u32 << suspending.len();
        let of_bits = |bits: u32| suspending.iter().enumerate().filter(move |(place, _)| bits >> place & 1 == 1);
        return bits.map(|bits| of_bits(bits).map(|(_, &index)| index).collect()).collect();
    }
    vec![those(&|_| false), those(&|_| true), those(&|task| task.suspension <= task.cost), linear(above)]
}

/// Those whose suspension, in front of all above them, costs less than their own late jobs, if no result were rounded up (the same
/// paper, equation 27). Floats decide nothing here: every choice gives a bound.
fn linear(above: &[Above]) -> Vec<usize> {
    let mut utilization = 0.0;
    let mut is_chosen = |task: &Above| {
        let own = task.cost as f64 / task.period as f64;
        utilization += own;
        task.suspension > 0 && own * (task.response - task.cost) as f64 > task.suspension as f64 * utilization
    };
    above.iter().enumerate().filter(|(_, task)| is_chosen(task)).map(|(index, _)| index).collect()
}

/// w, or a time beyond `latest` that it is not less than.
fn window(
    own: u128,
    above: &[Above],
    chosen: &[usize],
    latest: u128,
    budget: &mut Budget,
) -> Result<Result<u128, u128>, Spent> {
    let (mut later, mut shifts) = (0, vec![0; above.len()]);
    for (index, task) in above.iter().enumerate().rev() {
        let is_chosen = chosen.binary_search(&index).is_ok();
        later += if is_chosen { task.suspension } else { 0 };
        let in_x = is_chosen || task.suspension == 0;
        shifts[index] = later + if in_x { task.jitter } else { task.response - task.cost };
    }
    let mut w = own;
    loop {
        budget.spend(above.len() as u64 + 1)?;
        let runs = |(task, shift): (&Above, &u128)| (w + shift).div_ceil(task.period) * task.cost;
        let next = own + above.iter().zip(&shifts).map(runs).sum::<u128>();
        if next <= w || next > latest {
            let found = next.max(w);
            return Ok(if found <= latest { Ok(found) } else { Err(found) });
        }
        w = next;
    }
}
