//! Nothing proved the set: is there a demand that cannot be served, or a job that misses?
//!
//! The tasks are taken as their author wrote them. Overheads are upper bounds, and jobs that suffer none are legal, so a miss
//! without overheads is a miss on this platform too.

use super::judge::Judge;
use super::{Answer, JobRanking, Method, Question, Shape};
use crate::mixed::{self, ModeTasks};
use crate::{Budget, Finding, TaskSet, Verdict, disproof};
use prazo_core::behaviour::{Behaviours, CriticalityMode};

/// `answer`, disproven if a proof is found within the budget.
pub(super) fn answer(question: &Question<'_>, method: &Method, mut answer: Answer) -> Answer {
    let Ok(set) = TaskSet::new(question.tasks) else { return answer };
    let finding = if question.behaviours.is_mixed() {
        [CriticalityMode::Low, CriticalityMode::High].into_iter().find_map(|mode| in_mode(question, method, mode))
    } else {
        disproof::necessary::overdemand(set, question.shape.processors(), &mut Budget::new(method.budget))
            .or_else(|| exactly(question, method))
            .or_else(|| simulated(question, set, method, &answer))
    };
    if let Some(finding) = finding {
        answer.work += finding.work;
        if finding.verdict == Verdict::Disproven {
            answer.verdict = Verdict::Disproven;
            answer.decided_by = Some(finding.clone());
        }
        answer.findings.push(finding);
    }
    answer
}

/// On one processor: what the exact test says of the tasks without the overheads that it could only prove with.
fn exactly(question: &Question<'_>, method: &Method) -> Option<Finding> {
    if question.overheads.is_none() || !matches!(question.shape, Shape::Global { processors: 1 }) {
        return None;
    }
    let judge = Judge::new(question, None, method);
    let judged = judge.judge(question.tasks, question.policy.given_ranks(), 1);
    judged.decisive().filter(|finding| finding.verdict == Verdict::Disproven).cloned()
}

/// Two criticalities: a demand of the tasks that run in `mode`, each with its cost there, that cannot be served, or one of their jobs that
/// misses under fixed priorities on one processor.
///
/// Under EDF only a demand disproves. Jobs have virtual deadlines there, but no ranking at all serves more than the processor can.
fn in_mode(question: &Question<'_>, method: &Method, mode: CriticalityMode) -> Option<Finding> {
    let ModeTasks { tasks, indices } = ModeTasks::of(question.tasks, &question.behaviours, mode);
    let set = TaskSet::new(&tasks).ok()?;
    let finding = disproof::necessary::overdemand(set, question.shape.processors(), &mut Budget::new(method.budget))
        .or_else(|| {
            let JobRanking::FixedPriority(_) = question.policy else { return None };
            let is_single = matches!(question.shape, Shape::Global { processors: 1 } | Shape::Clusters(&[1]));
            if !is_single || mixed::departs_otherwise(&question.behaviours) {
                return None;
            }
            let ranks = question.policy.given_ranks();
            let ranks: Vec<u32> = indices.iter().filter_map(|&index| ranks.get(index).copied()).collect();
            let plain = Question { behaviours: Behaviours::PLAIN, ..*question };
            let judged = Judge::new(&plain, None, method).judge(&tasks, &ranks, 1);
            judged.decisive().filter(|finding| finding.verdict == Verdict::Disproven).cloned()
        })?;
    Some(finding.with_tasks(|place| indices[place]).in_mode(mode))
}

/// The schedule of synchronous arrivals, where one queue serves all processors and no exact test has spoken.
fn simulated(question: &Question<'_>, set: TaskSet<'_>, method: &Method, answer: &Answer) -> Option<Finding> {
    let (Shape::Global { processors } | Shape::Clusters(&[processors])) = question.shape else { return None };
    if processors == 1 || set.has_jitter() || !question.behaviours.is_plain() {
        return None;
    }
    let budget = &mut Budget::new(method.simulated_jobs);
    match question.policy {
        JobRanking::Edf => Some(disproof::global_edf::find_miss(set, processors, budget)),
        JobRanking::FixedPriority(_) => {
            let ranks = ranks(answer.priorities.as_deref()?);
            Some(disproof::global_fixed_priority::find_miss(set, &ranks, processors, budget))
        }
    }
}

/// The rank of each task, from the tasks in the order of their priorities.
fn ranks(most_urgent_first: &[usize]) -> Vec<u32> {
    let mut ranks = vec![0; most_urgent_first.len()];
    most_urgent_first.iter().enumerate().for_each(|(rank, &task)| ranks[task] = rank as u32);
    ranks
}
