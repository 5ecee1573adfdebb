//! Plans in Linux guests of the lab: they come back as runs, the same seed gives the same samples, and a guest that panics,
//! hangs or runs out of memory is told with what it said last.
//!
//! They take the fetched kernels and the built agent (`./test` has both); without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod support;

use prazo_core::time::Duration;
use prazo_lab::{Cache, Fetch, Lab, Platform};
use prazo_run::plan::{Length, LoadPlan, Plan, Policy, Splitting, ThreadPlan, TimerMethod, WhenLate};
use prazo_run::source::Source;
use prazo_run::store::{self, Sample};
use prazo_study::guest::{self, GuestError, GuestRequest};
use std::path::Path;
use support::Guests;

/// Everything that guests take; `None`, said loudly, where something is missing and cannot be fetched.
fn lab() -> Option<Lab> {
    support::emulator()?;
    let fetch = || Fetch { cache: Cache::of_user()?, mirror: None }.kernels(&mut |_| {});
    fetch().and_then(|()| Lab::find()).map_err(|error| eprintln!("SKIPPED: {error}; so this test showed nothing")).ok()
}

fn platform(name: &str) -> Platform {
    Platform::find(name).unwrap()
}

/// Half a second at 1 kHz, every sample kept.
fn plan(loads: &[&str], seed: u64) -> Plan {
    let load = |name: &&str| LoadPlan { name: (*name).to_owned(), rate: None, rhythm: None };
    Plan {
        source: Source::Timer,
        split: Splitting::Off,
        method: TimerMethod::ClockNanosleep,
        policy: Policy::Fifo { priority: 90 },
        when_late: WhenLate::Skip,
        threads: vec![ThreadPlan { cpu: 0, period: Duration::from_ms(1), phase: Duration::ZERO }],
        length: Length::Duration { length: Duration::from_ms(500) },
        warm_up: Duration::ZERO,
        lead_in: Duration::ZERO,
        loads: loads.iter().map(load).collect(),
        deadline: None,
        stop_above: None,
        looks_for: None,
        housekeeping_cpu: None,
        raw: true,
        hold_dma_latency: true,
        timer_slack: None,
        histogram_bound: Duration::from_ms(100),
        beside_pid: None,
        seed,
    }
}

fn request(platform: Platform, plan: Plan, file: &Path) -> GuestRequest<'_> {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    GuestRequest { platform, plan, file, name, command: "a test".into(), limit: None }
}

fn samples(file: &Path) -> Vec<Sample> {
    let mut all = Vec::new();
    store::samples(file, |_, samples| all.extend_from_slice(samples)).unwrap();
    all
}

/// Both at the same time, so that neither has the host for itself; under different names, which must not matter.
fn twice(lab: &Lab, name: &str) -> [Vec<Sample>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let files = ["one.prazo", "other.prazo"].map(|file| folder.path().join(file));
    let measure = |file| {
        let run = guest::measure(&request(platform(name), plan(&["scheduler"], 42), file), lab, &|| false).unwrap();
        assert_eq!(run.series[0].activations.served, 500, "{:?}", run.caveats);
        assert_eq!(run.loads.len(), 1, "{:?}", run.loads);
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| measure(&files[1]));
        measure(&files[0]);
        other.join().unwrap();
    });
    files.map(|file| samples(&file))
}

#[test]
fn the_same_seed_gives_the_same_samples_under_load_on_standard_and_rt() {
    let Some(lab) = lab() else { return };
    for name in ["standard-none", "rt-full"] {
        let [one, other] = twice(&lab, name);
        assert_eq!(one.len(), 500, "{name}");
        assert_eq!(one, other, "{name}");
    }
}

#[test]
fn a_run_says_where_it_was_won_and_another_seed_is_another_trajectory() {
    let Some(lab) = lab() else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = ["one.prazo", "other.prazo"].map(|file| folder.path().join(file));
    let [one, other] = [7, 8].map(|seed| {
        let file = &files[seed as usize - 7];
        guest::measure(&request(platform("rt-lazy-6.12"), plan(&[], seed), file), &lab, &|| false).unwrap()
    });
    let (before, after) = (one.platform_before.unwrap(), one.platform_after.unwrap());
    assert_eq!(before.get("lab.platform"), Some("rt-lazy-6.12"));
    assert_eq!((before.get("lab.seed"), before.get("lab.shift")), (Some("7"), Some("3")));
    assert!(before.get("kernel.release").unwrap().contains("rt-amd64"), "{:?}", before.get("kernel.release"));
    assert!(before.get("lab.command_line").unwrap().ends_with("preempt=lazy"));
    for fact in ["kernel", "initramfs", "agent", "emulator"] {
        assert_eq!(before.get(&format!("lab.{fact}_sha256")).map(str::len), Some(64), "{fact}");
    }
    assert!(before.drift(&after).is_empty(), "{:?}", before.drift(&after));
    assert_eq!((one.name.as_str(), one.command.as_str()), ("one", "a test"));
    assert_eq!(other.platform_before.unwrap().get("lab.seed"), Some("8"));
    assert_ne!(samples(&files[0]), samples(&files[1]));
}

/// All latencies together, of a guest that splits them so.
fn sum_ns(lab: &Lab, split: Splitting) -> Option<i64> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("split.prazo");
    let request = request(platform("rt-full"), Plan { split, ..plan(&[], 3) }, &file);
    let run = guest::measure(&request, lab, &|| false).unwrap();
    if let Some(why) = run.caveats.iter().find(|caveat| caveat.id == "not-split") {
        eprintln!("SKIPPED: {}; so this test showed nothing", why.what);
        return None;
    }
    let counts = run.series[0].split.as_deref().map(|split| &split.counts);
    assert_eq!(counts.map(|counts| (counts.split, counts.served())), (split != Splitting::Off).then_some((500, 500)));
    let mut sum_ns = 0;
    store::samples(&file, |series, all| {
        sum_ns += all.iter().filter(|_| series == 0).map(|sample| sample.latency_ns).sum::<i64>();
    })
    .unwrap();
    Some(sum_ns)
}

#[test]
fn splitting_adds_at_most_a_quarter_to_a_wake_up_s_instructions() {
    let Some(lab) = lab() else { return };
    let (whole, parts) = std::thread::scope(|scope| {
        let parts = scope.spawn(|| sum_ns(&lab, Splitting::Parts));
        (sum_ns(&lab, Splitting::Off), parts.join().unwrap())
    });
    let (Some(whole), Some(parts)) = (whole, parts) else { return };
    eprintln!("500 wake-ups: {} instructions whole, {} split", whole / 8, parts / 8);
    assert!(parts > whole, "stamping takes instructions: {parts} and {whole}");
    assert!(4 * parts <= 5 * whole, "{parts} is more than a quarter above {whole}");
}

/// What became of a guest that cannot measure; no run file is left of it.
fn failure(lab: &Lab, platform: Platform, plan: Plan, limit: Option<Duration>) -> GuestError {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.prazo");
    let error = guest::measure(&GuestRequest { limit, ..request(platform, plan, &file) }, lab, &|| false).unwrap_err();
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "something is left");
    error
}

#[test]
fn a_panic_and_full_memory_are_told_with_what_the_console_said_last() {
    let Some(lab) = lab() else { return };
    for (words, says) in [("rdinit=/nowhere", "Unable to mount root fs"), ("mem=72M", "emory")] {
        let mut platform = platform("standard-none");
        platform.words.push(words.into());
        let said = failure(&lab, platform, plan(&[], 1), None).to_string();
        assert!(said.contains("lab:standard-none") && said.contains("panic") && said.contains(says), "{words}: {said}");
    }
}

#[test]
fn a_guest_that_hangs_is_ended_at_its_limit() {
    let (Some(lab), Some(guests)) = (lab(), Guests::new()) else { return };
    let platform = Platform::given(guests.assemble("forever"), None);
    let error = failure(&lab, platform, plan(&[], 1), Some(Duration::from_s(2)));
    let said = error.to_string();
    assert!(said.contains("lab:forever") && said.contains("time limit"), "{said}");
    assert!(said.contains("its console ended with: ."), "{said}");
}

#[test]
fn a_plan_that_cannot_be_is_refused_by_the_guest_as_the_users_error() {
    let Some(lab) = lab() else { return };
    let mut plan = plan(&[], 1);
    plan.threads[0].cpu = 5;
    let error = failure(&lab, platform("standard-none"), plan, None);
    assert!(error.is_usage() && error.to_string().contains('5'), "{error}");
}

#[test]
fn a_load_whose_programs_a_guest_cannot_have_is_refused_by_name() {
    let Some(lab) = lab() else { return };
    let error = failure(&lab, platform("standard-none"), self::plan(&["compile"], 1), None).to_string();
    assert!(error.contains("lab:standard-none") && error.contains("'cc'") | error.contains("cc "), "{error}");
}

#[test]
fn a_wish_to_stop_ends_the_guest() {
    let Some(lab) = lab() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.prazo");
    let error = guest::measure(&request(platform("rt-full"), plan(&[], 1), &file), &lab, &|| true).unwrap_err();
    assert!(error.is_interrupted() && !file.exists(), "{error}");
}
