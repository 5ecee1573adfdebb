//! One side of a comparison: one run, or several repeats of one, with their distributions.

use crate::distribution::Distribution;
use crate::seconds::clusters;
use crate::served::served;
use crate::summary::Per;
use crate::{due, scope};
use prazo_run::Run;

/// One side of a comparison; at least one run.
pub(super) struct Side<'a> {
    /// The runs.
    pub runs: Vec<&'a Run>,
    /// Per served wake-up, one for each run, all processors together.
    pub served: Vec<Distribution>,
    /// Per due activation, where every run has such figures.
    pub due: Option<Vec<Distribution>>,
}

impl<'a> Side<'a> {
    /// The side of these runs; `None` without any.
    pub(super) fn of(runs: &[&'a Run]) -> Option<Self> {
        (!runs.is_empty()).then(|| Self {
            runs: runs.to_vec(),
            served: runs.iter().map(|run| all_served(run)).collect(),
            due: runs.iter().map(|run| all_due(run)).collect(),
        })
    }

    /// The run's name, or the first's and how many there are.
    pub(super) fn name(&self) -> String {
        match self.runs.as_slice() {
            [only] => only.name.clone(),
            [first, rest @ ..] => format!("{} and {} more", first.name, rest.len()),
            [] => String::new(),
        }
    }

    /// All runs' wake-ups together.
    pub(super) fn pooled(&self) -> Distribution {
        Distribution::merged(&self.served)
    }

    /// What the two sides' curves are made of: due activations where both count them, else served wake-ups.
    pub(super) fn comparable_with(&self, other: &Self) -> (Per, Distribution, Distribution) {
        match (&self.due, &other.due) {
            (Some(a), Some(b)) => (Per::DueActivation, Distribution::merged(a), Distribution::merged(b)),
            _ => (Per::ServedWakeUp, self.pooled(), other.pooled()),
        }
    }

    /// The coarsest resolution of any series.
    pub(super) fn resolution_ns(&self) -> i64 {
        let all = self.runs.iter().flat_map(|run| &run.series).map(|series| series.resolution.as_ns());
        all.max().map_or(1, |ns| i64::try_from(ns).unwrap_or(i64::MAX)).max(1)
    }

    /// Activations that share one cause, as the timelines show it; the largest of the runs, `None` where one does not.
    pub(super) fn dependence(&self) -> Option<f64> {
        let each: Option<Vec<f64>> = self.runs.iter().map(|run| Some(clusters(run)?.mean_size())).collect();
        each.map(|each| each.into_iter().fold(1.0, f64::max))
    }
}

fn all_served(run: &Run) -> Distribution {
    let each: Vec<Distribution> = scope::principal_series(run).into_iter().map(|series| served(run, series)).collect();
    Distribution::merged(&each)
}

fn all_due(run: &Run) -> Option<Distribution> {
    let each: Option<Vec<Distribution>> = scope::principal_series(run)
        .into_iter()
        .map(|series| Some(due::per_due(run, series, &served(run, series)).ok()?.distribution))
        .collect();
    each.map(|each| Distribution::merged(&each))
}
