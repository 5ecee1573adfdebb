//! The schedule of arrivals that the certificate names, computed again.
//!
//! Instants are in parts of a tick, so that every event is at a whole number. Arrivals of a task must be at least T apart. From event to
//! event the most urgent pending jobs run; of equal rank a running one stays, then the lower task index goes first; jobs of a task
//! run one after the other.

use crate::rejected::{Rejected, consistent, show};
use prazo_core::task::{Task, Ticks};

/// Arrivals that the checker is willing to compute with, and parts of a tick.
const ARRIVALS_MAX: usize = 100_000;
const PARTS_MAX: u64 = 1 << 48;

/// The arrivals, and the job that is said to be late.
pub(super) struct Missed<'a> {
    pub parts: u64,
    pub arrivals: &'a [(usize, Ticks)],
    pub task: usize,
    pub job: u64,
}

/// A job that is not done.
struct Pending {
    task: usize,
    number: u64,
    due: u128,
    left: u128,
    runs: bool,
}

/// Shows that the job is not done at its deadline; `ranks` are fixed priorities, none for EDF.
pub(super) fn check(
    tasks: &[Task],
    processors: u64,
    ranks: &Option<Vec<usize>>,
    missed: &Missed<'_>,
) -> Result<(), Rejected> {
    consistent((1..=PARTS_MAX).contains(&missed.parts), || "the number of parts of a tick is 0 or too large".into())?;
    if missed.arrivals.len() > ARRIVALS_MAX {
        return Err(Rejected::TooLarge("there are too many arrivals to compute again".into()));
    }
    check_legal(tasks, missed)?;
    let due = due(tasks, missed)?;
    let (mut pending, mut counts): (Vec<Pending>, Vec<u64>) = (Vec::new(), vec![0; tasks.len()]);
    let (mut now, mut next) = (0u128, 0);
    while now < due {
        while let Some(&(task, at)) = missed.arrivals.get(next).filter(|(_, at)| u128::from(*at) <= now) {
            let scaled = |ticks: Ticks| u128::from(ticks) * u128::from(missed.parts);
            let due = u128::from(at) + scaled(tasks[task].deadline);
            pending.push(Pending { task, number: counts[task], due, left: scaled(tasks[task].cost), runs: false });
            counts[task] += 1;
            next += 1;
        }
        let rank = |job: &Pending| ranks.as_ref().map_or(job.due, |ranks| ranks[job.task] as u128);
        pending.sort_by_key(|job| (rank(job), !job.runs, job.task, job.number));
        let is_first: Vec<bool> = pending
            .iter()
            .map(|job| !pending.iter().any(|other| other.task == job.task && other.number < job.number))
            .collect();
        let mut free = processors;
        for (job, is_first) in pending.iter_mut().zip(is_first) {
            job.runs = is_first && free > 0;
            free -= u64::from(job.runs);
        }
        let ends = pending.iter().filter(|job| job.runs).map(|job| now + job.left);
        let arrives = missed.arrivals.get(next).map(|(_, at)| u128::from(*at));
        let until = ends.chain(arrives).fold(due, u128::min);
        pending.iter_mut().filter(|job| job.runs).for_each(|job| job.left -= until - now);
        pending.retain(|job| job.left > 0);
        now = until;
    }
    let late = pending.iter().any(|job| (job.task, job.number) == (missed.task, missed.job));
    show(late, || format!("job {} of task {} completes by its deadline", missed.job, missed.task))
}

/// Arrivals are of the set's tasks, in the order of time, those of a task at least T apart.
fn check_legal(tasks: &[Task], missed: &Missed<'_>) -> Result<(), Rejected> {
    let mut last: Vec<Option<Ticks>> = vec![None; tasks.len()];
    consistent(missed.arrivals.is_sorted_by_key(|(_, at)| *at), || "arrivals are not in chronological order".into())?;
    for &(task, at) in missed.arrivals {
        let of = tasks.get(task).ok_or_else(|| Rejected::Inconsistent(format!("there is no task {task}")))?;
        let apart = u128::from(of.period) * u128::from(missed.parts);
        let legal = last[task].is_none_or(|last| u128::from(at - last) >= apart);
        consistent(legal, || format!("two arrivals of task {task} are closer together than its period"))?;
        last[task] = Some(at);
    }
    Ok(())
}

/// The deadline of the job that is said to be late.
fn due(tasks: &[Task], missed: &Missed<'_>) -> Result<u128, Rejected> {
    let mut own = missed.arrivals.iter().filter(|(task, _)| *task == missed.task);
    let job = usize::try_from(missed.job).ok().and_then(|job| own.nth(job));
    let &(task, at) =
        job.ok_or_else(|| Rejected::Inconsistent("the late job is not among the listed arrivals".into()))?;
    Ok(u128::from(at) + u128::from(tasks[task].deadline) * u128::from(missed.parts))
}
