//! What loads reach, and when they are on.

use prazo_testing::{Need, Skipped, or_skip, skipped};
use std::path::Path;
use std::time::Duration;

use prazo_core::time::Instant;
use prazo_load::{self as load, LoadError, LoadKind, LoadState, Measure, rhythm};
use prazo_run::plan::{LoadPlan, Rhythm};
use prazo_run::run::LoadRecord;
use prazo_run::{Caveat, plan};

use crate::machine::{self, options, plan as load_plan};

fn run(plans: &[LoadPlan], work: &Path, length: Duration) -> Result<(Vec<LoadRecord>, Vec<Caveat>), Skipped> {
    let loads = match load::start(plans, 1, &options(work)) {
        Err(error @ LoadError::MissingGenerator { .. }) => {
            return Err(skipped(Need::Program("that generates a load"), error));
        }
        Err(LoadError::SetUp { what, .. }) if what.contains("real-time threads") => {
            return Err(skipped(Need::RealTime, what));
        }
        loads => loads.unwrap(),
    };
    std::thread::sleep(length);
    Ok(loads.stop())
}

#[test]
fn every_load_of_the_catalogue_loads_takes_seconds() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    for kind in load::catalogue() {
        loads_alone(kind, work.path());
    }
    machine::assert_nothing_left(work.path(), &Default::default());
}

/// A machine that is busy with something else may keep a load from its work for a while, so that it gets more time.
fn loads_alone(kind: &LoadKind, work: &Path) {
    for length_ms in [1_300, 5_000, 15_000] {
        let plans = [load_plan(kind.name, None)];
        let (records, caveats) = or_skip!(run(&plans, work, Duration::from_millis(length_ms)));
        let record = &records[0];
        eprintln!("{:17} asked {:?}, reached {:.1?} {}", record.name, record.asked, record.reached, record.unit);
        assert_eq!((record.on_s.len(), record.unit.as_str()), (1, kind.unit()));
        let fault = caveats.iter().find(|caveat| ["load-died", "load-left-behind"].contains(&caveat.id.as_str()));
        assert_eq!(fault, None);
        if record.reached.is_some_and(|reached| reached > least(kind)) {
            return;
        }
    }
    panic!("{} never reached {} {}", kind.name, least(kind), kind.unit());
}

/// What one of prazo's own generators reaches on every machine, and a process that does nothing does not; foreign programs are not
/// ours to judge.
fn least(kind: &LoadKind) -> f64 {
    if !kind.is_own() {
        return 0.0;
    }
    match kind.measure {
        Measure::BusyProcessors => 0.1,
        Measure::DiskRead | Measure::DiskWrite | Measure::NetworkBytes | Measure::Passes => 1.0,
        Measure::Switches | Measure::PageFaults | Measure::TimerInterrupts | Measure::Packets => 1_000.0,
    }
}

#[test]
fn every_group_of_threads_is_a_process_of_forty() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let threads = |pid: &u32| std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    for name in ["scheduler-pipes", "scheduler-futexes"] {
        let loads = load::start(&[load_plan(name, Some(2.0))], 1, &options(work.path())).unwrap();
        // The forty, and the one that started them and waits.
        let groups = || machine::processes_of(work.path()).iter().filter(|pid| threads(pid) == 41).count();
        machine::eventually(name, || groups() == 2);
        loads.stop();
        machine::assert_nothing_left(work.path(), &Default::default());
    }
}

/// The count in `12,345 priority inversions`.
fn inversions(record: &LoadRecord) -> Option<u64> {
    let (before, _) = record.note.split_once(" priority inversion")?;
    before.rsplit(' ').next()?.replace(',', "").parse().ok()
}

#[test]
fn priority_inversions_are_counted_in_every_group_needs_root() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    for groups in [1.0, 3.0] {
        let plans = [load_plan("priority-inversion", Some(groups))];
        let (records, caveats) = or_skip!(run(&plans, work.path(), Duration::from_secs(2)));
        let count = inversions(&records[0]).unwrap_or_else(|| panic!("{records:?}"));
        eprintln!("{groups} groups: {count} inversions, {:?} {}", records[0].reached, records[0].unit);
        // Three threads that wait for each other switch several times for each inversion.
        let switches = records[0].reached.unwrap() * (records[0].on_s[0].1 - records[0].on_s[0].0);
        assert!(count > 0 && (count as f64) < switches, "{records:?}");
        assert!(!caveats.iter().any(|caveat| caveat.id == "load-died"), "{caveats:?}");
    }
    machine::assert_nothing_left(work.path(), &Default::default());
}

#[test]
fn threads_of_inversions_are_below_measured_ones_and_share_a_processor_needs_root() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let loads = match load::start(&[load_plan("priority-inversion", Some(1.0))], 1, &options(work.path())) {
        Err(LoadError::SetUp { what, .. }) if what.contains("real-time threads") => {
            prazo_testing::skip!(Need::RealTime, "{what}")
        }
        loads => loads.unwrap(),
    };
    // Field 40 of proc_pid_stat(5) is the real-time priority.
    let priorities = || {
        let threads = |pid: u32| std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let stats = machine::processes_of(work.path()).into_iter().flat_map(threads);
        let of = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(37)?.parse::<u32>().ok();
        let mut all: Vec<u32> = stats
            .filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok().and_then(of))
            .filter(|priority| *priority > 0)
            .collect();
        all.sort_unstable();
        all
    };
    machine::eventually("three real-time threads", || priorities() == [1, 2, 3]);
    loads.stop();
    machine::assert_nothing_left(work.path(), &Default::default());
}

#[test]
fn a_udp_flood_keeps_to_the_rate_that_is_asked() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let plans = [load_plan("udp-flood", Some(20_000.0))];
    let (records, _) = or_skip!(run(&plans, work.path(), Duration::from_secs(2)));
    let reached = records[0].reached.unwrap();
    assert!((10_000.0..=24_000.0).contains(&reached), "{records:?}");
}

#[test]
fn a_flood_over_loopback_says_so() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let options = load::Options { join_namespaces: false, ..options(work.path()) };
    let loads = load::start(&[load_plan("udp-flood", Some(5_000.0))], 1, &options).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let (records, caveats) = loads.stop();
    assert!(records[0].reached.is_some_and(|reached| reached > 0.0), "{records:?}");
    assert!(caveats.iter().any(|caveat| caveat.id == "load-on-loopback"), "{caveats:?}");
}

#[test]
fn a_disk_load_stays_inside_its_bound_on_disk_takes_seconds() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    for kind in load::catalogue().filter(|kind| kind.is_own() && kind.has_disk()) {
        let name = kind.name;
        let loads = load::start(&[load_plan(name, None)], 1, &options(work.path())).unwrap();
        let bytes = most_on_disk(&loads.keepers()[0].work, work.path());
        drop(loads);
        assert!(bytes > 0 && bytes <= u64::from(kind.disk_mb_max) * 1_000_000, "{name}: {bytes} bytes");
    }
}

/// The most bytes seen on disk in 700 ms of looking that begin with the first byte, which a busy machine delays by seconds.
fn most_on_disk(folder: &Path, work: &Path) -> u64 {
    let look = || {
        std::thread::sleep(Duration::from_millis(20));
        size(folder) + unlinked(work)
    };
    let patience = std::time::Instant::now() + Duration::from_secs(30);
    let first = std::iter::repeat_with(look).find(|bytes| *bytes > 0 || std::time::Instant::now() > patience);
    (0..35).map(|_| look()).chain(first).max().unwrap_or(0)
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { file_size(&entry.path()) }).sum()
}

/// Files that the loads' processes have open and that have no name any more (stress-ng unlinks its own at once).
fn unlinked(work: &Path) -> u64 {
    let open = |pid: u32| std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let files = machine::processes_of(work).into_iter().flat_map(open).map(|entry| entry.path());
    let ours = |file: &std::path::PathBuf| {
        let name = std::fs::read_link(file).unwrap_or_default().display().to_string();
        name.starts_with(work.to_str().unwrap()) && name.ends_with(" (deleted)")
    };
    files.filter(ours).map(|file| file_size(&file)).sum()
}

fn file_size(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

#[test]
fn on_intervals_follow_the_seeded_rhythm_and_count_from_the_mark() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let ms = prazo_core::time::Duration::from_ms;
    let rhythm = Rhythm { cycle: ms(400), on_min: ms(200), on_max: ms(333) };
    let loads = start_with(rhythm, work.path());
    let (_, at_once) = poll_until_on(loads);
    std::thread::sleep(Duration::from_millis(2_500));
    let (records, _) = at_once.stop();
    let on = &records[0].on_s;
    assert!(on.len() >= 2, "{on:?}");
    let planned: Vec<_> = rhythm::schedule(7, "cpu", Some(rhythm)).take(on.len()).collect();
    for (index, ((from, to), planned)) in on.iter().zip(planned).enumerate() {
        // Never early; the last one was cut short by the stop.
        assert!(*from >= planned.from.as_s_f64(), "{on:?}");
        assert!(index + 1 == on.len() || *to >= planned.to.unwrap().as_s_f64(), "{on:?}");
    }
}

fn start_with(rhythm: Rhythm, work: &Path) -> load::Loads {
    let plan = plan::LoadPlan { name: "cpu".into(), rate: Some(1.0), rhythm: Some(rhythm) };
    load::start(&[plan], 7, &options(work)).unwrap()
}

fn poll_until_on(mut loads: load::Loads) -> (usize, load::Loads) {
    let mut polls = 0;
    while loads.poll()[0].state != LoadState::On {
        polls += 1;
        assert!(polls < 2_000, "never ran");
        std::thread::sleep(Duration::from_millis(10));
    }
    (polls, loads)
}

#[test]
fn times_are_relative_to_the_first_due_activation() {
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let mut loads = load::start(&[load_plan("cpu", Some(1.0))], 1, &options(work.path())).unwrap();
    loads.mark_start(Instant::from_ns(u64::MAX / 4));
    let (records, _) = loads.stop();
    let (from, to) = records[0].on_s[0];
    assert!(from < 0.0 && from <= to && to < 0.0, "{records:?}");
}
