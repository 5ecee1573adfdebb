//! Tasks that share resources under a protocol for several processors: a task's waits depend on where all others are, so each
//! packing is judged once it is complete.

use super::judge::{Contenders, Judge};
use super::{Answer, JobRanking, Method, Question, Shape};
use crate::answer::Response;
use crate::blocking::shared::{Alone, Open, Placed, Waits};
use crate::blocking::{self, System};
use crate::partition::{BinTest, Candidate, Fit, Packed, PlacedBy, Strategy};
use crate::{Budget, Finding, Margin, Quantity, Task, Ticks, Verdict};
use prazo_core::behaviour::Behaviour;

/// What findings call the test under EDF.
pub(crate) const DEMAND: &str = "demand with locks";
/// What they call it under fixed priorities.
pub(crate) const RESPONSES: &str = "response time with locks";

const LARGE: &str = "with the waiting times of its jobs, the work of a burst is too large a number; use a coarser unit";

/// How long the jobs of a task wait for resources at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockBound {
    /// For requests of tasks on other processors.
    pub remote: Ticks,
    /// For requests of tasks on its own processor.
    pub local: Ticks,
    /// No job takes longer, from its arrival to its end; `None` under EDF, and where that is not known.
    pub response: Option<Ticks>,
}

/// What the author's places or the heuristics make of the tasks.
pub(super) fn answer(question: &Question<'_>, method: &Method) -> Answer {
    let judge = Judge::new(question, None, method);
    let order = match whole_order(&judge, question) {
        Ok(order) => order,
        Err(unordered) => return Answer { findings: vec![unordered], ..Answer::open() },
    };
    let sizes = vec![1; question.shape.processors() as usize];
    let set = Set { question, judge, order: order.as_deref(), sizes: &sizes };
    let packings = set.packings(method);
    let proven = packings.iter().find(|packed| packed.proven);
    let by_author = packings.iter().find(|packed| packed.placed_by == PlacedBy::Author);
    let decided_by = match question.shape {
        // One queue is the whole platform, whoever placed the tasks there.
        Shape::Global { .. } | Shape::Clusters([_]) => {
            packings.first().and_then(|packed| packed.bins[0].finding.clone())
        }
        Shape::Clusters(_) => by_author.and_then(Packed::disproof).cloned(),
    };
    let disproven = decided_by.as_ref().is_some_and(|finding| finding.verdict == Verdict::Disproven);
    let verdict = match (proven.is_some(), disproven) {
        (true, _) => Verdict::Proven,
        (false, true) => Verdict::Disproven,
        (false, false) => Verdict::Unknown,
    };
    let locks =
        proven.or(packings.iter().find(|packed| packed.misfits.is_empty())).and_then(|packed| set.bounds(packed));
    let findings = decided_by.iter().filter(|_| sizes.len() == 1).cloned().collect();
    let work = packings.iter().map(|packed| packed.work).sum();
    let decided_by = decided_by.filter(|finding| finding.verdict != Verdict::Unknown);
    let is_global = matches!(question.shape, Shape::Global { .. });
    let packings = if is_global { Vec::new() } else { packings };
    Answer { verdict, decided_by, findings, packings, priorities: order.clone(), locks, work, ..Answer::open() }
}

/// All tasks, the most urgent first; `None` under EDF.
fn whole_order(judge: &Judge<'_>, question: &Question<'_>) -> Result<Option<Vec<usize>>, Finding> {
    let JobRanking::FixedPriority(from) = question.policy else { return Ok(None) };
    let ranks = question.policy.given_ranks();
    let all = Contenders { interrupts: &[], tasks: question.tasks, ranks, processors: 1 };
    judge.order(from, all).map(|order| Some(order.indices().to_vec()))
}

/// The tasks as they are to be placed.
#[derive(Clone, Copy)]
struct Set<'a> {
    question: &'a Question<'a>,
    judge: Judge<'a>,
    order: Option<&'a [usize]>,
    sizes: &'a [u32],
}

impl<'a> Set<'a> {
    fn packings(&self, method: &Method) -> Vec<Packed> {
        let mut packings = Vec::new();
        if let Some(places) = self.given() {
            let (tasks, test) = (self.question.tasks, &mut self.test(&places));
            packings.push(Packed::given(PlacedBy::Author, tasks, self.sizes, &places, test, method.budget));
            return packings;
        }
        for strategy in &method.heuristics {
            packings.push(self.packed(*strategy, method));
            if packings.last().is_some_and(|packed| packed.proven) && !method.all_tests {
                break;
            }
        }
        packings
    }

    /// The author's places, if every task has one; on one processor there is but one.
    fn given(&self) -> Option<Vec<u32>> {
        if self.sizes.len() == 1 {
            return Some(vec![0; self.question.tasks.len()]);
        }
        self.question.places?.iter().copied().collect()
    }

    /// As a heuristic packs tasks that never wait, and then judged with what they wait.
    fn packed(&self, strategy: Strategy, method: &Method) -> Packed {
        let tasks = self.question.tasks;
        let allowance = crate::partition::Allowance {
            each_test: method.budget,
            all: method.packing_budget.saturating_mul(self.sizes.len() as u64),
        };
        let mut alone = |candidate: &Candidate<'_>| self.unlocked(candidate.members, candidate.budget);
        let mut packed = match self.question.places {
            Some(places) => strategy.pack_around(tasks, self.sizes, places, &mut alone, allowance),
            None => strategy.pack(tasks, self.sizes, &mut alone, allowance),
        };
        if packed.misfits.is_empty() {
            let places: Vec<u32> = packed.assignment.iter().map(|place| place.unwrap_or(0)).collect();
            packed.judge(tasks, &mut self.test(&places), method.budget);
        }
        packed
    }

    /// The finding about `members` if no job ever waits for a resource.
    fn unlocked(&self, members: &[usize], budget: u64) -> Finding {
        let Question { tasks, behaviours, .. } = *self.question;
        let arranged = self.arranged(members);
        let without = |&task: &usize| Behaviour { sections: &[], ..behaviours.of(task) };
        let of_tasks = arranged.iter().map(without).collect();
        let system = System::new(arranged.iter().map(|&task| tasks[task]).collect(), of_tasks, behaviours.locking);
        self.said(&system, members, &arranged, budget)
    }

    fn placed<'b>(&'b self, places: &'b [u32]) -> Placed<'b> {
        let Question { tasks, behaviours, .. } = *self.question;
        Placed { tasks, behaviours, places, order: self.order }
    }

    fn test<'b>(&'b self, places: &'b [u32]) -> PackedTest<'b> {
        let mut budget = self.judge.new_budget();
        let alone = self.placed(places).alone(&mut budget);
        PackedTest { set: self, places, alone, work: budget.spent() }
    }

    /// `members`, the most urgent first.
    fn arranged(&self, members: &[usize]) -> Vec<usize> {
        match self.order {
            Some(order) => order.iter().copied().filter(|task| members.contains(task)).collect(),
            None => members.to_vec(),
        }
    }

    /// What is said of `members` if no task of another processor ever arrives, tasks named by their place among them.
    fn necessary(&self, members: &[usize], places: &[u32], budget: u64) -> Finding {
        let (alone, arranged) = (self.placed(places).undisturbed(), self.arranged(members));
        self.said(&alone.system(&arranged), members, &arranged, budget)
    }

    fn said(&self, system: &System<'_>, members: &[usize], arranged: &[usize], budget: u64) -> Finding {
        let budget = &mut Budget::new(budget);
        let finding = match self.order {
            Some(_) => blocking::fixed_priority::test(system, budget),
            None => blocking::edf::test(system, budget),
        };
        let at = |place: usize| members.iter().position(|member| *member == arranged[place]).unwrap_or(place);
        // A disproof is that of one processor alone.
        let test = if finding.verdict == Verdict::Disproven { finding.test } else { self.name() };
        Finding { test, ..finding }.with_tasks(at)
    }

    fn name(&self) -> &'static str {
        if self.order.is_some() { RESPONSES } else { DEMAND }
    }

    /// By task, where each has a bound.
    fn bounds(&self, packed: &Packed) -> Option<Vec<LockBound>> {
        let places: Vec<u32> = packed.assignment.iter().copied().collect::<Option<_>>()?;
        let (alone, waits) = self.placed(&places).alone(&mut self.judge.new_budget()).ok()?;
        let bound =
            |wait: &Waits| LockBound { remote: wait.remote as Ticks, local: wait.local as Ticks, response: None };
        let mut bounds: Vec<LockBound> = waits.iter().map(bound).collect();
        for bin in packed.bins.iter().filter(|_| self.order.is_some()) {
            let arranged = self.arranged(&bin.tasks);
            let system = alone.system(&arranged);
            // Where U > 1 with what is waited, a busy interval may never end.
            if bin.finding.as_ref().is_none_or(|finding| !finding.is_proven()) {
                continue;
            }
            let responses = blocking::fixed_priority::responses(&system, &mut self.judge.new_budget()).ok()?;
            for (&task, response) in arranged.iter().zip(responses) {
                if let Response::Within(time) = response {
                    bounds[task].response = Some(time);
                }
            }
        }
        Some(bounds)
    }
}

/// The test of each processor of one packing.
struct PackedTest<'a> {
    set: &'a Set<'a>,
    places: &'a [u32],
    alone: Result<(Alone, Vec<Waits>), Open>,
    work: u64,
}

impl PackedTest<'_> {
    /// Proven with what is waited, disproven without; tasks named by their place among the candidate's.
    fn finding(&self, candidate: &Candidate<'_>) -> Finding {
        let (set, members) = (self.set, candidate.members);
        let with_waits = match &self.alone {
            Ok((alone, _)) => {
                let arranged = set.arranged(members);
                set.said(&alone.system(&arranged), members, &arranged, candidate.budget)
            }
            Err(Open::Spent) => Finding::budget_spent(set.name(), 0),
            Err(Open::Large(_)) => Finding::not_applicable(set.name(), LARGE),
            Err(Open::Late(task, at_least)) => {
                let own = members.iter().position(|member| member == task);
                let margin = own.map(|own| response_margin(&candidate.tasks[own], *at_least));
                Finding::does_not_hold(set.name(), own, margin, 0)
            }
        };
        if with_waits.is_proven() {
            return with_waits;
        }
        let necessary = set.necessary(members, self.places, candidate.budget);
        match necessary.verdict {
            Verdict::Disproven => necessary,
            _ => Finding { test: set.name(), ..with_waits.of_uncharged(0) },
        }
    }
}

fn response_margin(task: &Task, at_least: u128) -> Margin {
    Margin { demand: at_least as f64, capacity: task.deadline as f64, of: Quantity::ResponseTime }
}

impl BinTest for PackedTest<'_> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        let finding = self.finding(candidate);
        let work = std::mem::take(&mut self.work) + candidate.tasks.len() as u64;
        Finding { work: finding.work + work, ..finding }.into()
    }
}
