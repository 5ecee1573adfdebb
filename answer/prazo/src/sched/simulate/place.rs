//! Which cluster each task runs in: its author's word, else the analysis' packing, else where the least load is.

use prazo_analysis::linux::Limits;
use prazo_analysis::partition::placement;
use prazo_analysis::question::{Method, Question, Shape, answer};

/// The clusters' sizes with the cluster of each task.
pub(crate) struct Placed {
    pub(crate) clusters: Vec<u32>,
    pub(crate) places: Vec<u32>,
    /// Tasks that no packing found room for.
    pub(crate) crowded: Vec<usize>,
}

/// Where the tasks of `question` run.
pub(crate) fn place(question: &Question<'_>) -> Placed {
    match question.shape {
        Shape::Global { processors } => {
            Placed { clusters: vec![processors], places: vec![0; question.tasks.len()], crowded: Vec::new() }
        }
        Shape::Clusters(sizes) => {
            let found = if sizes.len() == 1 { vec![Some(0); question.tasks.len()] } else { packed(question, sizes) };
            let completed = placement::completed(question.tasks, sizes, &found);
            Placed { clusters: sizes.to_vec(), places: completed.places, crowded: completed.misfits }
        }
    }
}

/// The first proven packing, else the one that places the most tasks; where Linux would not admit that, the most even of all.
fn packed(question: &Question<'_>, sizes: &[u32]) -> Vec<Option<u32>> {
    let found = |all_tests| {
        let method = Method { all_tests, disprove: false, search: 0, states: 0, budget: 100_000, ..Method::default() };
        let packings = answer(question, &method).map_or_else(|_| Vec::new(), |answer| answer.packings);
        placement::best(&packings, question.tasks, sizes)
    };
    let first = found(false);
    let is_admitted = |share| placement::is_within(share, question.tasks, sizes, &first);
    if Limits::default().share().is_none_or(is_admitted) { first } else { found(true) }
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
