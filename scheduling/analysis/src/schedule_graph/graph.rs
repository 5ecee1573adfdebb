//! The graph itself: states level by level, one job started in each, merged where they meet.
//!
//! Ends of intervals are *cells*: 2x is the instant x, and 2x + 1 all instants between x and x + 1. An interval is a range of cells, and is empty
//! iff its first cell is behind its last. As a lower end 2x + 1 excludes x, as an upper end it excludes x + 1. So bounds are compared as integers.

use super::queue::{ClosedState, PeriodicQueue, Size, Ties};
use crate::budget::Budget;
use crate::budget::Unfinished;
use crate::hyperperiod::hyperperiod;
use crate::reach::Ranking;
use crate::{Task, Ticks, TimeModel};
use prazo_core::behaviour::Phase;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// 2x for the instant x, 2x + 1 for what is between x and x + 1.
type Cell = i64;

/// No cell is above this.
const CELLS_MAX: u128 = 1 << 61;

/// From the first cell to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cells {
    first: Cell,
    last: Cell,
}

impl Cells {
    /// True if both share a cell, or nothing is between them.
    const fn meets(self, other: Self) -> bool {
        self.first <= other.last + 1 && other.first <= self.last + 1
    }

    const fn contains(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    fn hull(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// Nothing happens before `cell`.
    fn from(self, cell: Cell) -> Self {
        Self { first: self.first.max(cell), last: self.last.max(cell) }
    }
}

/// A job that starts.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    task: u32,
    /// The edge before this one to the same state.
    next: Option<u32>,
    starts: Cells,
    ends: Cells,
}

/// What the graph shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// No job is late.
    None,
    /// A bound passes a deadline; it is none that must be reached.
    Bound,
    /// After the jobs of these tasks have started, that task's next job is late.
    Late { path: Vec<usize>, task: usize },
}

/// A hash of few small numbers, many times.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

type Started = HashMap<Box<[u32]>, Vec<u32>, BuildHasherDefault<Mixed>>;

/// The next job of a task.
#[derive(Clone, Copy, Debug)]
struct Head {
    task: usize,
    /// First and last instant of its release.
    released: Cells,
    /// Its absolute deadline.
    due: Cell,
}

/// One task as cells.
#[derive(Clone, Copy, Debug)]
struct Periodic {
    offset: Cell,
    period: Cell,
    jitter: Cell,
    deadline: Cell,
    least: Cell,
    cost: Cell,
    /// Jobs in a hyperperiod.
    jobs: u32,
}

/// States and edges.
pub(super) struct Graph {
    tasks: Vec<Periodic>,
    by_deadline: bool,
    ties: Ties,
    processors: usize,
    /// How far before an instant is just before it.
    step: Cell,
    hyperperiod: Cell,
    longest: u128,
    /// How many jobs of each task have started, state by state.
    started: Vec<u32>,
    /// When the first, second, ... processor becomes free, state by state.
    free: Vec<Cells>,
    /// The last edge to each state; merged states have none.
    last_edge: Vec<Option<u32>>,
    edges: Vec<Edge>,
    /// The states whose following states were looked for.
    followed: Vec<u32>,
    /// States that end a hyperperiod, as if it were the first.
    known: HashMap<Box<[u32]>, Vec<Vec<Cells>>, BuildHasherDefault<Mixed>>,
}

const fn at(ticks: Ticks) -> Cell {
    2 * ticks as Cell
}

/// The first cell of the sum: it excludes its instant if either does.
const fn sum_of_first(one: Cell, other: Cell) -> Cell {
    one + other - (one & other & 1)
}

impl Graph {
    pub(super) fn new(queue: PeriodicQueue<'_>, ties: Ties) -> Self {
        let all = hyperperiod(&queue.tasks).expect("queues without a hyperperiod are refused");
        let step = if queue.time == TimeModel::Discrete { 2 } else { 1 };
        let periodic = |(task, phase): (&Task, &Phase)| Periodic {
            offset: at(phase.offset),
            period: at(task.period),
            jitter: at(task.jitter),
            deadline: at(task.deadline),
            least: at(phase.best_case).max(step),
            cost: at(task.cost),
            jobs: u32::try_from(all / task.period).unwrap_or(u32::MAX),
        };
        Self {
            tasks: queue.tasks.iter().zip(queue.phases).map(periodic).collect(),
            by_deadline: queue.ranking == Ranking::Edf,
            ties,
            processors: queue.processors as usize,
            step,
            hyperperiod: at(all),
            longest: queue.tasks.iter().map(|task| u128::from(task.period)).max().unwrap_or(1),
            started: Vec::new(),
            free: Vec::new(),
            last_edge: Vec::new(),
            edges: Vec::new(),
            followed: Vec::new(),
            known: HashMap::default(),
        }
    }

    pub(super) fn size(&self) -> Size {
        Size { states: self.last_edge.len(), edges: self.edges.len() }
    }

    /// All states, level by level, until one is late or nothing new follows.
    pub(super) fn search(&mut self, budget: &mut Budget) -> Result<Leaf, Unfinished> {
        let tasks = self.tasks.len();
        let begin = self.tasks.iter().map(|task| task.offset).min().unwrap_or(0);
        self.started.resize(tasks, 0);
        self.free.resize(self.processors, Cells { first: begin, last: begin });
        self.last_edge.push(None);
        self.is_new(0);
        let mut level = vec![0];
        let (mut heads, mut next, mut passed) = (Vec::with_capacity(tasks), Started::default(), Vec::new());
        for depth in 1u128.. {
            if depth * 2 * self.longest >= CELLS_MAX - CELLS_MAX / 8 {
                return Err(Unfinished::TooLarge);
            }
            let mut crossed: Vec<Box<[u32]>> = Vec::new();
            for &state in &level {
                budget.spend(tasks as u64)?;
                self.heads(state, &mut heads);
                if let Some(late) = self.late_from(state, &heads) {
                    return Ok(late);
                }
                if self.follow(state, &heads, &mut next, &mut crossed, budget)? {
                    return Ok(Leaf::Bound);
                }
                self.followed.push(state);
            }
            for counts in crossed {
                // Two edges may have crossed to the same jobs.
                let states = next.remove(&counts).unwrap_or_default();
                let new: Vec<u32> = states.into_iter().filter(|&state| self.is_new(state)).collect();
                passed.extend(new);
            }
            level = next.drain().flat_map(|(_, states)| states).chain(passed.drain(..)).collect();
            level.sort_unstable();
            if level.is_empty() {
                return Ok(Leaf::None);
            }
        }
        Err(Unfinished::TooLarge)
    }

    fn counts(&self, state: u32) -> &[u32] {
        let tasks = self.tasks.len();
        &self.started[state as usize * tasks..][..tasks]
    }

    fn free(&self, state: u32) -> &[Cells] {
        &self.free[state as usize * self.processors..][..self.processors]
    }

    fn head(&self, task: usize, number: u32) -> Head {
        let of = &self.tasks[task];
        let arrival = of.offset + of.period * Cell::from(number);
        Head { task, released: Cells { first: arrival, last: arrival + of.jitter }, due: arrival + of.deadline }
    }

    /// The next job of each task, the most urgent first.
    fn heads(&self, state: u32, heads: &mut Vec<Head>) {
        heads.clear();
        heads.extend(self.counts(state).iter().enumerate().map(|(task, &number)| self.head(task, number)));
        if self.by_deadline {
            heads.sort_unstable_by_key(|head| (head.due, head.task));
        }
    }

    /// On one processor: a job that is late when the processor becomes free as late as it may.
    fn late_from(&self, state: u32, heads: &[Head]) -> Option<Leaf> {
        let &[free] = self.free(state) else { return None };
        let is_late = |head: &&Head| free.last.max(head.released.last) + self.tasks[head.task].cost > head.due;
        let task = heads.iter().find(is_late)?.task;
        Some(Leaf::Late { path: self.path(state, free.last), task })
    }

    /// Adds what follows `state` to `next`; true if a bound passes a deadline.
    fn follow(
        &mut self,
        state: u32,
        heads: &[Head],
        next: &mut Started,
        crossed: &mut Vec<Box<[u32]>>,
        budget: &mut Budget,
    ) -> Result<bool, Unfinished> {
        let tasks = self.tasks.len();
        let free: Vec<Cells> = self.free(state).to_vec();
        let mut counts: Box<[u32]> = self.counts(state).into();
        let rounds = self.rounds(&counts);
        let all_released = heads.iter().map(|head| head.released.last).min().unwrap_or(0);
        let idle_until = free[0].last.max(all_released);
        // Releases of all that are more urgent, and of those that are as urgent as the present one.
        let (mut above, mut equal) = (Cell::MAX, Cell::MAX);
        for place in 0..tasks {
            let head = heads[place];
            let is_tie = self.by_deadline && self.ties == Ties::Any && place > 0 && heads[place - 1].due == head.due;
            if !is_tie {
                above = above.min(equal);
                equal = Cell::MAX;
            }
            let starts = Cells {
                first: free[0].first.max(head.released.first),
                last: idle_until.min(above.saturating_sub(self.step)),
            };
            equal = equal.min(head.released.last);
            if starts.first > starts.last {
                continue;
            }
            budget.spend(tasks as u64)?;
            let of = self.tasks[head.task];
            let ends = Cells { first: sum_of_first(starts.first, of.least), last: starts.last + of.cost };
            if self.processors > 1 && ends.last > head.due {
                return Ok(true);
            }
            counts[head.task] += 1;
            let edge = Edge { from: state, task: head.task as u32, next: None, starts, ends };
            self.reach(&counts, &free, edge, next);
            if self.rounds(&counts) > rounds {
                crossed.push(counts.clone());
            }
            counts[head.task] -= 1;
        }
        Ok(false)
    }

    /// The state behind `edge`, merged with those that it meets.
    fn reach(&mut self, counts: &[u32], free: &[Cells], edge: Edge, next: &mut Started) {
        // Nothing starts before the first of the next releases.
        let heads = counts.iter().enumerate().map(|(task, &number)| self.head(task, number).released.first);
        let begin = heads.min().unwrap_or(0).max(edge.starts.first);
        let mut now: Vec<Cells> = free[1..].iter().map(|cells| cells.from(begin)).collect();
        now.push(edge.ends.from(begin));
        if now.len() > 1 {
            let (mut first, mut last): (Vec<Cell>, Vec<Cell>) =
                now.iter().map(|cells| (cells.first, cells.last)).unzip();
            first.sort_unstable();
            last.sort_unstable();
            now = first.into_iter().zip(last).map(|(first, last)| Cells { first, last }).collect();
        }
        let number = self.edges.len() as u32;
        self.edges.push(edge);
        let Some(states) = next.get_mut(counts) else {
            let state = self.add(counts, &now, Some(number));
            next.insert(counts.into(), vec![state]);
            return;
        };
        let wide = self.processors;
        let meets = |free: &[Cells], now: &[Cells]| free.iter().zip(now).all(|(one, other)| one.meets(*other));
        let Some(place) = states.iter().position(|&state| meets(&self.free[state as usize * wide..][..wide], &now))
        else {
            let state = self.add(counts, &now, Some(number));
            next.get_mut(counts).expect("it was there just now").push(state);
            return;
        };
        let kept = states[place];
        let states = states.clone();
        self.join(kept, &now, number);
        // What grew may meet others now.
        let mut left = vec![kept];
        for other in states.into_iter().filter(|&other| other != kept) {
            if meets(self.free(kept), self.free(other)) {
                let cells = self.free(other).to_vec();
                let first = self.last_edge[other as usize].take().expect("a state of a level has an edge");
                self.join(kept, &cells, first);
            } else {
                left.push(other);
            }
        }
        *next.get_mut(counts).expect("it was there just now") = left;
    }

    fn add(&mut self, counts: &[u32], free: &[Cells], edge: Option<u32>) -> u32 {
        let state = self.last_edge.len() as u32;
        self.started.extend_from_slice(counts);
        self.free.extend_from_slice(free);
        self.last_edge.push(edge);
        state
    }

    /// Takes the cells and the edges that begin with `edge` into `state`.
    fn join(&mut self, state: u32, cells: &[Cells], edge: u32) {
        let wide = self.processors;
        let own = &mut self.free[state as usize * wide..][..wide];
        own.iter_mut().zip(cells).for_each(|(one, other)| *one = one.hull(*other));
        let mut last = edge;
        while let Some(next) = self.edges[last as usize].next {
            last = next;
        }
        self.edges[last as usize].next = self.last_edge[state as usize];
        self.last_edge[state as usize] = Some(edge);
    }

    /// How many whole hyperperiods all tasks have started.
    fn rounds(&self, counts: &[u32]) -> u32 {
        counts.iter().zip(&self.tasks).map(|(count, task)| count / task.jobs).min().unwrap_or(0)
    }

    /// The state as if the last hyperperiod that it has ended were none.
    fn in_first_round(&self, state: u32) -> (Box<[u32]>, Vec<Cells>) {
        let rounds = self.rounds(self.counts(state));
        let counts = self.counts(state).iter().zip(&self.tasks).map(|(count, task)| count - rounds * task.jobs);
        let before = self.hyperperiod * Cell::from(rounds);
        let earlier = |cells: &Cells| Cells { first: cells.first - before, last: cells.last - before };
        (counts.collect(), self.free(state).iter().map(earlier).collect())
    }

    /// All states of a search that found no late job, in the first hyperperiod: what follows one of them is inside one of them.
    pub(super) fn closed(&self) -> Vec<ClosedState> {
        let state = |&state: &u32| {
            let (started, free) = self.in_first_round(state);
            ClosedState { started: started.into(), free: free.iter().map(|cells| (cells.first, cells.last)).collect() }
        };
        self.followed.iter().map(state).collect()
    }

    /// True unless the state is inside one that is known, a number of hyperperiods before; then it is known from now on.
    fn is_new(&mut self, state: u32) -> bool {
        let (counts, free) = self.in_first_round(state);
        let known = self.known.entry(counts).or_default();
        let contains =
            |known: &Vec<Cells>, free: &[Cells]| known.iter().zip(free).all(|(one, other)| one.contains(*other));
        if known.iter().any(|known| contains(known, &free)) {
            return false;
        }
        known.retain(|known| !contains(&free, known));
        known.push(free);
        true
    }

    /// The tasks whose jobs start one after the other, so that the only processor becomes free in `cell` of `state`.
    fn path(&self, mut state: u32, mut cell: Cell) -> Vec<usize> {
        let mut path = Vec::new();
        while let Some(last) = self.last_edge[state as usize] {
            let begin =
                (0..self.tasks.len()).map(|task| self.head(task, self.counts(state)[task]).released.first).min();
            let is_begin = begin == Some(cell);
            let edges = std::iter::successors(Some(last), |&edge| self.edges[edge as usize].next);
            // Whatever ends before the next release is as good as its instant.
            let reaches = |ends: Cells| ends.first <= cell && (cell <= ends.last || is_begin);
            let edge = edges.map(|edge| self.edges[edge as usize]).find(|edge| reaches(edge.ends));
            let edge = edge.expect("a cell of a state is a cell of one of its edges");
            let of = self.tasks[edge.task as usize];
            let end = cell.min(edge.ends.last);
            // As late as the least cost lets it.
            let start = edge.starts.last.min(before(end, of.least));
            let free = self.free(edge.from)[0];
            path.push(edge.task as usize);
            (state, cell) = (edge.from, start.min(free.last));
        }
        path.reverse();
        path
    }
}

/// The last cell from which a job that needs `least` can end in `end`.
const fn before(end: Cell, least: Cell) -> Cell {
    // Between two ticks there is always something earlier.
    if least & 1 == 1 && end & 1 == 1 { end } else { end - least }
}
