//! Periodic sets on one clock: when jobs arrive, the states of a schedule graph without a late job, or an execution with one.

use super::NoCertificate;
use super::text::spaced;
use crate::partition::Bin;
use crate::question::Question;
use crate::reach::Ranking;
use crate::schedule_graph::{self, ClosedState, PeriodicQueue};
use crate::{Budget, ExecutedJob, Finding, LateExecution, Task, TaskSet};
use prazo_core::behaviour::Phase;

/// Work that finding the states again may take.
const WORK_MAX: u64 = 200_000_000;

/// The most numbers of a proof.
const NUMBERS_MAX: usize = 4_000_000;

/// One line for each task that says when its jobs arrive and what they need at least; none if tasks may arrive at any instant.
pub(super) fn phases(question: &Question<'_>) -> String {
    let phases = question.behaviours.phases.iter().zip(question.tasks).enumerate();
    let line = |(task, (phase, of)): (usize, (&Phase, &Task))| {
        format!("phase {task} offset {} best-case {}\n", phase.offset, phase.best_case.min(of.cost))
    };
    phases.map(line).collect()
}

/// `tasks` with their names, in the order of priorities under [`Ranking::AsOrdered`].
pub(super) fn evidence(
    question: &Question<'_>,
    finding: &Finding,
    bin: &Bin,
    tasks: &[(usize, Task)],
    ranking: Ranking,
) -> Result<String, NoCertificate> {
    let not_found = NoCertificate::NotFoundAgain(finding.test);
    let (names, tasks): (Vec<usize>, Vec<Task>) = tasks.iter().copied().unzip();
    let phase = |(name, task): (&usize, &Task)| {
        let phase = question.behaviours.phases.get(*name)?;
        Some(Phase { best_case: phase.best_case.min(task.cost), ..*phase })
    };
    let phases: Option<Vec<Phase>> = names.iter().zip(&tasks).map(phase).collect();
    let phases = phases.ok_or(not_found)?;
    let queue = PeriodicQueue {
        tasks: TaskSet::new(&tasks).map_err(|_| not_found)?,
        phases: &phases,
        processors: bin.processors,
        ranking,
        time: question.time,
    };
    let states = schedule_graph::closed_states(queue, finding.test, &mut Budget::new(WORK_MAX));
    let states = states.ok_or(not_found)?;
    if states.len() * (tasks.len() + 2 * bin.processors as usize) > NUMBERS_MAX {
        return Err(NoCertificate::TooLong(finding.test));
    }
    let ties = if finding.test == schedule_graph::NAME { "any" } else { "by-index" };
    let state = |state: &ClosedState| {
        // By name, not by urgency.
        let mut started: Vec<(usize, u32)> = names.iter().copied().zip(state.started.iter().copied()).collect();
        started.sort_unstable();
        let free = state.free.iter().flat_map(|&(first, last)| [first, last]);
        format!("started{}\nfree{}\n", spaced(started.into_iter().map(|(_, count)| count)), spaced(free))
    };
    Ok(format!("test schedule-graph\nties {ties}\n{}", states.iter().map(state).collect::<String>()))
}

/// The late job, and one line for each job; the last without its end.
pub(super) fn execution(LateExecution { parts, jobs, late }: &LateExecution) -> String {
    let job = |job: &ExecutedJob| format!("\nexecutes {} released {} cost {}", job.task, job.release, job.cost);
    let jobs: String = jobs.iter().map(job).collect();
    format!("executed parts {parts} task {} job {}{jobs}", late.task, late.job)
}
