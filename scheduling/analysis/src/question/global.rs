//! One queue for all processors: charge the whole set, ask the tests.

use super::judge::Judge;
use super::{Answer, Method, Question};
use crate::Verdict;

/// What the tests say of the whole set.
pub(super) fn answer(question: &Question<'_>, processors: u32, method: &Method) -> Answer {
    let judge = Judge::new(question, question.overheads, method);
    let judged = judge.judge(question.tasks, question.policy.given_ranks(), processors);
    let decided_by = judged.decisive().filter(|finding| finding.verdict != Verdict::Unknown).cloned();
    Answer {
        verdict: decided_by.as_ref().map_or(Verdict::Unknown, |finding| finding.verdict),
        decided_by,
        work: judged.findings.iter().map(|finding| finding.work).sum(),
        findings: judged.findings,
        charged: judged.charged,
        responses: judged.responses,
        responses_by_mode: judged.responses_by_mode,
        priorities: judged.priorities,
        virtual_deadlines: judged.virtual_deadlines,
        ..Answer::open()
    }
}
