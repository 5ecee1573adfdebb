//! Where each task runs, and how long its jobs can take there: what a statement about several tasks together rests on.

use super::behaved;
use super::judge::{Contenders, Judge};
use super::{Answer, JobRanking, Method, Priorities, Question, Shape};
use crate::answer::Response;
use crate::uniprocessor::edf;
use crate::uniprocessor::fixed_priority::response_time;
use crate::{Task, TaskSet, Ticks, Verdict, blocking};

/// One task's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPlace {
    /// Which ready queue, from 0.
    pub queue: usize,
    /// Processors that serve it.
    pub processors: u32,
    /// No job takes longer, from its arrival to its end; `None` where that is not known.
    pub response: Option<Ticks>,
    /// Its place in the order of its queue's tasks under fixed priorities, 0 the most urgent; `None` under EDF.
    pub position: Option<usize>,
}

/// The place of each task; none where `answer` found no place for all of them.
///
/// With overheads, and where processors share a queue, a response is bounded by the deadline of a task that is proven to meet it.
pub fn places(question: &Question<'_>, answer: &Answer, method: &Method) -> Vec<Option<TaskPlace>> {
    let mut places = vec![None; question.tasks.len()];
    if question.behaviours.is_mixed() {
        // Jobs may be dropped, so that no bound here is one on all of them.
        return places;
    }
    let all: Vec<usize> = (0..question.tasks.len()).collect();
    let single: Vec<Queue> = match question.shape {
        Shape::Global { processors } | Shape::Clusters(&[processors]) => {
            vec![Queue { processors, members: all, is_proven: answer.verdict == Verdict::Proven }]
        }
        Shape::Clusters(_) if answer.split.is_some() => return of_split(question, answer),
        Shape::Clusters(_) => {
            let is_complete = |packed: &&crate::partition::Packed| packed.misfits.is_empty();
            let proven = answer.packings.iter().find(|packed| packed.proven);
            let Some(packed) = proven.or(answer.packings.iter().find(is_complete)) else { return places };
            let queue = |bin: &crate::partition::Bin| Queue {
                processors: bin.processors,
                members: bin.tasks.clone(),
                is_proven: bin.is_proven(),
            };
            packed.bins.iter().map(queue).collect()
        }
    };
    for (number, queue) in single.iter().enumerate().filter(|(_, queue)| !queue.members.is_empty()) {
        let (responses, positions) = queue.alone(question, answer, method);
        for (at, &task) in queue.members.iter().enumerate() {
            let deadline = queue.is_proven.then_some(question.tasks[task].deadline);
            let response = match (responses[at], deadline) {
                (Some(response), Some(deadline)) => Some(response.min(deadline)),
                (response, deadline) => response.or(deadline),
            };
            let position = positions.as_ref().map(|positions| positions[at]);
            places[task] = Some(TaskPlace { queue: number, processors: queue.processors, response, position });
        }
    }
    places
}

/// With split tasks: no two tasks are said to share a queue, and of each task no more is known than that it meets its deadline.
fn of_split(question: &Question<'_>, answer: &Answer) -> Vec<Option<TaskPlace>> {
    let place = |(index, task): (usize, &Task)| {
        let queue = question.shape.processors() as usize + index;
        Some(TaskPlace { queue, processors: 1, response: Some(task.deadline), position: None })
    };
    match answer.verdict {
        Verdict::Proven => question.tasks.iter().enumerate().map(place).collect(),
        _ => vec![None; question.tasks.len()],
    }
}

/// One ready queue.
struct Queue {
    processors: u32,
    /// Its tasks, ascending.
    members: Vec<usize>,
    is_proven: bool,
}

/// By member: a bound on its response, and its place in the order of priorities, where these are known.
type Known = (Vec<Option<Ticks>>, Option<Vec<usize>>);

impl Queue {
    fn alone(&self, question: &Question<'_>, answer: &Answer, method: &Method) -> Known {
        let unknown = vec![None; self.members.len()];
        if question.behaviours.crosses_processors() {
            let bounds = answer.locks.as_ref();
            let response = |&task: &usize| bounds.and_then(|bounds| bounds[task].response);
            return (self.members.iter().map(response).collect(), None);
        }
        if self.processors != 1 || behaved::uncovered(question).is_some() {
            return (unknown, None);
        }
        if question.overheads.is_some() {
            let is_whole = self.members.len() == question.tasks.len();
            let charged = answer.responses_by_task().filter(|_| is_whole);
            return (charged.unwrap_or(unknown), None);
        }
        let tasks: Vec<Task> = self.members.iter().map(|&task| question.tasks[task]).collect();
        match question.policy {
            JobRanking::Edf => (edf_responses(question, &tasks, method).unwrap_or(unknown), None),
            JobRanking::FixedPriority(from) => {
                self.fixed_priority(question, &tasks, from, method).unwrap_or((unknown, None))
            }
        }
    }

    fn fixed_priority(
        &self,
        question: &Question<'_>,
        tasks: &[Task],
        from: Priorities<'_>,
        method: &Method,
    ) -> Option<Known> {
        let judge = Judge::new(question, None, method);
        let given = question.policy.given_ranks();
        let ranks: Vec<u32> = self.members.iter().filter_map(|&task| given.get(task).copied()).collect();
        let order = judge.order(from, Contenders { interrupts: &[], tasks, ranks: &ranks, processors: 1 }).ok()?;
        let mut positions = vec![0; tasks.len()];
        order.indices().iter().enumerate().for_each(|(position, &at)| positions[at] = position);
        let budget = &mut judge.new_budget();
        let in_order: Vec<Option<Ticks>> = if question.behaviours.is_plain() {
            let arranged: Vec<Task> = order.indices().iter().map(|&at| tasks[at]).collect();
            response_time::response_times(TaskSet::new(&arranged).ok()?, budget).ok()?
        } else {
            let system = judge.system(tasks, self.members.iter().copied()).arranged(order.indices());
            let within = |response: &Response| match response {
                Response::Within(time) => Some(*time),
                Response::Beyond { .. } => None,
            };
            blocking::fixed_priority::responses(&system, budget).ok()?.iter().map(within).collect()
        };
        // Below the first task that is late, none is looked at.
        let of = |position: &usize| in_order.get(*position).copied().flatten();
        Some((positions.iter().map(of).collect(), Some(positions)))
    }
}

fn edf_responses(question: &Question<'_>, tasks: &[Task], method: &Method) -> Option<Vec<Option<Ticks>>> {
    if !question.behaviours.is_plain() {
        return None;
    }
    let budget = &mut crate::Budget::new(method.budget);
    let responses = edf::response_time::response_times(TaskSet::new(tasks).ok()?, budget).ok()??;
    Some(responses.into_iter().map(Some).collect())
}
