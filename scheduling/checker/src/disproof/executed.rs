//! An execution of a periodic, non-preemptive set on one clock, run again.
//!
//! Instants are in parts of a tick. Job k of a task arrives at O + kT, is released at most J later and needs from B, and more than nothing, to C. At one
//! instant jobs end, then others are released, then the most urgent one starts on each free processor; jobs of a task run one after
//! the other. Every job that arrives before the late one's deadline must be there.

use crate::certificate::Certificate;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::task::Ticks;
use prazo_core::time_model::TimeModel;
use std::collections::VecDeque;

/// Jobs that the checker is willing to run, parts of a tick, and processors.
const JOBS_MAX: usize = 100_000;
const PARTS_MAX: u64 = 1 << 48;
const PROCESSORS_MAX: u64 = 1 << 10;

/// The jobs, and the one that is said to be late.
pub(super) struct Late<'a> {
    pub parts: u64,
    pub jobs: &'a [(usize, Ticks, Ticks)],
    pub task: usize,
    pub job: u64,
}

#[derive(Clone, Copy)]
struct Job {
    released: u128,
    due: u128,
    cost: u128,
    number: u64,
}

/// Shows that the job ends after its deadline; `ranks` are fixed priorities, none for EDF.
pub(super) fn check(certificate: &Certificate, ranks: &Option<Vec<usize>>, late: &Late<'_>) -> Result<(), Rejected> {
    let mut queues = jobs_of(certificate, late)?;
    let processors = certificate.shape.processors();
    if late.jobs.len() > JOBS_MAX || processors > PROCESSORS_MAX {
        return Err(Rejected::TooLarge("there are too many jobs or processors to compute the execution again".into()));
    }
    let mut free = vec![0u128; processors as usize];
    let mut ended = vec![0u128; queues.len()];
    let mut now = 0u128;
    loop {
        let ready = |task: usize, queues: &[VecDeque<Job>], ended: &[u128]| {
            queues[task].front().map(|job| job.released.max(ended[task]))
        };
        let rank = |task: usize, job: &Job| (ranks.as_ref().map_or(job.due, |ranks| ranks[task] as u128), task);
        let can_start = (0..queues.len()).filter(|&task| ready(task, &queues, &ended).is_some_and(|from| from <= now));
        let most_urgent = can_start.filter_map(|task| Some((rank(task, queues[task].front()?), task))).min();
        let processor = free.iter().position(|&from| from <= now);
        if let (Some((_, task)), Some(processor)) = (most_urgent, processor) {
            let Some(job) = queues[task].pop_front() else { break };
            let end = now + job.cost;
            (free[processor], ended[task]) = (end, end);
            if (task, job.number) == (late.task, late.job) {
                return show(end > job.due, || format!("job {} of task {task} ends by its deadline", job.number));
            }
            continue;
        }
        let waits = (0..queues.len()).filter_map(|task| ready(task, &queues, &ended));
        match waits.chain(free.iter().copied()).filter(|&instant| instant > now).min() {
            Some(next) => now = next,
            None => break,
        }
    }
    Err(Rejected::Inconsistent("the late job is not among the listed jobs".into()))
}

/// The jobs of each task, all of them legal.
fn jobs_of(certificate: &Certificate, late: &Late<'_>) -> Result<Vec<VecDeque<Job>>, Rejected> {
    let (tasks, phases) = (&certificate.tasks, &certificate.phases);
    applies(phases.len() == tasks.len(), "an `executed` disproof covers only tasks on one clock")?;
    applies(certificate.shape.sizes().len() == 1, "an `executed` disproof covers only one ready queue")?;
    applies(
        certificate.time == TimeModel::Continuous || late.parts == 1,
        "in discrete time, an `executed` disproof must use whole ticks",
    )?;
    let runs_to_end = certificate.behaviours.as_ref().is_some_and(|all| {
        let mut pairs = all.of_tasks.iter().zip(tasks);
        pairs.all(|(one, task)| one.only_runs_to_end(task)) && all.supply.is_none()
    });
    applies(runs_to_end, "an `executed` disproof covers only non-preemptive tasks without other behaviours")?;
    consistent((1..=PARTS_MAX).contains(&late.parts), || "the number of parts of a tick is 0 or too large".into())?;
    let scaled = |ticks: Ticks| u128::from(ticks) * u128::from(late.parts);
    let mut queues: Vec<VecDeque<Job>> = vec![VecDeque::new(); tasks.len()];
    let arrival =
        |task: usize, number: u64| scaled(phases[task].offset) + u128::from(number) * scaled(tasks[task].period);
    for &(task, released, cost) in late.jobs {
        let of = tasks.get(task).ok_or_else(|| Rejected::Inconsistent(format!("there is no task {task}")))?;
        let number = queues[task].len() as u64;
        let (arrival, released, cost) = (arrival(task, number), u128::from(released), u128::from(cost));
        let legal = (arrival..=arrival + scaled(of.jitter)).contains(&released)
            && (scaled(phases[task].best_case).max(1)..=scaled(of.cost)).contains(&cost);
        consistent(legal, || {
            format!("job {number} of task {task} has a release or a cost that its task does not allow")
        })?;
        queues[task].push_back(Job { released, due: arrival + scaled(of.deadline), cost, number });
    }
    let due = queues.get(late.task).and_then(|queue| queue.get(usize::try_from(late.job).ok()?)).map(|job| job.due);
    let due = due.ok_or_else(|| Rejected::Inconsistent("the late job is not among the listed jobs".into()))?;
    let complete = queues.iter().enumerate().all(|(task, queue)| arrival(task, queue.len() as u64) >= due);
    consistent(complete, || "a job that arrives before the deadline of the late job is missing".into())?;
    Ok(queues)
}
