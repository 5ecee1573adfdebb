//! Watched threads in a run file: which series are whose, and what is known of them only when the run ends.

use super::error::Fault;
use super::{ClosedThread, WatchedClosing, read, rows};
use crate::run::Series;
use crate::watched::SeriesThread;
use prazo_core::time::Duration;
use rusqlite::{Connection, Result, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tables with a column `series`.
const TABLES: [&str; 5] = ["histogram", "timeline", "block", "worst", "packed"];

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
            let of =
                of.ok_or_else(|| Fault::Content(format!("a watched thread has series {place}, which is missing")))?;
            of.thread = Some(thread.clone());
        }
    }
    Ok(())
}

/// Stores the final counts of every thread, and removes the series that turned out to be of a wait which is not the thread's
/// period. The last series takes the place of a removed one, so that the places stay without holes.
pub(super) fn close(connection: &Connection, closing: &WatchedClosing, count: usize) -> Result<()> {
    closing.plan.as_ref().map_or(Ok(()), |plan| rows::meta_json(connection, "plan", plan))?;
    // While a series changes its place, its rows and it do so one after the other.
    connection.pragma_update(None, "defer_foreign_keys", true)?;
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for ClosedThread { period, series, .. } in &closing.threads {
        for (place, activations) in series {
            rows::activations(connection, *place, activations)?;
            connection
                .prepare_cached("UPDATE series SET period_ns = ? WHERE id = ?")?
                .execute(params![period.map(Duration::as_ns), place])?;
            places.insert(*place, *place);
        }
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
        .map(|closed| (&closed.thread, closed.series.iter().map(|(place, _)| places[place]).collect()))
        .collect();
    write(connection, now.iter().map(|(thread, series)| (*thread, series.as_slice())))
}

fn remove(connection: &Connection, place: usize) -> Result<()> {
    for table in TABLES {
        connection.execute(&format!("DELETE FROM {table} WHERE series = ?"), [place])?;
    }
    connection.execute("DELETE FROM series WHERE id = ?", [place]).map(drop)
}

fn rename(connection: &Connection, from: usize, to: usize) -> Result<()> {
    for table in TABLES {
        connection.execute(&format!("UPDATE {table} SET series = ? WHERE series = ?"), [to, from])?;
    }
    connection.execute("UPDATE series SET id = ? WHERE id = ?", [to, from]).map(drop)
}
