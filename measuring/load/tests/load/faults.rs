//! The world fails on purpose: programs that are missing, die, do nothing; keepers that are none.

use std::path::Path;
use std::time::Duration;

use prazo_core::time::Duration as Length;
use prazo_load::{self as load, LoadError, LoadState, Options};
use prazo_run::Caveat;
use prazo_run::plan::{LoadPlan, Rhythm};

use crate::machine::{self, options, plan, script};

fn with_path(work: &Path, bin: &Path) -> Options {
    Options { path: format!("{}:/usr/bin:/bin", bin.display()), ..options(work) }
}

fn ids(caveats: &[Caveat]) -> Vec<&str> {
    caveats.iter().map(|caveat| caveat.id.as_str()).collect()
}

/// Runs the load `stress-ng-cpu` for a moment with a stress-ng that does this instead.
fn cpu_with(instead: &str) -> (prazo_run::run::LoadRecord, Vec<Caveat>) {
    let (work, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    script(bin.path(), "stress-ng", instead);
    let loads = load::start(&[plan("stress-ng-cpu", Some(1.0))], 1, &with_path(work.path(), bin.path())).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let (mut records, caveats) = loads.stop();
    machine::assert_nothing_left(work.path(), &Default::default());
    (records.remove(0), caveats)
}

#[test]
fn a_missing_generator_stops_everything_before_anything_starts() {
    let _turn = machine::machine_shared();
    let (work, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = Options { path: bin.path().to_str().unwrap().into(), ..options(work.path()) };
    let error = load::start(&[plan("iperf3-udp", None)], 1, &options).unwrap_err();
    assert!(matches!(error, LoadError::MissingGenerator { program: "iperf3", package: "iperf3", .. }), "{error}");
    assert!(std::fs::read_dir(work.path()).unwrap().next().is_none());
}

/// Both are refused before anything is on; the first needs a disk, the second a file that its keeper would make there.
#[test]
fn a_load_that_needs_a_disk_is_refused_in_memory_by_name() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir_in("/dev/shm").unwrap();
    for name in ["disk-write", "disk-read"] {
        let error = load::start(&[plan(name, None)], 1, &options(work.path())).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("in memory") && error.contains("block device"), "{error}");
    }
    machine::assert_nothing_left(work.path(), &Default::default());
}

#[test]
fn a_generator_that_dies_is_told_with_its_last_words() {
    let _turn = machine::machine_shared();
    let (record, caveats) = cpu_with("echo 'no such thing' >&2; exit 3");
    assert_eq!(ids(&caveats), ["load-died"]);
    assert!(caveats[0].what.contains("exit status: 3") && caveats[0].what.contains("no such thing"), "{caveats:?}");
    assert_eq!(record.on_s.len(), 1);
}

#[test]
fn a_generator_that_is_killed_from_outside_is_told_by_its_signal() {
    let _turn = machine::machine_shared();
    let (_, caveats) = cpu_with("kill -KILL $$");
    assert!(caveats[0].what.contains("signal: 9"), "{caveats:?}");
}

#[test]
fn a_generator_that_does_nothing_did_not_load() {
    let _turn = machine::machine_shared();
    let (record, caveats) = cpu_with("exec sleep 300");
    assert_eq!(ids(&caveats), ["load-did-not-load"]);
    assert!(record.reached.is_some_and(|reached| reached < 0.5), "{record:?}");
}

#[test]
fn a_generator_that_forks_away_is_ended_all_the_same() {
    let _turn = machine::machine_shared();
    let (_, caveats) = cpu_with("for i in 1 2 3 4 5; do (setsid sleep 300 &) ; done; exec sleep 300");
    assert!(!ids(&caveats).contains(&"load-left-behind"), "{caveats:?}");
}

#[test]
fn a_finite_generator_that_keeps_failing_is_dead_and_not_started_for_ever() {
    let _turn = machine::machine_shared();
    let (work, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tries = bin.path().join("tries");
    script(bin.path(), "dd", &format!("echo x >> {}; exit 9", tries.display()));
    let options = with_path(work.path(), bin.path());
    let mut loads = load::start(&[plan("dd", None)], 1, &options).unwrap();
    machine::eventually("three tries", || std::fs::read_to_string(&tries).unwrap_or_default().lines().count() >= 3);
    let dead = (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        matches!(loads.poll()[0].state, LoadState::Died(_))
    });
    assert!(dead);
    assert_eq!(std::fs::read_to_string(&tries).unwrap().lines().count(), 3);
    let (_, caveats) = loads.stop();
    assert!(ids(&caveats).contains(&"load-died"), "{caveats:?}");
}

#[test]
fn a_load_that_died_comes_back_with_the_next_turn_of_its_rhythm_and_stays_in_the_record() {
    let _turn = machine::machine_shared();
    let (work, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let once = bin.path().join("once");
    let fail_once = format!("test -e {0} || {{ : > {0}; exit 1; }}; exec sleep 300", once.display());
    script(bin.path(), "stress-ng", &fail_once);
    let (on, cycle) = (Length::from_ms(200), Length::from_ms(300));
    let rhythm = Some(Rhythm { cycle, on_min: on, on_max: on });
    let plans = [LoadPlan { name: "stress-ng-cpu".into(), rate: Some(1.0), rhythm }];
    let loads = load::start(&plans, 1, &with_path(work.path(), bin.path())).unwrap();
    std::thread::sleep(Duration::from_millis(2_500));
    let (records, caveats) = loads.stop();
    assert!(records[0].on_s.len() >= 2, "{records:?}");
    assert!(ids(&caveats).contains(&"load-died"), "{caveats:?}");
}

#[test]
fn a_program_that_is_no_keeper_is_told_apart_from_a_load_that_failed() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let options = Options { executable: "/bin/true".into(), ..options(work.path()) };
    let error = load::start(&[plan("cpu", None)], 1, &options).unwrap_err();
    assert!(matches!(&error, LoadError::Silent { .. }) && error.to_string().contains("child_main"), "{error}");
    let options = Options { executable: "/nowhere".into(), ..options };
    let error = load::start(&[plan("cpu", None)], 1, &options).unwrap_err();
    assert!(matches!(&error, LoadError::Keeper { .. }) && error.to_string().contains("/nowhere"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let _turn = machine::machine_shared();
    let options = options(Path::new("/proc"));
    let error = load::start(&[plan("cpu", None)], 1, &options).unwrap_err();
    assert!(matches!(&error, LoadError::SetUp { .. }) && error.to_string().contains("/proc/prazo-load-"), "{error}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_can() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let refused = |plan| load::start(&[plan], 1, &options(work.path())).unwrap_err().to_string();
    assert!(refused(plan("dohell", None)).contains("disk-read, file-tree"));
    assert!(refused(plan("cpu", Some(1.5))).contains("whole number of workers"));
    assert!(refused(plan("ping-flood", Some(5_000.0))).contains("at most 1000 packets/s"));
    assert!(refused(plan("udp-flood", Some(f64::NAN))).contains("above 0"));
    let (long, short) = (Length::from_s(2), Length::from_s(1));
    let rhythm = Some(Rhythm { cycle: short, on_min: short, on_max: long });
    assert!(refused(LoadPlan { rhythm, ..plan("cpu", None) }).contains("impossible on/off rhythm"));
}
