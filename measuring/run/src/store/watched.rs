//! Watched threads in a run file: which series are whose, and what is known of them only when the run ends.

use super::check::ACCOUNTS_MAX;
use super::error::Fault;
use super::{ClosedThread, WatchedClosing, read, rows, split};
use crate::run::Series;
use crate::watched::{SeriesThread, WatchedAccount};
use prazo_core::time::Duration;
use rusqlite::{Connection, Result, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tables with a column `series`.
const TABLES: [&str; 10] =
    ["histogram", "timeline", "block", "worst", "packed", "part", "unsplit", "cause_share", "cause", "split"];

/// One thread as `meta` has it, with its series.
#[derive(Serialize, Deserialize)]
struct Entry {
    series: Vec<usize>,
    #[serde(flatten)]
    thread: SeriesThread,
}

/// Says which series are whose, in place of what was said before.
pub(super) fn write<'a>(
    connection: &Connection,
    threads: impl Iterator<Item = (&'a SeriesThread, &'a [usize])>,
) -> Result<()> {
    let entries: Vec<Entry> =
        threads.map(|(thread, series)| Entry { series: series.to_vec(), thread: thread.clone() }).collect();
    if entries.is_empty() { Ok(()) } else { rows::meta_json(connection, "threads", &entries) }
}

/// Gives each series its thread.
pub(super) fn read(connection: &Connection, series: &mut [Series]) -> std::result::Result<(), Fault> {
    let entries: Vec<Entry> = read::meta_json(connection, "threads")?.unwrap_or_default();
    for Entry { series: places, thread } in entries {
        for place in places {
            let of = series.get_mut(place);
            let of = of.ok_or_else(|| {
                Fault::Content(format!("a watched thread refers to series {place}, which does not exist"))
            })?;
            of.thread = Some(thread.clone());
        }
    }
    Ok(())
}

/// Says what threads did and what made them late, each in a row of its own.
pub(super) fn accounts<'a>(connection: &Connection, accounts: impl Iterator<Item = &'a WatchedAccount>) -> Result<()> {
    let mut named = (0_usize..).zip(accounts);
    named.try_for_each(|(place, account)| rows::meta_json(connection, &format!("watched/{place:05}"), account))
}

/// What threads did and what made them late; nothing in a file of before that was kept.
pub(super) fn read_accounts(connection: &Connection) -> std::result::Result<Vec<WatchedAccount>, Fault> {
    let sql = "SELECT value FROM meta WHERE key GLOB 'watched/*' ORDER BY key";
    read::rows(connection, sql, [], ACCOUNTS_MAX, |row| {
        let text: String = row.get(0)?;
        serde_json::from_str(&text).map_err(|error| Fault::Content(format!("the record of a watched thread: {error}")))
    })
}

/// Stores the final counts of every thread, and removes the series that turned out to be of a wait which is not the thread's
/// period. The last series takes the place of a removed one, so that the places stay without holes.
pub(super) fn close(connection: &Connection, closing: &WatchedClosing, count: usize) -> Result<()> {
    closing.plan.as_ref().map_or(Ok(()), |plan| rows::meta_json(connection, "plan", plan))?;
    // While a series changes its place, its rows and it do so one after the other.
    connection.pragma_update(None, "defer_foreign_keys", true)?;
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for ClosedThread { period, series, split, .. } in &closing.threads {
        let parts = split.iter().flat_map(|split| &split.parts).map(|place| (*place, None));
        for (place, activations) in series.iter().map(|(place, of)| (*place, Some(of))).chain(parts) {
            activations.map_or(Ok(()), |of| rows::activations(connection, place, of))?;
            connection
                .prepare_cached("UPDATE series SET period_ns = ? WHERE id = ?")?
                .execute(params![period.map(Duration::as_ns), place])?;
            places.insert(place, place);
        }
        split.as_ref().map_or(Ok(()), |of| split::counts(connection, of.whole, &of.counts))?;
    }
    let mut end = count;
    for gone in (0..count).rev().filter(|place| !places.contains_key(place)).collect::<Vec<_>>() {
        end -= 1;
        remove(connection, gone)?;
        if gone != end {
            rename(connection, end, gone)?;
            let moved = places.iter_mut().find(|(_, now)| **now == end);
            moved.into_iter().for_each(|(_, now)| *now = gone);
        }
    }
    let now: Vec<(&SeriesThread, Vec<usize>)> = closing
        .threads
        .iter()
        .map(|closed| (&closed.account.thread, closed.series.iter().map(|(place, _)| places[place]).collect()))
        .collect();
    write(connection, now.iter().map(|(thread, series)| (*thread, series.as_slice())))?;
    accounts(connection, closing.threads.iter().map(|closed| &closed.account))
}

fn remove(connection: &Connection, place: usize) -> Result<()> {
    connection.execute("DELETE FROM part WHERE whole = ?", [place])?;
    for table in TABLES {
        connection.execute(&format!("DELETE FROM {table} WHERE series = ?"), [place])?;
    }
    connection.execute("DELETE FROM series WHERE id = ?", [place]).map(drop)
}

fn rename(connection: &Connection, from: usize, to: usize) -> Result<()> {
    for table in TABLES {
        connection.execute(&format!("UPDATE {table} SET series = ? WHERE series = ?"), [to, from])?;
    }
    connection.execute("UPDATE part SET whole = ? WHERE whole = ?", [to, from])?;
    connection.execute("UPDATE series SET id = ? WHERE id = ?", [to, from]).map(drop)
}
