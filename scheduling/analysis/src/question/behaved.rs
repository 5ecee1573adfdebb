//! Which questions about tasks that block each other, come in bursts, suspend themselves, have a supply or two criticalities a test
//! answers; all others stay open, with the reason.

use super::{Answer, JobRanking, Priorities, Question, Shape};
use crate::{Finding, mixed};
use prazo_core::behaviour::{Behaviour, Locking};

const NAME: &str = "blocking";
const MIXED: &str = "mixed criticality";
const MIXED_SHARED: &str =
    "mixed criticality is not covered on several processors; write one task set for each processor";
const MIXED_OVERHEADS: &str = "mixed criticality is not covered with overheads; use --overheads none";
const MIXED_SEARCHED: &str = "Audsley's search does not support mixed criticality; use --priorities dm, rm or given";
const SHARED: &str = "non-preemptive parts, critical sections, bursts and self-suspension are covered only where \
                      each processor has its own ready queue; use --shape partitioned";
const OVERHEADS: &str = "non-preemptive parts, critical sections, bursts and self-suspension are not covered with overheads; use \
                         --overheads none";
const SECTIONS: &str = "locking = \"srp\", \"pcp\" and \"pip\" are covered on one processor only; use \"msrp\", \"fmlp+\" or, with fixed priorities, \"mpcp\"";
const SHARED_PARTS: &str = "locking across processors is not covered with non-preemptive parts; remove non_preemptive, or use one processor with locking = \"srp\"";
const NESTED: &str = "the critical sections of a job are together longer than its cost, so they nest; nested sections are not \
                      covered with locking across processors";
const MPCP: &str =
    "locking = \"mpcp\" needs fixed priorities; choose --policy dm or rm, or locking = \"msrp\" or \"fmlp+\"";
const SEARCHED: &str =
    "Audsley's search does not support blocking, bursts, self-suspension or a supply; use --priorities dm, rm or given";
const SUPPLY_SHARED: &str = "a supply applies to one processor; use -m 1";
const SUPPLY_OVERHEADS: &str = "no test covers a supply together with overheads; use --overheads none";
const SUPPLY_BLOCKED: &str =
    "no test covers a supply together with non-preemptive parts or critical sections; remove the supply, or the others";
const SUSPENDED: &str = "no test covers self-suspension together with non-preemptive parts, critical sections or a supply; \
                         remove `suspends`, or the others";

/// Why no test covers `question`; `None` where one does.
pub(super) fn uncovered(question: &Question<'_>) -> Option<&'static str> {
    if question.behaviours.is_plain() {
        return None;
    }
    let single: &[u32] = &[1];
    let sizes = match question.shape {
        Shape::Global { processors: 1 } => single,
        Shape::Global { .. } => &[],
        Shape::Clusters(sizes) => sizes,
    };
    if question.behaviours.is_mixed() {
        return uncovered_mixed(question, sizes);
    }
    let has_sections = !question.behaviours.sections.is_empty();
    let is_supplied = question.behaviours.supply.is_some();
    let has_parts = question.behaviours.iter().any(|behaviour| behaviour.non_preemptive.longest > 0);
    let suspends = question.behaviours.iter().any(|behaviour| behaviour.suspension > 0);
    let crosses = question.behaviours.crosses_processors();
    let reasons = [
        (suspends && (has_parts || has_sections || is_supplied), SUSPENDED),
        (is_supplied && sizes != [1], SUPPLY_SHARED),
        (is_supplied && question.overheads.is_some(), SUPPLY_OVERHEADS),
        (is_supplied && (has_parts || has_sections), SUPPLY_BLOCKED),
        (sizes.is_empty() || sizes.iter().any(|size| *size != 1), SHARED),
        (question.overheads.is_some(), OVERHEADS),
        (has_sections && sizes.len() > 1 && !crosses, SECTIONS),
        (question.policy == JobRanking::FixedPriority(Priorities::Audsley), SEARCHED),
        (crosses && has_parts, SHARED_PARTS),
        (crosses && nests(question), NESTED),
        (crosses && question.behaviours.locking == Locking::Mpcp && question.policy == JobRanking::Edf, MPCP),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// Why no test covers `question`, whose tasks are of two criticalities, on clusters of these sizes.
fn uncovered_mixed(question: &Question<'_>, sizes: &[u32]) -> Option<&'static str> {
    match () {
        () if sizes != [1] => Some(MIXED_SHARED),
        () if question.overheads.is_some() => Some(MIXED_OVERHEADS),
        () if question.policy == JobRanking::FixedPriority(Priorities::Audsley) => Some(MIXED_SEARCHED),
        () => mixed::uncovered(question.tasks, &question.behaviours),
    }
}

/// True if the sections of some job do not fit into it one after the other.
fn nests(question: &Question<'_>) -> bool {
    let held = |behaviour: Behaviour<'_>| {
        behaviour.sections.iter().map(|one| u128::from(one.requests) * u128::from(one.length)).sum::<u128>()
    };
    let mut all = question.tasks.iter().zip(question.behaviours.iter());
    all.any(|(task, behaviour)| held(behaviour) > task.cost.into())
}

/// The answer where none is covered.
pub(super) fn unanswered(question: &Question<'_>) -> Answer {
    let name = if question.behaviours.is_mixed() { MIXED } else { NAME };
    let findings = uncovered(question).map(|why| Finding::not_applicable(name, why)).into_iter().collect();
    Answer { findings, ..Answer::open() }
}
