//! Which of several ways to share the processors leaves a set the most room: the one under which all costs may grow most.
//!
//! Room is what counts once a set is proven under several: a cost that was measured too short, or an overhead that another load
//! makes longer, is taken from it. Where processors are shared by clusters, tasks are also placed by it: of the packings
//! that hold, the one that still holds with the largest costs.

use crate::partition::Packed;
use crate::question::{Answer, Method, Question, answer, states};
use crate::sensitivity::largest_cost_factor::{Thousandths, largest_cost_factor};
use crate::{SetError, Task, TaskSet, Verdict};

/// One way to share the processors, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What holds for the costs as they are.
    pub answer: Answer,
    /// The largest factor on all costs, in steps of a thousandth, at which the set is still proven; `None` where it is not
    /// proven as it is.
    pub room: Option<Thousandths>,
    /// For clusters, the packing that holds at that factor.
    pub packing: Option<Packed>,
}

/// Answers `question` by `method`, and where it is proven finds its room.
pub fn candidate(question: &Question<'_>, method: &Method) -> Result<Candidate, SetError> {
    let answer = answer(question, method)?;
    if answer.verdict != Verdict::Proven {
        return Ok(Candidate { answer, room: None, packing: None });
    }
    let room = room(question, method)?;
    let packing = packing(question, method, room)?.or_else(|| proven(&answer));
    Ok(Candidate { answer, room: Some(room), packing })
}

/// The index of the proven candidate with the most room; of several alike the first. `None` where none is proven.
pub fn roomiest<'a>(candidates: impl IntoIterator<Item = &'a Candidate>) -> Option<usize> {
    let proven = candidates.into_iter().enumerate().filter_map(|(index, one)| Some((index, one.room?)));
    proven.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(index, _)| index)
}

/// The factor, by what proved the set: the tests alone, or the search of all states. One, where that proves nothing more.
fn room(question: &Question<'_>, method: &Method) -> Result<Thousandths, SetError> {
    let method = Method { disprove: false, states: states(question, method), ..method.clone() };
    let mut ask = |tasks: &[Task]| {
        answer(&Question { tasks, ..*question }, &method).map_or(Verdict::Unknown, |answer| answer.verdict)
    };
    let boundary = largest_cost_factor(TaskSet::new(question.tasks)?, &mut ask);
    let proven = boundary.and_then(|boundary| boundary.proven).map_or(Thousandths::ONE, Thousandths);
    Ok(proven.max(Thousandths::ONE))
}

/// The packing that holds with costs grown by `room`.
fn packing(question: &Question<'_>, method: &Method, room: Thousandths) -> Result<Option<Packed>, SetError> {
    let grow = |task: &Task| Task { cost: room.scale_up(task.cost), ..*task };
    let grown: Vec<Task> = question.tasks.iter().map(grow).collect();
    Ok(proven(&answer(&Question { tasks: &grown, ..*question }, method)?))
}

fn proven(answer: &Answer) -> Option<Packed> {
    answer.packings.iter().find(|packed| packed.proven).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{JobRanking, Shape};

    fn judged(tasks: &[Task], shape: Shape<'_>) -> Candidate {
        judged_by(tasks, shape, &Method::default())
    }

    fn judged_by(tasks: &[Task], shape: Shape<'_>, method: &Method) -> Candidate {
        let time = crate::TimeModel::default();
        let question = Question {
            tasks,
            policy: JobRanking::Edf,
            shape,
            places: None,
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            overheads: None,
            time,
        };
        candidate(&question, method).unwrap()
    }

    #[test]
    fn tasks_are_placed_where_their_costs_may_grow_most() {
        let tasks = [Task::implicit(4_000, 10_000), Task::implicit(4_000, 10_000), Task::implicit(2_000, 10_000)];
        let found = judged(&tasks, Shape::Clusters(&[1, 1]));
        // First-fit puts all three on one processor, which leaves nothing; one of the 4,000 alone leaves 10/6.
        assert_eq!(found.room, Some(Thousandths(1_666)));
        let packing = found.packing.unwrap();
        assert!(packing.bins.iter().any(|bin| bin.tasks.len() == 1 && bin.tasks[0] < 2), "{packing:?}");
    }

    #[test]
    fn the_proven_way_with_the_most_room_is_chosen_and_the_first_of_equals() {
        let dhall = [Task::implicit(20, 100), Task::implicit(20, 100), Task::implicit(900, 1000)];
        let ways = [Shape::Global { processors: 2 }, Shape::Clusters(&[1, 1]), Shape::Clusters(&[1, 1])];
        let all = ways.map(|shape| judged(&dhall, shape));
        assert_eq!(roomiest(&all), Some(1));
    }

    #[test]
    fn where_nothing_is_proven_nothing_is_chosen() {
        let tasks = [Task::implicit(90, 100); 3];
        assert_eq!(roomiest([&judged(&tasks, Shape::Global { processors: 2 })]), None);
    }

    /// The tests prove this set, so they alone decide how much room it has.
    #[test]
    fn the_room_holds_and_a_thousandth_more_is_not_proven_by_tests() {
        let tasks = [Task::implicit(13, 50), Task::implicit(7, 31), Task::implicit(100, 333)];
        let room = judged(&tasks, Shape::Global { processors: 2 }).room.unwrap();
        let at = |factor: Thousandths| {
            let grown = tasks.map(|task| Task { cost: factor.scale_up(task.cost), ..task });
            let by_tests = Method { states: 0, ..Method::default() };
            judged_by(&grown, Shape::Global { processors: 2 }, &by_tests).answer.verdict
        };
        assert_eq!(at(room), Verdict::Proven);
        assert_ne!(at(Thousandths(room.0 + 1)), Verdict::Proven);
    }
}
