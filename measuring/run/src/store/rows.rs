//! Rows of a run file from the parts of a run; the other direction is `read`.

use super::batch::SeriesOpening;
use super::{block, split};
use crate::run::{Activations, Block, LoadRecord, Second, Series, StatedFigures, WorstSample};
use crate::workload::WorkloadRecord;
use crate::{Caveat, Histogram};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::Fingerprint;
use prazo_platform::tunable::TunableRecord;
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, Result, params};
use serde::Serialize;

/// Sets one row of `meta`.
pub(super) fn meta(connection: &Connection, key: &str, value: impl ToString) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?;
    statement.execute(params![key, value.to_string()]).map(drop)
}

/// Sets one row of `meta` where there is a value.
pub(super) fn meta_if(connection: &Connection, key: &str, value: Option<impl ToString>) -> Result<()> {
    value.map_or(Ok(()), |value| meta(connection, key, value))
}

/// Sets one row of `meta` to a value's JSON.
pub(super) fn meta_json(connection: &Connection, key: &str, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    meta(connection, key, text)
}

/// What workloads cost, as JSON; no row where there are none.
pub(super) fn workloads(connection: &Connection, workloads: &[WorkloadRecord]) -> Result<()> {
    if workloads.is_empty() { Ok(()) } else { meta_json(connection, "workloads", &workloads) }
}

/// A series before its first sample.
pub(super) fn series_opening(connection: &Connection, id: usize, series: &SeriesOpening) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO series (id, cpu, quantity, period_ns, resolution_ns) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![
            id,
            series.cpu,
            Word(&series.quantity),
            series.period.map(Duration::as_ns),
            series.resolution.as_ns(),
        ])?;
    series.part_of.map_or(Ok(()), |whole| split::tie(connection, id, whole))
}

/// A whole series.
pub(super) fn series(connection: &Connection, id: usize, series: &Series) -> Result<()> {
    let Series { cpu, quantity, period, resolution, .. } = *series;
    series_opening(connection, id, &SeriesOpening { cpu, quantity, period, resolution, part_of: None })?;
    activations(connection, id, &series.activations)?;
    stated(connection, id, &series.stated.unwrap_or_default())?;
    histogram(connection, id, false, &series.histogram)?;
    histogram(connection, id, true, &series.warm_up)?;
    series.timeline.iter().try_for_each(|second| self::second(connection, id, second))?;
    series.blocks.iter().enumerate().try_for_each(|(number, block)| self::block(connection, id, number, block))?;
    worst(connection, id, &series.worst)
}

/// Counts the activations of every series from its timeline, so that due = served + skipped + outstanding.
pub(super) fn total_activations(connection: &Connection, has_deadline: bool, outstanding: &[u64]) -> Result<()> {
    connection.execute(
        "UPDATE series SET (served, skipped, missed, lost, outstanding) =
           (SELECT coalesce(sum(count), 0), coalesce(sum(skipped), 0), iif(?, coalesce(sum(missed), 0), NULL),
                   coalesce(sum(lost), 0), 0
            FROM timeline WHERE timeline.series = series.id AND NOT warm_up)",
        [has_deadline],
    )?;
    for (id, count) in outstanding.iter().enumerate() {
        connection.execute("UPDATE series SET outstanding = ? WHERE id = ?", params![count, id])?;
    }
    connection.execute("UPDATE series SET due = served + skipped + outstanding", [])?;
    split::clear_activations_of_parts(connection)
}

pub(super) fn activations(connection: &Connection, id: usize, of: &Activations) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE series SET due = ?, served = ?, skipped = ?, missed = ?, outstanding = ?, lost = ? WHERE id = ?",
        )?
        .execute(params![of.due, of.served, of.skipped, of.missed, of.outstanding, of.lost, id])
        .map(drop)
}

fn stated(connection: &Connection, id: usize, of: &StatedFigures) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE series SET stated_count = ?, stated_min_ns = ?, stated_mean_ns = ?, stated_max_ns = ? WHERE id = ?",
        )?
        .execute(params![of.count, of.min_ns, of.mean_ns, of.max_ns, id])
        .map(drop)
}

/// Adds a histogram to what is there.
pub(super) fn histogram(connection: &Connection, id: usize, warm_up: bool, histogram: &Histogram) -> Result<()> {
    cells(connection, id, warm_up, histogram.cells())?;
    overflow(connection, id, warm_up, histogram.overflow())
}

/// Adds cells to the histogram that is there; fastest in ascending order.
pub(super) fn cells(
    connection: &Connection,
    id: usize,
    warm_up: bool,
    cells: impl Iterator<Item = (i64, u64)>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO histogram (series, warm_up, latency_ns, count) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET count = count + excluded.count",
    )?;
    for (latency_ns, count) in cells {
        statement.execute(params![id, warm_up, latency_ns, count])?;
    }
    Ok(())
}

/// Adds to a series' overflow.
pub(super) fn overflow(connection: &Connection, id: usize, warm_up: bool, count: u64) -> Result<()> {
    let sql = match warm_up {
        false => "UPDATE series SET overflow = overflow + ? WHERE id = ?",
        true => "UPDATE series SET warm_up_overflow = warm_up_overflow + ? WHERE id = ?",
    };
    connection.prepare_cached(sql)?.execute(params![count, id]).map(drop)
}

/// Adds one second to the timeline. Where the second is there already, the two are one, and the first says if it is warm-up.
pub(super) fn second(connection: &Connection, id: usize, second: &Second) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO timeline (at_s, series, warm_up, count, skipped, missed, lost, min_ns, max_ns, sum_ns)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET
           count = count + excluded.count, skipped = skipped + excluded.skipped,
           missed = missed + excluded.missed, lost = lost + excluded.lost,
           min_ns = coalesce(min(min_ns, excluded.min_ns), min_ns, excluded.min_ns),
           max_ns = coalesce(max(max_ns, excluded.max_ns), max_ns, excluded.max_ns),
           sum_ns = sum_ns + excluded.sum_ns",
    )?;
    let Second { at_s, warm_up, count, skipped, missed, lost, min_ns, max_ns, sum_ns } = *second;
    statement.execute(params![at_s, id, warm_up, count, skipped, missed, lost, min_ns, max_ns, sum_ns]).map(drop)
}

/// Adds samples of a second that is in the timeline already.
pub(super) fn packed(connection: &Connection, id: usize, at_s: u32, samples: &[u8]) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO packed (series, at_s, warm_up, samples)
             SELECT series, at_s, warm_up, ?3 FROM timeline WHERE at_s = ?2 AND series = ?1",
        )?
        .execute(params![id, at_s, samples])
        .map(drop)
}

/// Writes one block, in place of what it was before.
pub(super) fn block(connection: &Connection, id: usize, number: usize, block: &Block) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO block (series, number, from_s, length_s, overflow, cells) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            id,
            number,
            block.from_s,
            block.length_s,
            block.histogram.overflow(),
            block::pack(&block.histogram)
        ])
        .map(drop)
}

/// Writes the worst samples of a series, in place of what they were before.
pub(super) fn worst(connection: &Connection, id: usize, worst: &[WorstSample]) -> Result<()> {
    connection.prepare_cached("DELETE FROM worst WHERE series = ?")?.execute([id])?;
    let mut statement = connection
        .prepare_cached("INSERT INTO worst (series, rank, latency_ns, at_ns, activation) VALUES (?, ?, ?, ?, ?)")?;
    for (rank, sample) in worst.iter().enumerate() {
        statement.execute(params![id, rank, sample.latency_ns, sample.at_ns, sample.activation])?;
    }
    Ok(())
}

/// Writes the platform's facts `before` or `after`.
pub(super) fn facts(connection: &Connection, moment: &str, platform: Option<&Fingerprint>) -> Result<()> {
    let mut statement =
        connection.prepare_cached("INSERT INTO fact (moment, name, value, source) VALUES (?, ?, ?, ?)")?;
    for (name, fact) in platform.iter().flat_map(|platform| &platform.facts) {
        statement.execute(params![moment, name, fact.value, fact.source])?;
    }
    Ok(())
}

/// Writes the tunables, in place of what they were before.
pub(super) fn tunables(connection: &Connection, tunables: &[TunableRecord]) -> Result<()> {
    connection.execute("DELETE FROM tunable", [])?;
    let mut statement = connection
        .prepare_cached("INSERT INTO tunable (knob, before, requested, effective, restored) VALUES (?, ?, ?, ?, ?)")?;
    for of in tunables {
        statement.execute(params![of.knob, of.before, of.requested, of.effective, of.restored])?;
    }
    Ok(())
}

/// Adds caveats.
pub(super) fn caveats(connection: &Connection, caveats: &[Caveat]) -> Result<()> {
    let mut statement =
        connection.prepare_cached("INSERT INTO caveat (name, severity, what, remedy) VALUES (?, ?, ?, ?)")?;
    for of in caveats {
        statement.execute(params![of.id, Word(&of.severity), of.what, of.remedy])?;
    }
    Ok(())
}

/// Adds loads.
pub(super) fn loads(connection: &Connection, loads: &[LoadRecord]) -> Result<()> {
    for (id, of) in loads.iter().enumerate() {
        connection.prepare_cached("INSERT INTO load VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
            id,
            of.name,
            of.generator,
            of.unit,
            of.asked,
            of.reached,
            of.note,
            of.contained
        ])?;
        let mut statement = connection.prepare_cached("INSERT INTO load_on VALUES (?, ?, ?, ?)")?;
        for (number, (from_s, to_s)) in of.on_s.iter().enumerate() {
            statement.execute(params![id, number, from_s, to_s])?;
        }
    }
    Ok(())
}

/// A value that JSON writes as one word, stored as that word.
pub(super) struct Word<'a, T>(pub &'a T);

impl<T: Serialize> ToSql for Word<'_, T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        let text =
            serde_json::to_string(self.0).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(ToSqlOutput::from(text.trim_matches('"').to_owned()))
    }
}
