//! BAR: in every window that ends with a deadline, the work that can be there fits beside the job that would miss.
//!
//! Baruah, "Techniques for multiprocessor global schedulability analysis", RTSS 2007, condition 8: tasks with D <= T are
//! schedulable by global EDF on m processors if for every task k and every A >= 0
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
//! # Why every A, not only the steps
//!
//! It is usual to look only at A where some dbf steps. Between two steps, though, the carried-in work of m-1 tasks and the caps
//! of all others may grow together faster than m, so that the condition fails there and holds at both ends: with m = 3,
//! {(1,9), (7,17), (11,17), (13,17)}, the last task and A = 2, 19 > 18. Nothing is then proven, and this test says so; the search
//! costs as much either way.
//!
//! # Arrivals at any real instant
//!
//! Let z = L - C_k. A job that misses has waited for more than z, so for small e > 0 the work of the others, each capped at
//! z + e, is at least m (z + e). With `k` tasks whose work exceeds z, the condition as printed says S + k (z + 1) <= m z, where S
//! is the work of the rest. Then k < m and S + k (z + e) <= m z + k e - k < m (z + e): so it excludes the miss in continuous time.
//!
//! It is checked at whole A. Between two of them, for a fixed choice of the m-1 tasks, dbf is level, dbf' and the caps are
//! straight lines with corners at whole A, and no task comes to exceed z that did not at the left end. So m z less the left side is
//! a straight line. It is at least k at the left end and not below zero at the right end (dbf steps up there, not down),
//! and k < m throughout: no A in between lets a job miss.
//!
//! The verdict is that of checking every whole A for every task; nothing is rounded. With U = m there is no horizon and no
//! answer.

mod largest;
mod window;

use super::condition::{Decision, Reach, ask, compare_utilization, utilization};
use super::descent::{Capacity, Deadlines, Horizon, Point, Rate, Search, WindowDemand, Windows};
use super::test::Test;
use crate::budget::Spent;
use crate::{Budget, Finding, TaskSet};
use std::cmp::Ordering;
use window::{Tasks, Work};

/// BAR for D <= T; never proven where U = m.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask(Test::Bar, Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    let capacity = Capacity::of_processors(processors);
    let sustained = utilization(&tasks, capacity.ratio());
    if compare_utilization(&tasks, capacity.ratio()) != Ordering::Less {
        return Ok(Decision::outgrown(sustained));
    }
    let ordered = Tasks::new(&tasks, processors);
    let rate = Rate::left_by(&tasks, capacity.ratio());
    let horizon = Horizon::of(&tasks, rate, ordered.beside_demand(ordered.largest_cost()));
    let search = Search { windows: Windows::All, deadlines: &Deadlines::of(&tasks), horizon, capacity };
    let mut work = Work::default();
    let outcome = search.run(budget, |point, budget| demand(&ordered, &mut work, point, budget))?;
    Ok(outcome.decision(capacity, sustained))
}

/// What the window has to hold for the task that asks most, with m C_k on the left: LHS_k(L) + m C_k <= m L.
///
/// That of all tasks through the largest cost among them (point 3) where it fits, else of each, with caps where they matter.
fn demand(tasks: &Tasks, work: &mut Work, point: Point, budget: &mut Budget) -> Result<WindowDemand, Spent> {
    let together = point.demand + tasks.beside_demand(tasks.largest_cost_until(point.window));
    if together <= tasks.capacity(point.window) {
        return Ok(WindowDemand { work: together, task: None });
    }
    work.fill(tasks, point.window, budget)?;
    let mut most = WindowDemand { work: 0, task: None };
    for (place, task) in tasks.reached(point.window).iter().enumerate() {
        let loosely = work.uncapped() + tasks.beside(task.cost);
        let fits = loosely <= tasks.capacity(point.window);
        let exactly = if fits { loosely } else { work.asked_by(tasks, place, budget)? };
        most = most.max(WindowDemand { work: exactly, task: Some(task.index) });
    }
    Ok(most)
}
