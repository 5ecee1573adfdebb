//! Writes a whole run at once: an imported or a made-up one.

use super::error::StoreError;
use super::{check, connection, rows, split};
use crate::{Run, Series};
use prazo_core::time::Duration;
use rusqlite::{Connection, Result};
use std::path::Path;

/// Writes `run` to a new file at `path`; [`open`](super::open()) gives it back equal.
///
/// Two things are the same in a file: an empty fingerprint and none; stated figures that state nothing and none.
pub fn save(run: &Run, path: &Path) -> std::result::Result<(), StoreError> {
    let path = connection::absolute(path)?;
    check::run(run).map_err(|what| StoreError::Unstorable { path: path.clone(), what })?;
    connection::create(&path, |connection| fill(connection, run)).map(drop)
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
    rows::tunables(connection, &run.tunables)?;
    rows::caveats(connection, &run.caveats)?;
    rows::loads(connection, &run.loads)?;
    rows::meta_json(connection, "ending", &run.ending)?;
    rows::meta_if(connection, "elapsed_ns", run.elapsed.map(Duration::as_ns))?;
    rows::meta_if(connection, "recorder_delay_max_ns", run.recorder_delay_max.map(Duration::as_ns))?;
    rows::facts(connection, "after", run.platform_after.as_ref())?;
    rows::meta(connection, "state", "finished")
}

/// The whole series first, then the parts, so that a whole's place in the run is its number in the file.
fn series(connection: &Connection, all: &[Series]) -> Result<()> {
    all.iter().enumerate().try_for_each(|(id, series)| rows::series(connection, id, series))?;
    let mut next = all.len();
    for (id, series) in all.iter().enumerate() {
        series.split.as_deref().map_or(Ok(()), |split| split::write(connection, id, split, &mut next))?;
    }
    Ok(())
}
