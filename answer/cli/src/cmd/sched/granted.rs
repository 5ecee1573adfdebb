//! Tasks with a constant-bandwidth server as analysis sees them: the server's budget in every period of the server.
//!
//! That is sound where the server's demand in an interval, at most its bandwidth times the length (Abeni and Buttazzo 1998),
//! is all that the test asks for: EDF on queues of one processor, no deadline shorter than its period. Elsewhere the question
//! is refused.

use crate::exit::Failure;
use prazo_analysis::Task;
use prazo_analysis::question::{Policy, Question, Shape};
use prazo_scenario::{NamedTask, Scenario};

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
pub fn check(scenario: &Scenario, question: &Question<'_>) -> Result<(), Failure> {
    let Some(served) = scenario.tasks.iter().find(|named| named.conduct.server.is_some()) else { return Ok(()) };
    let is_single = match question.shape {
        Shape::Global { processors } => processors == 1,
        Shape::Clusters(sizes) => sizes.iter().all(|size| *size == 1),
    };
    let is_long = question.tasks.iter().all(|task| task.deadline >= task.period);
    if is_single && is_long && matches!(question.policy, Policy::Edf) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: task '{}' has a server, which is analysed under EDF with a queue for each processor (--clusters partitioned) and \
         deadlines not shorter than periods; ask so, simulate the set, or leave its server out",
        scenario.name, served.name
    )))
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
            "Task '{name}' is analysed as its server, taken to be used up: other tasks keep their deadlines whatever it does, \
             its own jobs keep the server's."
        )),
        None if overruns => Some(format!(
            "Jobs of task '{name}' are simulated longer than its cost; the answer holds for jobs that keep to it."
        )),
        None => None,
    }
}
