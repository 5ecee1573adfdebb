//! A study that repeats a paper's experiment: the paper's figures with ours, and the samples as they came.

use crate::error::Error;
use prazo_report::{Moments, StatedAndMeasured};
use prazo_run::run::{Quantity, Series};
use prazo_run::source::Source;
use prazo_run::{Run, store};
use prazo_stats::Latencies;
use prazo_study::result::QuantityResult;
use prazo_study::statistic::Statistic;
use prazo_study::{CellResult, StudyResult};
use std::collections::BTreeMap;
use std::path::Path;

/// The paper's figures with those of the cells that repeat them.
pub(super) fn stated_and_measured(result: &StudyResult) -> Vec<StatedAndMeasured> {
    let rows = result.stated_and_measured().into_iter().map(|row| StatedAndMeasured {
        stated: row.stated.id.clone(),
        theirs: row.theirs.clone(),
        cell: row.cell.id.clone(),
        ours: row.ours,
    });
    rows.collect()
}

/// The parts of an interrupt's latency over time, of the first run of each cell that kept its samples.
pub(super) fn moments(
    cells: &[CellResult],
    runs: &BTreeMap<String, Vec<Run>>,
    folder: &Path,
) -> Result<Vec<Moments>, Error> {
    let mut all = Vec::new();
    for cell in cells {
        let run = runs.get(&cell.id).and_then(|runs| runs.first()).filter(|run| keeps_parts(run));
        if let (Some(run), Some(file)) = (run, cell.files.first()) {
            all.extend(of_run(&cell.id, run, &folder.join(file))?);
        }
    }
    Ok(all)
}

fn keeps_parts(run: &Run) -> bool {
    run.plan.as_ref().is_some_and(|plan| plan.raw && matches!(plan.source, Source::Interrupt(_)))
}

fn of_run(cell: &str, run: &Run, file: &Path) -> Result<Vec<Moments>, Error> {
    // The file numbers the whole first, then its parts.
    let parts: Vec<&Series> = run.series.iter().flat_map(|whole| &whole.split).flat_map(|split| &split.parts).collect();
    let mut samples = vec![Vec::new(); parts.len()];
    let read = store::samples(file, |number, batch| {
        if let Some(part) = number.checked_sub(1).and_then(|number| samples.get_mut(number)) {
            part.extend(batch.iter().map(|sample| (sample.due_ns, sample.latency_ns)));
        }
    });
    read.map_err(Error::failed)?;
    let named = parts.iter().map(|part| part.quantity).zip(samples);
    Ok(named.map(|(quantity, samples)| graph(cell, quantity, samples)).collect())
}

fn graph(cell: &str, quantity: Quantity, samples: Vec<(i64, i64)>) -> Moments {
    let latencies = Latencies::of_values(samples.iter().map(|(_, ns)| *ns));
    let [min_ns, mean_ns, deviation_ns, max_ns] = Statistic::ALL.map(|statistic| statistic.of(&latencies));
    let count = Some(samples.len() as u64);
    let figures = QuantityResult { quantity, count, min_ns, mean_ns, deviation_ns, max_ns, seeds: None };
    Moments { label: cell.to_owned(), samples, figures }
}
