//! No packing holds: may tasks that fit on no processor run in pieces?

use super::{Answer, JobRanking, Method, Question, Shape};
use crate::Verdict;
use crate::partition::Allowance;
use crate::partition::split::split;

const POLICY: &str = "tasks are split under EDF only; use --policy edf";
const SHAPE: &str =
    "splitting needs at least two processors, each with its own ready queue; use --shape partitioned with -m 2 or more";
const PLACES: &str = "the set ties tasks to processors, so no task may be split; remove `cluster` and `affinity`";
const BEHAVIOURS: &str = "splitting does not cover non-preemptive parts, critical sections, bursts, self-suspension, a supply or mixed criticality";
const OVERHEADS: &str = "splitting does not cover overheads; use --overheads none";

/// Why tasks of `question` cannot be split; `None` where they can.
pub fn unsplittable(question: &Question<'_>) -> Option<&'static str> {
    let alone =
        matches!(question.shape, Shape::Clusters(sizes) if sizes.len() > 1 && sizes.iter().all(|size| *size == 1));
    let tied = question.places.is_some_and(|places| places.iter().any(Option::is_some));
    let reasons = [
        (question.policy != JobRanking::Edf, POLICY),
        (!alone, SHAPE),
        (tied, PLACES),
        (!question.behaviours.is_plain(), BEHAVIOURS),
        (question.overheads.is_some(), OVERHEADS),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// `answer`, which no packing proves, as an answer about split tasks: that no assignment exists disproves nothing of them.
pub(super) fn answer(question: &Question<'_>, method: &Method, answer: Answer) -> Answer {
    if unsplittable(question).is_some() {
        return answer;
    }
    let processors = question.shape.processors();
    let all = method.packing_budget.saturating_mul(processors.into());
    let found = split(question.tasks, processors, Allowance { each_test: method.budget, all });
    let verdict = if found.proven { Verdict::Proven } else { Verdict::Unknown };
    Answer { verdict, decided_by: None, work: answer.work + found.work, split: Some(found), ..answer }
}
