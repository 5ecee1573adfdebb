//! The pieces of split tasks as a task set of their own, which `simulate` plays: each piece is a task that is tied to its processor.

use super::question::PosedQuestion;
use crate::error::Error;
use prazo_analysis::Task;
use prazo_analysis::partition::split::Piece;
use prazo_analysis::question::{Answer, Question, unsplittable};
use prazo_scenario::{Conduct, JobRanking, NamedTask, Scenario};
use std::path::Path;

/// Refuses to split tasks where that is not covered.
pub(super) fn check(posed: &PosedQuestion, question: &Question<'_>) -> Result<(), Error> {
    let served = posed.scenario.tasks.iter().find(|named| named.conduct.server.is_some());
    match (unsplittable(question), served) {
        (Some(why), _) => Err(Error::field("split", why)),
        (None, Some(task)) => {
            let why = format!("task '{}' has a server, which stays on one processor", task.name);
            Err(Error::field("split", why).with_remedy("leave out --split"))
        }
        (None, None) => Ok(()),
    }
}

/// Why no pieces were written to `file`.
pub(super) fn none(file: &Path) -> String {
    format!("no pieces were written to {}, because the set is not proven with split tasks", file.display())
}

/// The pieces of split tasks and all other tasks, each tied to its processor; `None` where no task is split.
///
/// A piece arrives at its offset after the task does, so the set shows the schedules in which all tasks are periodic.
pub(super) fn scenario(posed: &PosedQuestion, answer: &Answer) -> Option<Scenario> {
    let split = answer.proven_split()?;
    let scenario = &posed.scenario;
    let assignment = split.assignment(scenario.tasks.len());
    let taken: Vec<&str> = scenario.tasks.iter().map(|task| task.name.as_str()).collect();
    let mut tasks = Vec::new();
    for (index, named) in scenario.tasks.iter().enumerate() {
        if let Some(processor) = assignment[index] {
            tasks.push(NamedTask { cluster: Some(processor), ..named.clone() });
            continue;
        }
        let own = split.pieces.iter().filter(|piece| piece.task == index);
        tasks.extend(own.enumerate().map(|(number, piece)| {
            let name = free_name(&format!("{}-{number}", named.name), &taken);
            of_piece(named, name, piece)
        }));
    }
    Some(Scenario {
        name: format!("{}-pieces", scenario.name),
        note: Some(
            "Each split task is written as one task for each of its pieces, released at the offset of the piece."
                .into(),
        ),
        unit: scenario.unit,
        tasks,
        processors: Some(split.bins.len() as u32),
        clusters: Some(vec![1; split.bins.len()]),
        policy: Some(JobRanking::Edf),
        ..Scenario::default()
    })
}

/// `wanted`, or with marks behind it where it is taken.
fn free_name(wanted: &str, taken: &[&str]) -> String {
    let is_free = |name: &String| !taken.contains(&name.as_str());
    let mut names = (0..=taken.len()).map(|marks| format!("{wanted}{}", "'".repeat(marks)));
    names.find(is_free).expect("there are more names than tasks")
}

fn of_piece(named: &NamedTask, name: String, piece: &Piece) -> NamedTask {
    let Task { period, working_set_kib, .. } = named.task;
    let offset = named.conduct.offset.unwrap_or(0) + piece.offset;
    NamedTask {
        name,
        task: Task { working_set_kib, ..Task::new(piece.cost, period, piece.deadline) },
        cluster: Some(piece.processor),
        conduct: Conduct { offset: Some(offset), ..Conduct::default() },
        ..named.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_takes_no_name_of_a_task() {
        assert_eq!(free_name("c-0", &["c", "c-0"]), "c-0'");
        assert_eq!(free_name("c-1", &["c", "c-0"]), "c-1");
    }
}
