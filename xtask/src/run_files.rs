//! The run files of a folder.

use std::path::{Path, PathBuf};

/// The files, in the order of their names; an error where there is none.
pub(crate) fn run_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unread = |error| format!("cannot list {}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(unread)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>().map_err(unread)?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "prazo"));
    files.sort();
    if files.is_empty() {
        return Err(format!("{} has no run files (*.prazo)", folder.display()));
    }
    Ok(files)
}
