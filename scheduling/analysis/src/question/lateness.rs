//! How late jobs can be at most, whatever the hard tests say: for one queue, or for each cluster of a packing.

use super::{Answer, Question, Shape};
use crate::partition::Packed;
use crate::tardiness::NoBound;
use crate::tardiness::compliant_vector::{Points, compliant_vector};
use crate::tardiness::devi_anderson::{Preemption, devi_anderson};
use crate::{Task, TaskSet, Ticks};

/// Bounds of lateness under EDF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lateness {
    /// Devi and Anderson's x, where all tasks share one queue: tardiness is at most x + C; `None` if unbounded.
    pub devi_anderson: Option<Ticks>,
    /// The published x where jobs run to completion once begun, for comparison only: x + C is no bound there.
    pub devi_anderson_nonpreemptive: Option<Ticks>,
    /// Response-time bound of each task by compliant vectors, ranked by deadline.
    pub response_edf: Option<Vec<Ticks>>,
    /// The same ranked by D - (m-1)/m C: global fair lateness.
    pub response_fair: Option<Vec<Ticks>>,
    /// The smaller of both bounds on each task's tardiness under EDF.
    pub bounds: Option<Vec<Ticks>>,
    /// Why there is no bound, where there is none.
    pub reason: Option<NoBound>,
}

/// The bounds for the tasks as they were tested: with overheads, if they were charged.
pub fn lateness(question: &Question<'_>, answer: &Answer) -> Lateness {
    match question.shape {
        _ if !question.behaviours.is_plain() => none(NoBound::Behaviours),
        Shape::Global { processors } => {
            let charged = answer.charged.as_ref().map(|charged| &charged.tasks[..]);
            as_tested(question, charged, question.tasks).map_or_else(none, |tasks| of_queue(tasks, processors))
        }
        Shape::Clusters(_) => of_clusters(question, answer),
    }
}

/// The tasks that a bound must speak of: with overheads, wherever there are any.
fn as_tested<'a>(
    question: &Question<'_>,
    charged: Option<&'a [Task]>,
    written: &'a [Task],
) -> Result<&'a [Task], NoBound> {
    match (question.overheads, charged) {
        (None, _) => Ok(written),
        (Some(_), charged) => charged.ok_or(NoBound::NotCharged),
    }
}

fn none(reason: NoBound) -> Lateness {
    Lateness { reason: Some(reason), ..Lateness::default() }
}

fn of_queue(tasks: &[Task], processors: u32) -> Lateness {
    let Ok(set) = TaskSet::new(tasks) else { return none(NoBound::TooLong) };
    let response_edf = match compliant_vector(set, processors, Points::Deadline) {
        Ok(response) => response,
        Err(reason) => return none(reason),
    };
    let x = devi_anderson(set, processors, Preemption::Full).ok();
    let tardiness = |(task, response): (&Task, &Ticks)| {
        let by_vector = response.saturating_sub(task.deadline);
        x.map_or(by_vector, |x| by_vector.min(x + task.cost))
    };
    Lateness {
        bounds: Some(tasks.iter().zip(&response_edf).map(tardiness).collect()),
        devi_anderson: x,
        devi_anderson_nonpreemptive: devi_anderson(set, processors, Preemption::None).ok(),
        response_fair: compliant_vector(set, processors, Points::FairLateness).ok(),
        response_edf: Some(response_edf),
        reason: None,
    }
}

/// Each cluster alone, by the first packing that found a place for every task.
fn of_clusters(question: &Question<'_>, answer: &Answer) -> Lateness {
    let complete = answer.packings.iter().find(|packed| packed.assignment.iter().all(Option::is_some));
    complete.map_or_else(|| none(NoBound::NoPlace), |packed| of_bins(question, packed).unwrap_or_else(none))
}

fn of_bins(question: &Question<'_>, packed: &Packed) -> Result<Lateness, NoBound> {
    let mut bounds = vec![0; question.tasks.len()];
    let mut responses = vec![0; question.tasks.len()];
    for bin in packed.bins.iter().filter(|bin| !bin.tasks.is_empty()) {
        let own: Vec<Task> = bin.tasks.iter().map(|&index| question.tasks[index]).collect();
        let late = of_queue(as_tested(question, bin.inflated.as_deref(), &own)?, bin.processors);
        let (Some(bound), Some(response)) = (late.bounds, late.response_edf) else {
            return Err(of_the_whole_set(late.reason.unwrap_or(NoBound::TooLong), &bin.tasks));
        };
        for (at, &index) in bin.tasks.iter().enumerate() {
            (bounds[index], responses[index]) = (bound[at], response[at]);
        }
    }
    Ok(Lateness { bounds: Some(bounds), response_edf: Some(responses), ..Lateness::default() })
}

/// A bin's reason with the task named by its index in the whole set.
fn of_the_whole_set(reason: NoBound, members: &[usize]) -> NoBound {
    match reason {
        NoBound::TaskAboveOne(position) => NoBound::TaskAboveOne(members[position]),
        other => other,
    }
}
