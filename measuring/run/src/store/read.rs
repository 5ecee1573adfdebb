//! The parts of a run from the rows of a run file; the other direction is `rows`.
//!
//! Nothing is believed: a value of the wrong type or sign, a count that overflows, a blob that is cut short or a table
//! that is longer than any run's is an error that names it.

use super::error::Fault;
use super::packed::unpack;
use super::{Sample, block, check, jobs, split, watched};
use crate::run::{Activations, Block, LoadRecord, Second, Series, StatedFigures, WORST_KEPT, WorstSample};
use crate::{Caveat, Histogram, Run};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_platform::tunable::TunableRecord;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde::de::DeserializeOwned;

/// The whole run, as far as it was folded.
pub(super) fn run(connection: &Connection) -> Result<Run, Fault> {
    Ok(Run {
        name: meta(connection, "name")?.unwrap_or_default(),
        origin: meta_json(connection, "origin")?
            .ok_or_else(|| Fault::Content("the file does not state where its samples came from".into()))?,
        plan: meta_json(connection, "plan")?,
        command: meta(connection, "command")?.unwrap_or_default(),
        started_at_unix_ns: meta_json(connection, "started_at_unix_ns")?,
        elapsed: meta_json(connection, "elapsed_ns")?.map(Duration::from_ns),
        ending: meta_json(connection, "ending")?.unwrap_or(crate::run::Ending::Died),
        platform_before: facts(connection, "before")?,
        platform_after: facts(connection, "after")?,
        series: all_series(connection)?,
        sets: jobs::read(connection)?,
        loads: loads(connection)?,
        workloads: meta_json(connection, "workloads")?.unwrap_or_default(),
        tunables: tunables(connection)?,
        recorder_delay_max: meta_json(connection, "recorder_delay_max_ns")?.map(Duration::from_ns),
        probe_cost: meta_json(connection, "probe_cost_ns")?.map(Duration::from_ns),
        caveats: caveats(connection)?,
        overheads: meta_json(connection, "overheads")?,
        noise: meta_json(connection, "noise")?,
        watched: watched::read_accounts(connection)?,
    })
}

/// One row of `meta`.
pub(super) fn meta(connection: &Connection, key: &str) -> Result<Option<String>, Fault> {
    Ok(connection.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0)).optional()?)
}

/// One row of `meta` that is JSON.
pub(super) fn meta_json<T: DeserializeOwned>(connection: &Connection, key: &str) -> Result<Option<T>, Fault> {
    let Some(text) = meta(connection, key)? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| Fault::Content(format!("entry '{key}' of the table 'meta': {error}")))
}

/// The worst samples of one series, worst first.
pub(super) fn worst(connection: &Connection, series: usize) -> Result<Vec<WorstSample>, Fault> {
    rows(
        connection,
        "SELECT at_ns, latency_ns, activation FROM worst WHERE series = ? ORDER BY rank",
        [series],
        WORST_KEPT,
        |row| Ok(WorstSample { at_ns: row.get(0)?, latency_ns: row.get(1)?, activation: row.get(2)? }),
    )
}

/// The block of a row `from_s, length_s, overflow, cells`.
pub(super) fn block(row: &Row) -> Result<Block, Fault> {
    let blob = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
    let histogram =
        block::unpack(blob, row.get(2)?).ok_or_else(|| Fault::Content("a histogram block is invalid".into()))?;
    Ok(Block { from_s: row.get(0)?, length_s: row.get(1)?, histogram })
}

/// The period of every series, parts included.
pub(super) fn periods(connection: &Connection) -> Result<Vec<Option<Duration>>, Fault> {
    let sql = "SELECT period_ns FROM series ORDER BY id";
    rows(connection, sql, [], check::SERIES_MAX, |row| Ok(row.get::<_, Option<u64>>(0)?.map(Duration::from_ns)))
}

/// Packed samples with the series that they belong to, in the order in which they came.
const PACKED: &str = "SELECT packed.id, series, period_ns, samples FROM packed JOIN series ON series.id = series";

/// The samples of one series in one second.
pub(super) struct Packed {
    /// The row.
    pub(super) id: i64,
    /// The series' place in the run.
    pub(super) series: usize,
    pub(super) samples: Vec<Sample>,
}

fn unpacked(row: &Row<'_>) -> Result<Packed, Fault> {
    let id: i64 = row.get(0)?;
    let blob = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
    let samples = unpack(blob, row.get::<_, Option<i64>>(2)?.unwrap_or(0));
    let samples = samples.ok_or_else(|| Fault::Content(format!("row {id} of the packed samples is truncated")))?;
    Ok(Packed { id, series: row.get(1)?, samples })
}

/// Calls `each` with the packed samples of each second, in the order in which they came.
pub(super) fn packed(connection: &Connection, mut each: impl FnMut(usize, &[Sample])) -> Result<(), Fault> {
    let mut statement = connection.prepare(&format!("{PACKED} ORDER BY packed.id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let Packed { series, samples, .. } = unpacked(row)?;
        each(series, &samples);
    }
    Ok(())
}

/// The first packed samples behind the row `after`.
pub(super) fn packed_after(connection: &Connection, after: i64) -> Result<Option<Packed>, Fault> {
    let mut statement =
        connection.prepare_cached(&format!("{PACKED} WHERE packed.id > ? ORDER BY packed.id LIMIT 1"))?;
    let mut found = statement.query([after])?;
    found.next()?.map(unpacked).transpose()
}

/// Reads at most `most` rows.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    most: usize,
    mut read: impl FnMut(&Row) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(parameters)?;
    let mut all = Vec::new();
    while let Some(row) = found.next()? {
        if all.len() == most {
            return Err(Fault::Content(format!("the database has more than {most} rows for the query '{sql}'")));
        }
        all.push(read(row)?);
    }
    Ok(all)
}

fn all_series(connection: &Connection) -> Result<Vec<Series>, Fault> {
    let sql = "SELECT id, cpu, quantity, period_ns, resolution_ns, due, served, skipped, missed, outstanding, lost,
        overflow, warm_up_overflow, stated_count, stated_min_ns, stated_mean_ns, stated_max_ns FROM series ORDER BY id";
    let mut series = rows(connection, sql, [], check::SERIES_MAX, |row| {
        Ok((row.get::<_, usize>(0)?, row.get(11)?, row.get(12)?, series(row)?))
    })?;
    let mut room = Room { cells: check::CELLS_MAX, seconds: check::SECONDS_MAX };
    for (number, (id, overflow, warm_up_overflow, of)) in series.iter_mut().enumerate() {
        if *id != number {
            return Err(Fault::Content(format!("series {id} was found where series {number} is expected")));
        }
        of.histogram = histogram(connection, *id, false, *overflow, &mut room)?;
        of.warm_up = histogram(connection, *id, true, *warm_up_overflow, &mut room)?;
        of.timeline = timeline(connection, *id, &mut room)?;
        of.worst = worst(connection, *id)?;
        of.blocks = blocks(connection, *id, &mut room)?;
    }
    let mut all: Vec<Series> = series.into_iter().map(|(.., of)| of).collect();
    watched::read(connection, &mut all)?;
    split::nest(connection, all)
}

/// How much more may be read before the file is larger than any run.
struct Room {
    cells: usize,
    seconds: usize,
}

fn series(row: &Row) -> Result<Series, Fault> {
    let activations = Activations {
        due: row.get(5)?,
        served: row.get::<_, Option<u64>>(6)?.unwrap_or(0),
        skipped: row.get(7)?,
        missed: row.get(8)?,
        outstanding: row.get::<_, Option<u64>>(9)?.unwrap_or(0),
        lost: row.get::<_, Option<u64>>(10)?.unwrap_or(0),
    };
    let stated =
        StatedFigures { count: row.get(13)?, min_ns: row.get(14)?, mean_ns: row.get(15)?, max_ns: row.get(16)? };
    Ok(Series {
        cpu: row.get(1)?,
        quantity: word(row, 2)?,
        period: row.get::<_, Option<u64>>(3)?.map(Duration::from_ns),
        resolution: Duration::from_ns(row.get(4)?),
        activations,
        stated: (stated != StatedFigures::default()).then_some(stated),
        ..Series::default()
    })
}

/// A word of a closed list, as serde spells it.
pub(super) fn word<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T, Fault> {
    let text: String = row.get(column)?;
    serde_json::from_value(text.into()).map_err(|error| Fault::Content(error.to_string()))
}

fn histogram(
    connection: &Connection,
    id: usize,
    warm_up: bool,
    overflow: u64,
    room: &mut Room,
) -> Result<Histogram, Fault> {
    let sql = "SELECT latency_ns, count FROM histogram WHERE series = ? AND warm_up = ? ORDER BY latency_ns";
    let mut histogram = Histogram::new();
    let mut total = overflow;
    let cells: Vec<(i64, u64)> =
        rows(connection, sql, params![id, warm_up], room.cells, |row| Ok((row.get(0)?, row.get(1)?)))?;
    room.cells -= cells.len();
    for (latency_ns, count) in cells {
        total = total
            .checked_add(count)
            .ok_or_else(|| Fault::Content("the sum of the counts of a histogram exceeds 64 bits".into()))?;
        histogram.add(latency_ns, count);
    }
    histogram.add_overflow(overflow);
    Ok(histogram)
}

fn timeline(connection: &Connection, id: usize, room: &mut Room) -> Result<Vec<Second>, Fault> {
    let sql = "SELECT at_s, warm_up, count, skipped, missed, lost, min_ns, max_ns, sum_ns FROM timeline
        WHERE series = ? ORDER BY at_s";
    let seconds = rows(connection, sql, [id], room.seconds, |row| {
        Ok(Second {
            at_s: row.get(0)?,
            warm_up: row.get(1)?,
            count: row.get(2)?,
            skipped: row.get(3)?,
            missed: row.get(4)?,
            lost: row.get(5)?,
            min_ns: row.get(6)?,
            max_ns: row.get(7)?,
            sum_ns: row.get(8)?,
        })
    })?;
    room.seconds -= seconds.len();
    Ok(seconds)
}

fn blocks(connection: &Connection, id: usize, room: &mut Room) -> Result<Vec<Block>, Fault> {
    let sql = "SELECT from_s, length_s, overflow, cells FROM block WHERE series = ? ORDER BY number";
    rows(connection, sql, [id], check::BLOCKS_MAX, |row| {
        let block = block(row)?;
        room.cells = room.cells.checked_sub(block.histogram.distinct()).ok_or_else(|| {
            Fault::Content("the histograms and blocks of all series contain too many distinct latencies".into())
        })?;
        Ok(block)
    })
}

fn facts(connection: &Connection, moment: &str) -> Result<Option<Fingerprint>, Fault> {
    let facts: Vec<(String, Fact)> =
        rows(connection, "SELECT name, value, source FROM fact WHERE moment = ?", [moment], check::NOTES_MAX, |row| {
            Ok((row.get(0)?, Fact { value: row.get(1)?, source: row.get(2)? }))
        })?;
    Ok((!facts.is_empty()).then(|| Fingerprint { facts: facts.into_iter().collect() }))
}

fn loads(connection: &Connection) -> Result<Vec<LoadRecord>, Fault> {
    let sql = "SELECT id, name, generator, unit, asked, reached, note, contained FROM load ORDER BY id";
    rows(connection, sql, [], check::NOTES_MAX, |row| {
        Ok(LoadRecord {
            name: row.get(1)?,
            generator: row.get(2)?,
            unit: row.get(3)?,
            asked: row.get(4)?,
            reached: row.get(5)?,
            note: row.get(6)?,
            on_s: load_on(connection, row.get(0)?)?,
            contained: row.get(7)?,
        })
    })
}

fn load_on(connection: &Connection, load: i64) -> Result<Vec<(f64, f64)>, Fault> {
    let sql = "SELECT from_s, to_s FROM load_on WHERE load = ? ORDER BY number";
    rows(connection, sql, [load], check::NOTES_MAX, |row| Ok((row.get(0)?, row.get(1)?)))
}

fn tunables(connection: &Connection) -> Result<Vec<TunableRecord>, Fault> {
    let sql = "SELECT knob, before, requested, effective, restored FROM tunable ORDER BY id";
    rows(connection, sql, [], check::NOTES_MAX, |row| {
        Ok(TunableRecord {
            knob: row.get(0)?,
            before: row.get(1)?,
            requested: row.get(2)?,
            effective: row.get(3)?,
            restored: row.get(4)?,
        })
    })
}

fn caveats(connection: &Connection) -> Result<Vec<Caveat>, Fault> {
    let sql = "SELECT name, severity, what, remedy FROM caveat ORDER BY id";
    rows(connection, sql, [], check::NOTES_MAX, |row| {
        Ok(Caveat { id: row.get(0)?, severity: word(row, 1)?, what: row.get(2)?, remedy: row.get(3)? })
    })
}
