//! Random task sets, as experiments draw them.

use crate::error::{of, refused};
use prazo_core::ratio::Ratio;
use prazo_experiment::{Experiment, builtin};
use pyo3::prelude::*;

/// Cost, period and deadline in microseconds, for each task of each set.
type Sets = Vec<Vec<(u64, u64, u64)>>;

fn find(name: &str) -> PyResult<Experiment> {
    prazo::sched::find_experiment(name).map_err(of)
}

/// The families of the built-in experiments: experiment, family and description.
#[pyfunction]
pub(crate) fn families() -> Vec<(String, String, String)> {
    let of = |one: &builtin::Builtin| {
        let families = one.experiment().families;
        families.into_iter().map(|family| (one.name.to_owned(), family.id.into_inner(), family.text))
    };
    builtin::BUILTIN.iter().flat_map(of).collect()
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
    let experiment = find(experiment)?;
    let utilization: Ratio = utilization.parse().map_err(|error| refused(format!("u '{utilization}': {error}")))?;
    let names = || experiment.families.iter().map(|one| one.id.get_ref().clone()).collect::<Vec<_>>().join(", ");
    let family = experiment.families.iter().find(|one| one.id.get_ref() == family);
    let family = family.ok_or_else(|| refused(format!("family: it is none of {}", names())))?;
    let set = |index| {
        family.set(seed, utilization, index).iter().map(|task| (task.cost, task.period, task.deadline)).collect()
    };
    Ok(python.detach(|| (first..first.saturating_add(count)).map(set).collect()))
}
