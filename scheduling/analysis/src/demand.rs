//! Demand bound functions: how much work a window can be asked to do entirely within itself.
//!
//! dbf_i(t) = max(0, (floor((t - D_i)/T_i) + 1) C_i) (Baruah, Mok, Rosier, RTSS 1990).

use prazo_core::task::{Task, Ticks};

/// dbf_i(t): the most work of jobs of `task` that arrive and must end within a window of `t` ticks; 0 for t < D.
pub fn demand_bound(task: &Task, t: Ticks) -> u128 {
    match t.checked_sub(task.deadline) {
        Some(slack) => (u128::from(slack / task.period) + 1) * u128::from(task.cost),
        None => 0,
    }
}

/// Sum of the demand bound functions of `tasks` at `t`.
pub fn total_demand_bound(tasks: &[Task], t: Ticks) -> u128 {
    tasks.iter().map(|task| demand_bound(task, t)).sum()
}

/// The largest absolute deadline k T + D of any task that is strictly below `t`, of synchronous arrivals; `None` if none is.
pub fn deadline_before(tasks: &[Task], t: Ticks) -> Option<Ticks> {
    tasks
        .iter()
        .filter_map(|task| {
            let slack = t.checked_sub(task.deadline)?.checked_sub(1)?;
            Some(slack / task.period * task.period + task.deadline)
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demand_steps_at_each_deadline() {
        let task = Task::new(2, 10, 7);
        let demands: Vec<u128> = [0, 6, 7, 16, 17, 26].into_iter().map(|t| demand_bound(&task, t)).collect();
        assert_eq!(demands, [0, 0, 2, 2, 4, 4]);
    }

    #[test]
    fn deadlines_are_found_backwards() {
        let tasks = [Task::new(1, 10, 7), Task::new(1, 6, 9)];
        assert_eq!(deadline_before(&tasks, 17), Some(15));
        assert_eq!(deadline_before(&tasks, 18), Some(17));
        assert_eq!(deadline_before(&tasks, 7), None);
    }
}
