//! Where tasks run: which packing counts where several place them, and a cluster for every task.
//!
//! One rule for what is deployed, run and simulated: the author's word, else the analysis' packing. What no packing
//! places is run and simulated where the least load is, and not deployed.

use super::grants::Grants;
use prazo_analysis::partition::{Packed, placement};
use prazo_analysis::question::{Answer, JobRanking, Method, Question, Shape, answer};

/// The clusters' sizes with the cluster of each task.
pub(crate) struct Placed {
    pub(crate) clusters: Vec<u32>,
    pub(crate) places: Vec<u32>,
    /// Tasks that no packing found room for.
    pub(crate) crowded: Vec<usize>,
}

/// Where the tasks of `question` run and are simulated.
///
/// The method is quick enough for a batch.
pub(crate) fn place(question: &Question<'_>, grants: &Grants) -> Placed {
    match question.shape {
        Shape::Global { processors } | Shape::Clusters(&[processors]) => {
            Placed { clusters: vec![processors], places: vec![0; question.tasks.len()], crowded: Vec::new() }
        }
        Shape::Clusters(sizes) => {
            let completed = placement::completed(question.tasks, sizes, packed(question, grants).as_ref());
            Placed { clusters: sizes.to_vec(), places: completed.places, crowded: completed.misfits }
        }
    }
}

/// The packing that counts; `None` where the question has no answer.
fn packed(question: &Question<'_>, grants: &Grants) -> Option<Packed> {
    let method =
        |all_tests| Method { all_tests, disprove: false, search: 0, states: 0, budget: 100_000, ..Method::default() };
    let found = with_the_packing_that_counts(question, grants, |all| answer(question, &method(all)));
    found.ok()?.packings.into_iter().next()
}

/// What `ask` answers to `question`, with one packing alone: the one that counts.
///
/// That is the first proven packing, else the one that places the most tasks. Where Linux would not admit a proven one
/// under EDF, the most even proven one that it admits counts, if there is one; fixed priorities reserve nothing. `ask`
/// is given whether to try all heuristics, or only as many as the first proof takes.
pub(crate) fn with_the_packing_that_counts<E>(
    question: &Question<'_>,
    grants: &Grants,
    ask: impl Fn(bool) -> Result<Answer, E>,
) -> Result<Answer, E> {
    let found = ask(false)?;
    let Shape::Clusters(sizes) = question.shape else { return Ok(found) };
    let accounts = grants.accounts(sizes);
    let best = |packings: &[Packed]| placement::best(packings, question.tasks, &accounts).cloned();
    let is_admitted = |packed: &Packed| {
        !matches!(question.policy, JobRanking::Edf) || placement::is_admitted(packed, question.tasks, &accounts)
    };
    let chosen = match best(&found.packings) {
        Some(first) if first.proven && !is_admitted(&first) => {
            best(&ask(true)?.packings).filter(is_admitted).or(Some(first))
        }
        first => first,
    };
    Ok(Answer { packings: chosen.into_iter().collect(), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_analysis::linux::{Limits, Server};
    use prazo_analysis::question::Priorities;
    use prazo_core::task::Task;

    /// Where tasks of these costs in hundredths of a processor run, on two processors with a queue each.
    fn placed(costs: &[u64], policy: JobRanking<'_>, limits: Limits) -> Vec<u32> {
        let tasks: Vec<Task> = costs.iter().map(|cost| Task::implicit(*cost, 100)).collect();
        let question = Question {
            tasks: &tasks,
            policy,
            shape: Shape::Clusters(&[1, 1]),
            places: None,
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            overheads: None,
            time: prazo_analysis::TimeModel::Continuous,
        };
        place(&question, &Grants { limits, ..Grants::default() }).places
    }

    #[test]
    fn a_packing_that_linux_would_not_admit_gives_way_to_a_more_even_one() {
        let usual = Limits::default();
        assert_eq!(
            placed(&[50, 48, 30], JobRanking::Edf, usual),
            [0, 1, 1],
            "first fit would put 0.98 on one processor"
        );
        assert_eq!(placed(&[50, 42, 30], JobRanking::Edf, usual), [0, 0, 1]);
        let with_server = Limits { server: Some(Server::FAIR), ..usual };
        assert_eq!(placed(&[50, 42, 30], JobRanking::Edf, with_server), [0, 1, 1], "a new kernel grants 0.90");
    }

    #[test]
    fn fixed_priorities_reserve_nothing() {
        let rate_monotonic = JobRanking::FixedPriority(Priorities::RateMonotonic);
        assert_eq!(placed(&[50, 48, 30], rate_monotonic, Limits::default()), [0, 0, 1]);
    }

    #[test]
    fn the_first_packing_counts_where_linux_would_admit_none() {
        assert_eq!(placed(&[50, 48, 48, 45], JobRanking::Edf, Limits::default()), [0, 0, 1, 1]);
    }
}
