//! Nothing has decided: all states of a small set are searched, where one queue serves several processors.
//!
//! A proof is of the tasks with overheads charged, a disproof of the tasks as their author wrote them.

use super::{Answer, JobRanking, Method, Question, Shape};
use crate::reach::{self, Ranking, SharedQueue};
use crate::{Budget, Finding, Task, TaskSet, Verdict};
use prazo_core::overheads::{Amount, Overheads};
use prazo_core::ratio::Ratio;

/// `answer`, decided if the search of the states decides within what the method allows.
pub(super) fn answer(question: &Question<'_>, method: &Method, mut answer: Answer) -> Answer {
    let (Shape::Global { processors } | Shape::Clusters(&[processors])) = question.shape else { return answer };
    if processors == 1 || method.states == 0 || !question.behaviours.is_plain() {
        return answer;
    }
    let order: Vec<usize> = match (question.policy, &answer.priorities) {
        (JobRanking::Edf, _) => (0..question.tasks.len()).collect(),
        (JobRanking::FixedPriority(_), Some(order)) => order.clone(),
        (JobRanking::FixedPriority(_), None) => return answer,
    };
    let written: Vec<Task> = order.iter().map(|&task| question.tasks[task]).collect();
    let charged = answer.charged.as_ref().map(|charged| charged.tasks.clone());
    let ranking = if question.policy == JobRanking::Edf { Ranking::Edf } else { Ranking::AsOrdered };
    let mut budget = Budget::new(method.states);
    let mut search = |tasks: &[Task]| {
        let tasks = TaskSet::new(tasks).ok().filter(|tasks| reach::uncovered(*tasks).is_none())?;
        let queue = SharedQueue { tasks, processors, ranking };
        Some(reach::test(queue, question.time, &mut budget).with_tasks(|place| order[place]))
    };
    // With overheads charged only a proof counts; without them, only a miss. Where they fit nowhere, nothing is charged, and the tasks as
    // they are written prove nothing.
    let findings: Vec<Finding> = match (&charged, question.overheads) {
        (None, None) => search(&written).into_iter().collect(),
        (charged, _) => {
            let proof = charged
                .as_ref()
                .filter(|_| ranks_as_charged(question))
                .and_then(|charged| search(charged))
                .map(|finding| finding.of_uncharged(0));
            let is_open = !proof.as_ref().is_some_and(Finding::is_proven);
            let miss = (is_open && method.disprove).then(|| search(&written)).flatten().filter(is_miss);
            proof.into_iter().chain(miss).collect()
        }
    };
    for finding in findings {
        answer.work += finding.work;
        if finding.verdict != Verdict::Unknown && answer.verdict == Verdict::Unknown {
            answer.verdict = finding.verdict;
            answer.decided_by = Some(finding.clone());
        }
        answer.findings.push(finding);
    }
    answer
}

/// True if jobs are ranked in the order that a search of the charged tasks has: a proof by it needs that.
///
/// By how much the latencies of two events differ, EDF ranks their jobs in another order.
pub(super) fn ranks_as_charged(question: &Question<'_>) -> bool {
    let in_time = |late: Amount| late.value == Ratio::ZERO;
    let is_never_late = |overheads: Overheads<'_>| {
        (1..=question.tasks.len() as u64).all(|count| overheads.event_latency.at(count).is_some_and(in_time))
    };
    question.policy != JobRanking::Edf || question.overheads.is_none_or(is_never_late)
}

fn is_miss(finding: &Finding) -> bool {
    finding.verdict == Verdict::Disproven
}
