//! A folder for temporary files that prazo has made, removed with all that is in it.

use prazo_sys::machine::effective_user;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path};

/// How the folder's name begins, so that no journal has other folders removed.
const PREFIX: &str = "prazo-cost-";

/// What became of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removed {
    /// It is gone.
    Gone,
    /// Something else has taken its name, a link or another user's folder, and was left alone.
    IsAnothers,
}

/// True for a folder that is made here.
pub(super) fn is_ours(path: &str) -> bool {
    let path = Path::new(path);
    let is_plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    is_plain && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
}

/// Makes it, for our user alone.
pub(super) fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes it with all that is in it.
pub(super) fn remove(path: &str) -> io::Result<Removed> {
    let absent = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(Removed::Gone),
        _ => Err(error),
    };
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() || found.uid() != effective_user() => Ok(Removed::IsAnothers),
        Ok(_) => fs::remove_dir_all(path).map(|()| Removed::Gone).or_else(absent),
        Err(error) => absent(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tunable::scratch::journal;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_folder_is_its_users_alone_and_goes_with_what_is_in_it() {
        let (place, journal) = journal();
        let folder = place.path().join("prazo-cost-1");
        let held = journal.hold_temporary_folder(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir(folder.join("deep")).unwrap();
        fs::write(folder.join("deep/file"), "").unwrap();
        assert!(journal.hold_temporary_folder(&folder).is_err(), "it is there already");
        assert_eq!(journal.entries().unwrap().len(), 1);
        assert!(held.release().restored && !folder.exists());
        assert_eq!(journal.entries().unwrap(), []);
    }

    #[test]
    fn what_has_taken_the_name_is_left_alone() {
        let (place, journal) = journal();
        let (folder, other) = (place.path().join("prazo-cost-1"), place.path().join("other"));
        let held = journal.hold_temporary_folder(&folder).unwrap();
        fs::remove_dir(&folder).unwrap();
        fs::create_dir(&other).unwrap();
        symlink(&other, &folder).unwrap();
        assert!(!held.release().restored);
        assert!(other.exists() && folder.is_symlink());
    }

    #[test]
    fn only_folders_of_our_names_are_made_and_removed() {
        let (place, journal) = journal();
        for name in ["other", "deep/../prazo-cost-1/.."] {
            assert!(journal.hold_temporary_folder(&place.path().join(name)).is_err(), "{name}");
        }
        assert!(!is_ours("prazo-cost-1") && !is_ours("/tmp/../prazo-cost-1") && is_ours("/tmp/prazo-cost-1"));
        assert_eq!(journal.entries().unwrap(), []);
    }
}
