//! What others do to a run while it measures: each change is a caveat with its time.

mod common;

use common::{Kept, in_real_time, plan, two_processors};
use prazo_core::time::Duration;
use prazo_probe::timer::{
    Measured, Outlets, ProbeError, Sink, SinkError, StopFlag, Surroundings, Unobserved, measure_in,
};
use prazo_run::plan::{Length, Policy};
use prazo_run::store::SeriesSecond;
use prazo_run::{Caveat, Plan, Severity};
use prazo_sys::irqlat::set_fifo;
use prazo_testing::or_skip;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// When the disturbance comes, from the moment at which the threads are set up: the start follows a quarter of a second later.
const HALF_WAY: std::time::Duration = std::time::Duration::from_millis(1_250);

fn two_seconds(policy: Policy) -> Plan {
    Plan { policy, length: Length::Duration { length: Duration::from_s(2) }, ..plan(&[0]) }
}

/// Lets something happen half-way through the run that it records.
struct HalfWay<F> {
    happens: Option<F>,
    happened: Option<JoinHandle<()>>,
    kept: Kept,
}

impl<F: FnOnce(i32) + Send + 'static> Sink for HalfWay<F> {
    fn prepared(&mut self, thread_ids: &[i32], _start_ns: u64) {
        let (thread_id, happens) = (thread_ids[0], self.happens.take().expect("a run is prepared once"));
        self.happened = Some(std::thread::spawn(move || {
            std::thread::sleep(HALF_WAY);
            happens(thread_id);
        }));
    }

    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        self.kept.second(batch)
    }
}

/// A run during which this happens, told the measuring thread's number.
fn disturbed(
    plan: &Plan,
    around: &Surroundings,
    happens: impl FnOnce(i32) + Send + 'static,
) -> Result<Measured, ProbeError> {
    let mut sink = HalfWay { happens: Some(happens), happened: None, kept: Kept::default() };
    let stop = StopFlag::new().unwrap();
    let measured = measure_in(around, plan, Outlets { sink: &mut sink, observer: &mut Unobserved, stop: &stop });
    if let Some(happened) = sink.happened {
        happened.join().expect("what should happen did");
    }
    measured
}

fn run(words: &[&str]) {
    let status = Command::new(words[0]).args(&words[1..]).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{words:?}");
}

fn find<'a>(measured: &'a Measured, id: &str) -> &'a Caveat {
    let found = measured.caveats.iter().find(|caveat| caveat.id == id);
    found.unwrap_or_else(|| panic!("no {id}: {:?}", measured.caveats))
}

/// The two looks between which it changed, in seconds after the start.
fn looks(caveat: &Caveat) -> (f64, f64) {
    let (_, times) = caveat.what.rsplit_once(", between ").expect("a change has its time");
    let (after, seen) = times.strip_suffix(" s after the start of the run").unwrap().split_once(" s and ").unwrap();
    (after.parse().unwrap(), seen.parse().unwrap())
}

/// It came a second after the start or later, and was not there before.
fn assert_half_way(caveat: &Caveat) {
    let (after, seen) = looks(caveat);
    assert!(after < seen && (0.99..2.5).contains(&seen), "{}", caveat.what);
}

#[test]
fn a_policy_and_an_affinity_that_are_taken_away_make_the_run_another_than_it_claims() {
    or_skip!(two_processors());
    let take_away = |thread_id: i32| {
        run(&["taskset", "-pc", "0-1", &thread_id.to_string()]);
        run(&["chrt", "-o", "-p", "0", &thread_id.to_string()]);
    };
    let plan = two_seconds(Policy::Fifo { priority: 10 });
    let measured = or_skip!(in_real_time(disturbed(&plan, &Surroundings::default(), take_away)));
    let policy = find(&measured, "policy-changed");
    assert!(policy.what.contains("processor 0 was changed from fifo priority 10 to other"), "{}", policy.what);
    let affinity = find(&measured, "affinity-changed");
    assert!(affinity.what.contains("processor 0 was changed from 0 to 0-1"), "{}", affinity.what);
    for caveat in [policy, affinity] {
        assert_eq!(caveat.severity, Severity::Fatal);
        assert_half_way(caveat);
    }
}

/// Ended however the test ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_time_thread_that_starts_above_the_measuring_one_is_named_with_its_time() {
    // Bursts of a few milliseconds, so that nothing else starves: three of them, and then it is over.
    const BURSTS: &str = "for burst in 1 2 3; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.3; done";
    // On the measured processor. It waits there as an ordinary process, because starting one takes long on a busy machine.
    let waits = format!("read go; {BURSTS}");
    let mut child =
        Command::new("taskset").args(["-c", "0", "sh", "-c", &waits]).stdin(Stdio::piped()).spawn().map(Ended).unwrap();
    let process_id = child.0.id();
    let mut go = child.0.stdin.take().unwrap();
    let spin = move |_| {
        set_fifo(process_id as i32, 99).unwrap();
        go.write_all(b"\n").unwrap();
    };
    let plan = two_seconds(Policy::Fifo { priority: 10 });
    let measured = or_skip!(in_real_time(disturbed(&plan, &Surroundings::default(), spin)));
    let named = |caveat: &&Caveat| {
        caveat.id == "foreign-real-time-started" && caveat.what.contains(&format!("(process {process_id}, thread"))
    };
    let caveat = measured.caveats.iter().find(named).unwrap_or_else(|| panic!("{:?}", measured.caveats));
    assert!(caveat.what.contains("), fifo priority 99, on processor 0,"), "{}", caveat.what);
    assert_eq!(caveat.severity, Severity::High);
    assert_half_way(caveat);
}

#[test]
fn a_measured_processor_that_goes_offline_and_comes_back_is_told_twice() {
    let tree = tempfile::tempdir().unwrap();
    let folder = tree.path().join("sys/devices/system/cpu");
    std::fs::create_dir_all(&folder).unwrap();
    let online = folder.join("online");
    std::fs::write(&online, "0-1\n").unwrap();
    let flap = move |_| {
        std::fs::write(&online, "1\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
        std::fs::write(&online, "0-1\n").unwrap();
    };
    let measured = disturbed(&two_seconds(Policy::Other), &Surroundings::below(tree.path()), flap).unwrap();
    let caveats: Vec<&Caveat> = measured.caveats.iter().filter(|caveat| caveat.id == "processor-offline").collect();
    assert_eq!(caveats.len(), 2, "{caveats:?}");
    assert!(caveats[0].what.starts_with("measured processor 0 went offline, between"), "{}", caveats[0].what);
    assert!(caveats[1].what.starts_with("measured processor 0 came back online, between"), "{}", caveats[1].what);
    caveats.into_iter().for_each(assert_half_way);
}

#[test]
fn a_run_that_nobody_disturbs_says_nothing_of_changes() {
    let measured = disturbed(&two_seconds(Policy::Other), &Surroundings::default(), |_| ()).unwrap();
    let changed = |caveat: &&Caveat| ["policy-changed", "affinity-changed"].contains(&caveat.id.as_str());
    assert_eq!(measured.caveats.iter().find(changed), None);
}
