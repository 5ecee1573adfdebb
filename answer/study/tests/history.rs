//! The history of a gate over baselines that are made up: order, parts, changes, and what is left out by name.

use prazo_study::gate::history::{FigureHistory, HistoryFolder, HistoryQuestion, HistoryResult, OrderedBy, draw};
use prazo_study::gate::{Baseline, Condition};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The idle medians of seventeen releases of PREEMPT_RT 6.12, rounded (docs/kernels-by-release.md).
const RELEASES: [(&str, i64); 17] = [
    ("43", 34_200),
    ("57", 34_300),
    ("69", 34_300),
    ("73", 34_300),
    ("74", 34_300),
    ("85", 29_000),
    ("86", 29_000),
    ("88", 29_000),
    ("90", 29_000),
    ("94", 29_000),
    ("95", 29_000),
    ("101", 29_000),
    ("107", 29_000),
    ("111", 29_000),
    ("113", 29_000),
    ("115", 29_000),
    ("117", 29_000),
];

/// A run whose figures all follow from its median.
fn run(seed: u64, kernel: &str, median_ns: i64) -> Value {
    let ns = median_ns + i64::try_from(seed % 7).unwrap() * 8;
    let figures = json!({
        "seed": seed, "count": 1000, "mean_ns": ns, "median_ns": ns, "q99_ns": ns + 2_000, "q999_ns": null,
        "q99999_ns": null, "max_ns": ns + 9_000,
    });
    json!({
        "seed": seed, "shift": 3, "skipped_ns": 0, "lost": 0, "fatal": null,
        "conditions": {"kernel": kernel, "emulator": "10.0.2", "plan": "{}"},
        "figures": {"response-latency": figures},
        "kernel_release": format!("6.12.{kernel}+deb13-rt-amd64"), "started_at_unix_ns": 1_795_228_055_000_000_000_u64,
    })
}

/// A baseline of one cell with three seeds.
fn baseline(kernel: &str, median_ns: i64, change: impl Fn(&mut Value)) -> Baseline {
    let first = u64::try_from(median_ns).unwrap() / 100 + kernel.len() as u64;
    let mut runs: Vec<Value> = (first..first + 3).map(|seed| run(seed, kernel, median_ns)).collect();
    runs.iter_mut().for_each(change);
    let text = json!({"version": 3, "study": "releases", "cells": {"rt.idle.fifo": runs}});
    serde_json::from_value(text).unwrap()
}

fn folder(baselines: impl IntoIterator<Item = Baseline>) -> HistoryFolder {
    let named = baselines.into_iter().enumerate().map(|(at, one)| (format!("{}.json", 100 - at), one));
    HistoryFolder { path: "base".into(), study: "releases".into(), baselines: named.collect(), not_read: vec![] }
}

fn releases(change: impl Fn(&str, &mut Value)) -> HistoryFolder {
    folder(RELEASES.iter().map(|(kernel, ns)| baseline(kernel, *ns, |run| change(kernel, run))))
}

fn drawn(folder: &HistoryFolder) -> HistoryResult {
    draw(folder, &HistoryQuestion { may_differ: &[Condition::Kernel], floor_ns: None })
}

fn history<'a>(result: &'a HistoryResult, figure: &str) -> &'a FigureHistory {
    result.histories.iter().find(|one| one.figure == figure).unwrap()
}

fn labels(history: &FigureHistory) -> Vec<&str> {
    history.points.iter().map(|point| point.label.as_str()).collect()
}

#[test]
fn the_release_that_changed_the_median_is_found() {
    let result = drawn(&releases(|_, _| ()));
    let median = history(&result, "median");
    assert_eq!(median.ordered_by, OrderedBy::KernelRelease);
    let expected: Vec<String> = RELEASES.iter().map(|(kernel, _)| format!("6.12.{kernel}")).collect();
    assert_eq!(labels(median), expected);
    assert_eq!(median.changes.len(), 1, "{:?}", median.changes);
    let change = &median.changes[0];
    assert_eq!((change.before.as_str(), change.first.as_str()), ("6.12.74", "6.12.85"));
    assert!((change.shift_ns + 5_300.0).abs() < 100.0 && change.holds_over_all, "{change:?}");
    assert_eq!((result.tested, result.decided), (4, true), "median, 99 %, maximum and time skipped");
    assert_eq!(history(&result, "time skipped").probability, Some(1.0));
    assert!(history(&result, "99.9 %").reason.as_ref().unwrap().starts_with("no baseline has a value"));
    assert!(result.sentence().starts_with("17 baselines: the level of 3 of 4 tested figures changed"));
    assert!(change.sentence().starts_with("6.12.74 to 6.12.85: 34.3"), "{}", change.sentence());
    assert!(
        change.sentence().contains("shift -5.") && change.sentence().ends_with(", significant over all figures"),
        "{}",
        change.sentence()
    );
}

#[test]
fn four_baselines_are_too_few_for_any_statement() {
    let result = drawn(&folder(RELEASES[3..7].iter().map(|(kernel, ns)| baseline(kernel, *ns, |_| ()))));
    let reason = history(&result, "median").reason.as_ref().unwrap();
    assert!(reason.starts_with("4 baselines are too few: even the clearest change"), "{reason}");
    assert!(!result.decided && result.changes().is_empty());
    let remarks = result.remarks().join("\n");
    assert!(
        remarks.contains("not tested: rt.idle.fifo, 99.9 % of response latency: no baseline has a value"),
        "{remarks}"
    );
    assert!(remarks.contains("4 baselines are too few"), "{remarks}");
}

#[test]
fn baselines_under_other_conditions_are_not_joined_unless_they_may_differ() {
    let newer = |kernel: &str, run: &mut Value| {
        if kernel.parse::<u32>().unwrap() >= 95 {
            run["conditions"]["emulator"] = "11.0.0".into();
        }
    };
    let folder = releases(newer);
    let result = drawn(&folder);
    let medians: Vec<_> = result.histories.iter().filter(|one| one.figure == "median").collect();
    assert_eq!(medians.iter().map(|one| one.points.len()).collect::<Vec<_>>(), [10, 7]);
    assert_eq!(medians[1].place(), "rt.idle.fifo (part 2)");
    assert_eq!(result.differs.len(), 1);
    let remarks = result.remarks().join("\n");
    assert!(remarks.contains("not joined: part 2 ("), "{remarks}");
    assert!(remarks.contains("the emulator (10.0.2 became 11.0.0) of rt.idle.fifo"), "{remarks}");
    let question = HistoryQuestion { may_differ: &[Condition::Kernel, Condition::Emulator], floor_ns: None };
    let joined = draw(&folder, &question);
    assert_eq!((history(&joined, "median").points.len(), joined.differs.len()), (17, 0));
}

#[test]
fn baselines_of_one_kernel_are_one_point_and_a_copy_shows_nothing_more() {
    let mut all = releases(|_, _| ());
    let copy = all.baselines["100.json"].clone();
    all.baselines.insert("101.json".into(), copy);
    let other_seeds = baseline("43", 34_200, |run| run["seed"] = (run["seed"].as_u64().unwrap() + 50).into());
    all.baselines.insert("102.json".into(), other_seeds);
    let result = drawn(&all);
    let median = history(&result, "median");
    assert_eq!((median.points.len(), median.points[0].values_ns.len()), (17, 6));
    assert_eq!(median.points[0].files, ["100.json", "102.json"]);
    assert_eq!(result.left.len(), 1);
    assert_eq!(
        (result.left[0].file.as_str(), result.left[0].reason.as_str()),
        ("101.json", "its runs are those of 100.json")
    );
}

#[test]
fn baselines_of_one_version_are_ordered_by_time_and_old_files_by_name() {
    let hours = |hours: u64| 1_795_228_055_000_000_000 + hours * 3_600_000_000_000;
    let of = |at: u64, kernel: &str| {
        baseline(kernel, 29_000, |run| {
            run["kernel_release"] = "6.12.0-test".into();
            run["started_at_unix_ns"] = hours(at).into();
        })
    };
    let result = drawn(&folder([of(2, "c"), of(0, "aa"), of(1, "bbb")]));
    let median = history(&result, "median");
    assert_eq!(median.ordered_by, OrderedBy::TimeOfMeasurement);
    assert_eq!(labels(median), ["2026-11-21 02:27", "2026-11-21 03:27", "2026-11-21 04:27"]);
    let old = |kernel: &str| {
        let mut text = serde_json::to_value(of(0, kernel)).unwrap();
        text["version"] = 2.into();
        for run in text["cells"]["rt.idle.fifo"].as_array_mut().unwrap() {
            let run = run.as_object_mut().unwrap();
            for key in ["kernel_release", "started_at_unix_ns"] {
                run.remove(key);
            }
        }
        serde_json::from_value::<Baseline>(text).unwrap()
    };
    let result = drawn(&folder([old("c"), old("aa"), old("bbb")]));
    let median = history(&result, "median");
    assert_eq!((median.ordered_by, labels(median)), (OrderedBy::FileName, vec!["98", "99", "100"]));
    // Among files that state the time, those that do not are left out.
    let result = drawn(&folder([of(2, "c"), old("aa"), of(0, "bbb")]));
    let median = history(&result, "median");
    assert_eq!((median.ordered_by, median.points.len()), (OrderedBy::TimeOfMeasurement, 2));
    let left: Vec<_> =
        result.left.iter().map(|one| (one.file.as_str(), one.reason.contains("save it again"))).collect();
    assert_eq!(left, [("99.json", true)]);
}

#[test]
fn what_cannot_be_used_is_left_out_by_name() {
    let mut all = releases(|kernel, run| {
        if kernel == "57" {
            run["fatal"] = "throttled: the guest was stopped".into();
        }
    });
    // One seed of another kernel: the spread then has two causes.
    let mut mixed = serde_json::to_value(&all.baselines["90.json"]).unwrap();
    mixed["cells"]["rt.idle.fifo"][0]["conditions"]["kernel"] = "other".into();
    all.baselines.insert("90.json".into(), serde_json::from_value(mixed).unwrap());
    let mut lacks = all.baselines["95.json"].clone();
    lacks.cells.insert("rt.loaded.fifo".into(), lacks.cells["rt.idle.fifo"].clone());
    all.baselines.insert("95.json".into(), lacks);
    let result = drawn(&all);
    assert_eq!(history(&result, "median").points.len(), 15);
    let remarks = result.remarks().join("\n");
    assert!(
        remarks.contains("left out: rt.idle.fifo of 99.json: the run of seed 345 is not valid (throttled"),
        "{remarks}"
    );
    assert!(
        remarks.contains("left out: rt.idle.fifo of 90.json: its runs have different conditions (kernel)"),
        "{remarks}"
    );
    assert_eq!(remarks.matches("the baseline has no run of this cell").count(), 16, "{remarks}");
}

#[test]
fn a_maximum_without_all_records_has_no_value_and_unequal_counts_are_not_compared() {
    let result = drawn(&releases(|kernel, run| {
        if kernel == "101" {
            run["lost"] = 3.into();
        }
    }));
    let maximum = history(&result, "maximum");
    let without: Vec<_> = maximum.points.iter().filter(|point| point.values_ns.is_empty()).collect();
    assert_eq!(without.len(), 1);
    assert!(
        without[0].label == "6.12.101"
            && without[0].reason.as_ref().unwrap().contains("lost the records of 3 wake-ups")
    );
    assert_eq!((maximum.changes.len(), history(&result, "median").points[11].values_ns.len()), (1, 3));
    let uneven = drawn(&releases(|kernel, run| {
        if kernel == "117" {
            run["figures"]["response-latency"]["count"] = 500.into();
        }
    }));
    let reason = history(&uneven, "maximum").reason.as_ref().unwrap();
    assert!(reason.starts_with("the sample counts differ too much: 500 to 1000"), "{reason}");
    assert!(history(&uneven, "median").reason.is_none());
}

#[test]
fn every_entry_of_a_folder_is_read_or_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, place) = (HistoryFolder::read(folder.path()).unwrap_err(), |name: &str| folder.path().join(name));
    assert!(empty.to_string().contains("has no baseline; save baselines there"), "{empty}");
    std::fs::write(place("notes.txt"), "not JSON").unwrap();
    let none = HistoryFolder::read(folder.path()).unwrap_err().to_string();
    assert!(none.contains("has no baseline (notes.txt: ") && none.contains("is not a baseline"), "{none}");
    baseline("43", 34_200, |_| ()).save(&place("43.json")).unwrap();
    let text = std::fs::read_to_string(place("43.json")).unwrap();
    std::fs::write(place("newer.json"), text.replace("\"version\": 3", "\"version\": 9")).unwrap();
    std::fs::write(place("half.json"), &text[..text.len() / 2]).unwrap();
    std::fs::create_dir(place("older")).unwrap();
    let read = HistoryFolder::read(folder.path()).unwrap();
    assert_eq!(
        (read.study.as_str(), read.baselines.keys().map(String::as_str).collect::<Vec<_>>()),
        ("releases", vec!["43.json"])
    );
    let reasons: BTreeMap<&str, &str> =
        read.not_read.iter().map(|one| (one.file.as_str(), one.reason.as_str())).collect();
    assert_eq!(reasons.keys().copied().collect::<Vec<_>>(), ["half.json", "newer.json", "notes.txt", "older"]);
    assert!(reasons["newer.json"].contains("version 9") && reasons["half.json"].contains("the file ends in line"));
    assert_eq!(reasons["older"], "a folder");
    let remarks = drawn(&read).remarks();
    assert!(
        remarks[0].starts_with("4 entries of the folder") && remarks[1].starts_with("not read: half.json: "),
        "{remarks:?}"
    );
    std::fs::write(place("other.json"), text.replace("\"releases\"", "\"gate\"")).unwrap();
    let several = HistoryFolder::read(folder.path()).unwrap_err().to_string();
    assert!(several.contains("several studies (gate: other.json, releases: 43.json)"), "{several}");
    let nowhere = HistoryFolder::read(&PathBuf::from("/nowhere")).unwrap_err().to_string();
    assert!(nowhere.contains("/nowhere") && nowhere.contains("gate --save"), "{nowhere}");
}
