//! What threatens an answer, noted beside it.

use super::{Answer, Caveat, JobRanking, Priorities, Question, Shape};
use crate::{Finding, Reason, Task, TimeModel, Verdict, reach, schedule_graph};
use prazo_core::overheads::Overhead;

/// `answer` with its caveats, most general first, each once.
pub(super) fn noted(question: &Question<'_>, mut answer: Answer) -> Answer {
    let extrapolated = extrapolates(question, &answer);
    let overloaded = answer.findings.iter().any(|finding| matches!(finding.reason, Reason::Overloaded(_)));
    let mut note = |caveat, applies| {
        if applies && !answer.caveats.contains(&caveat) {
            answer.caveats.push(caveat);
        }
    };
    let arbitrary = question.tasks.iter().any(|task| task.deadline > task.period);
    note(
        Caveat::DispatchedByOwnDeadline,
        answer.verdict == Verdict::Proven && arbitrary && question.policy == JobRanking::Edf,
    );
    note(
        Caveat::AudsleyNotGlobal,
        question.policy == JobRanking::FixedPriority(Priorities::Audsley) && shares(question.shape),
    );
    note(Caveat::WholeTicksOnly, answer.verdict == Verdict::Proven && question.time == TimeModel::Discrete);
    let by_index = |finding: &Finding| {
        finding.is_proven() && [reach::NAME_BY_INDEX, schedule_graph::NAME_BY_INDEX].contains(&finding.test)
    };
    let of_bins = answer.packings.iter().filter(|packed| packed.proven).flat_map(|packed| &packed.bins);
    let ties = answer.decided_by.iter().chain(of_bins.filter_map(|bin| bin.finding.as_ref())).any(by_index);
    note(Caveat::TiesByIndex, ties);
    note(Caveat::OverheadsAreBounds, overloaded);
    note(Caveat::OverheadsExtrapolated, extrapolated);
    answer
}

/// True if some queue has several processors.
fn shares(shape: Shape<'_>) -> bool {
    match shape {
        Shape::Global { processors } => processors > 1,
        Shape::Clusters(sizes) => sizes.iter().any(|size| *size > 1),
    }
}

/// True if an overhead was looked up beyond the last point of its table.
fn extrapolates(question: &Question<'_>, answer: &Answer) -> bool {
    let Some(all) = &question.overheads else { return false };
    let fullest = answer.packings.iter().flat_map(|packed| &packed.bins).map(|bin| bin.tasks.len()).max();
    let count = fullest.unwrap_or(question.tasks.len()) as u64;
    let beyond = |overhead: &Overhead<'_>, at: u64| overhead.at(at).is_some_and(|amount| amount.extrapolated);
    let by_count = [all.release, all.scheduling, all.context_switch, all.tick, all.ipi_latency, all.event_latency];
    let by_set = [all.cache_delay, all.initial_cache_load];
    let working_set = |task: &Task| by_set.iter().any(|overhead| beyond(overhead, task.working_set_kib));
    by_count.iter().any(|overhead| beyond(overhead, count)) || question.tasks.iter().any(working_set)
}
