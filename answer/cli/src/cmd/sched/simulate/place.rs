//! Which cluster each task runs in: its author's word, else the analysis' packing, else where the least load is.

use prazo_analysis::question::{Method, Question, Shape, answer};
use prazo_core::task::Task;

/// The clusters' sizes with the cluster of each task.
pub struct Placed {
    pub clusters: Vec<u32>,
    pub places: Vec<u32>,
    /// Tasks that no packing found room for.
    pub crowded: Vec<usize>,
}

/// Where the tasks of `question` run.
pub fn place(question: &Question<'_>) -> Placed {
    match question.shape {
        Shape::Global { processors } => {
            Placed { clusters: vec![processors], places: vec![0; question.tasks.len()], crowded: Vec::new() }
        }
        Shape::Clusters(sizes) => {
            let found = if sizes.len() == 1 { vec![Some(0); question.tasks.len()] } else { packed(question) };
            filled(question.tasks, sizes, &found)
        }
    }
}

/// The proven packing, else the one that places the most tasks.
fn packed(question: &Question<'_>) -> Vec<Option<u32>> {
    let method = Method { disprove: false, search: 0, budget: 100_000, ..Method::default() };
    let packings = answer(question, &method).map_or_else(|_| Vec::new(), |answer| answer.packings);
    let placed = |assignment: &Vec<Option<u32>>| assignment.iter().flatten().count();
    let best = packings.iter().max_by_key(|packed| (packed.proven, placed(&packed.assignment)));
    best.map_or_else(|| vec![None; question.tasks.len()], |packed| packed.assignment.clone())
}

/// What has no place goes where the load for each processor is least.
fn filled(tasks: &[Task], sizes: &[u32], found: &[Option<u32>]) -> Placed {
    let share = |task: &Task| (u128::from(task.cost) << 32) / u128::from(task.period);
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

    #[test]
    fn what_fits_nowhere_goes_where_the_least_load_is() {
        let tasks = [Task::implicit(6, 10), Task::implicit(5, 10), Task::implicit(6, 10)];
        let placed = filled(&tasks, &[1, 1], &[Some(0), Some(1), None]);
        assert_eq!((placed.places, placed.crowded), (vec![0, 1, 1], vec![2]));
    }
}
