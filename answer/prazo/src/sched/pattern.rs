//! The arrivals of a disproof as a task set of their own, which `simulate` plays: each job is a task that arrives at its instant. In
//! an execution of a synchronized set, each also runs for as long as it does there.

use super::question::PosedQuestion;
use crate::error::Error;
use prazo_analysis::question::{Answer, JobRanking as Ranking, Shape};
use prazo_analysis::{LateExecution, LatePattern, Reason, Task, Ticks};
use prazo_core::task::TICKS_MAX;
use prazo_scenario::{Arrival, Conduct, JobRanking, NamedTask, Preemption, Priorities, Scenario, TaskBehaviour, Unit};
use std::fmt;
use std::path::Path;

/// Why no arrivals were written to `file`.
pub(super) fn none(file: &Path) -> String {
    format!(
        "no arrivals were written to {}: they exist only if a search of states on one ready queue, or of the schedule graph on one processor, disproved the set",
        file.display()
    )
}

/// The arrivals that a search found to make a job late, as a task set for `simulate`; `None` where it found none.
pub(super) fn scenario(posed: &PosedQuestion, answer: &Answer) -> Result<Option<Scenario>, Error> {
    let Some(finding) = &answer.decided_by else { return Ok(None) };
    let jobs = match &finding.reason {
        Reason::MissedIn(pattern) => of_pattern(posed, pattern),
        // Parts that are not preempted are simulated on one processor only.
        Reason::MissedBy(execution) if posed.question().shape.processors() == 1 => of_execution(posed, execution),
        _ => return Ok(None),
    };
    // What is played has one ready queue, and under fixed priorities an order.
    let question = posed.question();
    let one_queue = matches!(question.shape, Shape::Global { .. } | Shape::Clusters([_]));
    if !one_queue || question.policy != Ranking::Edf && answer.priorities.is_none() {
        return Ok(None);
    }
    let scenario = jobs.and_then(|jobs| played(posed, answer, &jobs));
    scenario.map(Some).map_err(|why| Error::refused(why.to_string()).with_value(&posed.scenario.name))
}

/// Why the arrivals of a disproof cannot be written as a task set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unwritable {
    /// A time is above [`TICKS_MAX`].
    Time,
    /// The period in which no task has a second job is above [`TICKS_MAX`].
    Period,
    /// A job is released at its deadline or later.
    Release,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the arrivals cannot be written as a task set: ")?;
        f.write_str(match self {
            Self::Time => "a time of a job would be above 2^48 ticks",
            Self::Period => "the period of the tasks would be above 2^48 ticks",
            Self::Release => "a job is released at its deadline or later",
        })
    }
}

/// The jobs of a disproof, their times in parts of a tick.
struct Jobs {
    parts: u64,
    jobs: Vec<Played>,
    /// Task, number and deadline of the late one.
    late: (usize, u64, Ticks),
    preemption: Preemption,
}

/// One of them, which may start at its release.
struct Played {
    task: usize,
    release: Ticks,
    deadline: Ticks,
    cost: Ticks,
}

/// Jobs that need all of their cost, released as they arrive.
fn of_pattern(posed: &PosedQuestion, pattern: &LatePattern) -> Result<Jobs, Unwritable> {
    let LatePattern { parts, arrivals, job } = pattern;
    let tasks = posed.question().tasks;
    let played = |arrival: &prazo_analysis::Arrival| -> Result<Played, Unwritable> {
        let of = &tasks[arrival.task];
        Ok(Played {
            task: arrival.task,
            release: arrival.at,
            deadline: of.deadline.checked_mul(*parts).ok_or(Unwritable::Time)?,
            cost: of.cost.checked_mul(*parts).ok_or(Unwritable::Time)?,
        })
    };
    Ok(Jobs {
        parts: *parts,
        jobs: arrivals.iter().map(played).collect::<Result<_, _>>()?,
        late: (job.task, job.job, job.deadline),
        preemption: Preemption::Anywhere,
    })
}

/// Jobs that are not preempted.
fn of_execution(posed: &PosedQuestion, execution: &LateExecution) -> Result<Jobs, Unwritable> {
    let LateExecution { parts, jobs, late } = execution;
    let tasks = posed.question().tasks;
    let played = |job: &prazo_analysis::ExecutedJob| -> Result<Played, Unwritable> {
        let relative = tasks[job.task].deadline.checked_mul(*parts);
        let due = relative.and_then(|relative| job.arrival.checked_add(relative)).ok_or(Unwritable::Time)?;
        let left = due.checked_sub(job.release).filter(|left| *left > 0);
        let deadline = left.ok_or(Unwritable::Release)?;
        Ok(Played { task: job.task, release: job.release, deadline, cost: job.cost })
    };
    Ok(Jobs {
        parts: *parts,
        jobs: jobs.iter().map(played).collect::<Result<_, _>>()?,
        late: (late.task, late.job, late.deadline),
        preemption: Preemption::Never,
    })
}

fn played(posed: &PosedQuestion, answer: &Answer, all: &Jobs) -> Result<Scenario, Unwritable> {
    let scenario = &posed.scenario;
    let (unit, length) = match scenario.unit {
        Some(unit) if unit.ns().is_multiple_of(all.parts) => (Some(Unit::Nanosecond), unit.ns() / all.parts),
        _ => (None, 1),
    };
    let from_parts = |parts: Ticks| -> Result<Ticks, Unwritable> {
        parts.checked_mul(length).filter(|ticks| *ticks <= TICKS_MAX).ok_or(Unwritable::Time)
    };
    let question = posed.question();
    let work: Ticks = all.jobs.iter().map(|job| from_parts(job.cost)).sum::<Result<Ticks, Unwritable>>()?;
    let last = all.jobs.iter().map(|job| job.release).fold(all.late.2, Ticks::max);
    // No job arrives a second time before all are done.
    let end = from_parts(last)?.checked_add(work);
    let again = end.and_then(|end| end.checked_mul(2)).filter(|again| *again <= TICKS_MAX);
    let again = again.ok_or(Unwritable::Period)?;
    let ranks = answer.priorities.as_deref();
    let mut tasks = Vec::with_capacity(all.jobs.len());
    for (index, named) in scenario.tasks.iter().enumerate() {
        let own = all.jobs.iter().filter(|job| job.task == index);
        for (number, job) in own.enumerate() {
            tasks.push(NamedTask {
                name: format!("{}-{number}", named.name),
                task: Task::new(from_parts(job.cost)?, again, from_parts(job.deadline)?),
                arrival: Arrival::Periodic,
                priority: ranks
                    .and_then(|order| order.iter().position(|other| *other == index))
                    .map(|rank| rank as u32),
                cluster: None,
                affinity: None,
                behaviour: TaskBehaviour { preemption: all.preemption.clone(), ..TaskBehaviour::default() },
                conduct: Conduct { offset: Some(from_parts(job.release)?), ..Conduct::default() },
            });
        }
    }
    let (late, number, _) = all.late;
    Ok(Scenario {
        name: format!("{}-pattern", scenario.name),
        note: Some(format!(
            "With these arrivals job {} of '{}' is late. Each task of this set is one job of the original set; \
             simulate this set. If this set has no unit of time, a tick of the original set is {} ticks here.",
            number, scenario.tasks[late].name, all.parts
        )),
        unit,
        tasks,
        processors: Some(question.shape.processors()),
        clusters: Some(vec![question.shape.processors()]),
        policy: Some(match ranks {
            Some(_) => JobRanking::FixedPriority(Priorities::Given),
            None => JobRanking::Edf,
        }),
        ..Scenario::default()
    })
}
