//! Same scenario, same trace: for each queue, kernel and simulator write the same sequence of (event, task, job).
//!
//! Each scenario of `scenarios/` is compared in each shape, or refused for the reason that stands here; random sets beside them.

use crate::machine::{SHAPES, SHAPES_OF_EIGHT, lab, xtask};
use prazo_testing::or_skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SEED: u64 = 4;
const RANDOM_SETS: usize = 3;
/// Events that agree in one shape, at least.
const EVENTS_LEAST: u64 = 1_000;

/// Scenarios that the kernel does not take in any shape, and why.
const REFUSED: [(&str, &str); 15] = [
    ("jitter", "'sensor' has a jitter"),
    ("flight-control", "'gyro' has a jitter"),
    ("audio-workload", "'audio' names processors"),
    ("burst", "'packets' has parts, sections, a burst or a suspension"),
    ("reservation", "the set has a supply"),
    ("bounded-delay", "the set has a supply"),
    ("can-messages", "has parts, sections, a burst or a suspension"),
    ("limited-preemption", "has parts, sections, a burst or a suspension"),
    ("offsets", "has parts, sections, a burst or a suspension"),
    ("self-suspension", "'camera' has parts, sections, a burst or a suspension"),
    ("spin-locks", "has parts, sections, a burst or a suspension"),
    ("shared-bus", "has parts, sections, a burst or a suspension"),
    ("arrival-curve", "has parts, sections, a burst or a suspension"),
    ("mixed-criticality", "'flight_control' is of high criticality"),
    ("toro-chains", "has parts, sections, a burst or a suspension"),
];
/// And without deadlines to rank by.
const NEEDS_DEADLINES: (&str, &str) =
    ("overrun-server", "task 2 has a server, which is simulated only under earliest deadline first");

/// Every task set of `scenarios/`.
fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn names() -> BTreeSet<String> {
    scenarios().iter().map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// What `kernel agree` prints of every scenario in `shape`.
fn output(shape: &str, late: &str, more: &[&str]) -> String {
    let mut words = vec!["kernel", "agree", "--shape", shape, "--late", late];
    words.extend(more);
    let files = scenarios();
    words.extend(files.iter().map(|file| file.to_str().unwrap()));
    xtask(&words)
}

/// Checks that each scenario has a line for each queue, or its reason; the events that agree.
fn every_scenario_agrees(output: &str, shape: &str, queues: usize) -> u64 {
    let mut refused = REFUSED.to_vec();
    refused.extend(shape.ends_with("rm").then_some(NEEDS_DEADLINES));
    for name in names() {
        let own: Vec<&str> = output.lines().filter(|line| line.starts_with(&format!("{name} on {shape}: "))).collect();
        match refused.iter().find(|(refused, _)| *refused == name) {
            Some((_, why)) => assert!(own.len() == 1 && own[0].contains(why), "{name}: {own:?}"),
            None => {
                assert_eq!(own.iter().filter(|line| line.contains("events agree, up to")).count(), queues, "{own:?}");
            }
        }
    }
    assert!(!output.contains("where instants lie"), "a set that was made to lie apart does not: {output}");
    output.lines().filter_map(events).sum()
}

fn events(line: &str) -> Option<u64> {
    line.split_once(" events agree")?.0.rsplit(' ').next()?.parse().ok()
}

#[test]
fn every_scenario_has_the_same_trace_in_every_shape() {
    or_skip!(lab());
    let seed = std::env::var("PRAZO_SEED").unwrap_or_else(|_| SEED.to_string());
    let sets = RANDOM_SETS.to_string();
    for (shape, heads) in SHAPES.into_iter().chain(SHAPES_OF_EIGHT) {
        let output = output(shape, "continue", &["--random", &sets, "--seed", &seed]);
        let events = every_scenario_agrees(&output, shape, heads.len());
        println!("{shape}: {events} events agree, seed {seed}");
        assert!(events > EVENTS_LEAST, "{shape}: {events}\n{output}");
        let random = output.lines().filter(|line| line.starts_with("seed ") && line.contains("events agree")).count();
        assert_eq!(random, RANDOM_SETS * heads.len(), "{output}");
    }
}

#[test]
fn scenarios_have_the_same_trace_on_processors_of_their_own_and_in_clusters_under_every_overrun_policy() {
    or_skip!(lab());
    for (shape, heads) in SHAPES.into_iter().filter(|(shape, _)| ["clustered-edf", "partitioned-rm"].contains(shape)) {
        for late in ["continue", "abort", "skip-next"] {
            let events = every_scenario_agrees(&output(shape, late, &[]), shape, heads.len());
            println!("{shape}, {late}: {events} events agree");
        }
    }
}
