//! BCL: in the window of one job, the others cannot together keep all processors busy for long enough.
//!
//! For every k, with N_i = floor((D_k - D_i)/T_i) + 1 or 0, beta_i = (N_i C_i + min(C_i, max(0, D_k - N_i T_i)))/D_k
//! and c = 1 - C_k/D_k: sum over i != k of min(beta_i, c) < m c, or = m c and some i has 0 < beta_i <= c. Bertogna,
//! Cirinei, Lipari, ECRTS 2005. All is multiplied by D_k here, which leaves integers.
//!
//! Holds for arrivals at any real instant: this is the condition of [`crate::capped`] in continuous time at y = D_k - C_k, but
//! for y = 0, where it proves nothing. The work of a task in the window has no jumps.

use super::condition::{Decision, Reach, Tightest, ask};
use super::divisor::Divisor;
use super::test::Test;
use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet, Ticks};

/// BCL for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask(Test::Bcl, Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    let periods: Vec<Divisor> = tasks.iter().map(|task| Divisor::new(task.period)).collect();
    let mut tightest = Tightest::default();
    for (index, task) in tasks.iter().enumerate() {
        budget.spend(tasks.len() as u64)?;
        let interference = Interference::on(index, tasks, &periods);
        let capacity = u128::from(processors) * u128::from(task.deadline - task.cost);
        let of = Quantity::Work { window: task.deadline };
        let margin = Margin { demand: interference.total as f64, capacity: capacity as f64, of };
        if !interference.fits(capacity) {
            return Ok(Decision::fails(index, margin));
        }
        tightest.see(index, margin);
    }
    Ok(tightest.holds())
}

/// What the other tasks can do within the window of a job of task k while it waits.
struct Interference {
    /// Sum of min(beta_i, c), in ticks.
    total: u128,
    /// Some 0 < beta_i <= c.
    some_fits_whole: bool,
}

impl Interference {
    fn on(index: usize, tasks: TaskSet<'_>, periods: &[Divisor]) -> Self {
        let (window, spare) = (tasks[index].deadline, tasks[index].deadline - tasks[index].cost);
        let mut sum = Self { total: 0, some_fits_whole: false };
        for (other, (task, period)) in tasks.iter().zip(periods).enumerate() {
            if other != index {
                let work = work_in(window, task, *period);
                sum.total += u128::from(work.min(spare));
                sum.some_fits_whole |= work > 0 && work <= spare;
            }
        }
        sum
    }

    fn fits(&self, capacity: u128) -> bool {
        self.total < capacity || self.total == capacity && self.some_fits_whole
    }
}

/// beta_i D_k: N jobs whole, and the rest of one that arrived before the window. Below D_k + T_i, since C <= T.
fn work_in(window: Ticks, task: &Task, period: Divisor) -> Ticks {
    let jobs = window.checked_sub(task.deadline).map_or(0, |room| period.divide(room).0 + 1);
    jobs * task.cost + task.cost.min(window.saturating_sub(jobs * task.period))
}
