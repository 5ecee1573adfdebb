//! Why no schedule, or not this one, can meet all deadlines; always of the tasks as written.
//!
//! Overheads are upper bounds, as costs are, so a platform on which they happen to be nothing is within the model:
//! what misses there is disproven. A demand that only exceeds the processors after charging shows nothing, because the
//! accounting is pessimistic.

mod blocked;
mod executed;
mod modes;
mod overdemand;
mod pattern;
mod simulation;

use crate::certificate::{Certificate, Disproof, JobRanking};
use crate::rejected::{Rejected, applies};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::time_model::TimeModel;

pub(crate) fn check(
    certificate: &Certificate,
    mode: Option<CriticalityMode>,
    reason: &Disproof,
) -> Result<(), Rejected> {
    let (tasks, processors) = (&certificate.tasks[..], certificate.shape.processors());
    let for_any_phases =
        matches!(reason, Disproof::ImpossibleTask(_) | Disproof::Utilization | Disproof::Executed { .. });
    applies(
        certificate.phases.is_empty() || for_any_phases,
        "tasks on one clock may never arrive as this disproof requires",
    )?;
    let mixed = certificate.behaviours.as_ref().filter(|behaviours| behaviours.is_mixed());
    match (mixed, mode) {
        (Some(behaviours), Some(mode)) => return modes::check(certificate, behaviours, mode, reason),
        (None, None) => {}
        (Some(_), None) => {
            return Err(Rejected::Inconsistent("with two criticalities, a disproof must state its mode".into()));
        }
        (None, Some(_)) => {
            return Err(Rejected::Inconsistent("only with two criticalities may a disproof state a mode".into()));
        }
    }
    match *reason {
        Disproof::ImpossibleTask(name) => {
            let task = tasks.get(name).ok_or_else(|| Rejected::Inconsistent(format!("there is no task {name}")))?;
            overdemand::check_impossible(task, name)
        }
        Disproof::Utilization => overdemand::check_utilization(tasks, processors),
        Disproof::Window(point) => overdemand::check_window(tasks, processors, point),
        Disproof::ForcedWindow(point) => overdemand::check_forced_window(tasks, processors, point),
        Disproof::Rates => blocked::check_rates(certificate),
        Disproof::BlockedWindow(point) => blocked::check_window(certificate, point),
        Disproof::Late { task, job } => blocked::check_late(certificate, &order(certificate)?, task, job),
        Disproof::MissedIn { parts, ref arrivals, task, job } => {
            check_computable(certificate)?;
            let whole =
                certificate.time == TimeModel::Continuous || arrivals.iter().all(|(_, at)| at % parts.max(1) == 0);
            applies(whole, "in discrete time, jobs must arrive at whole ticks")?;
            let missed = pattern::Missed { parts, arrivals, task, job };
            pattern::check(tasks, processors, &ranks(certificate)?, &missed)
        }
        Disproof::Executed { parts, ref jobs, task, job } => {
            executed::check(certificate, &ranks(certificate)?, &executed::Late { parts, jobs, task, job })
        }
        Disproof::Missed { task, job, arrival, deadline } => {
            check_computable(certificate)?;
            let job = simulation::Job { task, name: task, index: job, arrival, deadline };
            simulation::check_missed(tasks, processors, &ranks(certificate)?, job)
        }
    }
}

/// The schedules that are computed again have one queue and plain jobs.
fn check_computable(certificate: &Certificate) -> Result<(), Rejected> {
    applies(
        certificate.behaviours.is_none(),
        "the recomputed schedule does not model blocking, bursts, suspension or a supply",
    )?;
    applies(
        certificate.shape.sizes().len() == 1,
        "a miss with one assignment of tasks to processors does not disprove other assignments",
    )
}

/// All tasks, the most urgent first; fixed priorities only.
fn order(certificate: &Certificate) -> Result<Vec<usize>, Rejected> {
    let ranks = ranks(certificate)?;
    let ranks = ranks.ok_or_else(|| Rejected::NotApplicable("this disproof covers fixed priorities only".into()))?;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&task| ranks[task]);
    Ok(order)
}

/// A rank for each task under fixed priorities; none under EDF.
fn ranks(certificate: &Certificate) -> Result<Option<Vec<usize>>, Rejected> {
    let JobRanking::FixedPriority(priorities) = &certificate.policy else { return Ok(None) };
    let all: Vec<usize> = (0..certificate.tasks.len()).collect();
    let order = priorities.order(&certificate.tasks, &all);
    let order = order.ok_or_else(|| {
        Rejected::NotApplicable("a miss under one order of priorities does not disprove other orders".into())
    })?;
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &task)| ranks[task] = rank);
    Ok(Some(ranks))
}
