//! Non-preemptive tasks on one clock: states that no start of a job leaves, and in which no job is late.
//!
//! Job k of a task arrives at O + kT, is released at most J later and runs to its end for B to C, and for more than nothing. Whenever a processor is free, the
//! most urgent released job starts. A state says how many jobs of each task have started, and from when to when the first, second, ...
//! processor may become free. Instants are *cells*: 2x is the instant x, 2x + 1 is all between x and x + 1; a lower end 2x + 1 excludes x, as an
//! upper end it excludes x + 1. Of each state, and each task's next job i with releases [r-, r+] and deadline d:
//!
//! - it starts next in [max(A1-, r-), min(max(A1+, least r+ of all), the cell before the least r+ of the more urgent ones)], if there is any
//!   such cell, and ends in [first + B, last + C];
//! - that last cell is at most d;
//! - the state behind is inside a state of the certificate: the same jobs have started, if need be with whole hyperperiods taken off, and
//!   each processor becomes free in an interval that is inside the other one's.
//!
//! The state before the first arrival is inside one, too. By induction over the starts, no job is ever late (Nasri, Brandenburg, RTSS 2017; on several
//! processors Nasri, Nelissen, Brandenburg, ECRTS 2018). Under EDF, `ties any` tries equal deadlines in both orders.

use super::Queue;
use crate::certificate::{GraphState, Ties};
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::behaviour::Phase;
use prazo_core::ratio::gcd;
use prazo_core::task::{Task, Ticks};
use prazo_core::time_model::TimeModel;
use std::collections::HashMap;

/// The longest hyperperiod in ticks.
const HYPERPERIOD_MAX: u128 = 1 << 57;

/// A number of jobs beyond this is none of a first hyperperiod.
const JOBS_MAX: u64 = 1 << 58;

/// Cells in 128 bits: nothing overflows.
type Cell = i128;

/// From the first cell to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cells {
    first: Cell,
    last: Cell,
}

/// States by the jobs that have started: for each of them when the processors become free.
type Known = HashMap<Vec<u64>, Vec<Vec<Cells>>>;

/// What is to be shown of.
struct Model<'a> {
    tasks: &'a [Task],
    phases: &'a [Phase],
    /// Jobs of each task in a hyperperiod.
    jobs: Vec<u64>,
    hyperperiod: Cell,
    /// By task: its place by urgency; `None` under EDF.
    ranks: Option<Vec<usize>>,
    ties: Ties,
    /// How far before an instant is the cell before it.
    step: Cell,
}

/// The next job of a task.
struct Next {
    task: usize,
    released: Cells,
    due: Cell,
}

fn at(ticks: Ticks) -> Cell {
    2 * Cell::from(ticks)
}

pub(super) fn check(queue: &Queue<'_>, ties: Ties, states: &[GraphState]) -> Result<(), Rejected> {
    let model = Model::of(queue, ties)?;
    let mut known = Known::new();
    for state in states {
        let free = model.read(state, queue.processors as usize)?;
        known.entry(state.started.clone()).or_default().push(free);
    }
    let begin = queue.phases.iter().map(|phase| at(phase.offset)).min().unwrap_or(0);
    let idle = vec![Cells { first: begin, last: begin }; queue.processors as usize];
    let begins = is_known(&known, &vec![0; queue.tasks.len()], &idle);
    show(begins, || "no state of the graph covers the state before the first arrival".into())?;
    for (started, all) in &known {
        for free in all {
            model.check_state(started, free, &known, queue.names)?;
        }
    }
    Ok(())
}

fn is_known(known: &Known, started: &[u64], free: &[Cells]) -> bool {
    let contains =
        |one: &Vec<Cells>| one.iter().zip(free).all(|(one, other)| one.first <= other.first && other.last <= one.last);
    known.get(started).is_some_and(|all| all.iter().any(contains))
}

impl<'a> Model<'a> {
    fn of(queue: &Queue<'a>, ties: Ties) -> Result<Self, Rejected> {
        applies(queue.phases.len() == queue.tasks.len(), "a schedule graph needs tasks on one clock")?;
        let behaved = queue.behaviours.as_ref();
        let covered = behaved.is_some_and(|all| {
            let mut pairs = all.of_tasks.iter().zip(queue.tasks);
            pairs.all(|(one, task)| one.only_runs_to_end(task)) && all.served.0.is_none()
        });
        applies(
            covered && queue.interrupts.is_empty(),
            "a schedule graph covers non-preemptive tasks only, without bursts, critical sections, suspension, supply and overheads",
        )?;
        let follows = queue.tasks.iter().any(|task| task.deadline > task.period);
        applies(queue.processors == 1 || !follows, "on several processors, a schedule graph needs D <= T")?;
        let mut hyperperiod: u128 = 1;
        for task in queue.tasks {
            let period = u128::from(task.period);
            hyperperiod = hyperperiod / gcd(hyperperiod, period) * period;
            if hyperperiod > HYPERPERIOD_MAX {
                return Err(Rejected::TooLarge("the hyperperiod is above 2^57 ticks".into()));
            }
        }
        let ranks = queue.order.as_ref().map(|order| {
            let mut ranks = vec![0; order.len()];
            order.iter().enumerate().for_each(|(rank, &position)| ranks[position] = rank);
            ranks
        });
        Ok(Self {
            tasks: queue.tasks,
            phases: queue.phases,
            jobs: queue.tasks.iter().map(|task| (hyperperiod / u128::from(task.period)) as u64).collect(),
            hyperperiod: 2 * hyperperiod as Cell,
            ranks,
            ties,
            step: if queue.time == TimeModel::Discrete { 2 } else { 1 },
        })
    }

    /// When the processors become free.
    fn read(&self, state: &GraphState, processors: usize) -> Result<Vec<Cells>, Rejected> {
        let complete = state.started.len() == self.tasks.len() && state.free.len() == 2 * processors;
        consistent(complete, || {
            "each state of a graph needs a number of jobs for each task of the bin, and two cells for each processor"
                .into()
        })?;
        let free: Vec<Cells> =
            state.free.chunks(2).map(|pair| Cells { first: pair[0].into(), last: pair[1].into() }).collect();
        let even = |cell: Cell| self.step == 1 || cell % 2 == 0;
        let sound = free.iter().all(|cells| cells.first <= cells.last && even(cells.first) && even(cells.last))
            && free.windows(2).all(|pair| pair[0].first <= pair[1].first && pair[0].last <= pair[1].last)
            && state.started.iter().all(|count| *count < JOBS_MAX);
        consistent(sound, || {
            "a state of a graph has an empty interval, an odd cell, intervals out of order, or too many started jobs"
                .into()
        })?;
        Ok(free)
    }

    fn next(&self, task: usize, number: u64) -> Next {
        let (of, phase) = (&self.tasks[task], &self.phases[task]);
        let arrival = at(phase.offset) + Cell::from(number) * at(of.period);
        Next { task, released: Cells { first: arrival, last: arrival + at(of.jitter) }, due: arrival + at(of.deadline) }
    }

    /// True if `other` goes before `one` where both are released.
    fn is_above(&self, other: &Next, one: &Next) -> bool {
        match &self.ranks {
            Some(ranks) => ranks[other.task] < ranks[one.task],
            None => other.due < one.due || self.ties == Ties::ByIndex && other.due == one.due && other.task < one.task,
        }
    }

    /// Shows that no job that starts next is late, and that what follows is known.
    fn check_state(&self, started: &[u64], free: &[Cells], known: &Known, names: &[usize]) -> Result<(), Rejected> {
        let heads: Vec<Next> = started.iter().enumerate().map(|(task, &number)| self.next(task, number)).collect();
        let surely_released = heads.iter().map(|head| head.released.last).min().unwrap_or(0);
        let idle_until = free[0].last.max(surely_released);
        for (task, head) in heads.iter().enumerate() {
            let above = heads.iter().filter(|other| self.is_above(other, head)).map(|other| other.released.last).min();
            let starts = Cells {
                first: free[0].first.max(head.released.first),
                last: above.map_or(idle_until, |above| idle_until.min(above - self.step)),
            };
            if starts.first > starts.last {
                continue;
            }
            let least = at(self.phases[task].best_case).max(self.step);
            // Between two instants plus between two others is between their sums: one cell less than the sum of the cells.
            let both_open = starts.first & least & 1;
            let ends = Cells { first: starts.first + least - both_open, last: starts.last + at(self.tasks[task].cost) };
            show(ends.last <= head.due, || format!("a job of task {} may be late", names[task]))?;
            let (started, free) = self.after(started, free, task, starts, ends);
            show(is_known(known, &started, &free), || {
                format!("no state of the graph covers the state after the start of a job of task {}", names[task])
            })?;
        }
        Ok(())
    }

    /// The state behind the start of `task`'s next job, in the first hyperperiod.
    fn after(
        &self,
        started: &[u64],
        free: &[Cells],
        task: usize,
        starts: Cells,
        ends: Cells,
    ) -> (Vec<u64>, Vec<Cells>) {
        let mut started = started.to_vec();
        started[task] += 1;
        let releases = started.iter().enumerate().map(|(task, &number)| self.next(task, number).released.first);
        // No job starts before this one does, nor before the first of the next releases.
        let begin = releases.min().unwrap_or(0).max(starts.first);
        let others = free[1..].iter().chain(std::iter::once(&ends));
        let (mut first, mut last): (Vec<Cell>, Vec<Cell>) =
            others.map(|cells| (cells.first.max(begin), cells.last.max(begin))).unzip();
        first.sort_unstable();
        last.sort_unstable();
        let rounds = started.iter().zip(&self.jobs).map(|(count, jobs)| count / jobs).min().unwrap_or(0);
        let before = Cell::from(rounds) * self.hyperperiod;
        started.iter_mut().zip(&self.jobs).for_each(|(count, jobs)| *count -= rounds * jobs);
        let free =
            first.into_iter().zip(last).map(|(first, last)| Cells { first: first - before, last: last - before });
        (started, free.collect())
    }
}
