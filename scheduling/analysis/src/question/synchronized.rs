//! All tasks on one clock: what is proven for arrivals at any instant holds, and nothing else does; the schedule graph decides.

use super::judge::{Contenders, Judge};
use super::{Answer, JobRanking, Method, Priorities, Question, Shape};
use crate::disproof::necessary;
use crate::reach::Ranking;
use crate::schedule_graph::{self, PeriodicQueue};
use crate::{Budget, Finding, Reason, Task, TaskSet, Verdict};
use prazo_core::behaviour::{CriticalityMode, Phase};

const SEVERAL: &str = "with offsets, only one ready queue is supported; write a separate task set for each processor";
const OVERHEADS: &str = "with offsets, overheads are not covered; use --overheads none";
const SUPPLY: &str = "with offsets, a supply is not covered; remove [supply], or remove synchronized";
const PREEMPTIVE: &str = "with offsets, each task must have non_preemptive = \"whole\", and none of `uses`, `burst`, `arrivals`, `suspends` and `criticality`";
const SEARCHED: &str = "Audsley's search does not support offsets; use --priorities dm, rm or given";

/// `answer`, which is of arrivals at any instant, made one of the set's own arrivals.
pub(super) fn answer(question: &Question<'_>, method: &Method, answer: Answer) -> Answer {
    if question.behaviours.phases.is_empty() || answer.verdict == Verdict::Proven {
        return answer;
    }
    let in_the_long_run = Reason::Overdemand { window: None };
    if answer.decided_by.as_ref().is_some_and(|finding| finding.reason == in_the_long_run) {
        return answer;
    }
    let mut answer = any_instant_only(answer);
    let finding = match queue(question) {
        Ok(processors) => on_one_queue(question, method, processors, &mut answer),
        Err(why) => {
            let tasks = TaskSet::new(question.tasks).ok();
            let overload = tasks.and_then(|tasks| necessary::overload(tasks, question.shape.processors()));
            let is_mixed = question.behaviours.is_mixed();
            let overload = overload.map(|found| if is_mixed { found.in_mode(CriticalityMode::Low) } else { found });
            overload.unwrap_or_else(|| Finding::not_applicable(schedule_graph::NAME, why))
        }
    };
    answer.work += finding.work;
    answer.verdict = finding.verdict;
    answer.decided_by = (finding.verdict != Verdict::Unknown).then(|| finding.clone());
    answer.findings.push(finding);
    answer
}

/// A miss with other first arrivals says nothing of these.
fn any_instant_only(mut answer: Answer) -> Answer {
    (answer.verdict, answer.decided_by) = (Verdict::Unknown, None);
    answer.findings = answer.findings.into_iter().map(|finding| finding.of_uncharged(0)).collect();
    for bin in answer.packings.iter_mut().flat_map(|packed| &mut packed.bins) {
        bin.finding = bin.finding.take().map(|finding| finding.of_uncharged(0));
    }
    answer
}

/// The processors of the only queue, or why the graph does not cover the question.
fn queue(question: &Question<'_>) -> Result<u32, &'static str> {
    let behaviours = &question.behaviours;
    let runs_to_end = |(index, task): (usize, &Task)| {
        let behaviour = behaviours.of(index);
        let alone = behaviour.burst.is_none() && behaviour.curve.is_none() && behaviour.sections.is_empty();
        behaviour.non_preemptive.last >= task.cost
            && alone
            && behaviour.suspension == 0
            && behaviour.cost_high.is_none()
    };
    let reasons = [
        (question.overheads.is_some(), OVERHEADS),
        (behaviours.supply.is_some(), SUPPLY),
        (!question.tasks.iter().enumerate().all(runs_to_end), PREEMPTIVE),
        (question.policy == JobRanking::FixedPriority(Priorities::Audsley), SEARCHED),
    ];
    if let Some((_, why)) = reasons.into_iter().find(|(applies, _)| *applies) {
        return Err(why);
    }
    match question.shape {
        Shape::Global { processors } | Shape::Clusters(&[processors]) => Ok(processors),
        Shape::Clusters(_) => Err(SEVERAL),
    }
}

fn on_one_queue(question: &Question<'_>, method: &Method, processors: u32, answer: &mut Answer) -> Finding {
    let order: Vec<usize> = match question.policy {
        JobRanking::Edf => (0..question.tasks.len()).collect(),
        JobRanking::FixedPriority(from) => {
            let ranks = question.policy.given_ranks();
            let all = Contenders { interrupts: &[], tasks: question.tasks, ranks, processors };
            match Judge::new(question, None, method).order(from, all) {
                Ok(order) => order.indices().to_vec(),
                Err(unordered) => return unordered,
            }
        }
    };
    let tasks: Vec<Task> = order.iter().map(|&task| question.tasks[task]).collect();
    // Who asks about smaller costs does not say that a best case is smaller, too.
    let phase = |&task: &usize| {
        let Phase { offset, best_case } = question.behaviours.phases[task];
        Phase { offset, best_case: best_case.min(question.tasks[task].cost) }
    };
    let phases: Vec<Phase> = order.iter().map(phase).collect();
    let Ok(tasks) = TaskSet::new(&tasks) else {
        return Finding::not_applicable(schedule_graph::NAME, "a time is too large; use a coarser unit");
    };
    let ranking = if question.policy == JobRanking::Edf { Ranking::Edf } else { Ranking::AsOrdered };
    let queue = PeriodicQueue { tasks, phases: &phases, processors, ranking, time: question.time };
    let finding = schedule_graph::test(queue, &mut Budget::new(method.budget)).with_tasks(|place| order[place]);
    if question.policy != JobRanking::Edf {
        answer.priorities = Some(order);
    }
    finding
}
