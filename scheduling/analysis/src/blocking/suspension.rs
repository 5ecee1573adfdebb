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
use crate::{Budget, Task, Ticks};

/// Above so many more urgent tasks that suspend themselves, only some choices are tried.
const ALL_CHOICES: usize = 7;

/// The largest Q: sums with it stay within 64 bits.
const SHIFT_MAX: Ticks = 1 << 60;

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
    cost: Ticks,
    period: Ticks,
    jitter: Ticks,
    suspension: Ticks,
    /// R.
    response: Ticks,
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
        let (cost, period, jitter, suspension) = (task.cost, task.period, task.jitter, behaviour.suspension);
        let mut search = Search::new(cost + suspension, &above, task.deadline.saturating_sub(jitter));
        match search.least(budget)? {
            Ok((w, chosen)) => {
                above.push(Above { cost, period, jitter, suspension, response: w + jitter });
                bounds.push(Ok(Bound { response: w + jitter, chosen }));
            }
            Err(beyond) => {
                bounds.push(Err(u128::from(beyond) + u128::from(jitter)));
                break;
            }
        }
    }
    Ok(bounds)
}

/// The first task whose first job is late even if no other task suspends itself, and a time that its response is at least; `None` if there
/// is none. For systems that [`covers`] holds for: with D <= T, the first job decides.
pub fn late_alone(system: &System<'_>, budget: &mut Budget) -> Result<Option<(usize, u128)>, Spent> {
    let mut above = Vec::<Above>::new();
    for (index, (task, behaviour)) in system.tasks.iter().zip(&system.of_tasks).enumerate() {
        let Task { cost, period, jitter, deadline, .. } = *task;
        let mut search = Search::new(cost + behaviour.suspension, &above, deadline.saturating_sub(jitter));
        if let Err(beyond) = search.floor(budget)? {
            return Ok(Some((index, u128::from(beyond) + u128::from(jitter))));
        }
        above.push(Above { cost, period, jitter, suspension: 0, response: 0 });
    }
    Ok(None)
}

/// The search for the choice with the least w.
struct Search<'a> {
    own: Ticks,
    above: &'a [Above],
    latest: Ticks,
    /// By position: whether it is in x, and V.
    chosen: Vec<bool>,
    shifts: Vec<Ticks>,
}

impl<'a> Search<'a> {
    fn new(own: Ticks, above: &'a [Above], latest: Ticks) -> Self {
        Self { own, above, latest, chosen: vec![false; above.len()], shifts: vec![0; above.len()] }
    }

    /// The least w with its choice, or a time beyond `latest` that no choice is below.
    fn least(&mut self, budget: &mut Budget) -> Result<Result<(Ticks, Vec<usize>), Ticks>, Spent> {
        let floor = match self.floor(budget)? {
            Ok(floor) => floor,
            Err(beyond) => return Ok(Err(beyond)),
        };
        let suspending: Vec<usize> = (0..self.above.len()).filter(|&index| self.above[index].suspension > 0).collect();
        let (mut least, mut beyond): (Option<(Ticks, Vec<bool>)>, Ticks) = (None, Ticks::MAX);
        let mut try_chosen = |search: &mut Self, budget: &mut Budget| -> Result<bool, Spent> {
            if !search.shift() {
                return Ok(false);
            }
            // Only less than the least so far counts.
            let limit = least.as_ref().map_or(search.latest, |(w, _)| w - 1);
            match search.window(floor, limit, budget)? {
                Ok(w) => least = Some((w, search.chosen.clone())),
                Err(time) => beyond = beyond.min(time),
            }
            Ok(least.as_ref().is_some_and(|(w, _)| *w == floor))
        };
        let mut is_least = false;
        let known: [fn(&Above) -> bool; 3] = [|_| false, |_| true, |task| task.suspension <= task.cost];
        for (place, choose) in known.into_iter().enumerate() {
            let differs =
                place == 0 || suspending.iter().any(|&index| self.chosen[index] != choose(&self.above[index]));
            if differs && !is_least {
                suspending.iter().for_each(|&index| self.chosen[index] = choose(&self.above[index]));
                is_least = try_chosen(self, budget)?;
            }
        }
        if !is_least && suspending.len() > ALL_CHOICES {
            self.choose_linear();
            try_chosen(self, budget)?;
        } else if !is_least {
            for bits in 1..1u32 << suspending.len() {
                suspending.iter().enumerate().for_each(|(place, &index)| self.chosen[index] = bits >> place & 1 == 1);
                if try_chosen(self, budget)? {
                    break;
                }
            }
        }
        let positions = |chosen: &[bool]| (0..chosen.len()).filter(|&index| chosen[index]).collect();
        Ok(least.map(|(w, chosen)| (w, positions(&chosen))).ok_or(beyond))
    }

    /// What no choice has less than, because none has smaller shifts: w where only the task itself suspends; or a time beyond `latest`.
    fn floor(&mut self, budget: &mut Budget) -> Result<Result<Ticks, Ticks>, Spent> {
        self.shifts.iter_mut().zip(self.above).for_each(|(shift, task)| *shift = task.jitter);
        self.window(self.own, self.latest, budget)
    }

    /// Those whose suspension, in front of all above them, costs less than their own late jobs, if no result were rounded up (the same
    /// paper, equation 27). Floats decide nothing here: every choice gives a bound.
    fn choose_linear(&mut self) {
        let mut utilization = 0.0;
        for (chosen, task) in self.chosen.iter_mut().zip(self.above) {
            let own = task.cost as f64 / task.period as f64;
            utilization += own;
            let late = own * (task.response - task.cost) as f64;
            *chosen = task.suspension > 0 && late > task.suspension as f64 * utilization;
        }
    }

    /// V of each task for the present choice; false if one is too large to compute with, which none is where nothing is chosen.
    fn shift(&mut self) -> bool {
        let mut later = 0;
        for (index, task) in self.above.iter().enumerate().rev() {
            later += if self.chosen[index] { task.suspension } else { 0 };
            let in_x = self.chosen[index] || task.suspension == 0;
            self.shifts[index] = later + if in_x { task.jitter } else { task.response - task.cost };
            if later > SHIFT_MAX {
                return false;
            }
        }
        true
    }

    /// The least w from `from` on, or a time beyond `limit` that it is not less than.
    ///
    /// Each term is at most w + V + C, because C <= T; only their sum may be too large.
    fn window(&self, from: Ticks, limit: Ticks, budget: &mut Budget) -> Result<Result<Ticks, Ticks>, Spent> {
        let mut w = from;
        loop {
            budget.spend(self.above.len() as u64 + 1)?;
            let mut next = self.own;
            for (task, shift) in self.above.iter().zip(&self.shifts) {
                next = next.saturating_add((w + shift).div_ceil(task.period) * task.cost);
            }
            if next > limit {
                return Ok(Err(next));
            }
            if next <= w {
                // `from` is at most the least w, which `next` may be below only where it is the least itself.
                return Ok(if w <= limit { Ok(w) } else { Err(w) });
            }
            w = next;
        }
    }
}
