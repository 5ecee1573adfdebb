//! Completes the file of a run whose prazo was killed.
//!
//! SQLite's own locks say whether the writer is alive: it holds a shared lock from its first second to its last, and the
//! kernel drops it however the process ends. So taking the file out of its write-ahead mode, which needs the lock alone,
//! both folds the log in and proves that nobody writes. Where the file or its folder cannot be written, a copy is completed.

use super::error::{Fault, StoreError};
use super::fold::{Rules, fold_all};
use super::live::identity;
use super::{check, connection, header, open, read, ring, rows};
use crate::caveat::{Caveat, Severity};
use crate::run::Ending;
use prazo_core::text::counted;
use rusqlite::{Connection, ErrorCode};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// True where the run was closed; the state is `measuring` until then.
pub(super) fn is_finished(connection: &Connection) -> Result<bool, Fault> {
    Ok(read::meta(connection, "state")?.as_deref() == Some("finished"))
}

/// Completes the run at `path`, or a copy of it, which is then returned.
pub(super) fn recover(path: &Path) -> Result<Option<Copy>, StoreError> {
    header::refuse_far_reaching(path, &connection::beside(path, "-journal"))?;
    match in_place(path) {
        Ok(()) => Ok(None),
        Err(Fault::Sqlite(error)) if is_refused(&error) => {
            if is_locked(path) {
                return Err(StoreError::InUse { path: path.to_owned() });
            }
            let copy = Copy::new(path)
                .map_err(|source| StoreError::io(path, "copy the unfinished run for completion", source))?;
            in_place(&copy.path).map_err(|fault| failed(path, fault))?;
            Ok(Some(copy))
        }
        Err(fault) => Err(failed(path, fault)),
    }
}

fn failed(path: &Path, fault: Fault) -> StoreError {
    match fault.at(path, "complete the unfinished run") {
        StoreError::Locked { path, .. } => StoreError::InUse { path },
        other => other,
    }
}

fn is_refused(error: &rusqlite::Error) -> bool {
    // Depending on what exactly may not be written, SQLite also calls it an input/output error. On a full disk the log does
    // not fit into the file.
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
        )
    )
}

/// True where any process holds a lock on the file, as a living writer does; for files that we may not lock ourselves.
///
/// SQLite cannot tell here: it reads the log of a dead writer as readily as that of a living one.
fn is_locked(path: &Path) -> bool {
    let Some((_, inode)) = identity(path) else { return false };
    // Where the kernel does not say, the file is rather left alone.
    std::fs::read_to_string("/proc/locks").map_or(true, |locks| has_lock(&locks, inode))
}

/// True where /proc/locks names the inode. The device is not compared: an overlay shows another one than its locks have.
fn has_lock(locks: &str, inode: u64) -> bool {
    let locked = locks.split_whitespace().filter_map(|word| word.splitn(3, ':').nth(2));
    locked.filter_map(|number| number.parse().ok()).any(|number: u64| number == inode)
}

fn in_place(path: &Path) -> Result<(), Fault> {
    let mut connection = connection::read_write(path)?;
    connection::leave_one_file(&connection)?;
    open::inspect(&connection)?;
    if is_finished(&connection)? { Ok(()) } else { complete(&mut connection) }
}

/// Folds what is left and says how the run ended. Until the last commit the state is `measuring`, so that a second kill
/// only means that this is done again.
fn complete(connection: &mut Connection) -> Result<(), Fault> {
    let run = read::run(connection)?;
    check::run(&run).map_err(|what| Fault::Content(format!("the file contains {what}")))?;
    let plan = run.plan.ok_or_else(|| Fault::Content("the run is unfinished and has no plan".into()))?;
    let rules = Rules::new(&plan, read::periods(connection)?.into_iter());
    fold_all(connection, &rules)?;
    let transaction = connection.transaction()?;
    let seconds: u32 =
        transaction.query_row("SELECT coalesce(max(at_s) + 1, 0) FROM timeline", [], |row| row.get(0))?;
    rows::total_activations(&transaction, plan.deadline.is_some(), &[])?;
    rows::meta(&transaction, "elapsed_ns", u64::from(seconds) * 1_000_000_000)?;
    rows::meta_json(&transaction, "ending", &Ending::Died)?;
    let removed = read::meta(&transaction, ring::REMOVED_BEFORE)?.and_then(|text| text.parse::<u32>().ok());
    let only_the_end = |first_s| ring::only_the_end(seconds.saturating_sub(first_s).into(), seconds.into(), None);
    let caveats: Vec<Caveat> = [interrupted(seconds)].into_iter().chain(removed.map(only_the_end)).collect();
    rows::caveats(&transaction, &caveats)?;
    rows::meta(&transaction, "state", "finished")?;
    transaction.commit()?;
    Ok(connection::give_back(connection)?)
}

fn interrupted(seconds: u32) -> Caveat {
    Caveat::new(
        "interrupted",
        Severity::Medium,
        format!(
            "prazo or the machine stopped after {}. The last, incomplete second is missing, and on a busy \
             machine a few seconds before it; the platform after the run and the rates of the loads are unknown.",
            counted(seconds.into(), "recorded second")
        ),
        "Run `prazo tune undo` if the run had changed settings; repeat the measurement if the recorded time is too \
         short.",
    )
}

/// A copy of a run file and what stands beside it, removed when dropped.
#[derive(Debug)]
pub(super) struct Copy {
    folder: PathBuf,
    path: PathBuf,
}

impl Copy {
    fn new(original: &Path) -> std::io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("prazo-{}-{number}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let copy = Self { path: folder.join("run.prazo"), folder };
        std::fs::copy(original, &copy.path)?;
        for suffix in ["-wal", "-journal"] {
            let from = connection::beside(original, suffix);
            if from.exists() {
                std::fs::copy(from, connection::beside(&copy.path, suffix))?;
            }
        }
        Ok(copy)
    }

    /// The copied run file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // A copy that cannot be removed lies in the folder for temporary files, where it does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_found_by_its_inode_as_the_kernel_lists_it() {
        let locks = "1: POSIX  ADVISORY  READ 4242 fe:00:131077 1073741826 1073742335\n\
                     2: FLOCK  ADVISORY  WRITE 77 00:1a:99 0 EOF\n2: -> POSIX  ADVISORY  WRITE 78 fe:00:12 0 EOF\n";
        assert!(has_lock(locks, 131_077) && has_lock(locks, 99) && has_lock(locks, 12));
        assert!(!has_lock(locks, 4_242) && !has_lock(locks, 0) && !has_lock("", 99));
    }
}
