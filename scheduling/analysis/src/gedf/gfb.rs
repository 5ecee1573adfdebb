//! GFB: the sum of all densities stays below what one dense task can leave idle.
//!
//! With delta_i = C_i/min(D_i, T_i): accepted if delta_sum <= m - (m - 1) delta_max. Goossens, Funk, Baruah, Real-Time
//! Systems 25, 2003, for D = T; with densities Bertogna, Cirinei, Lipari, ECRTS 2005, for D <= T.
//!
//! Holds for arrivals at any real instant: the proof compares rates of work and knows no tick.

use super::condition::{Decision, Reach, ask_before_utilization, densest, is_denser};
use super::test::Test;
use crate::budget::Spent;
use crate::exact::{Coarse, compare_sum};
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// GFB for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask_before_utilization(Test::Gfb, Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    budget.spend(tasks.len() as u64)?;
    let (densest, known) = sum_and_densest(&tasks);
    let capacity = capacity(&tasks[densest], processors);
    let densities = tasks.iter().map(|task| (task.cost, task.window()));
    let ordering = known.and_then(|sum| sum.compare(capacity)).unwrap_or_else(|| compare_sum(densities, capacity));
    let demand = tasks.iter().map(|task| task.cost as f64 / task.window() as f64).sum();
    let margin = Margin { demand, capacity: capacity.to_f64(), of: Quantity::Density };
    Ok(Decision { holds: ordering != Ordering::Greater, task: Some(densest), margin: Some(margin) })
}

/// The densest task, among equals the first, and bounds of the sum of all densities, if numbers are short enough for one pass.
fn sum_and_densest(tasks: &[Task]) -> (usize, Option<Coarse>) {
    if tasks.iter().fold(0, |all, task| all | task.cost) >> 32 != 0 {
        return (densest(tasks), None);
    }
    let (mut sum, mut held, mut largest) = (Coarse::default(), 0, 0);
    for (index, task) in tasks.iter().enumerate() {
        let quotient = Coarse::quotient((task.cost, task.window()));
        sum.add_quotient(quotient);
        if quotient > largest || quotient == largest && is_denser(task, &tasks[held]) {
            (held, largest) = (index, quotient);
        }
    }
    (held, Some(sum))
}

/// m - (m - 1) delta for the densest task; at least 1, since its C <= min(D, T).
fn capacity(densest: &Task, processors: u32) -> Ratio {
    let (m, cost, window) = (u128::from(processors), u128::from(densest.cost), u128::from(densest.window()));
    Ratio::new(m * (window - cost) + cost, window).expect("a window is at least one tick")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_finds_the_densest_task_as_all_fractions_do() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..5_000 {
            let longest = [6, 1_000, 1 << 33, 1 << 48][random.usize(0..4)];
            let mut time = || random.u64(1..=longest);
            let tasks: Vec<Task> = (0..10).map(|_| Task::new(time(), time(), time())).collect();
            assert_eq!(sum_and_densest(&tasks).0, densest(&tasks), "{tasks:?}");
        }
        // These two differ by less than a quotient shows.
        let close = [Task::implicit((1 << 31) - 1, 1 << 47), Task::implicit((1 << 31) - 2, (1 << 47) - (1 << 17))];
        assert_eq!(sum_and_densest(&close).0, densest(&close));
    }

    #[test]
    fn more_utilization_than_processors_is_said_before_anything_else() {
        let tasks = [Task::implicit(3, 4); 3];
        let finding = |units| test(TaskSet::new(&tasks).unwrap(), 2, &mut Budget::new(units));
        let margin = Margin { demand: 2.25, capacity: 2.0, of: Quantity::Utilization };
        assert_eq!((finding(9).task, finding(9).margin, finding(9).work), (None, Some(margin), 3));
        // The sum of densities would need three terms more.
        assert_eq!(finding(3), finding(9));
    }
}
