//! Random task sets: as experiments draw them, or from a family that the caller describes.

use crate::error::{of, refused};
use crate::interrupt::of_all;
use crate::options::parsed;
use prazo_core::hash::fnv1a;
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_experiment::{Experiment, builtin};
use prazo_scenario::generate::{Family, set_rng};
use pyo3::prelude::*;
use std::sync::Arc;

/// Cost, period and deadline in microseconds, for each task of each set.
type Sets = Vec<Vec<(u64, u64, u64)>>;

fn find(name: &str) -> PyResult<Experiment> {
    prazo::sched::find_experiment(name).map_err(of)
}

/// The families of the built-in experiments: experiment, family and description.
#[pyfunction]
pub(crate) fn families(python: Python<'_>) -> Vec<(String, String, String)> {
    let of = |one: &builtin::Builtin| {
        let families = one.experiment().families;
        families.into_iter().map(|family| (one.name.to_owned(), family.id.into_inner(), family.text))
    };
    python.detach(|| builtin::BUILTIN.iter().flat_map(of).collect())
}

fn ratio(utilization: &str) -> PyResult<Ratio> {
    utilization.parse().map_err(|error| refused(format!("u '{utilization}': {error}")))
}

fn times(tasks: &[Task]) -> Vec<(u64, u64, u64)> {
    tasks.iter().map(|task| (task.cost, task.period, task.deadline)).collect()
}

/// The sets of these numbers, on all processors.
fn numbered(
    python: Python<'_>,
    first: u64,
    count: u64,
    set: impl Fn(u64) -> Vec<(u64, u64, u64)> + Send + Sync + 'static,
) -> PyResult<Sets> {
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    of_all(python, &Arc::new(numbers), None, move |number| set(*number))
}

/// `count` sets of a family at a total utilization, from number `first` on; a set is empty where the family cannot reach it.
#[pyfunction]
pub(crate) fn generate(
    python: Python<'_>,
    experiment: &str,
    family: &str,
    utilization: &str,
    seed: u64,
    first: u64,
    count: u64,
) -> PyResult<Sets> {
    let (experiment, utilization) = (python.detach(|| find(experiment))?, ratio(utilization)?);
    let names = || experiment.families.iter().map(|one| one.id.get_ref().clone()).collect::<Vec<_>>().join(", ");
    let family = experiment.families.iter().find(|one| one.id.get_ref() == family);
    let unknown = || refused(format!("family: the experiment has no such family; choose one of {}", names()));
    let family = family.ok_or_else(unknown)?.clone();
    numbered(python, first, count, move |index| times(&family.set(seed, utilization, index)))
}

/// The same from a family's description as JSON; `name` is a part of what its random numbers depend on.
#[pyfunction]
pub(crate) fn draw(
    python: Python<'_>,
    family: &str,
    name: &str,
    utilization: &str,
    seed: u64,
    first: u64,
    count: u64,
) -> PyResult<Sets> {
    let (family, total): (Family, Ratio) = (parsed(family)?, ratio(utilization)?);
    let point = fnv1a(format!("{name} {utilization}").as_bytes());
    numbered(python, first, count, move |index| times(&family.draw(&mut set_rng(seed, point, index), total)))
}
