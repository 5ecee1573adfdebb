//! Folds the write-ahead log into the run file from a thread of its own, so that the recording thread never waits for an fsync.
//!
//! A commit is a write into the page cache: it survives SIGKILL without any fsync. A checkpoint needs two fsyncs, and on a
//! busy disk each takes seconds, during which samples would wait in the killed process' memory. So the recording thread
//! commits with `synchronous = off` and never checkpoints; this thread does, with fsyncs.
//!
//! A power failure must leave an intact file. SQLite fsyncs the header of a log that it begins anew over the old one,
//! because old and new records must not mix on the disk. Here a log is never begun anew over the old one: while the
//! checkpoint lasts, a reader keeps SQLite appending; afterwards the log is cut to nothing, which the file system does
//! whole or not at all. Where that fails, the recording thread fsyncs until it has succeeded.

use super::connection;
use rusqlite::{Connection, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A log that is smaller is left alone: 1,000 pages, as SQLite itself has it.
const LOG_BYTES: u64 = 4 << 20;
/// A log of this size is cut even if the recording thread has to wait: a disk so busy that no checkpoint catches up.
pub(super) const LOG_BYTES_MAX: u64 = 64 << 20;

/// What the two threads share; whoever writes the file holds it.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Transactions that were committed.
    commits: u64,
    /// The log may be begun anew in place, so a commit must fsync.
    needs_fsync: bool,
}

/// The thread that checkpoints one run file; dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Checkpointer {
    gate: Arc<Mutex<Gate>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
    commits_fsync: bool,
}

impl Checkpointer {
    /// One for the file at `path`; its thread begins when the log is long, and runs where the recording thread does.
    pub(super) fn new(path: &Path) -> Self {
        Self { gate: Arc::default(), stop: Arc::default(), thread: None, path: path.to_owned(), commits_fsync: true }
    }

    /// Writes to the file while no log is being cut.
    pub(super) fn write<T, E: From<rusqlite::Error>>(
        &mut self,
        connection: &mut Connection,
        action: impl FnOnce(&mut Connection) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let gate = Arc::clone(&self.gate);
        let mut gate = lock(&gate);
        self.fsync_if(connection, gate.needs_fsync)?;
        let answer = action(connection)?;
        gate.commits += 1;
        drop(gate);
        if log_bytes(&self.path) >= LOG_BYTES {
            self.wake();
        }
        Ok(answer)
    }

    fn fsync_if(&mut self, connection: &Connection, needed: bool) -> Result<()> {
        if self.commits_fsync != needed {
            connection::fsync_commits(connection, needed)?;
            self.commits_fsync = needed;
        }
        Ok(())
    }

    /// Ends the thread for good: the file is about to be closed. The connection then fsyncs by itself.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It panics nowhere, and a log that was not folded in is folded in by whoever opens the file.
            let _ = thread.join();
        }
        // The thread may have found that a log was cut in the meantime.
        lock(&self.gate).needs_fsync = true;
    }

    /// Without a thread the log grows, and nothing else is wrong.
    fn wake(&mut self) {
        if self.thread.is_none() && !self.stop.load(Ordering::Acquire) {
            let (path, gate, stop) = (self.path.clone(), Arc::clone(&self.gate), Arc::clone(&self.stop));
            let work = move || work(&path, &gate, &stop);
            self.thread = std::thread::Builder::new().name("prazo-log".into()).spawn(work).ok();
        }
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock(gate: &Mutex<Gate>) -> MutexGuard<'_, Gate> {
    gate.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long the log is; 0 where there is none.
pub(super) fn log_bytes(path: &Path) -> u64 {
    connection::beside(path, "-wal").metadata().map_or(0, |meta| meta.len())
}

fn work(path: &Path, gate: &Mutex<Gate>, stop: &AtomicBool) {
    let mut connections = None;
    loop {
        std::thread::park();
        if stop.load(Ordering::Acquire) {
            return;
        }
        let bytes = log_bytes(path);
        if bytes < LOG_BYTES {
            continue;
        }
        if connections.is_none() {
            connections = Connections::open(path).ok();
        }
        // What fails now, on a full disk or a locked file, is tried again with the next commit.
        if connections.as_ref().is_some_and(|both| both.checkpoint(gate, bytes >= LOG_BYTES_MAX).is_err()) {
            connections = None;
        }
    }
}

/// The two connections that a checkpoint takes.
struct Connections {
    log: Connection,
    reader: Connection,
}

impl Connections {
    fn open(path: &Path) -> Result<Self> {
        let log = connection::writable(path)?;
        connection::fsync_commits(&log, true)?;
        // A reader of the user's must not make the recording thread wait.
        log.busy_timeout(std::time::Duration::ZERO)?;
        Ok(Self { log, reader: connection::writable(path)? })
    }

    /// Folds in what is in the log, and cuts the log if nothing was added meanwhile, or in any case where it `must`.
    fn checkpoint(&self, gate: &Mutex<Gate>, must: bool) -> Result<()> {
        let before = lock(gate).commits;
        let reading = self.reader.unchecked_transaction()?;
        reading.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
        let folded = self.log.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        let mut gate = lock(gate);
        reading.finish()?;
        folded?;
        if gate.commits == before || must {
            let is_busy: bool = self.log.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            gate.needs_fsync = is_busy;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path) -> (PathBuf, Connection) {
        let path = folder.join("a.prazo");
        let connection = connection::create(&path, |_| Ok(())).unwrap();
        connection::log_ahead(&connection).unwrap();
        (path, connection)
    }

    fn write(connection: &Connection, key: i64) -> Result<()> {
        let mut statement = connection.prepare_cached("INSERT INTO meta VALUES (?, hex(zeroblob(20000)))")?;
        statement.execute([format!("key {key}")]).map(drop)
    }

    /// The connection never checkpoints itself, so only the thread can keep the log short.
    #[test]
    fn a_log_is_kept_short_while_its_writer_never_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut connection) = file(folder.path());
        let mut checkpointer = Checkpointer::new(&path);
        for key in 0..3_000 {
            checkpointer.write(&mut connection, |connection| write(connection, key)).unwrap();
            // A measurement leaves a second between two; what is waited for here is the thread, not the disk.
            for _ in 0..6_000 {
                if log_bytes(&path) < 2 * LOG_BYTES {
                    break;
                }
                checkpointer.wake();
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            assert!(log_bytes(&path) < 2 * LOG_BYTES, "120 MB were written");
        }
        let setting = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((setting("synchronous"), setting("wal_autocheckpoint")), (0, 0));
        assert_eq!(connection.query_row("SELECT count(*) FROM meta", [], |row| row.get::<_, i64>(0)), Ok(3_000));
    }

    #[test]
    fn while_somebody_reads_the_log_is_not_cut_and_commits_are_fsynced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut connection) = file(folder.path());
        let mut checkpointer = Checkpointer::new(&path);
        write(&connection, 0).unwrap();
        let stranger = Connection::open(&path).unwrap();
        let reading = stranger.unchecked_transaction().unwrap();
        reading.query_row("SELECT count(*) FROM meta", [], |_| Ok(())).unwrap();
        let both = Connections::open(&path).unwrap();
        both.checkpoint(&checkpointer.gate, false).unwrap();
        assert!(log_bytes(&path) > 0 && lock(&checkpointer.gate).needs_fsync);
        checkpointer.write(&mut connection, |connection| write(connection, 1)).unwrap();
        assert_eq!(connection.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0)), Ok(1));
        reading.finish().unwrap();
        both.checkpoint(&checkpointer.gate, false).unwrap();
        assert!(log_bytes(&path) == 0 && !lock(&checkpointer.gate).needs_fsync);
    }
}
