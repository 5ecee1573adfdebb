//! The arrivals of a disproof as a task set of their own, which `simulate` plays: each job is a task that arrives at its instant.

use super::question::PosedQuestion;
use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_analysis::question::{Answer, Policy as Ranking, Shape};
use prazo_analysis::{LatePattern, Reason, Task, Ticks};
use prazo_core::task::TICKS_MAX;
use prazo_scenario::{Arrival, Conduct, NamedTask, Policy, Priorities, Scenario, TaskBehaviour, Unit, write};
use std::path::Path;

/// Writes the pattern of `answer` to `file`; where the verdict has none, says so.
pub(super) fn save(
    posed: &PosedQuestion,
    answer: &Answer,
    file: &Path,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let Some(scenario) = scenario(posed, answer)? else {
        progress.remark(&Remark::Text(format!(
            "no arrivals were written to {}, because the search of all states did not disprove the set on one ready queue",
            file.display()
        )));
        return Ok(());
    };
    output::write(file, write::toml(&scenario))?;
    progress.remark(&Remark::Written { what: FileKind::TaskSet, file: file.to_owned() });
    Ok(())
}

/// The arrivals that the search of all states found to make a job late, as a task set for `simulate`; `None` where it found none.
pub(super) fn scenario(posed: &PosedQuestion, answer: &Answer) -> Result<Option<Scenario>, Error> {
    let Some(Reason::MissedIn(pattern)) = answer.decided_by.as_ref().map(|finding| &finding.reason) else {
        return Ok(None);
    };
    // What is played has one ready queue, and under fixed priorities an order.
    let question = posed.question();
    let one_queue = matches!(question.shape, Shape::Global { .. } | Shape::Clusters([_]));
    if !one_queue || question.policy != Ranking::Edf && answer.priorities.is_none() {
        return Ok(None);
    }
    played(posed, answer, pattern).map(Some).ok_or_else(|| {
        Error::refused("an instant of the arrivals is too large for a task set").with_value(&posed.scenario.name)
    })
}

fn played(posed: &PosedQuestion, answer: &Answer, pattern: &LatePattern) -> Option<Scenario> {
    let scenario = &posed.scenario;
    let (unit, length) = match scenario.unit {
        Some(unit) if unit.ns().is_multiple_of(pattern.parts) => (Some(Unit::Nanosecond), unit.ns() / pattern.parts),
        _ => (None, 1),
    };
    let from_parts = |parts: Ticks| parts.checked_mul(length).filter(|ticks| *ticks <= TICKS_MAX);
    let ticks = |ticks: Ticks| from_parts(ticks.checked_mul(pattern.parts)?);
    let question = posed.question();
    let work = pattern.arrivals.iter().map(|arrival| ticks(question.tasks[arrival.task].cost));
    let work: Ticks = work.sum::<Option<Ticks>>()?;
    // No job arrives a second time before all are done.
    let again = from_parts(pattern.job.deadline)?.checked_add(work)?.checked_mul(2).filter(|end| *end <= TICKS_MAX)?;
    let ranks = answer.priorities.as_deref();
    let mut tasks = Vec::with_capacity(pattern.arrivals.len());
    for (index, named) in scenario.tasks.iter().enumerate() {
        let own = pattern.arrivals.iter().filter(|arrival| arrival.task == index);
        for (number, arrival) in own.enumerate() {
            let task = &question.tasks[index];
            tasks.push(NamedTask {
                name: format!("{}-{number}", named.name),
                task: Task::new(ticks(task.cost)?, again, ticks(task.deadline)?),
                arrival: Arrival::Periodic,
                priority: ranks
                    .and_then(|order| order.iter().position(|other| *other == index))
                    .map(|rank| rank as u32),
                cluster: None,
                affinity: None,
                behaviour: TaskBehaviour::default(),
                conduct: Conduct { offset: Some(from_parts(arrival.at)?), ..Conduct::default() },
            });
        }
    }
    Some(Scenario {
        name: format!("{}-pattern", scenario.name),
        note: Some(format!(
            "With these arrivals job {} of '{}' is late. Each task of this set is one job of the original set; \
             simulate this set. Without a unit of time, a tick of the original set is divided by {} here.",
            pattern.job.job, scenario.tasks[pattern.job.task].name, pattern.parts
        )),
        unit,
        tasks,
        processors: Some(question.shape.processors()),
        clusters: Some(vec![question.shape.processors()]),
        policy: Some(match ranks {
            Some(_) => Policy::FixedPriority(Priorities::Given),
            None => Policy::Edf,
        }),
        ..Scenario::default()
    })
}
