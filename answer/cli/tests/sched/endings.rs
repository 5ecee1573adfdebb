//! Exit status: 0 proven, 1 disproven, 3 unknown, of several files the worst; and a reader that leaves early is no error.

use crate::support::{Desk, PRAZO};
use crate::{batch, checkout, record, sched};
use std::process::Stdio;

const PROVEN: &str = "baker-2003-density";
const DISPROVEN: &str = "three-two-thirds";
/// With a budget that is too small for the search of all states.
const UNKNOWN: &str = "global-only";
const SMALL_BUDGET: &str = "test --budget 1000";

/// The status after `command` was asked about these scenarios.
fn status(command: &str, names: &[&str]) -> Option<i32> {
    let files: Vec<_> = names.iter().map(|name| format!("scenarios/{name}.toml")).collect();
    let files: Vec<_> = files.iter().map(|file| checkout(file).display().to_string()).collect();
    sched(&format!("{command} {}", files.join(" "))).code
}

#[test]
fn the_status_is_the_verdict() {
    for flags in ["", "--json"] {
        let command = format!("{SMALL_BUDGET} {flags}");
        assert_eq!(status(&command, &[PROVEN]), Some(0));
        assert_eq!(status(&command, &[DISPROVEN]), Some(1));
        assert_eq!(status(&command, &[UNKNOWN]), Some(3));
    }
}

#[test]
fn of_several_files_the_worst_counts() {
    assert_eq!(status(SMALL_BUDGET, &[PROVEN, PROVEN]), Some(0));
    assert_eq!(status(SMALL_BUDGET, &[UNKNOWN, PROVEN]), Some(3));
    assert_eq!(status(SMALL_BUDGET, &[PROVEN, UNKNOWN]), Some(3));
    assert_eq!(status(SMALL_BUDGET, &[UNKNOWN, DISPROVEN, PROVEN]), Some(1), "a miss is worse than no answer");
}

#[test]
fn of_several_files_the_status_names_those_that_it_is_from() {
    let [unknown, disproven, proven] =
        [UNKNOWN, DISPROVEN, PROVEN].map(|name| checkout(&format!("scenarios/{name}.toml")).display().to_string());
    let ended = sched(&format!("test {unknown} {disproven} {proven}"));
    assert_eq!(ended.stderr.lines().last(), Some(format!("prazo: exit status 1 because of {disproven}").as_str()));
    let ended = sched(&format!("test {proven}"));
    assert_eq!(ended.stderr, "", "one file needs no such line");
}

#[test]
fn a_packing_ends_like_a_verdict() {
    assert_eq!(status("partition", &[PROVEN]), Some(0));
    assert_eq!(status("partition", &[DISPROVEN]), Some(1), "no two of the three fit on one processor");
    assert_eq!(status("partition --simulate 0 --policy fp", &["dhall-effect"]), Some(0));
}

#[test]
fn a_spent_budget_is_no_verdict() {
    let files = ["long-deadline-1"];
    assert_eq!(status("test", &files), Some(1));
    assert_eq!(status("test --simulate 0", &files), Some(3), "without the schedule nothing shows the miss");
    assert_eq!(status("test --simulate 0 --budget 0", &[PROVEN]), Some(3), "no test may look at a single term");
}

#[test]
fn a_batch_ends_well_whatever_its_verdicts() {
    let desk = Desk::new();
    desk.write("sets.jsonl", batch(&[record("late", 1, &[[2, 3, 3], [2, 3, 3]])]));
    desk.prazo("sched test --batch sets.jsonl").expect_code(0);
}

/// Far more output than a pipe holds, so that the program must notice.
#[test]
fn a_reader_that_leaves_is_no_error() {
    let desk = Desk::new();
    let many: Vec<_> = (0..3_000).map(|number| record(&number.to_string(), 2, &[[1, 4, 4], [2, 6, 5]])).collect();
    desk.write("sets.jsonl", batch(&many));
    let file = checkout("scenarios/small-periods.toml").display().to_string();
    let files = vec![file; 60].join(" ");
    for words in
        ["test --batch sets.jsonl --all-tests".to_owned(), format!("test {files} --json"), format!("test {files}")]
    {
        let mut child = desk.command(PRAZO).arg("sched").args(words.split(' ')).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told, "", "{}", &words[..20]);
        assert!(output.status.success(), "{:?}: {}", output.status, &words[..20]);
    }
}
