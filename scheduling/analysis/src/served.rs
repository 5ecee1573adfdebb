//! Tasks with a constant-bandwidth server as analysis sees them: the server's budget Q in every period P of the server.
//!
//! For the other tasks that is sound whatever the served one does where the server's demand in an interval, at most its
//! bandwidth times the length (Abeni and Buttazzo 1998), is all that the test asks for: EDF on queues of one processor, nobody
//! due sooner after the latest release than a period, a platform that costs nothing. Costs are per job and per wake-up, and a
//! server has more of both than one in P.
//!
//! For the served task's own jobs it is sound where each job lasts C at most and C <= Q, P + J <= T and P + J <= D (J the
//! jitter). Each is then served by one deadline, r + P, where r is its release:
//! releases lie T - J >= P apart, so at r the server's old deadline is r at the latest, or, where the job before used the
//! budget up as it ended, r + P at the latest with all of Q left. Neither pair is within the bandwidth, so the server begins
//! anew with Q until r + P, and C <= Q lasts. By the first paragraph the job ends by r + P, which is not after the task's
//! deadline, r - J + D, nor after its next release. What is not so is refused.

use crate::question::{JobRanking, Question, Shape};
use crate::{Task, Verdict};
use prazo_scenario::{NamedTask, Reservation, Scenario};

/// A question about a server that no test here answers: which task has it, why, and what else may be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{scenario}: task '{task}' {why} simulate the set, or remove the task's server")]
pub struct Unanswerable {
    /// The scenario's name.
    pub scenario: String,
    /// The task's name.
    pub task: String,
    /// Why, with what to ask instead.
    pub why: &'static str,
}

/// The tasks of `scenario`, each with a server as what that grants.
pub fn tasks(scenario: &Scenario) -> Vec<Task> {
    let task = |named: &NamedTask| match named.conduct.server {
        Some(server) => {
            Task { working_set_kib: named.task.working_set_kib, ..Task::implicit(server.budget, server.period) }
        }
        None => named.task,
    };
    scenario.tasks.iter().map(task).collect()
}

/// Refuses questions about servers that the tests cannot answer.
pub fn check(scenario: &Scenario, question: &Question<'_>) -> Result<(), Unanswerable> {
    refuse(scenario, |named, server| unanalysed(question).or_else(|| uncovered(named, server)))
}

/// Refuses to call a set disproven because its servers ask for more than their tasks do.
pub fn check_verdict(scenario: &Scenario, verdict: Verdict) -> Result<(), Unanswerable> {
    let asks_more = |task: &Task, server: Reservation| (server.budget, server.period) != (task.cost, task.period);
    refuse(scenario, |named, server| {
        (verdict == Verdict::Disproven && asks_more(&named.task, server)).then_some(
            "has a server that reserves more than the task's cost and period need, and the set is not schedulable \
             with this reservation; the tasks are not disproven; lower server_budget to the task's cost, lengthen server_period,",
        )
    })
}

/// Refuses for the first served task that `reason` has something to say of: why, and what else may be done.
fn refuse(
    scenario: &Scenario,
    reason: impl Fn(&NamedTask, Reservation) -> Option<&'static str>,
) -> Result<(), Unanswerable> {
    let refused = |named: &NamedTask| Some((named.name.clone(), reason(named, named.conduct.server?)?));
    match scenario.tasks.iter().find_map(refused) {
        None => Ok(()),
        Some((task, why)) => Err(Unanswerable { scenario: scenario.name.clone(), task, why }),
    }
}

/// Why no test here answers `question` about any server.
fn unanalysed(question: &Question<'_>) -> Option<&'static str> {
    let is_single = match question.shape {
        Shape::Global { processors } => processors == 1,
        Shape::Clusters(sizes) => sizes.iter().all(|size| *size == 1),
    };
    let is_long = question.tasks.iter().all(|task| task.deadline >= task.period.saturating_add(task.jitter));
    if !(is_single && is_long && matches!(question.policy, JobRanking::Edf)) {
        return Some(
            "has a server, which is analysed only under EDF, with a queue for each processor (--shape partitioned) and \
             with deadlines of at least period plus jitter; choose these,",
        );
    }
    question.overheads.is_some().then_some(
        "has a server, and no test here charges a server's overheads; test without overheads (--overheads none),",
    )
}

/// Why the server does not see the task's own jobs through by their deadlines.
fn uncovered(named: &NamedTask, server: Reservation) -> Option<&'static str> {
    let NamedTask { task, conduct, .. } = named;
    if conduct.execution.is_some_and(|ticks| ticks > task.cost) {
        return Some(
            "runs longer than its cost, so its server makes its own jobs late; \
             raise cost and server_budget to its execution,",
        );
    }
    if server.budget < task.cost {
        return Some(
            "has a server_budget below its cost, so its own jobs may miss their deadlines; \
             raise the budget to the cost,",
        );
    }
    (server.period.saturating_add(task.jitter) > task.period.min(task.deadline)).then_some(
        "has a server_period that, together with the task's jitter, exceeds its period or deadline, so its own jobs \
         may miss their deadlines; shorten server_period,",
    )
}

/// What a reader of the answer should know, one sentence for each task that is not simply its cost and its period.
pub fn remarks(scenario: &Scenario) -> Vec<String> {
    scenario.tasks.iter().filter_map(remark).collect()
}

fn remark(named: &NamedTask) -> Option<String> {
    let name = &named.name;
    let overruns = named.conduct.execution.is_some_and(|ticks| ticks > named.task.cost);
    match named.conduct.server {
        Some(_) => Some(format!(
            "Task '{name}' is analysed as its server with a fully used budget: a proof holds for other tasks whatever this task does, and for this task while its jobs stay within their cost."
        )),
        None if overruns => Some(format!(
            "Jobs of task '{name}' are simulated with an execution time above the task's cost; the verdict holds only for jobs that stay within the cost."
        )),
        None => None,
    }
}
