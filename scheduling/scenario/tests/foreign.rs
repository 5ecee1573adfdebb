//! Files in the formats of other tools, written for this test: each is read as the TOML beside it, and its set survives TOML.
//!
//! The verdicts of both are compared in `scheduling/analysis/tests/foreign.rs`.

use prazo_scenario::read::{self, nothing_beside, toml};
use prazo_scenario::set::Scenario;
use prazo_scenario::write;
use std::path::{Path, PathBuf};

/// `gyro.xml` and `gyro.xml.toml`, its twin.
fn files() -> Vec<(PathBuf, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending != "toml")).collect();
    files.sort();
    let twin = |path: &PathBuf| PathBuf::from(format!("{}.toml", path.display()));
    files.into_iter().map(|path| (path.clone(), twin(&path))).collect()
}

/// What an answer depends on.
fn essence(scenario: Scenario) -> Scenario {
    Scenario { name: String::new(), origin: None, note: None, remarks: Vec::new(), ..scenario }
}

#[test]
fn each_file_is_the_set_that_its_twin_writes_out() {
    for (path, twin) in files() {
        let set = read::file(&path).unwrap_or_else(|why| panic!("{why}"));
        let twin = read::file(&twin).unwrap_or_else(|why| panic!("{why}"));
        assert!(!set.remarks.is_empty() || path.ends_with("bus.yaml"), "{}", path.display());
        assert_eq!(essence(set), essence(twin), "{}", path.display());
    }
    assert_eq!(files().len(), 9);
}

#[test]
fn each_set_that_is_written_as_toml_reads_back_the_same() {
    for (path, _) in files() {
        let set = read::file(&path).unwrap();
        let text = write::toml(&set);
        assert_eq!(toml::read("x.toml", &text, &nothing_beside), Ok(set), "{text}");
    }
}

#[test]
fn each_format_is_known_without_the_ending_of_the_file() {
    for (path, _) in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let piped = read::any(Path::new("-"), &text).map(essence);
        assert_eq!(piped, read::file(&path).map(essence), "{}", path.display());
    }
}
