//! Several queues: a heuristic places the tasks, and each queue is judged alone.

mod queue;

use super::judge::Judge;
use super::searched::ranks_as_charged;
use super::{Answer, Inflate, JobRanking, Method, Packing, Question};
use crate::exact::compare_sum;
use crate::overheads::{self, Accounting, FixedPriority, Overload, PreemptionCentric};
use crate::partition::search::{AssignmentSearch, search};
use crate::partition::{Allowance, BinTest, Capacity, Heuristic, Inflating, Packed, PlacedBy, Strategy};
use crate::{Budget, Finding, Task, Verdict};
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use queue::Queue;
use std::borrow::Cow;
use std::cmp::Ordering;

/// What heuristics, the author's own assignment, or a search make of the tasks.
pub(super) fn answer(question: &Question<'_>, sizes: &[u32], method: &Method) -> Answer {
    let without_states;
    let method = if method.states == 0 || ranks_as_charged(question) {
        method
    } else {
        without_states = Method { states: 0, ..method.clone() };
        &without_states
    };
    let outcome = match (question.overheads, method.inflate) {
        (None, _) => Ok(uncharged(question, question.tasks, sizes, method)),
        (Some(all), Inflate::PerBin) => charged_by_bin(question, &all, sizes, method),
        (Some(all), Inflate::WholeSetOnce) => charged_once(question, &all, sizes, method),
    };
    match outcome {
        Ok(packings) => of_packings(packings),
        Err(overload) => Answer { findings: vec![Finding::overloaded("overheads", overload, 0)], ..Answer::open() },
    }
}

fn of_packings(Packings { made: packings, none_exists, searched }: Packings) -> Answer {
    let proven = packings.iter().any(|packed| packed.proven);
    let verdict = match (proven, none_exists) {
        (true, _) => Verdict::Proven,
        (false, true) => Verdict::Disproven,
        (false, false) => Verdict::Unknown,
    };
    let work = packings.iter().map(|packed| packed.work).sum::<u64>() + searched;
    let by_author = packings.iter().find(|packed| packed.placed_by == PlacedBy::Author);
    let decided_by = by_author.and_then(Packed::disproof).cloned();
    Answer { verdict, decided_by, packings, work, ..Answer::open() }
}

/// What came of packing one set.
#[derive(Default)]
struct Packings {
    /// In the order in which they were tried.
    made: Vec<Packed>,
    /// True if it is known that no packing can be proven.
    none_exists: bool,
    /// Evaluated terms of the search through all assignments.
    searched: u64,
}

/// What one packing may cost: its budget for each queue and every test that may be asked about it.
fn allowance(method: &Method, sizes: &[u32]) -> Allowance {
    // The state search is one more.
    let of_cluster = method.tests.len().max(1) as u64 + u64::from(method.states > 0);
    let of_queue = |size: &u32| if *size == 1 { 1 } else { of_cluster };
    let budgets: u64 = sizes.iter().map(of_queue).sum();
    Allowance { each_test: method.budget, all: method.packing_budget.saturating_mul(budgets) }
}

fn uncharged(question: &Question<'_>, tasks: &[Task], sizes: &[u32], method: &Method) -> Packings {
    let mut queue = Queue::new(Judge::new(question, None, method), question.policy.given_ranks());
    Attempt { question, tasks, sizes, method }.all(&mut queue, &mut Capacity)
}

fn charged_by_bin(
    question: &Question<'_>,
    all: &Overheads<'_>,
    sizes: &[u32],
    method: &Method,
) -> Result<Packings, Overload> {
    let alone = sizes.iter().all(|size| *size == 1);
    match question.policy {
        JobRanking::FixedPriority(_) if alone => {
            Ok(with_accounting(question, FixedPriority::new(question.tasks, all)?, sizes, method))
        }
        _ => Ok(with_accounting(question, PreemptionCentric::new(question.tasks, all)?, sizes, method)),
    }
}

fn with_accounting(
    question: &Question<'_>,
    accounting: impl Accounting + Clone,
    sizes: &[u32],
    method: &Method,
) -> Packings {
    let queue = Queue::new(Judge::new(question, None, method), question.policy.given_ranks());
    let attempt = Attempt { question, tasks: question.tasks, sizes, method };
    let mut capacity = Inflating::new(accounting.clone(), Capacity);
    attempt.all(&mut Inflating::new(accounting, queue), &mut capacity)
}

/// The whole set charged as if all of it shared one queue of the largest cluster's size; then nothing more is charged.
fn charged_once(
    question: &Question<'_>,
    all: &Overheads<'_>,
    sizes: &[u32],
    method: &Method,
) -> Result<Packings, Overload> {
    let largest = sizes.iter().copied().max().unwrap_or(1);
    let charged = overheads::preemption_centric(question.tasks, largest, all)?.tasks;
    let packings = uncharged(question, &charged, sizes, method);
    let made = packings.made.into_iter().map(|packed| packed.of_charged(&charged)).collect();
    Ok(Packings { made, none_exists: false, ..packings })
}

/// One set to be packed.
struct Attempt<'a> {
    question: &'a Question<'a>,
    tasks: &'a [Task],
    sizes: &'a [u32],
    method: &'a Method,
}

impl Attempt<'_> {
    /// Every strategy until one holds (or all, if asked); then the search.
    fn all(&self, test: &mut impl BinTest, capacity: &mut impl BinTest) -> Packings {
        if let Some(places) = self.complete_places() {
            let packed = self.given(PlacedBy::Author, &places, test);
            let none_exists = packed.disproof().is_some();
            return Packings { made: vec![packed], none_exists, searched: 0 };
        }
        let hopeless = !self.method.all_tests && self.exceeds_processors();
        let mut made = self.by_heuristics(hopeless, test, capacity);
        if made.iter().any(|packed| packed.proven) {
            return Packings { made, ..Packings::default() };
        }
        let (found, searched) = self.search(test);
        if let AssignmentSearch::Assignment(places) = &found {
            made.push(self.given(PlacedBy::Search, places, test));
        }
        // Charged costs are upper bounds: what cannot be packed with them may yet be schedulable.
        let none_exists = found == AssignmentSearch::NoneExists && self.question.overheads.is_none();
        Packings { made, none_exists, searched }
    }

    /// True if it will be disproven whatever is packed, because the tasks ask for more than all processors together.
    fn exceeds_processors(&self) -> bool {
        let terms = self.question.tasks.iter().map(|task| (task.cost, task.period));
        let capacity = Ratio::whole(self.question.shape.processors().into());
        self.method.disprove && compare_sum(terms, capacity) == Ordering::Greater
    }

    fn given(&self, placed_by: PlacedBy, places: &[u32], test: &mut impl BinTest) -> Packed {
        Packed::given(placed_by, self.tasks, self.sizes, places, test, self.method.budget)
    }

    /// Every strategy until one holds, or all, if asked. Filling clusters by their capacity asks each test once, testing at each step
    /// asks it for each task: so no strategy tests at each step before all have been tried by capacity.
    fn by_heuristics(&self, hopeless: bool, test: &mut impl BinTest, capacity: &mut impl BinTest) -> Vec<Packed> {
        let way = self.way();
        let is_enough = |packed: &Packed| hopeless || packed.proven && !self.method.all_tests;
        let mut filled: Vec<Packed> = Vec::new();
        let mut strategies = Cow::Borrowed(&self.method.heuristics[..]);
        if way != Packing::TestEachStep {
            // Worst fit leaves all clusters some room, where the others fill one to its brim, which no test can prove.
            strategies.to_mut().sort_by_key(|strategy| strategy.heuristic != Heuristic::WorstFit);
            for strategy in strategies.iter() {
                filled.push(self.filled(*strategy, test, capacity));
                if filled.last().is_some_and(is_enough) {
                    return filled;
                }
            }
        }
        if way == Packing::CapacityThenTest {
            return filled;
        }
        let mut made = Vec::new();
        for (place, strategy) in strategies.iter().enumerate() {
            made.push(match filled.get(place) {
                Some(first) if first.proven => first.clone(),
                Some(first) => with_work_of(self.tested(*strategy, test), first),
                None => self.tested(*strategy, test),
            });
            if made.last().is_some_and(is_enough) {
                break;
            }
        }
        made
    }

    /// On single processors the test is exact and is always asked at each step.
    fn way(&self) -> Packing {
        if self.sizes.iter().all(|size| *size == 1) { Packing::TestEachStep } else { self.method.packing }
    }

    fn tested(&self, strategy: Strategy, test: &mut impl BinTest) -> Packed {
        let allowance = allowance(self.method, self.sizes);
        match self.question.places {
            Some(places) => strategy.pack_around(self.tasks, self.sizes, places, test, allowance),
            None => strategy.pack(self.tasks, self.sizes, test, allowance),
        }
    }

    fn filled(&self, strategy: Strategy, test: &mut impl BinTest, capacity: &mut impl BinTest) -> Packed {
        let mut packed = self.tested(strategy, capacity);
        // What found no place in any cluster is no better for a test of the clusters.
        if packed.misfits.is_empty() {
            packed.judge(self.tasks, test, self.method.budget);
        }
        packed
    }

    /// The author's assignment, if it names a queue for every task.
    fn complete_places(&self) -> Option<Vec<u32>> {
        self.question.places?.iter().copied().collect()
    }

    /// What the search through all assignments finds, and what it cost.
    fn search(&self, test: &mut impl BinTest) -> (AssignmentSearch, u64) {
        let alone = self.sizes.iter().all(|size| *size == 1);
        if !alone || self.method.search == 0 || self.question.places.is_some() {
            return (AssignmentSearch::Unknown, 0);
        }
        let allowance = allowance(self.method, self.sizes);
        let mut of_tests = Budget::new(allowance.all);
        let mut judge =
            |members: &[usize]| queue::verdict(self.tasks, members, test, allowance.each_test, &mut of_tests);
        let mut steps = Budget::new(self.method.search.min(allowance.all));
        let found = search(self.tasks, self.sizes.len() as u32, &mut steps, &mut judge);
        (found, steps.spent() + of_tests.spent())
    }
}

/// `packed` with the work of an earlier attempt that it replaces.
fn with_work_of(packed: Packed, earlier: &Packed) -> Packed {
    Packed { work: packed.work + earlier.work, ..packed }
}

/// How many processors a strategy takes when one is opened only for a task that fits into no open one; `None` for clusters,
/// for packings that no heuristic made, where a task does not even fit on an empty processor, and where finding out costs more
/// than a packing may.
pub fn bins_needed(question: &Question<'_>, packed: &Packed, method: &Method) -> Option<u32> {
    let PlacedBy::Heuristic(strategy) = packed.placed_by else { return None };
    let queue = Queue::new(Judge::new(question, None, method), question.policy.given_ranks());
    // A supply is of the one processor that it is stated for.
    // Locks across processors depend on where all tasks are.
    let is_whole = question.behaviours.supply.is_some() || question.behaviours.crosses_processors();
    if is_whole || packed.bins.iter().any(|bin| bin.processors != 1) {
        return None;
    }
    let sizes: Vec<u32> = packed.bins.iter().map(|bin| bin.processors).collect();
    let allowance = allowance(method, &sizes);
    match (question.overheads, question.policy) {
        (None, _) => strategy.bins_needed(question.tasks, 1, &mut { queue }, allowance),
        (Some(all), JobRanking::Edf) => {
            let accounting = PreemptionCentric::new(question.tasks, &all).ok()?;
            strategy.bins_needed(question.tasks, 1, &mut Inflating::new(accounting, queue), allowance)
        }
        (Some(all), _) => {
            let accounting = FixedPriority::new(question.tasks, &all).ok()?;
            strategy.bins_needed(question.tasks, 1, &mut Inflating::new(accounting, queue), allowance)
        }
    }
}
