//! C=D splitting: a task that fits on no processor runs in pieces, one processor after the other, under partitioned EDF.
//!
//! Every piece but the last has a deadline as long as its cost, so it runs as soon as it is released and ends at its deadline. That is when
//! the next piece is released, on another processor. So the pieces of a job never run at the same time, and each piece is a task of its own:
//! its releases are at least T apart, at any real instants. Each processor is judged by the exact test of its tasks and pieces.
//!
//! ```text
//! job of (C, T, D)   processor 0   |###|                cost 3, deadline 3, offset 0
//!                    processor 2       |##|             cost 2, deadline 2, offset 3
//!                    processor 1          |#  # #  |    the rest, deadline D - 5, offset 5
//! ```
//!
//! Burns, Davis, Wang, Zhang, Real-Time Systems 48(1), 2012. Only tasks without jitter are split, and a split task is to end by min(D, T): with
//! a longer deadline, two of its jobs might run at once on two processors.

use super::{Allowance, Bin, Order};
use crate::budget::Spent;
use crate::{Budget, Finding, Task, TaskSet, Ticks, uniprocessor};

/// One part of a task, which runs on one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Index of the task.
    pub task: usize,
    /// The processor that runs it, from 0.
    pub processor: u32,
    /// It runs for at most so long, then the job moves on.
    pub cost: Ticks,
    /// Its deadline, counted from its own release.
    pub deadline: Ticks,
    /// It is released so long after the job is.
    pub offset: Ticks,
}

impl Piece {
    /// The piece as a task of its processor; `whole` is the task that was split.
    pub fn of(&self, whole: &Task) -> Task {
        Task { cost: self.cost, deadline: self.deadline, ..*whole }
    }
}

/// What splitting made of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPacking {
    /// In which order tasks were placed: that of the first attempt that is proven, or of the last one.
    pub order: Order,
    /// The processors, each with the indices of the tasks that run there, split or whole; empty unless proven.
    pub bins: Vec<Bin>,
    /// The pieces of split tasks, by task and then by offset; empty unless proven.
    pub pieces: Vec<Piece>,
    /// True if every task is placed and every processor proven.
    pub proven: bool,
    /// True if the work allowed was used up.
    pub budget_spent: bool,
    /// Evaluated terms.
    pub work: u64,
}

impl SplitPacking {
    /// The tasks of a bin as its processor sees them.
    pub fn seen(&self, tasks: &[Task], bin: usize) -> Vec<Task> {
        let seen = |&task: &usize| {
            let own = |piece: &&Piece| piece.task == task && piece.processor as usize == bin;
            self.pieces.iter().find(own).map_or(tasks[task], |piece| piece.of(&tasks[task]))
        };
        self.bins[bin].tasks.iter().map(seen).collect()
    }

    /// The processor of each task; `None` for one that is split.
    pub fn assignment(&self, tasks: usize) -> Vec<Option<u32>> {
        let is_split = |task: usize| self.pieces.iter().any(|piece| piece.task == task);
        let bin = |task: usize| self.bins.iter().position(|bin| bin.tasks.contains(&task)).map(|bin| bin as u32);
        (0..tasks).map(|task| if is_split(task) { None } else { bin(task) }).collect()
    }
}

/// The orders that are tried, one after the other.
const ORDERS: [Order; 4] =
    [Order::DecreasingUtilization, Order::DecreasingDensity, Order::IncreasingDeadline, Order::IncreasingPeriod];

/// When a task that fits nowhere is split.
#[derive(Clone, Copy)]
enum Splitting {
    /// After all others are placed by first fit, over the processors with the most room for it.
    Last,
    /// As soon as the processor that is being filled does not take it; the rest goes to the next processor.
    AtOnce,
}

/// Places `tasks` on so many processors with a queue each, splitting those that fit on none.
pub fn split(tasks: &[Task], processors: u32, allowance: Allowance) -> SplitPacking {
    let mut filling =
        Filling { tasks, each_test: allowance.each_test, budget: Budget::new(allowance.all), placed: Vec::new() };
    let mut last = ORDERS[0];
    let attempts = ORDERS.iter().flat_map(|order| [(*order, Splitting::Last), (*order, Splitting::AtOnce)]);
    for (order, splitting) in attempts {
        last = order;
        filling.placed = vec![Vec::new(); processors as usize];
        let found = match splitting {
            Splitting::Last => filling.split_last(&order.of(tasks)),
            Splitting::AtOnce => filling.split_at_once(&order.of(tasks)),
        };
        let found = found.and_then(|fits| if fits { filling.closed() } else { Ok(None) });
        let work = filling.budget.spent();
        match found {
            Ok(Some((bins, pieces))) => {
                return SplitPacking { order, bins, pieces, proven: true, budget_spent: false, work };
            }
            Ok(None) => {}
            Err(Spent) => return failed(order, true, work),
        }
    }
    failed(last, false, filling.budget.spent())
}

fn failed(order: Order, budget_spent: bool, work: u64) -> SplitPacking {
    SplitPacking { order, bins: Vec::new(), pieces: Vec::new(), proven: false, budget_spent, work }
}

/// What is left of a task to be placed.
#[derive(Clone, Copy)]
struct Rest {
    task: usize,
    cost: Ticks,
    deadline: Ticks,
    offset: Ticks,
}

/// What a processor runs.
#[derive(Clone, Copy)]
struct Placed {
    rest: Rest,
    is_piece: bool,
}

struct Filling<'a> {
    tasks: &'a [Task],
    each_test: u64,
    budget: Budget,
    placed: Vec<Vec<Placed>>,
}

/// The processors as they are reported, and the pieces.
type Closed = (Vec<Bin>, Vec<Piece>);

impl Filling<'_> {
    fn split_last(&mut self, order: &[usize]) -> Result<bool, Spent> {
        let mut left = Vec::new();
        for &task in order {
            let whole = self.whole(task);
            if !self.place_whole(whole)? {
                left.push(task);
            }
        }
        for task in left {
            let Some(mut rest) = self.splittable(task) else { return Ok(false) };
            while !self.place_whole(rest)? {
                let mut best: Option<(Ticks, usize)> = None;
                for processor in 0..self.placed.len() {
                    if self.runs(processor, task) {
                        continue;
                    }
                    let piece = self.largest_piece(processor, rest)?;
                    if piece > best.map_or(0, |(cost, _)| cost) {
                        best = Some((piece, processor));
                    }
                }
                let Some((cost, processor)) = best else { return Ok(false) };
                rest = self.put_piece(processor, rest, cost);
            }
        }
        Ok(true)
    }

    fn split_at_once(&mut self, order: &[usize]) -> Result<bool, Spent> {
        let mut processor = 0;
        for &task in order {
            let mut rest = self.whole(task);
            loop {
                if processor == self.placed.len() {
                    return Ok(false);
                }
                if self.fits(processor, rest)? {
                    self.put(processor, rest);
                    break;
                }
                let divisible = if rest.offset > 0 { Some(rest) } else { self.splittable(task) };
                if let Some(divisible) = divisible {
                    let cost = self.largest_piece(processor, divisible)?;
                    if cost > 0 {
                        rest = self.put_piece(processor, divisible, cost);
                    }
                }
                processor += 1;
            }
        }
        Ok(true)
    }

    fn whole(&self, task: usize) -> Rest {
        let Task { cost, deadline, .. } = self.tasks[task];
        Rest { task, cost, deadline, offset: 0 }
    }

    /// The task as one that may be split; `None` if it may not.
    fn splittable(&self, task: usize) -> Option<Rest> {
        let deadline = self.tasks[task].window();
        let rest = Rest { deadline, ..self.whole(task) };
        (self.tasks[task].jitter == 0 && rest.cost <= deadline).then_some(rest)
    }

    /// Puts all of `rest` on the first processor that takes it and has no piece of it.
    fn place_whole(&mut self, rest: Rest) -> Result<bool, Spent> {
        for processor in 0..self.placed.len() {
            if !self.runs(processor, rest.task) && self.fits(processor, rest)? {
                self.put(processor, rest);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn runs(&self, processor: usize, task: usize) -> bool {
        self.placed[processor].iter().any(|placed| placed.rest.task == task)
    }

    fn put(&mut self, processor: usize, rest: Rest) {
        self.placed[processor].push(Placed { rest, is_piece: rest.offset > 0 });
    }

    /// Puts a piece of this cost there, and says what is left.
    fn put_piece(&mut self, processor: usize, rest: Rest, cost: Ticks) -> Rest {
        self.placed[processor].push(Placed { rest: Rest { cost, deadline: cost, ..rest }, is_piece: true });
        Rest { cost: rest.cost - cost, deadline: rest.deadline - cost, offset: rest.offset + cost, ..rest }
    }

    /// The largest cost, less than all of `rest`, that the processor takes with a deadline as long; 0 if there is none.
    ///
    /// A smaller piece fits wherever a larger one does. Let h be the demand of the others, and C fit: h(kT + C) <= k (T - C) for each k. With
    /// C' < C and t from kT + C' on, below kT + C: h(t) <= k (T - C) <= k (T - C'), so h(t) + (k+1) C' <= kT + C' <= t. At all other t
    /// the demand is not larger than with C.
    fn largest_piece(&mut self, processor: usize, rest: Rest) -> Result<Ticks, Spent> {
        let (mut fits, mut too_large) = (0, rest.cost);
        while too_large - fits > 1 {
            let cost = fits + (too_large - fits) / 2;
            if self.fits(processor, Rest { cost, deadline: cost, ..rest })? { fits = cost } else { too_large = cost }
        }
        Ok(fits)
    }

    fn fits(&mut self, processor: usize, rest: Rest) -> Result<bool, Spent> {
        let all = self.placed[processor].iter().map(|placed| placed.rest).chain([rest]);
        let tasks: Vec<Task> = all.map(|one| self.as_task(one)).collect();
        Ok(self.test(&tasks)?.is_proven())
    }

    fn as_task(&self, rest: Rest) -> Task {
        Task { cost: rest.cost, deadline: rest.deadline, ..self.tasks[rest.task] }
    }

    /// What the exact test says of these tasks alone on one processor.
    fn test(&mut self, tasks: &[Task]) -> Result<Finding, Spent> {
        self.budget.spend(tasks.len() as u64)?;
        let set = TaskSet::new(tasks).map_err(|_| Spent)?;
        let finding = uniprocessor::edf::test(set, &mut Budget::new(self.each_test.min(self.budget.left())));
        self.budget.spend(finding.work)?;
        Ok(finding)
    }

    /// The processors as they are reported, each with what its test says, and the pieces; `None` if a test spends its budget now.
    fn closed(&mut self) -> Result<Option<Closed>, Spent> {
        let mut pieces = Vec::new();
        let mut bins = Vec::new();
        for (processor, mut placed) in self.placed.clone().into_iter().enumerate() {
            placed.sort_by_key(|one| one.rest.task);
            let members: Vec<usize> = placed.iter().map(|one| one.rest.task).collect();
            let seen: Vec<Task> = placed.iter().map(|one| self.as_task(one.rest)).collect();
            let finding = if seen.is_empty() { None } else { Some(self.test(&seen)?.with_tasks(|at| members[at])) };
            if finding.as_ref().is_some_and(|finding| !finding.is_proven()) {
                return Ok(None);
            }
            pieces.extend(placed.iter().filter(|one| one.is_piece).map(|one| Piece {
                task: one.rest.task,
                processor: processor as u32,
                cost: one.rest.cost,
                deadline: one.rest.deadline,
                offset: one.rest.offset,
            }));
            bins.push(Bin { processors: 1, tasks: members, inflated: None, finding });
        }
        pieces.sort_by_key(|piece: &Piece| (piece.task, piece.offset));
        Ok(Some((bins, pieces)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_tasks_of_two_thirds_fit_on_two_processors_if_one_is_split() {
        let tasks = [Task::implicit(20, 30); 3];
        let found = split(&tasks, 2, Allowance::UNLIMITED);
        let piece = |processor, cost, deadline, offset| Piece { task: 2, processor, cost, deadline, offset };
        assert_eq!(found.pieces, [piece(0, 10, 10, 0), piece(1, 10, 20, 10)]);
        assert_eq!(found.assignment(3), [Some(0), Some(1), None]);
        assert!(found.proven);
    }

    #[test]
    fn nothing_is_split_where_all_fit() {
        let found = split(&[Task::implicit(1, 2); 4], 2, Allowance::UNLIMITED);
        assert!(found.proven && found.pieces.is_empty());
    }

    #[test]
    fn a_task_with_jitter_is_not_split() {
        let tasks = [Task { jitter: 1, ..Task::implicit(20, 30) }; 3];
        assert!(!split(&tasks, 2, Allowance::UNLIMITED).proven);
    }

    #[test]
    fn a_spent_budget_is_said() {
        let found = split(&[Task::implicit(20, 30); 3], 2, Allowance { each_test: 5, all: 20 });
        assert!(!found.proven && found.budget_spent && found.work <= 20);
    }

    #[test]
    fn the_largest_piece_is_found_as_by_trying_all() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..2_000 {
            let mut task = || {
                let period = random.u64(2..=20);
                Task::new(random.u64(1..=period / 2), period, random.u64(period / 2 + 1..=period + 5))
            };
            let tasks = [task(), task(), task()];
            let rest = Rest { task: 2, cost: tasks[2].period, deadline: tasks[2].period, offset: 0 };
            let mut filling =
                Filling { tasks: &tasks, each_test: u64::MAX, budget: Budget::new(u64::MAX), placed: vec![Vec::new()] };
            for task in 0..2 {
                filling.put(0, filling.whole(task));
            }
            let found = filling.largest_piece(0, rest).unwrap();
            let fits = |cost: &Ticks| filling.fits(0, Rest { cost: *cost, deadline: *cost, ..rest }).unwrap();
            let twin = (1..rest.cost).filter(fits).max().unwrap_or(0);
            assert_eq!(found, twin, "{tasks:?}");
        }
    }

    /// If whole tasks are placed first, no order fits: each processor then has too little left for a piece.
    #[test]
    fn a_set_may_fit_only_if_tasks_are_split_as_they_come() {
        let tasks = [Task::implicit(6, 11), Task::implicit(4, 7), Task::implicit(6, 8)];
        let found = split(&tasks, 2, Allowance::UNLIMITED);
        assert!(found.proven && !found.pieces.is_empty(), "{found:?}");
        let mut filling =
            Filling { tasks: &tasks, each_test: u64::MAX, budget: Budget::new(u64::MAX), placed: Vec::new() };
        for order in ORDERS {
            filling.placed = vec![Vec::new(); 2];
            assert_eq!(
                filling.split_last(&order.of(&tasks)).map(|fits| fits && filling.closed().unwrap().is_some()),
                Ok(false)
            );
        }
    }
}
