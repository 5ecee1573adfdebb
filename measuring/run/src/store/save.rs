//! Writes a whole run at once: an imported or a made-up one.

use super::Sample;
use super::error::StoreError;
use super::packed::{SAMPLES_MAX, pack};
use super::{check, connection, jobs, rows, split, watched};
use crate::{Run, Series};
use prazo_core::text::counted;
use prazo_core::time::Duration;
use rusqlite::{Connection, Result};
use std::path::Path;

/// Writes `run` to a new file at `path`; [`open`](super::open()) gives it back equal.
///
/// Two things are the same in a file: an empty fingerprint and none; stated figures that state nothing and none.
pub fn save(run: &Run, path: &Path) -> std::result::Result<(), StoreError> {
    let path = connection::absolute(path)?;
    check::run(run).map_err(|what| StoreError::contains(&path, &what))?;
    connection::create(&path, |connection| fill(connection, run)).map(drop)
}

/// The samples of one second of a series, for [`save_with_samples`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecondOfSamples {
    /// The series' place in the run.
    pub series: usize,
    /// The second, which must be in the series' timeline.
    pub at_s: u32,
    /// Every sample of it, in order.
    pub samples: Vec<Sample>,
}

/// As [`save`], with every sample beside the histograms, as a run with `--raw` keeps them.
///
/// The samples must be those of the histograms; [`samples`](super::samples) gives them back in this order.
pub fn save_with_samples(run: &Run, seconds: &[SecondOfSamples], path: &Path) -> std::result::Result<(), StoreError> {
    let path = connection::absolute(path)?;
    check::run(run).map_err(|what| StoreError::contains(&path, &what))?;
    adds_up(run, seconds).map_err(|what| StoreError::Unstorable { path: path.clone(), what })?;
    connection::create(&path, |connection| {
        fill(connection, run)?;
        seconds.iter().try_for_each(|second| pack_second(connection, run, second))?;
        let last: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM packed", [], |row| row.get(0))?;
        rows::meta(connection, "folded", last)
    })
    .map(drop)
}

/// Each series has as many samples as its histograms, each in a second of its timeline.
fn adds_up(run: &Run, seconds: &[SecondOfSamples]) -> std::result::Result<(), String> {
    let mut counts = vec![0; run.series.len()];
    for second in seconds {
        let series = run
            .series
            .get(second.series)
            .ok_or_else(|| format!("there are samples of series {}, which the run does not have", second.series))?;
        if !series.timeline.iter().any(|one| one.at_s == second.at_s) {
            return Err(format!(
                "there are samples of second {}, which series {} does not have",
                second.at_s, second.series
            ));
        }
        counts[second.series] += second.samples.len() as u64;
    }
    let wrong = run
        .series
        .iter()
        .zip(&counts)
        .position(|(series, count)| series.histogram.total() + series.warm_up.total() != *count);
    wrong.map_or(Ok(()), |series| {
        Err(format!(
            "there are {} of series {series}, but its histograms count a different number",
            counted(counts[series], "sample")
        ))
    })
}

fn pack_second(connection: &Connection, run: &Run, second: &SecondOfSamples) -> Result<()> {
    let period_ns = run.series[second.series].period.map_or(0, |period| period.as_ns() as i64);
    second
        .samples
        .chunks(SAMPLES_MAX)
        .try_for_each(|samples| rows::packed(connection, second.series, second.at_s, &pack(samples, period_ns)))
}

fn fill(connection: &Connection, run: &Run) -> Result<()> {
    if !run.name.is_empty() {
        rows::meta(connection, "name", &run.name)?;
    }
    rows::meta(connection, "prazo_version", env!("CARGO_PKG_VERSION"))?;
    rows::meta_json(connection, "origin", &run.origin)?;
    run.plan.as_ref().map_or(Ok(()), |plan| rows::meta_json(connection, "plan", plan))?;
    rows::meta(connection, "command", &run.command)?;
    rows::meta_if(connection, "started_at_unix_ns", run.started_at_unix_ns)?;
    rows::facts(connection, "before", run.platform_before.as_ref())?;
    series(connection, &run.series)?;
    jobs::write(connection, &run.sets)?;
    rows::tunables(connection, &run.tunables)?;
    rows::caveats(connection, &run.caveats)?;
    rows::loads(connection, &run.loads)?;
    rows::workloads(connection, &run.workloads)?;
    rows::meta_json(connection, "ending", &run.ending)?;
    rows::meta_if(connection, "elapsed_ns", run.elapsed.map(Duration::as_ns))?;
    rows::meta_if(connection, "recorder_delay_max_ns", run.recorder_delay_max.map(Duration::as_ns))?;
    rows::meta_if(connection, "probe_cost_ns", run.probe_cost.map(Duration::as_ns))?;
    run.overheads.as_ref().map_or(Ok(()), |traced| rows::meta_json(connection, "overheads", traced))?;
    run.noise.as_ref().map_or(Ok(()), |observed| rows::meta_json(connection, "noise", observed))?;
    watched::accounts(connection, run.watched.iter())?;
    rows::facts(connection, "after", run.platform_after.as_ref())?;
    rows::meta(connection, "state", "finished")
}

/// The whole series first, then the parts, so that a whole's place in the run is its number in the file.
fn series(connection: &Connection, all: &[Series]) -> Result<()> {
    all.iter().enumerate().try_for_each(|(id, series)| rows::series(connection, id, series))?;
    let threads = all.iter().zip(0..).filter_map(|(series, id)| Some((series.thread.as_ref()?, [id])));
    let threads: Vec<_> = threads.collect();
    watched::write(connection, threads.iter().map(|(thread, places)| (*thread, places.as_slice())))?;
    let mut next = all.len();
    for (id, series) in all.iter().enumerate() {
        series.split.as_deref().map_or(Ok(()), |split| split::write(connection, id, split, &mut next))?;
    }
    Ok(())
}
