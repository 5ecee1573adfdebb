//! Folders on disk for loads: named apart, locked while in use, and swept away when their owner died.
//!
//! The outer half of a keeper makes its folder, holds its lock and removes it. Should that half be killed, the lock is free
//! and the next start removes what is left.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use prazo_sys::containment as sys;

const PREFIX: &str = "prazo-load-";
/// A folder younger than this may be about to be locked.
const YOUNG: Duration = Duration::from_secs(10);
/// How often, and how far apart, a folder is tried to be removed: for 5 s in all.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// A name in `parent` that nothing has; the keeper makes the folder.
pub(super) fn fresh_name(parent: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // ORDERING: only that no two callers see the same number matters, not what else they see.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    parent.join(format!("{PREFIX}{}-{count}-{:x}", std::process::id(), prazo_sys::clock::monotonic_ns()))
}

/// Removes the folders in `parent` that are ours and that nobody holds; what cannot be removed is left.
pub(super) fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in named.map(|entry| entry.path()) {
        if abandoned(&path).unwrap_or(false) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Removes a folder whose owner was killed. The kernel may still be ending the processes that write to it.
pub(super) fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        if fs::remove_dir_all(path).is_ok() || !path.exists() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn abandoned(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    let old = metadata.modified()?.elapsed().is_ok_and(|age| age > YOUNG);
    let ours = metadata.uid() == sys::user_and_group().0;
    Ok(metadata.is_dir() && old && ours && File::open(path)?.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn folder(parent: &Path, age: Duration) -> PathBuf {
        let path = fresh_name(parent);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("file"), "left behind").unwrap();
        File::open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        path
    }

    #[test]
    fn only_old_unlocked_folders_of_ours_are_swept() {
        const HOUR: Duration = Duration::from_secs(3_600);
        let parent = tempfile::tempdir().unwrap();
        let (abandoned, held, young) =
            (folder(parent.path(), HOUR), folder(parent.path(), HOUR), folder(parent.path(), Duration::ZERO));
        let foreign = parent.path().join("somebody-else");
        fs::create_dir(&foreign).unwrap();
        let link = parent.path().join(format!("{PREFIX}link"));
        std::os::unix::fs::symlink(&foreign, &link).unwrap();
        let lock = File::open(&held).unwrap();
        lock.lock().unwrap();
        sweep(parent.path());
        assert!(!abandoned.exists());
        assert!(held.exists() && young.exists() && foreign.exists() && link.exists());
    }

    #[test]
    fn a_parent_that_is_not_there_is_nothing_to_sweep() {
        sweep(Path::new("/nowhere/at/all"));
    }
}
