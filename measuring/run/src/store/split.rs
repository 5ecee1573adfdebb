//! Rows of a run file about splits, in both directions; a file of schema version 1 has none of them.
//!
//! A part's samples are rows like every series'; here is only what ties it to its whole, the counts, and the causes.

use super::error::Fault;
use super::read::{rows, word};
use super::rows::{self, Word};
use crate::run::{Series, WorstSample};
use crate::split::{CAUSES_KEPT, SampleExplanation, Share, Split, SplitCounts, Splitter, Unsplit};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// Most rows of each kind that are read for one series.
pub(super) const LIST_MAX: usize = 256;

/// True where the file can hold splits.
pub(super) fn is_possible(connection: &Connection) -> Result<bool> {
    Ok(super::version(connection)? >= 2)
}

/// Writes a whole series' split; its parts become series from `next` on.
pub(super) fn write(connection: &Connection, whole: usize, split: &Split, next: &mut usize) -> Result<()> {
    for part in &split.parts {
        rows::series(connection, *next, part)?;
        tie(connection, *next, whole)?;
        *next += 1;
    }
    begin(connection, whole, split.counts.by)?;
    counts(connection, whole, &split.counts)?;
    causes(connection, whole, &split.causes)
}

/// Says that one series is a part of another.
pub(super) fn tie(connection: &Connection, part: usize, whole: usize) -> Result<()> {
    connection.prepare_cached("INSERT INTO part (series, whole) VALUES (?, ?)")?.execute(params![part, whole]).map(drop)
}

/// Says that a series is being split.
pub(super) fn begin(connection: &Connection, whole: usize, by: Splitter) -> Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO split (series, by) VALUES (?, ?)")?
        .execute(params![whole, Word(&by)])
        .map(drop)
}

/// Writes the counts of a series that is being split.
pub(super) fn counts(connection: &Connection, whole: usize, of: &SplitCounts) -> Result<()> {
    connection
        .prepare_cached("UPDATE split SET by = ?, split = ?, never_slept = ? WHERE series = ?")?
        .execute(params![Word(&of.by), of.split, of.never_slept, whole])?;
    let mut statement = connection.prepare_cached("INSERT INTO unsplit (series, reason, count) VALUES (?, ?, ?)")?;
    of.unsplit.iter().try_for_each(|(reason, count)| statement.execute(params![whole, Word(reason), count]).map(drop))
}

/// Writes what happened around the worst samples.
pub(super) fn causes(connection: &Connection, whole: usize, causes: &[SampleExplanation]) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO cause VALUES (?, ?, ?, ?, ?, ?)")?;
    for (rank, cause) in causes.iter().enumerate() {
        let WorstSample { at_ns, latency_ns, activation } = cause.sample;
        statement.execute(params![whole, rank, latency_ns, at_ns, activation, cause.sentence])?;
        shares(connection, whole, rank, &cause.shares)?;
    }
    Ok(())
}

fn shares(connection: &Connection, whole: usize, rank: usize, shares: &[Share]) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO cause_share VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    for (number, Share { taker, name, cpu, length_ns }) in shares.iter().enumerate() {
        statement.execute(params![whole, rank, number, Word(taker), name, cpu, length_ns])?;
    }
    Ok(())
}

/// A part has no activations of its own: what is due, skipped and missed belongs to the whole.
pub(super) fn clear_activations_of_parts(connection: &Connection) -> Result<()> {
    if !is_possible(connection)? {
        return Ok(());
    }
    let sql = "UPDATE series SET due = NULL, skipped = NULL, missed = NULL WHERE id IN (SELECT part.series FROM part)";
    connection.execute(sql, []).map(drop)
}

/// Takes the parts out of all series and puts them where they belong.
pub(super) fn nest(connection: &Connection, all: Vec<Series>) -> Result<Vec<Series>, Fault> {
    if !is_possible(connection)? {
        return Ok(all);
    }
    let wholes = wholes(connection, all.len())?;
    let mut parts: BTreeMap<usize, Vec<Series>> = BTreeMap::new();
    let mut series: BTreeMap<usize, Series> = BTreeMap::new();
    for (id, of) in all.into_iter().enumerate() {
        match wholes.get(&id) {
            Some(whole) => parts.entry(*whole).or_default().push(of),
            None => drop(series.insert(id, of)),
        }
    }
    for (whole, by, split, never_slept) in splits(connection)? {
        let of = series.get_mut(&whole).ok_or_else(|| stray(whole))?;
        let parts = parts.remove(&whole).unwrap_or_default();
        let counts = match (split, never_slept) {
            (Some(split), Some(never_slept)) => {
                SplitCounts { by, split, never_slept, unsplit: unsplit(connection, whole)? }
            }
            _ => not_counted(by, of, &parts),
        };
        of.split = Some(Box::new(Split { counts, parts, causes: read_causes(connection, whole)? }));
    }
    parts.keys().next().map_or(Ok(()), |whole| Err(stray(*whole)))?;
    Ok(series.into_values().collect())
}

fn stray(series: usize) -> Fault {
    Fault::Content(format!("there are parts of latencies of series {series}, which was not split"))
}

/// A run that died before its counts were written: what has parts was split, and why the rest has none is not known.
fn not_counted(by: Splitter, whole: &Series, parts: &[Series]) -> SplitCounts {
    let split = parts.iter().map(|part| part.histogram.total()).max().unwrap_or(0);
    let rest = whole.activations.served.saturating_sub(split);
    let unsplit = if rest > 0 { BTreeMap::from([(Unsplit::NotCounted, rest)]) } else { BTreeMap::new() };
    SplitCounts { by, split, never_slept: 0, unsplit }
}

/// The whole series of each part.
fn wholes(connection: &Connection, most: usize) -> Result<BTreeMap<usize, usize>, Fault> {
    let ties = rows(connection, "SELECT series, whole FROM part", [], most, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(ties.into_iter().collect())
}

type SplitRow = (usize, Splitter, Option<u64>, Option<u64>);

fn splits(connection: &Connection) -> Result<Vec<SplitRow>, Fault> {
    let sql = "SELECT series, by, split, never_slept FROM split ORDER BY series";
    rows(connection, sql, [], super::check::SERIES_MAX, |row| {
        Ok((row.get(0)?, word(row, 1)?, row.get(2)?, row.get(3)?))
    })
}

fn unsplit(connection: &Connection, whole: usize) -> Result<BTreeMap<Unsplit, u64>, Fault> {
    let sql = "SELECT reason, count FROM unsplit WHERE series = ?";
    let found = rows(connection, sql, [whole], LIST_MAX, |row| Ok((word(row, 0)?, row.get(1)?)))?;
    Ok(found.into_iter().collect())
}

fn read_causes(connection: &Connection, whole: usize) -> Result<Vec<SampleExplanation>, Fault> {
    let sql = "SELECT at_ns, latency_ns, activation, sentence, rank FROM cause WHERE series = ? ORDER BY rank";
    rows(connection, sql, [whole], CAUSES_KEPT, |row| {
        Ok(SampleExplanation {
            sample: WorstSample { at_ns: row.get(0)?, latency_ns: row.get(1)?, activation: row.get(2)? },
            sentence: row.get(3)?,
            shares: read_shares(connection, whole, row.get(4)?)?,
        })
    })
}

fn read_shares(connection: &Connection, whole: usize, rank: i64) -> Result<Vec<Share>, Fault> {
    let sql = "SELECT taker, name, cpu, length_ns FROM cause_share WHERE series = ? AND rank = ? ORDER BY number";
    rows(connection, sql, params![whole, rank], LIST_MAX, |row| {
        Ok(Share { taker: word(row, 0)?, name: row.get(1)?, cpu: row.get(2)?, length_ns: row.get(3)? })
    })
}
