//! Connections to a run file, as careful as SQLite can be told to be.
//!
//! A run file may come from anybody: nothing that its schema defines is ever run (triggers, views, functions), nothing
//! outside it is reached (extensions, attached files), and no value may grow beyond what prazo itself would write.

use super::error::StoreError;
use super::schema::{APPLICATION_ID, SCHEMA, SCHEMA_VERSION};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest text or blob of a run file, in bytes.
pub(super) const VALUE_BYTES_MAX: i32 = 8 << 20;

const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 64),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 64),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 8),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 64),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
];

const SWITCHES: [(DbConfig, bool); 4] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
];

/// The path from the root on: SQLite takes a name that begins with `file:` for more than a name.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|source| StoreError::io(path, "find the folder of the file", source))
}

/// The file that SQLite keeps beside `path`: `suffix` is `-wal`, `-shm` or `-journal`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A connection to an untrusted file that cannot write it.
pub(super) fn read_only(path: &Path) -> rusqlite::Result<Connection> {
    careful(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// A connection to an untrusted file that is about to be recovered.
pub(super) fn read_write(path: &Path) -> rusqlite::Result<Connection> {
    careful(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

fn careful(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    for (switch, value) in SWITCHES {
        connection.set_db_config(switch, value)?;
    }
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    Ok(connection)
}

/// Makes a new file with the schema in it; refuses to replace one. `fill` adds the first rows in the same transaction.
pub(super) fn create(
    path: &Path,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<Connection, StoreError> {
    std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists => StoreError::Exists { path: path.to_owned() },
        _ => StoreError::io(path, "create the file", source),
    })?;
    let made = writable(path).and_then(|mut connection| {
        connection.pragma_update(None, "auto_vacuum", "incremental")?;
        let transaction = connection.transaction()?;
        SCHEMA.iter().try_for_each(|sql| transaction.execute_batch(sql))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        fill(&transaction)?;
        transaction.commit()?;
        Ok(connection)
    });
    made.map_err(|source| {
        // Nothing was measured yet, and half a file would only be in the way of the next attempt.
        let _ = std::fs::remove_file(path);
        StoreError::database(path, "create the file", source)
    })
}

/// A connection to a file that this process made.
pub(super) fn writable(path: &Path) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // The recording thread tries again each second, so it must not wait long within one.
    connection.busy_timeout(Duration::from_millis(100))?;
    connection.pragma_update(None, "cache_size", -8_192)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Puts a write-ahead log beside the file: a killed process loses nothing that it has committed, a power failure leaves an intact
/// older file.
pub(super) fn log_ahead(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    fsync_commits(connection, true)?;
    // Its checkpoints are the checkpointer's.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
    // The log and its index are made with the first write: a disk that is full by then would let nothing be read any more,
    // not even to take the run elsewhere.
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)
}

/// Whether this connection fsyncs where the order of writes matters after a power failure; a kill needs no fsync.
pub(super) fn fsync_commits(connection: &Connection, yes: bool) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", if yes { "normal" } else { "off" })
}

/// Gives pages that are no longer used back to the file system.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    // One step of the statement frees one page, so it is stepped to its end.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut pages = statement.query([])?;
    while pages.next()?.is_some() {}
    Ok(())
}

/// Folds the write-ahead log in and removes it; fails as busy where anybody else has the file open.
pub(super) fn leave_one_file(connection: &Connection) -> rusqlite::Result<()> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get(0))?;
    if mode == "delete" {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
        Some(format!("the journal mode of the database is still {mode}")),
    ))
}
