//! The samples of one cell, in order, with counts of whatever is not among them.

use crate::run_files::run_files;
use prazo_run::run::Quantity;
use prazo_run::{Run, store};
use prazo_stats::principal_quantity;
use serde::Serialize;
use std::path::Path;

/// Where the samples of a cell come from.
#[derive(Debug, Default, Serialize)]
pub(super) struct Cell {
    /// The folder's name, or the law's.
    pub name: String,
    /// Number of runs with samples.
    pub runs: u64,
    /// Run files that were left out, each with the reason.
    pub left_out: Vec<String>,
    /// Number of samples, warm-up excluded.
    pub samples: u64,
    /// Number of samples of the warm-up, which are not scored.
    pub warm_up: u64,
    /// Number of activations whose record was lost.
    pub lost: u64,
    /// Number of activations that were skipped, where runs state it.
    pub skipped: u64,
}

impl Cell {
    /// The cell, and the latencies of each series in nanoseconds, in order.
    pub(super) fn read(folder: &Path, quantity: Option<Quantity>) -> Result<(Self, Vec<Vec<i64>>), String> {
        let name = folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.display().to_string());
        let (mut cell, mut all) = (Self { name, ..Self::default() }, Vec::new());
        for file in run_files(folder)? {
            match series(&file, quantity) {
                Ok(found) => cell.take(found, &mut all),
                Err(reason) => cell.left_out.push(format!("{}: {reason}", file.display())),
            }
        }
        Ok((cell, all))
    }

    fn take(&mut self, found: Found, all: &mut Vec<Vec<i64>>) {
        self.runs += 1;
        self.warm_up += found.warm_up;
        self.lost += found.lost;
        self.skipped += found.skipped;
        self.samples += found.series.iter().map(|series| series.len() as u64).sum::<u64>();
        all.extend(found.series);
    }
}

/// The samples of one run.
#[derive(Default)]
struct Found {
    series: Vec<Vec<i64>>,
    warm_up: u64,
    lost: u64,
    skipped: u64,
}

fn series(file: &Path, quantity: Option<Quantity>) -> Result<Found, String> {
    let run = store::open(file).map_err(|error| error.to_string())?;
    let quantity = quantity.or_else(|| principal_quantity(&run)).ok_or("the run has no samples")?;
    let mut kept: Vec<Vec<i64>> = vec![Vec::new(); run.series.len()];
    let keep = |series: usize, samples: &[store::Sample]| {
        if let Some(kept) = kept.get_mut(series) {
            kept.extend(samples.iter().map(|sample| sample.latency_ns));
        }
    };
    store::samples(file, keep).map_err(|error| error.to_string())?;
    of_quantity(&run, quantity, kept)
}

/// The series of one quantity, without the warm-up: its samples come first, and a run counts them apart.
fn of_quantity(run: &Run, quantity: Quantity, kept: Vec<Vec<i64>>) -> Result<Found, String> {
    let mut found = Found::default();
    for (series, mut latencies) in run.series.iter().zip(kept).filter(|(series, _)| series.quantity == quantity) {
        if latencies.is_empty() {
            continue;
        }
        let (warm_up, measured) = (series.warm_up.total(), series.histogram.total());
        if latencies.len() as u64 != warm_up + measured {
            return Err(format!(
                "the file keeps {} samples one by one, but its histograms have {measured} and {warm_up} of the warm-up",
                latencies.len()
            ));
        }
        latencies.drain(..warm_up as usize);
        found.warm_up += warm_up;
        found.lost += series.activations.lost;
        found.skipped += series.activations.skipped.unwrap_or(0);
        found.series.push(latencies);
    }
    if found.series.is_empty() {
        return Err(format!(
            "the file keeps no samples of the {} one by one; measure with --raw, or with raw = true in a study",
            quantity.name()
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::run::Second;
    use prazo_run::store::{Sample, SecondOfSamples};
    use prazo_run::{Histogram, Series};

    fn histogram(latencies: impl Iterator<Item = i64>) -> Histogram {
        let mut histogram = Histogram::new();
        latencies.for_each(|latency| histogram.add(latency, 1));
        histogram
    }

    /// Two seconds of 100 samples each, the first one of warm-up.
    fn run() -> (Run, Vec<SecondOfSamples>) {
        let second = |at_s: u32| Second { at_s, warm_up: at_s == 0, count: 100, ..Second::default() };
        let series = Series {
            warm_up: histogram(0..100),
            histogram: histogram(100..200),
            timeline: vec![second(0), second(1)],
            ..Series::default()
        };
        let sample = |number: i64| Sample { activation: number as u64, due_ns: 0, latency_ns: number };
        let samples = |at_s: u32| (0..100).map(|i| sample(i + i64::from(at_s) * 100)).collect();
        let seconds = [0, 1].map(|at_s| SecondOfSamples { series: 0, at_s, samples: samples(at_s) });
        (Run { series: vec![series], ..Run::default() }, seconds.to_vec())
    }

    #[test]
    fn samples_are_read_in_order_and_all_others_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let (run, seconds) = run();
        store::save_with_samples(&run, &seconds, &folder.path().join("a.prazo")).unwrap();
        store::save(&run, &folder.path().join("b.prazo")).unwrap();
        std::fs::write(folder.path().join("c.prazo"), "no run").unwrap();
        let (cell, series) = Cell::read(folder.path(), None).unwrap();
        assert_eq!(series, [(100..200).collect::<Vec<i64>>()]);
        assert_eq!((cell.runs, cell.samples, cell.warm_up), (1, 100, 100));
        assert!(cell.left_out[0].contains("raw = true") && cell.left_out[1].contains("c.prazo"), "{cell:?}");
        assert!(Cell::read(&folder.path().join("none"), None).unwrap_err().contains("cannot list"));
    }
}
