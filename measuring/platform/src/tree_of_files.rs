//! A copied machine for tests: a folder with just the files that a test names.

use crate::root::Root;
use tempfile::TempDir;

/// The folder, which must outlive the root, and the root that reads it.
pub(crate) fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let root = Root::at(folder.path());
    (folder, root)
}
