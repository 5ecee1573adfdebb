//! Tasks that run in pieces, one processor after the other, under EDF on each processor: a schedule computed one tick after another.

use prazo_core::task::Task;

/// One part of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The processor that runs it.
    pub processor: usize,
    /// It runs for at most so long.
    pub budget: u64,
    /// It is due so long after its own release.
    pub deadline: u64,
    /// It is released so long after the job.
    pub offset: u64,
}

/// One job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitJob {
    /// Index of its task.
    pub task: usize,
    /// When it is released.
    pub release: u64,
    /// What it needs.
    pub cost: u64,
}

/// A job that did not end in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// Index of its task.
    pub task: usize,
    /// When it was released.
    pub release: u64,
}

/// The first job that is late, or that runs on two processors at once; `parts` has those of each task in their order.
///
/// A job runs its first part until that budget is used up, moves to the second when that is released, and so on; what it does not need is not run.
/// Of equal deadlines on a processor the one of the task that `tie` ranks lower goes first.
pub fn first_late(
    tasks: &[Task],
    parts: &[Vec<Part>],
    jobs: &[SplitJob],
    processors: usize,
    tie: &[usize],
) -> Option<Late> {
    let end = jobs.iter().map(|job| job.release + tasks[job.task].deadline).max().unwrap_or(0);
    // What each job has received of each of its parts.
    let mut received: Vec<Vec<u64>> = jobs.iter().map(|job| vec![0; parts[job.task].len()]).collect();
    let left = |received: &[Vec<u64>], job: usize| jobs[job].cost - received[job].iter().sum::<u64>();
    for now in 0..=end {
        for (index, job) in jobs.iter().enumerate() {
            if now >= job.release + tasks[job.task].deadline && left(&received, index) > 0 {
                return Some(Late { task: job.task, release: job.release });
            }
        }
        let mut running: Vec<(usize, usize)> = Vec::new();
        for processor in 0..processors {
            let mut chosen: Option<(u64, usize, usize, usize)> = None;
            for (index, job) in jobs.iter().enumerate() {
                if left(&received, index) == 0 {
                    continue;
                }
                for (number, part) in parts[job.task].iter().enumerate() {
                    let from = job.release + part.offset;
                    if part.processor != processor || now < from || received[index][number] == part.budget {
                        continue;
                    }
                    let key = (from + part.deadline, tie[job.task], index, number);
                    chosen = Some(chosen.map_or(key, |best| best.min(key)));
                }
            }
            running.extend(chosen.map(|(_, _, index, number)| (index, number)));
        }
        for (at, (index, number)) in running.iter().enumerate() {
            let twice = running[..at].iter().any(|(other, _)| jobs[*other].task == jobs[*index].task);
            if twice {
                return Some(Late { task: jobs[*index].task, release: jobs[*index].release });
            }
            received[*index][*number] += 1;
        }
    }
    None
}
