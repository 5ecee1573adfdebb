//! The journal's file: locked while it is used, and replaced as a whole, so that a crash leaves the old one or the new one.

use super::entry::Entry;
use super::journal::JournalError;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

/// What the journal's file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: u32,
    next_id: u64,
    entries: Vec<Entry>,
}

/// What the files of all versions hold.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The journal's content while this process alone may change it. Nothing is kept until [`State::store`].
#[derive(Debug)]
pub(super) struct State {
    folder: PathBuf,
    content: Content,
    /// Unlocked when it is closed, by the kernel if need be.
    _lock: File,
}

impl State {
    /// Waits for the lock and reads the file; an absent one is an empty journal.
    pub(super) fn lock(folder: &Path) -> Result<Self, JournalError> {
        prepare(folder)?;
        let lock = lock_file(folder).map_err(|error| JournalError::folder(folder, &error))?;
        let content = load(&file(folder))?;
        Ok(Self { folder: folder.to_owned(), content, _lock: lock })
    }

    /// True where there is a file to be read, or one that may not be looked at.
    pub(super) fn is_in(folder: &Path) -> bool {
        file(folder).try_exists().unwrap_or(true)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.content.entries
    }

    pub(super) fn entries_mut(&mut self) -> &mut Vec<Entry> {
        &mut self.content.entries
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.content.next_id += 1;
        self.content.next_id
    }

    /// Replaces the file; when this returns, a crash of the program or a loss of power finds the new content.
    pub(super) fn store(&self) -> Result<(), JournalError> {
        self.replace().map_err(|error| JournalError::folder(&self.folder, &error))
    }

    fn replace(&self) -> std::io::Result<()> {
        let fresh = self.folder.join("journal.json.new");
        let mut output = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        output.write_all(serde_json::to_string_pretty(&self.content)?.as_bytes())?;
        output.sync_all()?;
        std::fs::rename(&fresh, file(&self.folder))?;
        File::open(&self.folder)?.sync_all()
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("journal.json")
}

fn lock_file(folder: &Path) -> std::io::Result<File> {
    let lock =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(folder.join("journal.lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Makes the folder, and refuses one that somebody else could write to: what stands in the journal is written to the
/// machine's knobs, possibly by root.
fn prepare(folder: &Path) -> Result<(), JournalError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| JournalError::folder(folder, &error))?;
    let found = folder.metadata().map_err(|error| JournalError::folder(folder, &error))?;
    let own = Path::new("/proc/self").metadata().map_err(|error| JournalError::folder(folder, &error))?.uid();
    if found.uid() != own || found.mode() & 0o022 != 0 {
        return Err(JournalError::Shared { folder: folder.to_owned() });
    }
    Ok(())
}

fn load(path: &Path) -> Result<Content, JournalError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Content { version: VERSION, next_id: 0, entries: Vec::new() });
        }
        Err(error) => return Err(JournalError::damaged(path, &error.to_string())),
    };
    let damaged = |error: serde_json::Error| JournalError::damaged(path, &error.to_string());
    // Before the rest, which another version may write in another form.
    let Version { version: found } = serde_json::from_str(&text).map_err(damaged)?;
    if found != VERSION {
        return Err(JournalError::OtherVersion { file: path.to_owned(), found, read: VERSION });
    }
    let content: Content = serde_json::from_str(&text).map_err(damaged)?;
    match content.entries.iter().find(|entry| !entry.step.is_ours_to_undo()) {
        Some(entry) => {
            Err(JournalError::damaged(path, &format!("'{}' is not a setting that prazo changes", entry.step.path())))
        }
        None => Ok(content),
    }
}
