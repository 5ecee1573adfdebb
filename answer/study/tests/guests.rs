//! Plans in Linux guests of the lab: they come back as runs, the same seed gives the same samples, and a guest that panics,
//! hangs or runs out of memory is told with what it said last.
//!
//! They take the fetched kernels and the built agent (`./test` has both); without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod support;

use prazo_core::time::Duration;
use prazo_lab::{Architecture, Cache, Fetch, Lab, Machine, Part, Platform};
use prazo_run::Run;
use prazo_run::plan::{Length, LoadPlan, Plan, Policy, Splitting, ThreadPlan};
use prazo_run::source::Source;
use prazo_run::store::{self, Sample};
use prazo_study::guest::{self, GuestError, GuestRequest};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip, skipped};
use std::path::Path;
use support::Guests;

/// Everything that guests take; a skip where something is missing and cannot be fetched.
fn lab() -> Result<Lab, Skipped> {
    support::emulator()?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    fetch().and_then(|()| Lab::find()).or_skipped(Need::Lab)
}

fn platform(name: &str) -> Platform {
    Platform::find(name).unwrap()
}

/// Half a second at 1 kHz, every sample kept.
fn plan(loads: &[&str], seed: u64) -> Plan {
    let load = |name: &&str| LoadPlan { name: (*name).to_owned(), rate: None, rhythm: None };
    let threads = vec![ThreadPlan { cpu: 0, period: Duration::from_ms(1), phase: Duration::ZERO }];
    let length = Length::Duration { length: Duration::from_ms(500) };
    Plan {
        loads: loads.iter().map(load).collect(),
        raw: true,
        seed,
        ..Plan::new(Source::Timer, Policy::Fifo { priority: 90 }, threads, length)
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
    let lab = or_skip!(lab());
    for name in ["standard-none", "rt-full"] {
        let [one, other] = twice(&lab, name);
        assert_eq!(one.len(), 500, "{name}");
        assert_eq!(one, other, "{name}");
    }
}

/// What guests of another processor take; a skip where it is not there. `./test --long` builds their agents and fetches their kernels.
fn lab_of(architecture: Architecture, kernel: &str) -> Result<Lab, Skipped> {
    let lab = lab()?;
    let has_kernel = || Cache::of_user().and_then(|cache| platform(kernel).image(&cache));
    let found = lab.can_run(architecture).and_then(|()| has_kernel());
    found.map(|_| lab).or_skipped(Need::GuestsOf(architecture.name()))
}

/// Under loads too: they come from the agent, with a disk of the guest's own.
fn the_same_seed_gives_the_same_samples(lab: &Lab, name: &str, architecture: &str) {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one.prazo", "other.prazo"].map(|file| {
        let file = folder.path().join(file);
        let plan = plan(&["scheduler", "disk-write"], 42);
        let run = guest::measure(&request(platform(name), plan, &file), lab, &|| false).unwrap();
        assert!(run.loads.iter().all(|load| load.reached.is_some_and(|reached| reached > 0.0)), "{:?}", run.loads);
        assert_eq!(run.series[0].activations.served, 500, "{:?}", run.caveats);
        assert_eq!(run.platform_before.unwrap().get("lab.architecture"), Some(architecture));
        samples(&file)
    });
    assert_eq!(one, other);
}

#[test]
fn the_same_seed_gives_the_same_samples_on_64_bit_arm_under_load() {
    let lab = or_skip!(lab_of(Architecture::Aarch64, "arm64-rt"));
    the_same_seed_gives_the_same_samples(&lab, "arm64-rt", "aarch64");
}

#[test]
fn the_same_seed_gives_the_same_samples_on_32_bit_arm_under_load() {
    let lab = or_skip!(lab_of(Architecture::Armv7l, "armv7-rt"));
    for name in ["armv7-rt", "armv7-a9-rt"] {
        the_same_seed_gives_the_same_samples(&lab, name, "armv7l");
    }
}

#[test]
fn the_same_seed_gives_the_same_samples_on_riscv64_under_load() {
    let lab = or_skip!(lab_of(Architecture::Riscv64, "riscv64-standard"));
    the_same_seed_gives_the_same_samples(&lab, "riscv64-standard", "riscv64");
}

#[test]
fn the_same_seed_gives_the_same_samples_on_ppc64le_under_load() {
    let lab = or_skip!(lab_of(Architecture::Ppc64le, "ppc64le-standard"));
    the_same_seed_gives_the_same_samples(&lab, "ppc64le-standard", "ppc64le");
}

#[test]
fn a_load_of_this_systems_programs_is_refused_on_64_bit_arm_by_name() {
    let lab = or_skip!(lab_of(Architecture::Aarch64, "arm64-standard"));
    let error = failure(&lab, platform("arm64-standard"), plan(&["hackbench"], 1), None);
    let said = error.to_string();
    assert!(error.is_usage() && said.contains("lab:arm64-standard") && said.contains("hackbench"), "{said}");
}

#[test]
fn a_run_says_where_it_was_won_and_another_seed_is_another_trajectory() {
    let lab = or_skip!(lab());
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

/// The median latency of a guest that splits them so: most idle wake-ups take the same instructions.
fn median_ns(lab: &Lab, split: Splitting) -> Result<i64, Skipped> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("split.prazo");
    let request = request(platform("rt-full"), Plan { split, ..plan(&[], 3) }, &file);
    let run = guest::measure(&request, lab, &|| false).unwrap();
    if let Some(why) = run.caveats.iter().find(|caveat| caveat.id == "not-split") {
        return Err(skipped(Need::Tracing, &why.what));
    }
    let counts = run.series[0].split.as_deref().map(|split| &split.counts);
    assert_eq!(counts.map(|counts| (counts.split, counts.served())), (split != Splitting::Off).then_some((500, 500)));
    let whole: Vec<i64> = run.series[0].histogram.cells().flat_map(|(ns, count)| vec![ns; count as usize]).collect();
    assert_eq!(whole.len(), 500);
    Ok(whole[250])
}

#[test]
fn splitting_adds_at_most_a_quarter_to_a_wake_up_s_instructions() {
    let lab = or_skip!(lab());
    let (whole, parts) = std::thread::scope(|scope| {
        let parts = scope.spawn(|| median_ns(&lab, Splitting::Parts));
        (median_ns(&lab, Splitting::Off), parts.join().unwrap())
    });
    let (whole, parts) = (or_skip!(whole), or_skip!(parts));
    eprintln!("seed 3, median of 500 wake-ups: {} instructions whole, {} split", whole / 8, parts / 8);
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
    let lab = or_skip!(lab());
    for (words, says) in [("rdinit=/nowhere", "Unable to mount root fs"), ("mem=72M", "emory")] {
        let mut platform = platform("standard-none");
        platform.words.push(words.into());
        let said = failure(&lab, platform, plan(&[], 1), None).to_string();
        assert!(said.contains("lab:standard-none") && said.contains("panic") && said.contains(says), "{words}: {said}");
    }
}

#[test]
fn a_guest_that_hangs_is_ended_at_its_limit() {
    let (lab, guests) = (or_skip!(lab()), or_skip!(Guests::new()));
    let image = guests.assemble("forever");
    let ended = |seconds| {
        let platform = Platform::given(image.clone(), None);
        let said = failure(&lab, platform, plan(&[], 1), Some(Duration::from_s(seconds))).to_string();
        assert!(said.contains("lab:forever") && said.contains("time limit"), "{said}");
        said.contains("the guest's console ended with: .")
    };
    // On a busy machine the emulator may need more than 2 s before the guest prints anything.
    assert!([2, 20, 60].into_iter().any(ended), "the error quotes the last output of the console");
}

#[test]
fn a_plan_that_cannot_be_is_refused_by_the_guest_as_the_users_error() {
    let lab = or_skip!(lab());
    let mut plan = plan(&[], 1);
    plan.threads[0].cpu = 5;
    let error = failure(&lab, platform("standard-none"), plan, None);
    assert!(error.is_usage() && error.to_string().contains('5'), "{error}");
}

/// What a load reached, and its note.
fn reached(run: &Run, name: &str) -> (f64, String) {
    let load = run.loads.iter().find(|load| load.name == name).unwrap_or_else(|| panic!("{:?}", run.loads));
    (load.reached.unwrap_or(0.0), load.note.clone())
}

/// With everything that Regnier 2008 loads with, on the guest's own cards and disk: each load reaches something, the flood the rate that was
/// asked, and the same seed gives the same samples.
#[test]
fn loads_on_cards_and_disk_are_reached_and_repeat_themselves() {
    let lab = or_skip!(lab());
    let loads = ["udp-flood", "disk-write", "disk-read", "compile"];
    let folder = tempfile::tempdir().unwrap();
    let files = ["one.prazo", "other.prazo"].map(|file| folder.path().join(file));
    let measure = |file| {
        // The loads' programs start one after the other on one slow processor: the last takes more than a second.
        let plan = Plan { lead_in: Duration::from_s(3), ..plan(&loads, 42) };
        let run = guest::measure(&request(platform("rt-full"), plan, file), &lab, &|| false).unwrap();
        let (packets, note) = reached(&run, "udp-flood");
        // Half a second, of which the flood's two programs take a tenth to start.
        assert!((800.0..=1_050.0).contains(&packets) && note.contains("interrupts/s"), "{packets}: {note}");
        assert!(loads.iter().all(|name| reached(&run, name).0 > 0.0), "{:?} {:?}", run.loads, run.caveats);
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| measure(&files[1]));
        measure(&files[0]);
        other.join().unwrap();
    });
    let [one, other] = files.map(|file| samples(&file));
    assert!(one.len() > 100 && one == other);
}

#[test]
fn a_kernel_without_the_cards_driver_is_told_by_the_missing_card() {
    let lab = or_skip!(lab());
    let fetched = platform("standard-none").image(&Cache::of_user().unwrap()).unwrap();
    let error = failure(&lab, Platform::given(fetched, None), plan(&["udp-flood"], 1), None).to_string();
    assert!(error.contains("eth0") && error.contains("driver"), "{error}");
}

#[test]
fn a_flood_on_a_machine_without_a_second_card_is_refused_before_it_boots() {
    let lab = or_skip!(lab());
    let file = tempfile::NamedTempFile::new().unwrap();
    let one_card = toml::to_string(&Machine { cards: 1, ..Machine::find("linux-1").unwrap() }).unwrap();
    std::fs::write(file.path(), one_card).unwrap();
    let machine = file.path().to_str().unwrap().to_owned();
    let error = failure(&lab, Platform { machine, ..platform("standard-none") }, plan(&["udp-flood"], 1), None);
    assert!(error.is_usage() && error.to_string().contains("need two network cards"), "{error}");
}

#[test]
fn a_wish_to_stop_ends_the_guest() {
    let lab = or_skip!(lab());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.prazo");
    let error = guest::measure(&request(platform("rt-full"), plan(&[], 1), &file), &lab, &|| true).unwrap_err();
    assert!(error.is_interrupted() && !file.exists(), "{error}");
}
