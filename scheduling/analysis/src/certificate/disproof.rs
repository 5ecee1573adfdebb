//! Why an answer is Disproven, said of the tasks as written: overheads are upper bounds and disprove nothing. With two criticalities, it is
//! said of the tasks that run in one mode.

use super::NoCertificate;
use crate::demand::total_demand_bound;
use crate::mixed::ModeTasks;
use crate::question::{Answer, JobRanking, Priorities, Question, Shape};
use crate::{LatePattern, MissedJob, Reason, Task, Ticks};
use prazo_core::behaviour::CriticalityMode;
use std::cmp::Ordering;

pub(super) fn because(question: &Question<'_>, answer: &Answer) -> Result<String, NoCertificate> {
    let finding = answer.decided_by.as_ref().ok_or(NoCertificate::NoProof)?;
    if let Reason::MissedBy(execution) = &finding.reason {
        return Ok(format!("verdict disproven\nbecause {}\n", super::graph::execution(execution)));
    }
    if let Some(because) = super::blocking::because(question, finding) {
        return Ok(format!("verdict disproven\nbecause {}\n", because?));
    }
    let mode = finding.mode.map_or(String::new(), |mode| format!("mode {mode}\n"));
    let written = written(question, finding.mode);
    // What one queue of several cannot serve shows nothing of the whole platform, and the format knows no other disproof.
    let one_queue = matches!(question.shape, Shape::Global { .. } | Shape::Clusters([_]));
    let otherwise = if question.overheads.is_some() { NoCertificate::OnlyWhenCharged } else { NoCertificate::NoProof };
    let why = match &finding.reason {
        Reason::Overdemand { window } => overdemand(question, &written, *window).ok_or(otherwise)?,
        Reason::Missed(_) if question.tasks.iter().any(|task| task.jitter > 0) => {
            overdemand(question, &written, None).ok_or(NoCertificate::LateReleases)?
        }
        Reason::MissedIn(pattern) if one_queue && !is_of_any_order(question) => missed_in(pattern),
        // Audsley's search tried many orders, and the miss is of one of them.
        Reason::Missed(_) | Reason::MissedIn(_) if is_of_any_order(question) => {
            overdemand(question, &written, None).ok_or(NoCertificate::OneOrder)?
        }
        Reason::Missed(job) if one_queue && (question.behaviours.is_plain() || finding.mode.is_some()) => missed(job),
        _ => return Err(NoCertificate::NoProof),
    };
    Ok(format!("verdict disproven\n{mode}because {why}\n"))
}

/// The tasks that the disproof is about: all as they are written, or with two criticalities those that run in `mode`.
fn written(question: &Question<'_>, mode: Option<CriticalityMode>) -> ModeTasks {
    match mode {
        Some(mode) => ModeTasks::of(question.tasks, &question.behaviours, mode),
        None => ModeTasks { tasks: question.tasks.to_vec(), indices: (0..question.tasks.len()).collect() },
    }
}

/// Audsley's search tried many orders.
fn is_of_any_order(question: &Question<'_>) -> bool {
    question.policy == JobRanking::FixedPriority(Priorities::Audsley)
}

/// One line for the late job, one for each arrival; the last without its end.
fn missed_in(LatePattern { parts, arrivals, job }: &LatePattern) -> String {
    let arrivals: String =
        arrivals.iter().map(|arrival| format!("\narrives {} at {}", arrival.task, arrival.at)).collect();
    format!("missed-in parts {parts} task {} job {}{arrivals}", job.task, job.job)
}

fn missed(MissedJob { task, job, arrival, deadline }: &MissedJob) -> String {
    format!("missed task {task} job {job} arrival {arrival} deadline {deadline}")
}

/// The simplest overdemand there is: one task, the long run, a window.
fn overdemand(question: &Question<'_>, written: &ModeTasks, window: Option<Ticks>) -> Option<String> {
    let (tasks, processors) = (&written.tasks, question.shape.processors());
    let impossible = |task: &Task| task.cost + task.jitter > task.deadline || task.cost > task.period;
    if let Some(task) = tasks.iter().position(impossible) {
        return Some(format!("impossible-task {}", written.indices[task]));
    }
    let Some(t) = window else { return is_above(tasks, processors).then(|| "utilization".into()) };
    let available = u128::from(processors) * u128::from(t);
    let named = [("window", plain(tasks, t)), ("forced-window", forced(tasks, t))];
    let above = named.into_iter().find(|(_, demand)| *demand > available);
    above.map(|(name, demand)| format!("{name} {t} demand {demand}"))
}

/// U > m.
fn is_above(tasks: &[Task], processors: u32) -> bool {
    let terms = tasks.iter().map(|task| (task.cost, task.period));
    crate::exact::compare_sum(terms, u64::from(processors).into()) == Ordering::Greater
}

/// The demand bound functions, jitter included: a job that arrived J before the window falls into it.
fn plain(tasks: &[Task], t: Ticks) -> u128 {
    tasks.iter().map(|task| total_demand_bound(std::slice::from_ref(task), t + task.jitter)).sum()
}

/// For arrivals at 0, T, ...: what is due by `t`, and of later jobs what cannot be received after `t` any more.
fn forced(tasks: &[Task], t: Ticks) -> u128 {
    tasks.iter().map(|task| total_demand_bound(std::slice::from_ref(task), t) + begun(task, t)).sum()
}

/// C - (d - t) of each job with a deadline d > t that arrives before t; C <= T, so two jobs at most.
fn begun(task: &Task, t: Ticks) -> u128 {
    let due = t.checked_sub(task.deadline).map_or(0, |rest| rest / task.period + 1);
    let arrivals = [due, due + 1].map(|job| job.saturating_mul(task.period));
    let left = |arrival: Ticks| u128::from(arrival) + u128::from(task.deadline) - u128::from(t);
    arrivals
        .into_iter()
        .filter(|&arrival| arrival < t)
        .map(|arrival| u128::from(task.cost).saturating_sub(left(arrival)))
        .sum()
}
