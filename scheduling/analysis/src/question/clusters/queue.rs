//! One queue's tasks, as the packing asks about them.

use crate::partition::{self, BinTest, Candidate, Fit, OpenBin, Sums, SureFit, UtilizationFirst};
use crate::question::JobRanking;
use crate::question::judge::{Contenders, Judge};
use crate::reach::Ranking;
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Task, Verdict, blocking};

/// The tests of one queue, overheads being charged already.
#[derive(Clone, Copy)]
pub(super) struct Queue<'a> {
    judge: Judge<'a>,
    ranks: &'a [u32],
    /// EDF, and tasks that do nothing but run.
    is_plain_edf: bool,
}

impl<'a> Queue<'a> {
    /// `ranks` are the priorities of the whole set, where those are given.
    pub(super) fn new(judge: Judge<'a>, ranks: &'a [u32]) -> Self {
        let is_plain_edf = judge.policy == JobRanking::Edf && judge.behaviours.is_plain();
        Self { judge, ranks, is_plain_edf }
    }

    /// Of tasks that block each other or come in bursts, on one processor.
    fn behaved(&self, judge: &Judge<'_>, candidate: &Candidate<'_>) -> Finding {
        let system = judge.system(candidate.tasks, candidate.members.iter().copied());
        let budget = &mut judge.new_budget();
        let JobRanking::FixedPriority(from) = judge.policy else { return blocking::edf::test(&system, budget) };
        let ranks: Vec<u32> = candidate.members.iter().filter_map(|&task| self.ranks.get(task).copied()).collect();
        let all = Contenders { interrupts: &[], tasks: candidate.tasks, ranks: &ranks, processors: 1 };
        match judge.order(from, all) {
            Ok(order) => blocking::fixed_priority::test(&system.arranged(order.indices()), budget)
                .with_tasks(|place| order.indices()[place]),
            Err(unordered) => unordered,
        }
    }

    fn findings(&self, candidate: &Candidate<'_>) -> Vec<Finding> {
        let judge = Judge { budget: candidate.budget, ..self.judge };
        if !judge.behaviours.is_plain() {
            return vec![self.behaved(&judge, candidate)];
        }
        let JobRanking::FixedPriority(from) = judge.policy else {
            let findings = judge.edf_tests(candidate.tasks, candidate.processors);
            return judge.with_states(findings, candidate.tasks, candidate.processors, Ranking::Edf);
        };
        let (interrupts, real) = candidate.tasks.split_at(candidate.interrupts);
        let ranks: Vec<u32> = candidate.members.iter().filter_map(|&task| self.ranks.get(task).copied()).collect();
        let all = Contenders { interrupts, tasks: real, ranks: &ranks, processors: candidate.processors };
        let order = match judge.order(from, all) {
            Ok(order) => order,
            Err(unordered) => return vec![unordered],
        };
        let sorted: Vec<Task> = interrupts.iter().copied().chain(order.arrange(real)).collect();
        let findings = judge.fixed_priority_tests(&sorted, candidate.processors);
        let findings = judge.with_states(findings, &sorted, candidate.processors, Ranking::AsOrdered);
        findings
            .into_iter()
            .map(|finding| finding.with_tasks(|place| position(place, interrupts.len(), &order)))
            .collect()
    }
}

/// Where the task at `place` in the order of priorities, interrupts first, stands among the candidate's tasks.
fn position(place: usize, interrupts: usize, order: &PriorityOrder) -> usize {
    place.checked_sub(interrupts).map_or(place, |real| interrupts + order.indices()[real])
}

impl BinTest for Queue<'_> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        // To hand the tasks to a test takes looking at each of them.
        let looked_at = |finding: Finding, tasks: usize| Finding { work: finding.work + tasks as u64, ..finding };
        let decisive = |candidate: &Candidate<'_>| looked_at(decisive(self.findings(candidate)), candidate.tasks.len());
        match self.is_plain_edf {
            true => UtilizationFirst(decisive).fits(candidate),
            false => decisive(candidate).into(),
        }
    }

    fn sure_fit(&self, sums: &Sums) -> Option<SureFit> {
        if self.is_plain_edf { partition::sure_fit_of_edf(sums) } else { None }
    }
}

/// The first finding that decides, else the first of all, with the work of all.
fn decisive(findings: Vec<Finding>) -> Finding {
    let work = findings.iter().map(|finding| finding.work).sum();
    let decided = findings.iter().position(|finding| finding.verdict != Verdict::Unknown).unwrap_or(0);
    let finding = findings.into_iter().nth(decided).expect("a queue is asked at least one test");
    Finding { work, ..finding }
}

/// What `test`, which may cost what is left of `budget`, says of these members alone on one processor.
pub(super) fn verdict(
    tasks: &[Task],
    members: &[usize],
    test: &mut impl BinTest,
    of_test: u64,
    budget: &mut Budget,
) -> Verdict {
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    let mut bin = OpenBin::with(1, &sorted, tasks);
    if !bin.within_capacity() {
        return Verdict::Disproven;
    }
    let fit = test.fits(&bin.candidate(of_test.min(budget.left())));
    let _ = budget.spend(fit.work);
    fit.finding.map_or(Verdict::Unknown, |finding| finding.verdict)
}
