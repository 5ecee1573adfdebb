//! From a simulator's model to what threads shall do: it says when jobs are released and what they execute, so that the same seed
//! gives the same jobs here and there.

use crate::error::Error;
use prazo_core::text::counted;
use prazo_run::jobs::{Dispatch, Executions, LockProtocol, Releases, Reservation, SetPlan, TaskPlan};
use prazo_sim::arrival::Distances;
use prazo_sim::model::SimulatedTask;
use prazo_sim::{Model, Policy};

/// The highest real-time priority that a task gets: 99 is the kernel's own threads'.
const PRIORITY_MAX: usize = 98;

/// What is run.
pub(crate) struct Source<'a> {
    pub(crate) name: String,
    pub(crate) names: Vec<String>,
    /// What SCHED_DEADLINE shall grant each task.
    pub(crate) reservations: Vec<Reservation>,
    pub(crate) model: &'a Model,
    /// Processors of each cluster.
    pub(crate) clusters: &'a [u32],
    /// The cluster of each task.
    pub(crate) places: &'a [u32],
}

/// How it is run.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// Jobs are released before this.
    pub(crate) length_ns: u64,
    /// How finely work goes on.
    pub(crate) step_ns: u64,
    /// What each job leaves of its execution.
    pub(crate) spare_ns: Option<u64>,
    /// The processors, in order; clusters take them from the first on.
    pub(crate) cpus: Vec<u32>,
}

/// The plan of a set that can be simulated.
pub(crate) fn of(source: &Source<'_>, how: &Execution) -> Result<SetPlan, Error> {
    let dispatch = dispatch(&source.model.policy)?;
    let ranks = ranks(source.model);
    let task = |index| task(source, index, dispatch, ranks.as_deref(), how);
    Ok(SetPlan {
        name: source.name.clone(),
        dispatch,
        clusters: clusters(source.clusters, &how.cpus)?,
        tasks: (0..source.names.len()).map(task).collect::<Result<_, _>>()?,
        length_ns: how.length_ns,
        step_ns: how.step_ns,
        spare_ns: how.spare_ns,
        protocol: LockProtocol::Plain,
    })
}

/// A cost by its deadline in every period.
pub(crate) fn reservation(cost_ns: u64, model: &SimulatedTask) -> Reservation {
    Reservation {
        budget_ns: cost_ns,
        deadline_ns: model.relative_deadline.as_ns(),
        period_ns: model.pattern.period.as_ns(),
    }
}

fn dispatch(policy: &Policy) -> Result<Dispatch, Error> {
    match policy {
        Policy::EarliestDeadlineFirst => Ok(Dispatch::Deadline),
        Policy::RateMonotonic | Policy::DeadlineMonotonic | Policy::FixedPriority(_) => Ok(Dispatch::Fifo),
        _ => Err(Error::refused("threads can run only under edf, rm, dm or fp")
            .with_remedy("use `prazo sched simulate` for other policies")),
    }
}

fn clusters(sizes: &[u32], cpus: &[u32]) -> Result<Vec<Vec<u32>>, Error> {
    let wanted: usize = sizes.iter().map(|size| *size as usize).sum();
    if wanted > cpus.len() {
        let problem =
            format!("the set needs {}, but only {} can be used here", counted(wanted as u64, "processor"), cpus.len());
        let remedy =
            "give fewer processors with -m, or run the set on a platform with more processors (--platform lab:NAME)";
        return Err(Error::refused(problem).with_remedy(remedy));
    }
    let mut left = cpus.iter().copied();
    Ok(sizes.iter().map(|size| left.by_ref().take(*size as usize).collect()).collect())
}

fn task(
    source: &Source<'_>,
    index: usize,
    dispatch: Dispatch,
    ranks: Option<&[u64]>,
    how: &Execution,
) -> Result<TaskPlan, Error> {
    let model = &source.model.tasks[index];
    Ok(TaskPlan {
        name: source.names[index].clone(),
        cluster: model.cluster,
        period_ns: model.pattern.period.as_ns(),
        deadline_ns: model.relative_deadline.as_ns(),
        releases: releases(model, how.length_ns),
        executions: executions(model, how.length_ns),
        reservation: (dispatch == Dispatch::Deadline).then_some(source.reservations[index]),
        priority: ranks.map(|ranks| priority(source, ranks, index)).transpose()?,
        sections: Vec::new(),
    })
}

/// A grid where they stand on one.
fn releases(model: &SimulatedTask, length_ns: u64) -> Releases {
    let pattern = &model.pattern;
    if pattern.distances == Distances::Periodic && !pattern.is_delayed() {
        return Releases::Grid { first_ns: pattern.offset.as_ns() };
    }
    let places = std::iter::successors(Some(pattern.first()), |place| Some(pattern.after(*place)));
    Releases::Listed { at_ns: places.map(|place| place.release.as_ns()).take_while(|at| *at < length_ns).collect() }
}

fn executions(model: &SimulatedTask, length_ns: u64) -> Executions {
    let jobs = length_ns.div_ceil(model.pattern.period.as_ns().max(1));
    let amounts: Vec<u64> = (0..jobs).map(|job| model.execution.of_job(job).as_ns()).collect();
    match amounts.first() {
        Some(first) if amounts.iter().any(|ns| ns != first) => Executions::Listed { ns: amounts },
        first => Executions::Constant { ns: first.copied().unwrap_or(0) },
    }
}

/// How urgent each task is under fixed priorities, the least number first; `None` under EDF.
fn ranks(model: &Model) -> Option<Vec<u64>> {
    match &model.policy {
        Policy::RateMonotonic => Some(model.tasks.iter().map(|task| task.pattern.period.as_ns()).collect()),
        Policy::DeadlineMonotonic => Some(model.tasks.iter().map(|task| task.relative_deadline.as_ns()).collect()),
        Policy::FixedPriority(ranks) => Some(ranks.iter().map(|rank| u64::from(*rank)).collect()),
        _ => None,
    }
}

/// No two tasks of a cluster are equal, as analysis has it: ties go by the order of tasks.
fn priority(source: &Source<'_>, ranks: &[u64], index: usize) -> Result<u8, Error> {
    let is_above = |other: &usize| (ranks[*other], *other) < (ranks[index], index);
    let mates = (0..ranks.len()).filter(|other| source.places[*other] == source.places[index]);
    let above = mates.filter(is_above).count();
    match PRIORITY_MAX.checked_sub(above).filter(|priority| *priority > 0) {
        Some(priority) => Ok(priority as u8),
        None => {
            let task = &source.names[index];
            let problem = format!(
                "{PRIORITY_MAX} tasks are more urgent than task '{task}' in the same cluster, and prazo uses only the \
                 real-time priorities 1 to {PRIORITY_MAX}"
            );
            Err(Error::refused(problem).with_remedy("run fewer tasks, or choose edf"))
        }
    }
}
