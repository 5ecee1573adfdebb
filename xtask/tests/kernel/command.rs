//! `cargo xtask kernel` from outside: what it prints, what it refuses, and the disc that it makes.
//!
//! What the kernel itself must do is in the files beside this one. These too build it for its bare target and boot it.

use crate::machine::lab;
use prazo_lab::{Boot, Cache, DiscTools, Emulator, Fetch, Machine, Medium};
use prazo_run::run::Quantity;
use prazo_testing::{Need, OrSkipped, or_skip};
use serde_json::Value;
use std::process::{Command, Output};
use std::time::Duration;

fn xtask(words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(words.split(' ')).output().expect("xtask starts")
}

fn printed(words: &str) -> String {
    let output = xtask(words);
    let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words}: {complaint}\n{printed}");
    printed.into_owned()
}

fn run(words: &str) -> Value {
    serde_json::from_str(&printed(&format!("kernel run {words} --json"))).expect("one JSON object")
}

#[test]
fn a_set_that_is_taken_as_it_is_agrees_as_far_as_its_instants_lie_apart() {
    or_skip!(lab());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/dhall-effect.toml");
    let output = printed(&format!("kernel agree {file} --as-is --shape partitioned-rm"));
    assert!(
        output.contains("queue 2: 3 events agree, up to 10 ms, where instants lie less than 2 ms apart"),
        "{output}"
    );
}

#[test]
fn the_same_run_prints_the_same_bytes() {
    or_skip!(lab());
    let words = "kernel run measure --threads 25 --seed 7 --duration 300ms --shape global-edf";
    assert_eq!(printed(words), printed(words));
}

#[test]
fn the_figures_of_a_measuring_run_are_one_json_object_with_their_caveats() {
    or_skip!(lab());
    let figures = run("measure --threads 25 --duration 1s --shape global-edf");
    assert_eq!((&figures["ending"], &figures["instruction_ns"]), (&"exit".into(), &1.into()));
    assert_eq!(figures["processors"], 4);
    let [due, arrived] = ["due", "arrived"].map(|key| figures["jobs"][key].as_u64().unwrap());
    assert!(due > 1_000 && due == arrived, "{due} {arrived}");
    let [served, in_vain] = ["served", "in_vain"].map(|key| figures["interrupts"][key].as_u64().unwrap());
    assert!(served > 0 && in_vain * 10 < served, "{in_vain} of {served} interrupts changed nothing");
    let costs = figures["costs"].as_array().unwrap();
    assert!(costs.len() > 2 && costs.iter().all(|cost| cost["lost"] == 0), "{costs:?}");
    assert_eq!(figures["caveats"].as_array().unwrap().len(), 2, "counted time, and processors that take turns");
}

#[test]
fn a_machine_with_too_few_processors_is_refused_with_the_reason() {
    or_skip!(lab());
    let output = xtask("kernel run scenario --shape global-edf --machine counted-2");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("4 processors, this machine 2"), "{complaint}");
}

#[test]
fn a_scenario_that_the_kernel_cannot_take_is_refused_by_the_tasks_name() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/flight-control.csv");
    let complaint = xtask(&format!("kernel run {file}")).stderr;
    let complaint = String::from_utf8_lossy(&complaint);
    assert!(complaint.contains("'gyro' has a jitter"), "{complaint}");
}

#[test]
fn a_file_that_is_not_there_is_an_error_and_not_a_set_that_is_not_compared() {
    let output = xtask("kernel agree scenarios/misspelt.toml");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("misspelt.toml"), "{complaint}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn an_unknown_shape_is_answered_with_those_there_are() {
    let complaint = xtask("kernel build --shape clustred-edf").stderr;
    let complaint = String::from_utf8_lossy(&complaint);
    assert!(complaint.contains("clustred-edf") && complaint.contains("single-edf"), "{complaint}");
}

#[test]
fn the_kernel_boots_from_a_disc_and_is_handed_its_tasks() {
    let fetch = || Fetch::new(Cache::of_user()?).disc_tools(&mut |_| {});
    or_skip!(lab());
    or_skip!(DiscTools::find().or_else(|_| fetch()).or_skipped(Need::Lab));
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("kernel.iso");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/dhall-effect.toml");
    printed(&format!("kernel iso --shape clustered-edf --scenario {file} -o {}", image.display()));
    let boot = Boot::new(Machine::find("counted-4").unwrap(), Medium::Disc(image), Duration::from_secs(240));
    let ended = boot.run(&Emulator::find().unwrap(), &mut |_| {}).unwrap();
    let console = String::from_utf8_lossy(&ended.console);
    assert!(ended.ending.is_pass() && console.contains("jobs due"), "{}: {console}", ended.ending);
    assert!(console.contains("queues 0..2 2..4, 3 threads"), "those of the file, not those built in: {console}");
}

#[test]
fn measured_overheads_become_run_files_and_tables_and_no_boot_is_made_twice() {
    or_skip!(lab());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let words = format!(
        "kernel overheads --shape clustered-edf --threads 5,25 --seeds 1 --duration 100ms --out {}",
        out.display()
    );
    printed(&words);
    let run = prazo_run::store::open(&out.join("clustered-edf-25.prazo")).unwrap();
    let mut counts = vec![0; run.series.len()];
    let count = |series: usize, samples: &[prazo_run::store::Sample]| counts[series] += samples.len() as u64;
    prazo_run::store::samples(&out.join("clustered-edf-25.prazo"), count).unwrap();
    for (series, count) in run.series.iter().zip(counts) {
        assert_eq!((series.histogram.total(), series.activations.lost), (count, 0), "{:?}", series.quantity);
    }
    for quantity in
        [Quantity::ReleaseOverhead, Quantity::TickOverhead, Quantity::ContextSwitchOfPair, Quantity::StampCost]
    {
        assert!(run.of(quantity).next().is_some(), "{quantity:?}");
    }
    assert!(run.of(Quantity::IpiLatency).next().is_none() && run.has_caveat("ipi-not-measured"));
    let platform = run.platform_before.unwrap();
    assert_eq!(platform.get("kernel.shape"), Some("clustered-edf"));
    for keys in [["jobs.due", "jobs.released"], ["jobs.due_at_tick", "jobs.released_at_tick"]] {
        let jobs = keys.map(|key| platform.get(key).unwrap().parse::<u64>().unwrap());
        assert!(jobs[0] > 100 && jobs[0] == jobs[1], "{keys:?}: {jobs:?}");
    }
    tables_are_read(out);
    let again = String::from_utf8_lossy(&xtask(&words).stderr).into_owned();
    assert!(again.contains("6 boots, 6 of them made before"), "{again}");
}

/// By tasks that share a queue: 5 and 25 threads on two queues are up to 3 and 13.
fn tables_are_read(out: &std::path::Path) {
    let read = |name: &str| {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        prazo_scenario::overheads::read(name, &text, Some(prazo_scenario::Unit::Nanosecond)).unwrap()
    };
    let (max, mean) = (read("clustered-edf.max.toml"), read("clustered-edf.mean.toml"));
    for ((name, max), (_, mean)) in max.named().zip(mean.named()) {
        let (max, mean) = (max.borrow().at(13).unwrap().value, mean.borrow().at(13).unwrap().value);
        assert!(mean <= max, "{name}: {mean} {max}");
        let is_charged = ["release", "scheduling", "context_switch"].contains(&name);
        assert_eq!(
            is_charged,
            !max.is_zero(),
            "{name}: a tick that does not come and what was not measured are not charged"
        );
    }
}
