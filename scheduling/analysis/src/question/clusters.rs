//! Several queues: a heuristic places the tasks, and each queue is judged alone.

mod queue;

use super::judge::Judge;
use super::{Answer, Inflate, Method, Packing, Policy, Question};
use crate::overheads::{self, Accounting, FixedPriority, Overload, PreemptionCentric};
use crate::partition::search::{Found, search};
use crate::partition::{BinTest, Capacity, Inflating, Packed, PlacedBy, Strategy};
use crate::{Budget, Finding, Task, Verdict};
use prazo_core::overheads::Overheads;
use queue::Queue;

/// What heuristics, the author's own assignment, or a search make of the tasks.
pub fn answer(question: &Question<'_>, sizes: &[u32], method: &Method) -> Answer {
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

fn of_packings((packings, none_exists): (Vec<Packed>, bool)) -> Answer {
    let proven = packings.iter().any(|packed| packed.proven);
    let verdict = match (proven, none_exists) {
        (true, _) => Verdict::Proven,
        (false, true) => Verdict::Disproven,
        (false, false) => Verdict::Unknown,
    };
    let work = packings.iter().map(|packed| packed.work).sum();
    let by_author = packings.iter().find(|packed| packed.placed_by == PlacedBy::Author);
    let decided_by = by_author.and_then(Packed::disproof).cloned();
    Answer { verdict, decided_by, packings, work, ..Answer::open() }
}

/// Packings, and whether it is known that none can be proven.
type Packings = (Vec<Packed>, bool);

fn uncharged(question: &Question<'_>, tasks: &[Task], sizes: &[u32], method: &Method) -> Packings {
    let judge = Judge { policy: question.policy, overheads: None, time: question.time, method };
    let mut queue = Queue::new(judge, question.policy.given_ranks());
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
        Policy::FixedPriority(_) if alone => {
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
    let judge = Judge { policy: question.policy, overheads: None, time: question.time, method };
    let queue = Queue::new(judge, question.policy.given_ranks());
    let attempt = Attempt { question, tasks: question.tasks, sizes, method };
    let mut capacity = Inflating::new(accounting.clone(), Capacity, Budget::unlimited());
    attempt.all(&mut Inflating::new(accounting, queue, Budget::unlimited()), &mut capacity)
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
    let (packings, _) = uncharged(question, &charged, sizes, method);
    Ok((packings.into_iter().map(|packed| packed.of_charged(&charged)).collect(), false))
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
            let packed = Packed::given(PlacedBy::Author, self.tasks, self.sizes, &places, test);
            let is_disproven = packed.disproof().is_some();
            return (vec![packed], is_disproven);
        }
        let mut packings = Vec::new();
        for strategy in &self.method.heuristics {
            packings.push(self.pack(*strategy, test, capacity));
            if packings.last().is_some_and(|packed| packed.proven) && !self.method.all_tests {
                break;
            }
        }
        if packings.iter().any(|packed| packed.proven) {
            return (packings, false);
        }
        match self.search(test) {
            Found::Assignment(places) => {
                packings.push(Packed::given(PlacedBy::Search, self.tasks, self.sizes, &places, test));
                (packings, false)
            }
            // Charged costs are upper bounds: what cannot be packed with them may yet be schedulable.
            Found::NoneExists => (packings, self.question.overheads.is_none()),
            Found::Unknown => (packings, false),
        }
    }

    fn pack(&self, strategy: Strategy, test: &mut impl BinTest, capacity: &mut impl BinTest) -> Packed {
        let first = match self.way() {
            Packing::TestEachStep => return self.tested(strategy, test),
            _ => self.filled(strategy, test, capacity),
        };
        if first.proven || self.way() == Packing::CapacityThenTest { first } else { self.tested(strategy, test) }
    }

    /// On single processors the test is exact and is always asked at each step.
    fn way(&self) -> Packing {
        if self.sizes.iter().all(|size| *size == 1) { Packing::TestEachStep } else { self.method.packing }
    }

    fn tested(&self, strategy: Strategy, test: &mut impl BinTest) -> Packed {
        match self.question.places {
            Some(places) => strategy.pack_around(self.tasks, self.sizes, places, test),
            None => strategy.pack(self.tasks, self.sizes, test),
        }
    }

    fn filled(&self, strategy: Strategy, test: &mut impl BinTest, capacity: &mut impl BinTest) -> Packed {
        let mut packed = self.tested(strategy, capacity);
        // What found no place in any cluster is no better for a test of the clusters.
        if packed.misfits.is_empty() {
            packed.judge(self.tasks, test);
        }
        packed
    }

    /// The author's assignment, if it names a queue for every task.
    fn complete_places(&self) -> Option<Vec<u32>> {
        self.question.places?.iter().copied().collect()
    }

    fn search(&self, test: &mut impl BinTest) -> Found {
        let alone = self.sizes.iter().all(|size| *size == 1);
        if !alone || self.method.search == 0 || self.question.places.is_some() {
            return Found::Unknown;
        }
        let mut judge = |members: &[usize]| queue::verdict(self.tasks, members, test);
        search(self.tasks, self.sizes.len() as u32, &mut Budget::new(self.method.search), &mut judge)
    }
}

/// How many processors a strategy takes when one is opened only for a task that fits into no open one; `None` for clusters,
/// for packings that no heuristic made, and where a task does not even fit on an empty processor.
pub fn bins_needed(question: &Question<'_>, packed: &Packed, method: &Method) -> Option<u32> {
    let PlacedBy::Heuristic(strategy) = packed.placed_by else { return None };
    let judge = Judge { policy: question.policy, overheads: None, time: question.time, method };
    let queue = Queue::new(judge, question.policy.given_ranks());
    if packed.bins.iter().any(|bin| bin.processors != 1) {
        return None;
    }
    let unlimited = Budget::unlimited();
    match (question.overheads, question.policy) {
        (None, _) => strategy.bins_needed(question.tasks, 1, &mut { queue }),
        (Some(all), Policy::Edf) => {
            let accounting = PreemptionCentric::new(question.tasks, &all).ok()?;
            strategy.bins_needed(question.tasks, 1, &mut Inflating::new(accounting, queue, unlimited))
        }
        (Some(all), _) => {
            let accounting = FixedPriority::new(question.tasks, &all).ok()?;
            strategy.bins_needed(question.tasks, 1, &mut Inflating::new(accounting, queue, unlimited))
        }
    }
}
