//! What one ready queue's tasks become with overheads, and what the tests say of them on its processors.

use super::{JobRanking, Method, ModeResponses, Priorities, Question};
use crate::answer::Response;
use crate::blocking::System;
use crate::budget::Spent;
use crate::mixed::{MixedTask, amc_rtb, edf_vd};
use crate::overheads::{self, Charged, Overload};
use crate::reach::{self, Ranking, SharedQueue};
use crate::uniprocessor::fixed_priority::{hyperbolic, liu_layland, response_time};
use crate::uniprocessor::priority::{Assigned, PriorityOrder, audsley, deadline_monotonic, rate_monotonic};
use crate::{Budget, Finding, Task, TaskSet, Ticks, TimeModel, Verdict, blocking, gedf, gfp, uniprocessor};
use prazo_core::behaviour::{Behaviour, Behaviours};
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;

/// Judges the tasks of one queue.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub policy: JobRanking<'a>,
    pub behaviours: Behaviours<'a>,
    pub overheads: Option<Overheads<'a>>,
    pub time: TimeModel,
    pub method: &'a Method,
    /// What each test may cost; within a packing that is what the packing has left, if that is less than the method's.
    pub budget: u64,
}

/// Tasks of one queue whose order is asked for, overheads being charged.
pub(super) struct Contenders<'a> {
    /// Interrupts as tasks of their own, above all others.
    pub interrupts: &'a [Task],
    pub tasks: &'a [Task],
    /// Priorities of `tasks`, where those are given.
    pub ranks: &'a [u32],
    pub processors: u32,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Judged {
    /// The tasks as they were tested, if overheads were charged.
    pub charged: Option<Charged>,
    /// What the tests said, in the order they were asked.
    pub findings: Vec<Finding>,
    /// Response-time bounds under fixed priorities on one processor, most urgent first, interrupts before all.
    pub responses: Option<Vec<Option<Ticks>>>,
    /// The same by mode, where the tasks have two criticalities.
    pub responses_by_mode: Option<Vec<ModeResponses>>,
    /// Positions among the given tasks, most urgent first, under fixed priorities.
    pub priorities: Option<Vec<usize>>,
    /// The factor of virtual deadlines, where EDF-VD proves the tasks.
    pub virtual_deadlines: Option<Ratio>,
}

impl Judged {
    /// The finding that decides: the first proof or disproof, else the last word.
    pub(super) fn decisive(&self) -> Option<&Finding> {
        let decided = |finding: &&Finding| finding.verdict != Verdict::Unknown;
        self.findings.iter().find(decided).or(self.findings.last())
    }

    fn of(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }
}

/// Work of a search of all states of a bin's tasks: a packing asks about many bins.
const STATES_OF_A_BIN: u64 = 500_000;

const CHARGE: &str = "overheads";
const SEARCH: &str = "Audsley's search";
const OUT_OF_RANGE: &str = "with overheads, a time is too large to compute with; use a coarser unit";

impl<'a> Judge<'a> {
    /// Judges as `question` asks, with these overheads, by `method`, whose budget each test may cost.
    pub(super) fn new(question: &Question<'a>, overheads: Option<Overheads<'a>>, method: &'a Method) -> Self {
        Self {
            policy: question.policy,
            behaviours: question.behaviours,
            overheads,
            time: question.time,
            method,
            budget: method.budget,
        }
    }

    /// Judges `tasks` on `processors` that share their queue; `ranks` are their priorities, where those are given.
    pub(super) fn judge(&self, tasks: &[Task], ranks: &[u32], processors: u32) -> Judged {
        match self.policy {
            _ if !self.behaviours.is_plain() => self.behaved(tasks, ranks),
            JobRanking::Edf => self.edf(tasks, processors),
            JobRanking::FixedPriority(from) => self.fixed_priority(tasks, from, ranks, processors),
        }
    }

    /// On one processor, without overheads: nothing else is covered.
    fn behaved(&self, tasks: &[Task], ranks: &[u32]) -> Judged {
        if self.behaviours.is_mixed() {
            return self.mixed(tasks, 0..tasks.len(), ranks);
        }
        let system = self.system(tasks, 0..tasks.len());
        let JobRanking::FixedPriority(from) = self.policy else {
            return Judged::of(blocking::edf::test(&system, &mut self.new_budget()));
        };
        let all = Contenders { interrupts: &[], tasks, ranks, processors: 1 };
        let order = match self.order(from, all) {
            Ok(order) => order,
            Err(unordered) => return Judged::of(unordered),
        };
        let system = system.arranged(order.indices());
        let finding = blocking::fixed_priority::test(&system, &mut self.new_budget());
        let responses = blocking::fixed_priority::responses(&system, &mut self.new_budget()).ok();
        Judged {
            findings: vec![finding.with_tasks(|position| order.indices()[position])],
            responses: responses.map(|responses| within_deadlines(&responses, tasks.len())),
            priorities: Some(order.indices().to_vec()),
            ..Judged::default()
        }
    }

    /// `tasks`, which are these members of a set of two criticalities, on one processor.
    pub(super) fn mixed(&self, tasks: &[Task], members: impl IntoIterator<Item = usize>, ranks: &[u32]) -> Judged {
        let of = |(task, member): (&Task, usize)| MixedTask::of(task, &self.behaviours.of(member));
        let all: Vec<MixedTask> = tasks.iter().zip(members).map(of).collect();
        let JobRanking::FixedPriority(from) = self.policy else {
            let edf_vd::Tested { finding, factor } = edf_vd::test(&all, &mut self.new_budget());
            return Judged { virtual_deadlines: factor, ..Judged::of(finding) };
        };
        let order = match self.order(from, Contenders { interrupts: &[], tasks, ranks, processors: 1 }) {
            Ok(order) => order,
            Err(unordered) => return Judged::of(unordered),
        };
        let all: Vec<MixedTask> = order.indices().iter().map(|&index| all[index]).collect();
        let amc_rtb::Tested { finding, bounds } = amc_rtb::test(&all, &mut self.new_budget());
        let bound = |bounds: &amc_rtb::Bounds, place: usize| bounds.get(place).copied();
        let response =
            |bounds: &amc_rtb::Bounds, place: usize| bound(bounds, place)?.ok().map(|bound| bound.response());
        let by_mode = |bounds: &amc_rtb::Bounds, place: usize| bound(bounds, place).map(ModeResponses::from);
        let places = || 0..all.len();
        Judged {
            findings: vec![finding.with_tasks(|position| order.indices()[position])],
            responses: bounds.as_ref().map(|bounds| places().map(|place| response(bounds, place)).collect()),
            responses_by_mode: bounds
                .map(|bounds| places().map(|place| by_mode(&bounds, place).unwrap_or_default()).collect()),
            priorities: Some(order.indices().to_vec()),
            ..Judged::default()
        }
    }

    /// `tasks`, which are these members of the set, with what they do.
    pub(super) fn system(&self, tasks: &[Task], members: impl IntoIterator<Item = usize>) -> System<'a> {
        let behaviours: Vec<Behaviour<'a>> = members.into_iter().map(|member| self.behaviours.of(member)).collect();
        System::new(tasks.to_vec(), behaviours, self.behaviours.locking).with_supply(self.behaviours.supply)
    }

    fn edf(&self, tasks: &[Task], processors: u32) -> Judged {
        match self.charged(tasks, processors) {
            Err(overload) => Judged::of(Finding::overloaded(CHARGE, overload, tasks.len() as u64)),
            Ok(charged) => {
                let findings = self.edf_tests(charged.as_ref().map_or(tasks, |charged| &charged.tasks), processors);
                Judged { findings: said_of_uncharged(findings, charged.as_ref()), charged, ..Judged::default() }
            }
        }
    }

    fn charged(&self, tasks: &[Task], processors: u32) -> Result<Option<Charged>, Overload> {
        let Some(all) = &self.overheads else { return Ok(None) };
        match (self.policy, processors) {
            (JobRanking::FixedPriority(_), 1) => overheads::fixed_priority(tasks, all),
            _ => overheads::preemption_centric(tasks, processors, all),
        }
        .map(Some)
    }

    /// What the tests for EDF say of tasks whose overheads are charged.
    pub(super) fn edf_tests(&self, tasks: &[Task], processors: u32) -> Vec<Finding> {
        match TaskSet::new(tasks) {
            Err(_) => vec![Finding::not_applicable(CHARGE, OUT_OF_RANGE)],
            Ok(set) if processors == 1 => vec![uniprocessor::edf::test(set, &mut self.new_budget())],
            Ok(set) => gedf::combined(set, processors, self.plan()),
        }
    }

    /// `findings`, and where none of them decides what a search of all states says of a small set on several processors.
    pub(super) fn with_states(
        &self,
        mut findings: Vec<Finding>,
        tasks: &[Task],
        processors: u32,
        ranking: Ranking,
    ) -> Vec<Finding> {
        let undecided = findings.iter().all(|finding| finding.verdict == Verdict::Unknown);
        let tasks = TaskSet::new(tasks).ok().filter(|tasks| reach::uncovered(*tasks).is_none());
        let Some(tasks) = tasks.filter(|_| undecided && processors > 1) else { return findings };
        let budget = self.budget.min(self.method.states).min(STATES_OF_A_BIN);
        if budget > 0 {
            let queue = SharedQueue { tasks, processors, ranking };
            findings.push(reach::test(queue, self.time, &mut Budget::new(budget)));
        }
        findings
    }

    fn fixed_priority(&self, tasks: &[Task], from: Priorities<'_>, ranks: &[u32], processors: u32) -> Judged {
        let order = match self.order_when_charged(tasks, from, ranks, processors) {
            Ok(order) => order,
            Err(unordered) => return Judged::of(unordered),
        };
        let sorted = order.arrange(tasks);
        let charged = self.charged(&sorted, processors).expect("what tasks cost does not depend on their order");
        let tested = charged.as_ref().map_or(&sorted, |charged| &charged.tasks);
        let (findings, responses) = self.fixed_priority_tests_with_responses(tested, processors);
        let findings = said_of_uncharged(findings, charged.as_ref());
        let findings =
            findings.into_iter().map(|finding| finding.with_tasks(|position| order.indices()[position])).collect();
        // Where the test says no more than that a job misses, the tasks are asked about one by one.
        let asked = || (processors == 1).then(|| self.responses(tested)).flatten();
        let responses = responses.or_else(asked);
        Judged { findings, responses, charged, priorities: Some(order.indices().to_vec()), ..Judged::default() }
    }

    /// The order of `tasks` that serves them with overheads; or what stands in its way.
    fn order_when_charged(
        &self,
        tasks: &[Task],
        from: Priorities<'_>,
        ranks: &[u32],
        processors: u32,
    ) -> Result<PriorityOrder, Finding> {
        let overloaded = |overload| Finding::overloaded(CHARGE, overload, tasks.len() as u64);
        let charged = self.charged(tasks, processors).map_err(overloaded)?;
        let all = charged.as_ref().map_or(tasks, |charged| &charged.tasks);
        let (interrupts, tasks) = all.split_at(charged.as_ref().map_or(0, |charged| charged.first_real));
        self.order(from, Contenders { interrupts, tasks, ranks, processors })
    }

    /// What the tests for fixed priorities say of tasks in the order of their priorities, overheads charged.
    pub(super) fn fixed_priority_tests(&self, tasks: &[Task], processors: u32) -> Vec<Finding> {
        self.fixed_priority_tests_with_responses(tasks, processors).0
    }

    /// The same, and on one processor the response times, where they are all within the deadlines.
    fn fixed_priority_tests_with_responses(
        &self,
        tasks: &[Task],
        processors: u32,
    ) -> (Vec<Finding>, Option<Vec<Option<Ticks>>>) {
        let Ok(set) = TaskSet::new(tasks) else {
            return (vec![Finding::not_applicable(CHARGE, OUT_OF_RANGE)], None);
        };
        let order = PriorityOrder::as_given(tasks.len());
        if processors > 1 {
            let system = gfp::System { tasks: set, order: &order, processors, time: self.time };
            return (gfp::combined(system, self.method.all_tests, self.budget), None);
        }
        // The bounds are asked for a reader's sake; response times are exact and decide.
        let (exact, responses) = response_time::test_with_responses(set, &order, &mut self.new_budget());
        if !self.method.all_tests {
            return (vec![exact], responses);
        }
        let bounds = [liu_layland::test, hyperbolic::test].map(|test| test(set, &order, &mut self.new_budget()));
        (bounds.into_iter().chain([exact]).collect(), responses)
    }

    fn responses(&self, tasks: &[Task]) -> Option<Vec<Option<Ticks>>> {
        response_time::response_times(TaskSet::new(tasks).ok()?, &mut self.new_budget()).ok()
    }

    /// Who goes before whom; where Audsley's search shows that no order serves the tasks, deadline-monotonic shows a miss.
    /// What stands in the way is that the search came to no end.
    pub(super) fn order(&self, from: Priorities<'_>, all: Contenders<'_>) -> Result<PriorityOrder, Finding> {
        Ok(match from {
            Priorities::RateMonotonic => rate_monotonic(all.tasks),
            Priorities::Given(_) => PriorityOrder::by_rank(all.ranks),
            Priorities::Audsley if all.processors == 1 => self.searched(&all)?,
            Priorities::DeadlineMonotonic | Priorities::Audsley => deadline_monotonic(all.tasks),
        })
    }

    fn searched(&self, all: &Contenders<'_>) -> Result<PriorityOrder, Finding> {
        let set = TaskSet::new(all.tasks).map_err(|_| Finding::not_applicable(SEARCH, OUT_OF_RANGE))?;
        let mut budget = self.new_budget();
        match audsley(set, all.interrupts, &mut budget) {
            Ok(Assigned::Order(order)) => Ok(order),
            Ok(Assigned::None(_)) => Ok(deadline_monotonic(all.tasks)),
            Err(Spent) => Err(Finding::budget_spent(SEARCH, budget.spent())),
        }
    }

    fn plan(&self) -> gedf::Plan<'_> {
        let Method { tests, all_tests, .. } = self.method;
        gedf::Plan { tests, all: *all_tests, time: self.time, budget_each: self.budget }
    }

    pub(super) fn new_budget(&self) -> Budget {
        Budget::new(self.budget)
    }
}

/// One bound for each of `count` tasks; none from the first that is late on.
fn within_deadlines(responses: &[Response], count: usize) -> Vec<Option<Ticks>> {
    let bound = |index: usize| match responses.get(index)? {
        Response::Within(time) => Some(*time),
        Response::Beyond { .. } => None,
    };
    (0..count).map(bound).collect()
}

/// Charged costs are upper bounds: the tests saw more work than there may ever be, and can prove but not disprove.
fn said_of_uncharged(findings: Vec<Finding>, charged: Option<&Charged>) -> Vec<Finding> {
    let Some(charged) = charged else { return findings };
    findings.into_iter().map(|finding| finding.of_uncharged(charged.first_real)).collect()
}
