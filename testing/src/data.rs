//! The reference data of the repository: measurements, other tools' outputs and verdicts, in `testing/data`.
//!
//! Large files are stored with gzip and unpacked on first use into `target/test-data`, because importers take paths.

use flate2::read::GzDecoder;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The path of one file, for example `schedcat/schedcat-gedf.jsonl`.
///
/// # Panics
/// If the repository has no such file, or if it cannot be unpacked.
pub fn path(name: &str) -> PathBuf {
    let plain = folder().join(name);
    if plain.exists() {
        return plain;
    }
    let packed = with_gz(&plain);
    assert!(packed.exists(), "testing/data has neither {name} nor {name}.gz");
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-data").join(name);
    let changed = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    if changed(&unpacked) < changed(&packed) {
        unpack(&packed, &unpacked);
    }
    unpacked
}

/// The text of one file.
///
/// # Panics
/// As [`path`], and if the file is not UTF-8.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("testing/data/{name}: {error}"))
}

/// The paths of all files of a folder but its README, sorted by name.
///
/// # Panics
/// If there is no such folder, or if a file cannot be unpacked.
pub fn files(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join(name)).unwrap_or_else(|error| panic!("testing/data/{name}: {error}"));
    let mut names: Vec<_> = entries.map(|entry| entry.expect("a folder's entry").file_name()).collect();
    names.retain(|file| file != "README.md");
    names.sort();
    let plain = |file: &OsStr| file.to_str().expect("a name in UTF-8").trim_end_matches(".gz").to_owned();
    names.iter().map(|file| path(&format!("{name}/{}", plain(file)))).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn with_gz(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    name.into()
}

fn unpack(packed: &Path, unpacked: &Path) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(packed).unwrap_or_else(|error| panic!("{}: {error}", packed.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap_or_else(|error| panic!("{}: {error}", packed.display()));
    let parent = unpacked.parent().expect("a folder");
    std::fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    // Several tests may unpack the same file at once, so each writes its own copy and renames it into place.
    let own = format!(".{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let draft = parent.join(own);
    std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, unpacked)).expect("target can be written");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_unpacked_and_a_small_one_is_not() {
        assert!(text("schedcat/schedcat-gedf.jsonl").starts_with('{'));
        assert!(path("schedcat/schedcat-gedf.jsonl").to_str().unwrap().contains("target/test-data"));
        assert!(path("regnier-2008/setup1.csv").to_str().unwrap().ends_with("data/regnier-2008/setup1.csv"));
    }

    #[test]
    fn a_folder_lists_its_files_without_gz_and_without_its_readme() {
        let files = files("blaess-2014");
        assert_eq!(files.len(), 19);
        assert!(files.iter().all(|file| file.extension() == Some(OsStr::new("txt")) && file.exists()));
    }

    #[test]
    #[should_panic(expected = "neither no/such.txt")]
    fn a_file_that_is_not_there_is_a_failure() {
        path("no/such.txt");
    }

    #[test]
    fn every_folder_says_where_its_files_are_from() {
        for entry in std::fs::read_dir(folder()).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
            assert!(entry.path().join("README.md").exists(), "{} has no README.md", entry.path().display());
        }
    }
}
