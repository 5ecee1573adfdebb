//! Opens a run file that nobody vouches for.
//!
//! The header is looked at first, then what a killed run left is settled, then the file is read through a connection that
//! cannot write, and at last every value is checked. A file whose writer is alive is never touched.

use super::error::{Fault, StoreError};
use super::live::Claim;
use super::schema::SCHEMA;
use super::{Sample, check, connection, header, read, recover};
use crate::Run;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The run in the file at `path`. A run whose prazo was killed is completed first, in its file where that can be written.
///
/// Errors name the file and what to do; [`StoreError::InUse`] where the measurement still goes on.
pub fn open(path: &Path) -> Result<Run, StoreError> {
    let settled = Settled::new(path)?;
    let mut run = read::run(&settled.connection).map_err(|fault| fault.at(path, "read the file"))?;
    check::run(&run).map_err(|what| StoreError::damaged(path, format!("the file contains {what}")))?;
    if run.name.is_empty() {
        run.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    }
    Ok(run)
}

/// Calls `each` with every sample that a run with `--raw` kept: the series' place in the run, and the samples of a second.
pub fn samples(path: &Path, each: impl FnMut(usize, &[Sample])) -> Result<(), StoreError> {
    let settled = Settled::new(path)?;
    read::packed(&settled.connection, each).map_err(|fault| fault.at(path, "read the samples"))
}

/// The samples that a run with `--raw` kept, read second by second as they are asked for.
///
/// The file is not claimed meanwhile, so that others may open it: what is added to a run that has ended leaves its samples alone.
pub struct SampleReader {
    path: PathBuf,
    connection: Connection,
    _copy: Option<recover::Copy>,
    /// The row that was read last.
    last: i64,
}

impl SampleReader {
    /// Opens the file at `path`, as [`open()`] does.
    ///
    /// # Errors
    /// As [`open()`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let Settled { connection, _copy, _claim: _ } = Settled::new(path)?;
        Ok(Self { path: path.to_owned(), connection, _copy, last: i64::MIN })
    }

    /// The next samples: the series' place in the run, and those of one second; `None` at the end.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read any more.
    pub fn next_second(&mut self) -> Result<Option<(usize, Vec<Sample>)>, StoreError> {
        let found = read::packed_after(&self.connection, self.last);
        let found = found.map_err(|fault| fault.at(&self.path, "read the samples"))?;
        Ok(found.map(|read::Packed { id, series, samples }| {
            self.last = id;
            (series, samples)
        }))
    }
}

/// A run file that is complete, with a connection that only reads. Fields are dropped in this order.
struct Settled {
    connection: Connection,
    _copy: Option<recover::Copy>,
    _claim: Claim,
}

impl Settled {
    fn new(path: &Path) -> Result<Self, StoreError> {
        let path = connection::absolute(path)?;
        let claim = claim(&path)?;
        let header = header::read(&path)?;
        if let Some(settled) = Self::as_it_is(&path, header)? {
            return Ok(Self { connection: settled, _copy: None, _claim: claim });
        }
        let copy = recover::recover(&path)?;
        let recovered = copy.as_ref().map_or(path.as_path(), |copy| copy.path());
        let connection = reader(recovered).map_err(|fault| fault.at(&path, "open the file"))?;
        Ok(Self { connection, _copy: copy, _claim: claim })
    }

    /// `None` where something has to be settled first.
    fn as_it_is(path: &Path, header: header::Header) -> Result<Option<Connection>, StoreError> {
        let left_over = |suffix| connection::beside(path, suffix).exists();
        if header.logs_ahead || left_over("-wal") || left_over("-journal") {
            return Ok(None);
        }
        header.require_whole(path)?;
        let reader = reader(path).map_err(|fault| fault.at(path, "open the file"))?;
        let finished = recover::is_finished(&reader).map_err(|fault| fault.at(path, "read the state of the run"))?;
        Ok(finished.then_some(reader))
    }
}

fn claim(path: &Path) -> Result<Claim, StoreError> {
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => {
            StoreError::io(path, "open the file", std::io::Error::new(ErrorKind::NotFound, "the file does not exist"))
        }
        _ => StoreError::io(path, "open the file", source),
    };
    Claim::new(path).map_err(failed)?.ok_or_else(|| StoreError::InUse { path: PathBuf::from(path) })
}

fn reader(path: &Path) -> Result<Connection, Fault> {
    let connection = connection::read_only(path)?;
    inspect(&connection)?;
    Ok(connection)
}

/// Refuses a file whose structure is broken or whose tables are not exactly ours.
pub(super) fn inspect(connection: &Connection) -> Result<(), Fault> {
    let found = tables(connection)?;
    for (name, sql) in tables(&reference(super::version(connection)?)?)? {
        if found.get(&name) != Some(&sql) {
            return Err(Fault::Content(format!(
                "the table '{name}' is missing or differs from the one that prazo creates"
            )));
        }
    }
    let triggers: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", [], |row| row.get(0))?;
    if triggers > 0 {
        return Err(Fault::Content("the database has triggers, which prazo never creates".into()));
    }
    match connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?.as_str() {
        "ok" => Ok(()),
        what => Err(Fault::Content(what.to_owned())),
    }
}

/// Tables by name, with the text that made them.
fn tables(connection: &Connection) -> Result<BTreeMap<String, String>, Fault> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")?;
    let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(all.collect::<rusqlite::Result<_>>()?)
}

/// What prazo itself makes in a file of this schema version.
fn reference(version: u32) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    SCHEMA[..(version as usize).min(SCHEMA.len())].iter().try_for_each(|sql| connection.execute_batch(sql))?;
    Ok(connection)
}
