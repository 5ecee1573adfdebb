//! Which cluster each task runs in: its author's word, else the analysis' packing, else where the least load is.

use prazo_analysis::partition::Packed;
use prazo_analysis::question::{Method, Question, Shape, answer};
use prazo_core::task::Task;
use std::cmp::Reverse;

/// What Linux admits of each processor: 95 % of it, here of 2^32.
const ADMITTED: u128 = (95 << 32) / 100;

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
            filled(question.tasks, sizes, &found)
        }
    }
}

/// The first proven packing, else the one that places the most tasks; where Linux would not admit that, the most even of all.
fn packed(question: &Question<'_>, sizes: &[u32]) -> Vec<Option<u32>> {
    let found = |all_tests| best(question, sizes, all_tests);
    let first = found(false);
    if fullest(question.tasks, sizes, &first) <= ADMITTED { first } else { found(true) }
}

/// A proven packing rather than another, then one that places more tasks, then one whose fullest cluster is less full.
fn best(question: &Question<'_>, sizes: &[u32], all_tests: bool) -> Vec<Option<u32>> {
    let method = Method { all_tests, disprove: false, search: 0, states: 0, budget: 100_000, ..Method::default() };
    let packings = answer(question, &method).map_or_else(|_| Vec::new(), |answer| answer.packings);
    let placed = |assignment: &[Option<u32>]| assignment.iter().flatten().count();
    let order = |packed: &&Packed| {
        let fullest = fullest(question.tasks, sizes, &packed.assignment);
        (packed.proven, placed(&packed.assignment), Reverse(fullest))
    };
    let best = packings.iter().max_by_key(order);
    best.map_or_else(|| vec![None; question.tasks.len()], |packed| packed.assignment.clone())
}

/// A task's share of a processor, of which one is 2^32.
fn share(task: &Task) -> u128 {
    (u128::from(task.cost) << 32) / u128::from(task.period)
}

/// The load for each processor of the fullest cluster.
fn fullest(tasks: &[Task], sizes: &[u32], assignment: &[Option<u32>]) -> u128 {
    let load = |cluster: usize| -> u128 {
        let members = tasks.iter().zip(assignment).filter(|(_, place)| **place == Some(cluster as u32));
        members.map(|(task, _)| share(task)).sum()
    };
    sizes.iter().enumerate().map(|(cluster, size)| load(cluster) / u128::from(*size)).max().unwrap_or(0)
}

/// What has no place goes where the load for each processor is least.
fn filled(tasks: &[Task], sizes: &[u32], found: &[Option<u32>]) -> Placed {
    let mut loads = vec![0u128; sizes.len()];
    for (task, place) in tasks.iter().zip(found) {
        place.iter().for_each(|place| loads[*place as usize] += share(task));
    }
    let mut crowded = Vec::new();
    let mut choose = |(index, place): (usize, &Option<u32>)| {
        place.unwrap_or_else(|| {
            crowded.push(index);
            let least = (0..sizes.len()).min_by_key(|at| loads[*at] / u128::from(sizes[*at])).unwrap_or(0);
            loads[least] += share(&tasks[index]);
            least as u32
        })
    };
    let places = found.iter().enumerate().map(&mut choose).collect();
    Placed { clusters: sizes.to_vec(), places, crowded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_analysis::question::Policy;

    #[test]
    fn what_fits_nowhere_goes_where_the_least_load_is() {
        let tasks = [Task::implicit(6, 10), Task::implicit(5, 10), Task::implicit(6, 10)];
        let placed = filled(&tasks, &[1, 1], &[Some(0), Some(1), None]);
        assert_eq!((placed.places, placed.crowded), (vec![0, 1, 1], vec![2]));
    }

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
