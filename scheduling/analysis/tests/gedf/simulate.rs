//! Global EDF tick by tick: all tasks arrive at 0 and then as often as they may; the least clever simulator that there
//! is.

use prazo_analysis::{Task, Ticks};

struct Job {
    task: usize,
    deadline: Ticks,
    left: Ticks,
}

/// The first absolute deadline before `horizon` that a job misses; jobs of a task run in sequence, ties by task index.
pub fn first_miss(tasks: &[Task], processors: u32, horizon: Ticks) -> Option<Ticks> {
    let mut pending: Vec<Job> = Vec::new();
    for now in 0..horizon {
        if let Some(missed) = pending.iter().filter(|job| job.deadline <= now).map(|job| job.deadline).min() {
            return Some(missed);
        }
        for (index, task) in tasks.iter().enumerate().filter(|(_, task)| now % task.period == 0) {
            pending.push(Job { task: index, deadline: now + task.deadline, left: task.cost });
        }
        pending.sort_by_key(|job| (job.deadline, job.task));
        run_one_tick(&mut pending, processors);
    }
    None
}

fn run_one_tick(pending: &mut Vec<Job>, processors: u32) {
    let mut running = Vec::new();
    for job in pending.iter_mut() {
        if running.len() < processors as usize && !running.contains(&job.task) {
            running.push(job.task);
            job.left -= 1;
        }
    }
    pending.retain(|job| job.left > 0);
}

#[test]
fn two_jobs_of_one_task_never_run_at_once() {
    // Three ticks of work every two, in sequence: jobs end at 3, 6 and 9, on however many processors.
    assert_eq!(first_miss(&[Task::new(3, 2, 4)], 4, 100), Some(8));
    assert_eq!(first_miss(&[Task::new(2, 2, 4)], 4, 100), None);
}
