//! Tasks whose jobs are activated by the ends of another's: their release jitter, which is what they arrive with in every other analysis.
//!
//! Job k of such a task arrives with job k of the task before it and is released when that one ends, at the latest a hop later: within
//! J = R + H. The responses depend on J and J on them: a fixed point is sought (Tindell and Clark 1994). Any is sound, however it was
//! found: suppose a job is the first to be released later than J after its arrival. Until that instant all releases kept their J, so the job
//! before ended within R, and its datum came within R + H, which is at most J.

use crate::Task;
use crate::question::{Answer, Method, Question, TaskPlace, answer, places};
use prazo_core::task::{TICKS_MAX, Ticks};
use prazo_core::verdict::Verdict;
use prazo_scenario::{Activation, Scenario};

/// After so many rounds nothing is known.
const ROUNDS: usize = 256;

/// Why the release jitter of some task is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Index of the task that is activated.
    pub task: usize,
    /// Index of the task that activates it, whose response has no bound.
    pub by: usize,
}

/// True if every task of `question` that another activates has a release jitter that covers the response of that one, as `answer` has it.
pub fn holds(scenario: &Scenario, question: &Question<'_>, answer: &Answer, method: &Method) -> bool {
    let activations = scenario.activations();
    if activations.iter().all(Option::is_none) {
        return true;
    }
    let responses = responses(scenario, question, answer, &places(question, answer, method));
    let is_covered = |(task, one): (&Task, &Option<Activation>)| {
        let Some(Activation { by, hop }) = one else { return true };
        responses[*by].and_then(|response| response.checked_add(*hop)).is_some_and(|latest| latest <= task.jitter)
    };
    question.tasks.iter().zip(&activations).all(is_covered)
}

/// A bound of each task's response, from its arrival to the end of its job.
///
/// The jobs of a server may come closer than its period, so that beside one only deadlines that are kept bound the responses.
pub(super) fn responses(
    scenario: &Scenario,
    question: &Question<'_>,
    answer: &Answer,
    places: &[Option<TaskPlace>],
) -> Vec<Option<Ticks>> {
    if scenario.tasks.iter().all(|named| named.conduct.server.is_none()) {
        return places.iter().map(|place| place.and_then(|place| place.response)).collect();
    }
    let is_proven = answer.verdict == Verdict::Proven;
    question.tasks.iter().map(|task| is_proven.then_some(task.deadline)).collect()
}

/// The tasks of `question` with the release jitter of those that others activate: at least what they state.
pub fn settled(scenario: &Scenario, question: &Question<'_>, method: &Method) -> Result<Vec<Task>, Unsettled> {
    let activations: Vec<(usize, Activation)> =
        scenario.activations().into_iter().enumerate().filter_map(|(task, one)| Some((task, one?))).collect();
    let mut tasks = question.tasks.to_vec();
    for _ in 0..ROUNDS {
        let asked = Question { tasks: &tasks, ..*question };
        let Ok(answered) = answer(&asked, method) else { break };
        let responses = responses(scenario, &asked, &answered, &places(&asked, &answered, method));
        let mut later = tasks.clone();
        for &(task, Activation { by, hop }) in &activations {
            let response = responses[by].ok_or(Unsettled { task, by })?;
            let jitter = response.checked_add(hop).filter(|jitter| *jitter <= TICKS_MAX);
            later[task].jitter = jitter.ok_or(Unsettled { task, by })?.max(question.tasks[task].jitter);
        }
        if later == tasks {
            return Ok(tasks);
        }
        tasks = later;
    }
    let (task, by) = activations.first().map_or((0, 0), |(task, one)| (*task, one.by));
    Err(Unsettled { task, by })
}
