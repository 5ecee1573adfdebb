//! The task sets that come along: each outcome that a file expects is what the command answers for that scheduler.

use crate::{checkout, sched};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The scheduler as a file names it, and the flags that ask for it; without a shape, the file's own clusters are meant.
pub(crate) const SCHEDULERS: [(&str, &str); 5] = [
    ("pedf", "--policy edf --shape partitioned"),
    ("cedf", "--policy edf"),
    ("gedf", "--policy edf --shape global"),
    ("pfp", "--policy fp --shape partitioned"),
    ("gfp", "--policy fp --shape global"),
];

/// Every task set that the checkout holds and that analysis takes, in any form.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut files = all();
    files.retain(|file| !is_refused(file));
    files
}

/// Every task set that the checkout holds.
fn all() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(checkout("scenarios")).expect("the scenarios");
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    assert!(files.len() > 15, "scenarios are missing: {files:?}");
    files
}

/// How a set is asked about that not every scheduler is analysed for: its tasks are tied to two processors.
pub(crate) fn flags(file: &Path) -> &'static str {
    match file.file_name().and_then(|name| name.to_str()) {
        Some("flight-control.csv") => "-m 2 --shape partitioned",
        _ => "",
    }
}

/// What the file expects of the scheduler.
fn expected(file: &Path, scheduler: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("a scenario");
    let table: toml::Table = toml::from_str(&text).expect("TOML");
    Some(table.get("expect")?.get(scheduler)?.as_str().expect("an outcome").to_owned())
}

fn is_toml(file: &&PathBuf) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}

fn is_refused(file: &PathBuf) -> bool {
    is_toml(&file) && expected(file, "pedf").is_some_and(|outcome| outcome == "refused")
}

#[test]
fn every_expected_outcome_is_what_the_command_answers() {
    let mut compared = 0;
    for file in all().iter().filter(is_toml) {
        for (scheduler, flags) in SCHEDULERS {
            let Some(wanted) = expected(file, scheduler) else { continue };
            let answer = sched(&format!("test {} {flags} --json", file.display()));
            if wanted == "refused" {
                answer.expect_code(2);
            } else {
                assert_eq!(answer.json()[0]["verdict"], wanted.as_str(), "{}: {scheduler}", file.display());
            }
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} outcomes were compared");
}

/// A set that a file expects nothing of would be a set that nobody looked at.
#[test]
fn every_set_of_ours_expects_something() {
    for file in all().iter().filter(is_toml) {
        let expects = SCHEDULERS.iter().any(|(scheduler, _)| expected(file, scheduler).is_some());
        assert!(expects, "{}: add [expect]", file.display());
    }
}

#[test]
fn sets_in_other_forms_are_proven() {
    for file in files().iter().filter(|file| !is_toml(file)) {
        let answer = sched(&format!("test {} {} --json", file.display(), flags(file))).expect_code(0).json();
        assert_eq!(answer[0]["verdict"], "proven", "{}", file.display());
        assert_ne!(answer[0]["tasks"], Value::Null);
    }
}
