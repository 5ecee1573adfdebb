//! An execution in which a job is late: when each job is released and what it needs, then run to see that it is so.
//!
//! A path through the graph says which jobs start one after the other. Its instants are chosen on a grid as fine as the path needs: each
//! end that is excluded costs one part of a tick, so parts twice as many as jobs, and two more, are always enough.

use super::queue::PeriodicQueue;
use crate::answer::{ExecutedJob, LateExecution, MissedJob};
use crate::budget::Budget;
use crate::budget::Unfinished;
use crate::hyperperiod::hyperperiod;
use crate::reach::Ranking;
use crate::{Ticks, TimeModel};

/// The most jobs that are run.
const JOBS_MAX: usize = 20_000;

/// An instant or a length in parts of a tick.
type Part = i128;

/// An interval with both ends.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: Part,
    last: Part,
}

/// A job before it is known when it is released and what it needs.
#[derive(Clone, Copy, Debug)]
struct Next {
    task: usize,
    released: Span,
    due: Part,
    needs: Span,
}

/// The tasks' jobs in parts of a tick.
#[derive(Clone, Copy, Debug)]
struct Grid<'a> {
    queue: PeriodicQueue<'a>,
    parts: Part,
}

/// A job with what it does.
#[derive(Clone, Copy, Debug)]
struct Done {
    task: usize,
    arrival: Part,
    release: Part,
    due: Part,
    cost: Part,
}

/// Where a job of the path may start, and when the processor may become free before.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    job: Next,
    free: Span,
    starts: Span,
}

/// An execution whose first jobs are the path's, after which the next job of `task` is late; `None` if no such one is late when it is run.
pub(super) fn along(
    queue: PeriodicQueue<'_>,
    path: &[usize],
    task: usize,
    budget: &mut Budget,
) -> Result<Option<LateExecution>, Unfinished> {
    let finest = 2 * path.len() as u64 + 2;
    let grids: &[u64] = if queue.time == TimeModel::Discrete { &[1] } else { &[1, 2, finest] };
    for &parts in grids {
        budget.spend((path.len() as u64 + 1) * queue.tasks.len() as u64)?;
        let grid = Grid { queue, parts: parts.into() };
        let Some(chosen) = grid.chosen(path, task) else { continue };
        let mut counts = vec![0; queue.tasks.len()];
        path.iter().for_each(|&task| counts[task] += 1);
        let mut until = grid.job(task, counts[task]).due;
        loop {
            let mut jobs = chosen.clone();
            for (other, &count) in counts.iter().enumerate() {
                let rest = (count..).map(|number| (number, grid.job(other, number)));
                for (number, job) in rest.take_while(|(_, job)| job.released.first <= until) {
                    if jobs.len() >= JOBS_MAX {
                        break;
                    }
                    jobs.push(grid.done(job, number, job.released.last, job.needs.last));
                }
            }
            match grid.late(jobs, budget)? {
                // Another job is late first, and others may arrive before its deadline.
                Some(found) if Part::from(found.late.deadline) > until => until = found.late.deadline.into(),
                Some(found) => return Ok(Some(found)),
                None => break,
            }
        }
    }
    Ok(None)
}

/// The executions that come to mind first: all jobs late or early, needing all or little.
pub(super) fn usual(queue: PeriodicQueue<'_>, budget: &mut Budget) -> Result<Option<LateExecution>, Unfinished> {
    let grid = Grid { queue, parts: if queue.time == TimeModel::Discrete { 1 } else { 2 } };
    let begin = queue.phases.iter().map(|phase| phase.offset).max().unwrap_or(0);
    let length = hyperperiod(&queue.tasks).unwrap_or(Ticks::MAX);
    let until = (Part::from(begin) + 2 * Part::from(length)) * grid.parts;
    for (is_late, is_long) in [(false, true), (true, true), (false, false), (true, false)] {
        let mut jobs = Vec::new();
        for task in 0..queue.tasks.len() {
            let all = (0..).map(|number| (number, grid.job(task, number)));
            for (number, job) in all.take_while(|(_, job)| job.released.first <= until) {
                if jobs.len() >= JOBS_MAX {
                    return Ok(None);
                }
                let release = if is_late { job.released.last } else { job.released.first };
                let cost = if is_long { job.needs.last } else { job.needs.first };
                jobs.push(grid.done(job, number, release, cost));
            }
        }
        if jobs.len() as u64 * queue.tasks.len() as u64 > budget.left() / 2 {
            return Ok(None);
        }
        let found = grid.late(jobs, budget)?;
        if let Some(execution) = found.filter(|found| Part::from(found.late.deadline) <= until) {
            return Ok(Some(execution));
        }
    }
    Ok(None)
}

impl Grid<'_> {
    fn job(&self, task: usize, number: u64) -> Next {
        let (of, phase) = (&self.queue.tasks[task], &self.queue.phases[task]);
        let scaled = |ticks: Ticks| Part::from(ticks) * self.parts;
        let arrival = self.arrival(task, number);
        Next {
            task,
            released: Span { first: arrival, last: arrival + scaled(of.jitter) },
            due: arrival + scaled(of.deadline),
            needs: Span { first: scaled(phase.best_case).max(1), last: scaled(of.cost) },
        }
    }

    fn arrival(&self, task: usize, number: u64) -> Part {
        let first = Part::from(self.queue.phases[task].offset);
        (first + Part::from(number) * Part::from(self.queue.tasks[task].period)) * self.parts
    }

    fn done(&self, job: Next, number: u64, release: Part, cost: Part) -> Done {
        Done { task: job.task, arrival: self.arrival(job.task, number), release, due: job.due, cost }
    }

    /// The less, the more urgent.
    fn rank(&self, due: Part, task: usize) -> (Part, usize) {
        (if self.queue.ranking == Ranking::Edf { due } else { 0 }, task)
    }

    /// The path's jobs, so that the processor becomes free as late as it may; `None` if this grid has no such instants.
    fn chosen(&self, path: &[usize], task: usize) -> Option<Vec<Done>> {
        let mut counts = vec![0u64; self.queue.tasks.len()];
        let begin = (0..counts.len()).map(|task| self.job(task, 0).released.first).min()?;
        let mut free = Span { first: begin, last: begin };
        let mut steps = Vec::with_capacity(path.len());
        for &task in path {
            let heads: Vec<Next> = counts.iter().enumerate().map(|(task, &number)| self.job(task, number)).collect();
            let job = heads[task];
            let rank = |job: &Next| self.rank(job.due, job.task);
            let idle_until = free.last.max(heads.iter().map(|head| head.released.last).min()?);
            let above = heads.iter().filter(|head| rank(head) < rank(&job)).map(|head| head.released.last - 1).min();
            let starts = Span {
                first: free.first.max(job.released.first),
                last: above.map_or(idle_until, |above| idle_until.min(above)),
            };
            if starts.first > starts.last {
                return None;
            }
            steps.push(PathStep { job, free, starts });
            free = Span { first: starts.first + job.needs.first, last: starts.last + job.needs.last };
            counts[task] += 1;
        }
        let late = self.job(task, counts[task]);
        if free.last.max(late.released.last) + late.needs.last <= late.due {
            return None;
        }
        let mut end = free.last;
        let mut chosen = Vec::with_capacity(steps.len());
        for PathStep { job, free, starts } in steps.into_iter().rev() {
            let start = starts.last.min(end - job.needs.first);
            counts[job.task] -= 1;
            chosen.push(self.done(job, counts[job.task], start.min(job.released.last), end - start));
            end = start.min(free.last);
        }
        Some(chosen)
    }

    /// Runs the jobs: on each free processor the most urgent one that is released and whose predecessor is done. The first late one decides.
    fn late(&self, mut jobs: Vec<Done>, budget: &mut Budget) -> Result<Option<LateExecution>, Unfinished> {
        let tasks = self.queue.tasks.len();
        jobs.sort_by_key(|job| (job.arrival, job.task));
        let mut queues = vec![std::collections::VecDeque::new(); tasks];
        jobs.iter().for_each(|job| queues[job.task].push_back(*job));
        let mut numbers = vec![0; tasks];
        let mut ended = vec![Part::MIN; tasks];
        let mut free = vec![Part::MIN; self.queue.processors as usize];
        let mut now = Part::MIN;
        loop {
            budget.spend(tasks as u64)?;
            let ready =
                |task: &usize| -> Option<Part> { queues[*task].front().map(|job| job.release.max(ended[*task])) };
            let candidates = (0..tasks).filter(|task| ready(task).is_some_and(|ready| ready <= now));
            let first =
                candidates.filter_map(|task| queues[task].front()).min_by_key(|job| self.rank(job.due, job.task));
            let processor = (0..free.len()).find(|&processor| free[processor] <= now);
            if let (Some(&job), Some(processor)) = (first, processor) {
                queues[job.task].pop_front();
                (free[processor], ended[job.task]) = (now + job.cost, now + job.cost);
                if now + job.cost > job.due {
                    return Ok(self.execution(&jobs, job, numbers[job.task]));
                }
                numbers[job.task] += 1;
                continue;
            }
            let events = (0..tasks).filter_map(|task| ready(&task)).chain(free.iter().copied());
            match events.filter(|&event| event > now).min() {
                Some(event) => now = event,
                None => return Ok(None),
            }
        }
    }

    fn execution(&self, jobs: &[Done], late: Done, number: u64) -> Option<LateExecution> {
        let ticks = |part: Part| Ticks::try_from(part).ok();
        let job = |job: &Done| {
            Some(ExecutedJob {
                task: job.task,
                arrival: ticks(job.arrival)?,
                release: ticks(job.release)?,
                cost: ticks(job.cost)?,
            })
        };
        Some(LateExecution {
            parts: ticks(self.parts)?,
            jobs: jobs.iter().filter(|job| job.arrival <= late.due).map(job).collect::<Option<_>>()?,
            late: MissedJob { task: late.task, job: number, arrival: ticks(late.arrival)?, deadline: ticks(late.due)? },
        })
    }
}
