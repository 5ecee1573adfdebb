//! Where tasks run: which packing counts where several place them, and a cluster for every task.
//!
//! One rule for what is deployed, run and simulated: the author's word, else the analysis' packing. What no packing
//! places is run and simulated where the least load is, and not deployed.

use prazo_analysis::linux::Limits;
use prazo_analysis::partition::{Packed, placement};
use prazo_analysis::question::{Answer, Method, Question, Shape, answer};

/// The clusters' sizes with the cluster of each task.
pub(crate) struct Placed {
    pub(crate) clusters: Vec<u32>,
    pub(crate) places: Vec<u32>,
    /// Tasks that no packing found room for.
    pub(crate) crowded: Vec<usize>,
}

/// Where the tasks of `question` run and are simulated.
///
/// The method is quick enough for a batch, and the limits are those that kernels come with, so that a set is placed
/// alike on every machine.
pub(crate) fn place(question: &Question<'_>) -> Placed {
    match question.shape {
        Shape::Global { processors } | Shape::Clusters(&[processors]) => {
            Placed { clusters: vec![processors], places: vec![0; question.tasks.len()], crowded: Vec::new() }
        }
        Shape::Clusters(sizes) => {
            let completed = placement::completed(question.tasks, sizes, packed(question).as_ref());
            Placed { clusters: sizes.to_vec(), places: completed.places, crowded: completed.misfits }
        }
    }
}

/// The packing that counts; `None` where the question has no answer.
fn packed(question: &Question<'_>) -> Option<Packed> {
    let method =
        |all_tests| Method { all_tests, disprove: false, search: 0, states: 0, budget: 100_000, ..Method::default() };
    let found = with_the_packing_that_counts(question, &Limits::default(), |all| answer(question, &method(all)));
    found.ok()?.packings.into_iter().next()
}

/// What `ask` answers to `question`, with one packing alone: the one that counts.
///
/// That is the first proven packing, else the one that places the most tasks; where `limits` would not admit that, the
/// most even of all. `ask` is given whether to try all heuristics, or only as many as the first proof takes.
pub(crate) fn with_the_packing_that_counts<E>(
    question: &Question<'_>,
    limits: &Limits,
    ask: impl Fn(bool) -> Result<Answer, E>,
) -> Result<Answer, E> {
    let found = ask(false)?;
    let Shape::Clusters(sizes) = question.shape else { return Ok(found) };
    let best = |packings: &[Packed]| placement::best(packings, question.tasks, sizes).cloned();
    let is_admitted =
        |packed: &Packed| limits.share().is_none_or(|share| placement::is_within(share, question.tasks, sizes, packed));
    let chosen = match best(&found.packings) {
        Some(first) if !is_admitted(&first) => best(&ask(true)?.packings),
        first => first,
    };
    Ok(Answer { packings: chosen.into_iter().collect(), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_analysis::question::Policy;
    use prazo_core::task::Task;

    #[test]
    fn a_packing_that_linux_would_not_admit_gives_way_to_a_more_even_one() {
        let tasks = [Task::implicit(50, 100), Task::implicit(48, 100), Task::implicit(30, 100)];
        let shape = Shape::Clusters(&[1, 1]);
        let time = prazo_analysis::TimeModel::Continuous;
        let placed = place(&Question {
            tasks: &tasks,
            policy: Policy::Edf,
            shape,
            places: None,
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            overheads: None,
            time,
        });
        assert_eq!(placed.places, [0, 1, 1], "first fit would put 0.98 on the first processor");
    }
}
