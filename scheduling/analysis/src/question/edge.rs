//! How far a verdict is from changing: the same question asked again with other costs, overheads and processors.

use super::{Method, Question, Shape, answer};
use crate::sensitivity::critical_task::{Critical, critical_task};
use crate::sensitivity::fewest_processors::{Processors, fewest_processors};
use crate::sensitivity::largest_cost_factor::largest_cost_factor;
use crate::sensitivity::largest_overhead::largest_overhead_factor;
use crate::sensitivity::largest_task_cost::largest_task_cost;
use crate::sensitivity::search::Boundary;
use crate::{Task, TaskSet, Verdict, reach};
use prazo_core::overheads::{OverheadField, Overheads};

/// Processors beyond which nobody looks.
const PROCESSORS_MAX: u32 = 1024;

/// What may grow, and what must shrink.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Largest factor on all costs, in thousandths; `None` if even a thousandth is too much.
    pub costs: Option<Boundary>,
    /// Largest cost of each task alone, in ticks.
    pub tasks: Vec<Boundary>,
    /// Largest factor on each kind of overhead that is charged, in thousandths.
    pub overheads: Vec<(OverheadField, Boundary)>,
    /// Fewest processors; of one queue, or of one queue each. `None` for clusters of several.
    pub processors: Option<Processors>,
    /// The task whose cost decides.
    pub critical: Option<Critical>,
}

/// Asks `question` again and again; each time by `method`, but without looking for disproofs. `None` for tasks that cannot
/// be computed with, and for two criticalities: a factor on costs says nothing of the costs in high mode.
pub fn edge(question: &Question<'_>, method: &Method) -> Option<Edge> {
    let tasks = TaskSet::new(question.tasks).ok().filter(|_| !question.behaviours.is_mixed())?;
    let method =
        Method { disprove: false, all_tests: false, search: 0, states: states(question, method), ..method.clone() };
    let verdict = |question: &Question<'_>| answer(question, &method).map_or(Verdict::Unknown, |answer| answer.verdict);
    let mut of_tasks = |tasks: &[Task]| verdict(&Question { tasks, ..*question });
    Some(Edge {
        costs: largest_cost_factor(tasks, &mut of_tasks),
        tasks: (0..tasks.len()).map(|index| largest_task_cost(tasks, index, &mut of_tasks)).collect(),
        critical: critical_task(tasks, &mut of_tasks),
        overheads: question.overheads.map_or_else(Vec::new, |all| overheads(&all, question, &verdict)),
        processors: processors(tasks, question, &verdict),
    })
}

/// Whoever was proven by a search of all states is asked by that search, too; others by the tests alone.
pub(crate) fn states(question: &Question<'_>, method: &Method) -> u64 {
    const EACH: u64 = 200_000;
    let small = TaskSet::new(question.tasks).is_ok_and(|tasks| reach::uncovered(tasks).is_none());
    let found = || answer(question, &Method { states: method.states.min(EACH), ..method.clone() }).ok()?.decided_by;
    let by_states = small && found().is_some_and(|finding| reach::NAMES.contains(&finding.test));
    if by_states { method.states.min(EACH) } else { 0 }
}

fn overheads(
    all: &Overheads<'_>,
    question: &Question<'_>,
    verdict: &dyn Fn(&Question<'_>) -> Verdict,
) -> Vec<(OverheadField, Boundary)> {
    let mut verdict_with = |changed: &Overheads<'_>| verdict(&Question { overheads: Some(*changed), ..*question });
    let boundary = |kind| Some((kind, largest_overhead_factor(all, &[kind], &mut verdict_with)?));
    OverheadField::VALUES.iter().copied().filter_map(boundary).collect()
}

fn processors(
    tasks: TaskSet<'_>,
    question: &Question<'_>,
    verdict: &dyn Fn(&Question<'_>) -> Verdict,
) -> Option<Processors> {
    let limit = question.shape.processors().saturating_mul(4).clamp(16, PROCESSORS_MAX);
    let ones = vec![1; limit as usize];
    match question.shape {
        // A supply is of one processor: there is nothing to count. With locks, more processors may be worse.
        _ if question.behaviours.supply.is_some() || question.behaviours.crosses_processors() => None,
        Shape::Global { .. } => Some(fewest_processors(tasks, limit, &mut |processors| {
            verdict(&Question { shape: Shape::Global { processors }, ..*question })
        })),
        Shape::Clusters(sizes) if sizes.iter().all(|size| *size == 1) && question.places.is_none() => {
            Some(fewest_processors(tasks, limit, &mut |processors| {
                verdict(&Question { shape: Shape::Clusters(&ones[..processors as usize]), ..*question })
            }))
        }
        Shape::Clusters(_) => None,
    }
}

impl Edge {
    /// How often the whole question was asked.
    pub fn questions(&self) -> u64 {
        let others = [self.processors.map(|found| found.questions), self.critical.map(|found| found.questions)];
        self.boundaries().map(|boundary| boundary.questions).chain(others.into_iter().flatten()).map(u64::from).sum()
    }

    /// False where an answer contradicts a boundary: more is proven too, less is not, or more processors are not.
    pub fn is_monotone(&self) -> bool {
        self.boundaries().all(|boundary| boundary.contradicted_by.is_none())
            && self.processors.is_none_or(|found| found.contradicted_by.is_none())
    }

    /// Those of costs and overheads.
    fn boundaries(&self) -> impl Iterator<Item = &Boundary> {
        self.costs.iter().chain(&self.tasks).chain(self.overheads.iter().map(|(_, boundary)| boundary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_of_any_figure_is_one() {
        let sharp = Boundary { proven: Some(3), not_proven: Some(4), contradicted_by: None, questions: 2 };
        let odd = Boundary { contradicted_by: Some(6), ..sharp };
        let count = Processors { fewest: Some(2), contradicted_by: None, questions: 1 };
        let edge = |costs, task, overhead, processors| Edge {
            costs: Some(costs),
            tasks: vec![task],
            overheads: vec![(OverheadField::Release, overhead)],
            processors: Some(processors),
            critical: None,
        };
        assert!(edge(sharp, sharp, sharp, count).is_monotone());
        assert!(!edge(odd, sharp, sharp, count).is_monotone() && !edge(sharp, odd, sharp, count).is_monotone());
        assert!(!edge(sharp, sharp, odd, count).is_monotone());
        assert!(!edge(sharp, sharp, sharp, Processors { contradicted_by: Some(3), ..count }).is_monotone());
        assert_eq!(edge(sharp, sharp, odd, count).questions(), 7);
    }
}
