//! BAR: in every window that ends with a deadline, the work that can be there fits beside the job that would miss.
//!
//! Baruah, "Techniques for multiprocessor global schedulability analysis", RTSS 2007, condition 8: tasks with D <= T are
//! schedulable by global EDF on m processors if for every task k and every A >= 0 with A + D_k = jT_i + D_i for some i,
//!
//! ```text
//!   L = A + D_k
//!   LHS_k(L) = sum over i of I1_i + sum of the m-1 largest (I2_i - I1_i)  <=  m (L - C_k)
//!   I1_i = min(dbf_i(L), L - C_k + 1)       I1_k = min(dbf_k(L) - C_k, A)          work of tasks without a carried-in job
//!   I2_i = min(dbf'_i(L), L - C_k + 1)      I2_k = min(dbf'_k(L) - C_k, A)         and of tasks with one
//!   dbf'_i(L) = floor(L/T_i) C_i + min(C_i, L mod T_i)
//! ```
//!
//! # Why one descent decides it for all tasks
//!
//! 1. *LHS_k never falls as L grows.* dbf and dbf' do not, nor do the caps; and LHS_k is the largest value of
//!    sum over S of I2 + sum over the rest of I1 for sets S of at most m-1 tasks (I2 >= I1, because dbf' >= dbf where
//!    C <= D <= T), so it is a maximum of functions that do not fall.
//! 2. *So a window that holds speaks for shorter ones.* If LHS_k(L) <= m (L' - C_k) and L' <= L, every window between L'
//!    and L holds for k: its left side is at most LHS_k(L), its right side at least m (L' - C_k).
//! 3. *Without the caps the left side hardly depends on k.* LHS_k(L) <= F(L) - C_k with F(L) = sum of dbf + the m-1 largest
//!    (dbf' - dbf), hence k holds at L if F(L) + (m-1) C_k <= m L; and F(L) <= sum of dbf + the m-1 largest C. So at most
//!    windows the task with the largest C among those with D_k <= L answers for all of them, and only where
//!    that bound fails are single tasks asked with their caps.
//! 4. *A violation needs m L < F(L) + (m-1) C_k,* which bounds L: [`descent`](super::descent) has the horizon.
//!
//! The verdict is that of checking every deadline for every task; nothing is rounded. With U = m there is no horizon and no
//! answer.

mod largest;
mod window;

use super::descent::{Deadlines, Horizon, Judgement, Outcome, Point, Rate, Sides, search};
use super::scope;
use crate::budget::Spent;
use crate::{Budget, Finding, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;
use window::{Tasks, Window};

const NAME: &str = "BAR";

/// Proven if condition 8 holds for every task and window; Unknown for U >= m, D > T and jitter.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    if let Some(finding) = scope::outside(NAME, scope::Deadlines::Constrained, tasks, processors) {
        return finding;
    }
    if scope::compare_utilization(&tasks, Ratio::whole(u64::from(processors))) != Ordering::Less {
        return Finding::not_applicable(NAME, "where U = m no window is the longest that has to be looked at");
    }
    let sustained = scope::utilization_margin(&tasks, f64::from(processors));
    let before = budget.spent();
    let outcome = decide(tasks, processors, budget);
    Outcome::finding(outcome, NAME, sustained, budget.spent() - before)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Outcome, Spent> {
    let ordered = Tasks::new(&tasks, processors);
    let rate = Rate::left_by(&tasks, Ratio::whole(u64::from(processors)));
    let horizon = Horizon::of(&tasks, rate, ordered.beside_demand(ordered.largest_cost()));
    let mut window = Window::default();
    search(&Deadlines::of(&tasks), horizon, budget, |point, budget| match judge_together(&ordered, point) {
        Some(holds) => Ok(holds),
        None => judge_each(&ordered, &mut window, point, budget),
    })
}

/// Point 3: all tasks through the largest cost among them; `None` if that cannot tell.
fn judge_together(tasks: &Tasks, point: Point) -> Option<Judgement> {
    let asked = point.demand + tasks.beside_demand(tasks.largest_cost_until(point.window));
    let from = tasks.window_for(asked);
    let sides =
        Sides { demand: asked as f64, capacity: tasks.capacity(point.window) as f64, window: point.window, task: None };
    (from <= u128::from(point.window)).then_some(Judgement::HoldsFrom { from: from as u64, sides })
}

/// The condition of every task whose deadline the window reaches, with caps where they matter.
fn judge_each(tasks: &Tasks, window: &mut Window, point: Point, budget: &mut Budget) -> Result<Judgement, Spent> {
    window.fill(tasks, point.window, budget)?;
    let capacity = tasks.capacity(point.window);
    let mut worst = Asked::default();
    for (place, task) in tasks.reached(point.window).iter().enumerate() {
        let loosely = window.uncapped() + tasks.beside(task.cost);
        let exactly = if loosely <= capacity { loosely } else { window.asked_by(tasks, place, budget)? };
        worst = worst.max(Asked { work: exactly, task: Some(task.index) });
        if exactly > capacity {
            return Ok(Judgement::Fails(worst.sides(capacity, point)));
        }
    }
    let from = tasks.window_for(worst.work) as u64;
    Ok(Judgement::HoldsFrom { from, sides: worst.sides(capacity, point) })
}

/// The condition of one task, with m C_k on the left: LHS_k(L) + m C_k <= m L.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    work: u128,
    task: Option<usize>,
}

impl Asked {
    fn sides(self, capacity: u128, point: Point) -> Sides {
        Sides { demand: self.work as f64, capacity: capacity as f64, window: point.window, task: self.task }
    }
}
