//! Global EDF one tick at a time, as plainly as it can be written: what the tests hold proofs against.

use prazo_analysis::Task;

/// The absolute deadline of the first job seen to end late before `horizon`, when all tasks arrive at 0 and then each period.
///
/// Jobs of a task run in sequence; of equal deadlines the lower task index goes first.
pub fn first_miss(tasks: &[Task], processors: u32, horizon: u64) -> Option<u64> {
    // Of each task: when its oldest unfinished job arrived, and what is left of that job.
    let mut oldest: Vec<(u64, u64)> = tasks.iter().map(|task| (0, task.cost)).collect();
    (0..horizon).find_map(|now| {
        let ready = |index: &usize| oldest[*index].0 <= now;
        let deadline = |index: usize| oldest[index].0 + tasks[index].deadline;
        let mut urgent: Vec<usize> = (0..tasks.len()).filter(ready).collect();
        if let Some(late) = urgent.iter().map(|index| deadline(*index)).filter(|deadline| *deadline <= now).min() {
            return Some(late);
        }
        urgent.sort_by_key(|index| deadline(*index));
        for index in urgent.into_iter().take(processors as usize) {
            oldest[index].1 -= 1;
            if oldest[index].1 == 0 {
                oldest[index] = (oldest[index].0 + tasks[index].period, tasks[index].cost);
            }
        }
        None
    })
}
