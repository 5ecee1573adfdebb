//! Boots of tiny guests: how each end is told, that limits hold, and that nothing outlives its starter.

mod support;

use prazo_lab::{Architecture, Boot, BootOutcome, Disc, Emulator, GuestEnding, LabError, Machine, Medium};
use prazo_testing::{Skipped, or_skip};
use std::path::Path;
use std::time::{Duration, Instant};
use support::Guests;

/// Generous: the tests' host may be busy.
const LIMIT: Duration = Duration::from_secs(60);

fn boot(guests: &Guests, guest: &str, machine: &str, limit: Duration) -> Boot {
    Boot::new(Machine::find(machine).unwrap(), Medium::kernel(guests.assemble(guest)), limit)
}

/// The emulator and a folder for guests; a skip where either is missing.
fn lab() -> Result<(Emulator, Guests), Skipped> {
    Ok((support::emulator()?, Guests::new()?))
}

fn run(emulator: &Emulator, boot: &Boot) -> BootOutcome {
    boot.run(emulator, &mut |_| {}).unwrap()
}

/// All at the same time, each waited for by the thread that started it, since the kernel ends a guest with that thread.
fn boot_all(emulator: &Emulator, boots: &[Boot]) -> Vec<BootOutcome> {
    std::thread::scope(|scope| {
        let started: Vec<_> = boots.iter().map(|boot| scope.spawn(|| run(emulator, boot))).collect();
        started.into_iter().map(|guest| guest.join().unwrap()).collect()
    })
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_guest_prints_and_ends_through_the_exit_device() {
    let (emulator, guests) = or_skip!(lab());
    // The tiny guests are of x86-64 instructions.
    for machine in Machine::builtin().into_iter().filter(|machine| machine.architecture == Architecture::X86_64) {
        let mut seen = Vec::new();
        let boot = boot(&guests, "hello", &machine.name, LIMIT);
        let ended = boot.run(&emulator, &mut |piece| seen.extend_from_slice(piece)).unwrap();
        assert!(ended.ending.is_pass(), "{}: {}", machine.name, ended.ending);
        assert_eq!(ended.console, b"hello from the guest\n");
        assert_eq!(seen, ended.console, "{}", machine.name);
    }
}

#[test]
fn a_disc_boots_the_same_guest_through_grub() {
    let ((emulator, guests), tools) = (or_skip!(lab()), or_skip!(support::disc_tools()));
    let folder = tempfile::tempdir().unwrap();
    let (image, kernel) = (folder.path().join("hello.iso"), guests.assemble("hello"));
    tools.make(&Disc { kernel, words: String::new(), file: None }, &image).unwrap();
    let boot = Boot::new(Machine::find("counted-1").unwrap(), Medium::Disc(image), LIMIT);
    let ended = run(&emulator, &boot);
    let console = String::from_utf8_lossy(&ended.console);
    assert!(ended.ending.is_pass() && console.ends_with("hello from the guest\n"), "{}: {console}", ended.ending);
}

#[test]
fn a_disc_without_its_kernel_is_refused_by_name() {
    let tools = or_skip!(support::disc_tools());
    let disc = Disc { kernel: "/nowhere/kernel.elf".into(), words: String::new(), file: None };
    let error = tools.make(&disc, Path::new("/nowhere/out.iso")).unwrap_err().to_string();
    assert!(error.contains("/nowhere/kernel.elf"), "{error}");
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into();
    let error = tools
        .make(&Disc { kernel, words: String::new(), file: None }, Path::new("/nowhere/out.iso"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("/nowhere/out.iso"), "{error}");
}

#[test]
fn a_guest_at_its_limit_is_ended_and_its_console_kept() {
    let (emulator, guests) = or_skip!(lab());
    let (begun, limit) = (Instant::now(), Duration::from_secs(8));
    let ended = run(&emulator, &boot(&guests, "forever", "counted-1", limit));
    assert_eq!(ended.ending, GuestEnding::Limit);
    assert!((limit..limit * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    assert!(is_gone(ended.pid), "{} is still there", ended.pid);
    assert_eq!(ended.console, b".");
}

#[test]
fn a_triple_fault_is_called_so() {
    let (emulator, guests) = or_skip!(lab());
    assert_eq!(run(&emulator, &boot(&guests, "fault", "counted-1", LIMIT)).ending, GuestEnding::TripleFault);
}

#[test]
fn a_guest_that_prints_for_ever_is_ended_before_it_fills_the_disk() {
    let (emulator, guests) = or_skip!(lab());
    let boot = Boot { console_max: 64 << 10, ..boot(&guests, "chatter", "counted-1", LIMIT) };
    let ended = run(&emulator, &boot);
    assert_eq!(ended.ending, GuestEnding::ConsoleTooLong);
    assert_eq!(ended.console.len(), 64 << 10);
    assert!(is_gone(ended.pid));
}

#[test]
fn a_panic_while_a_guest_runs_ends_the_guest() {
    let (emulator, guests) = or_skip!(lab());
    let boot = boot(&guests, "forever", "counted-1", LIMIT);
    let before = guests_of_this_process();
    let mut during = Vec::new();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        boot.run(&emulator, &mut |_| {
            during = guests_of_this_process();
            panic!("on purpose");
        })
    }));
    assert!(caught.is_err());
    let mine: Vec<_> = during.iter().filter(|pid| !before.contains(pid)).collect();
    assert!(!mine.is_empty(), "the guest ran");
    let elf = boot_file(&boot);
    assert!(!guests_of_this_process().iter().any(|pid| runs(*pid, &elf)), "the guest runs on");
}

#[test]
fn guests_side_by_side_are_each_ended_at_the_limit() {
    let (emulator, guests) = or_skip!(lab());
    let boots: Vec<_> = (0..3).map(|_| boot(&guests, "forever", "counted-1", Duration::from_secs(1))).collect();
    for ended in boot_all(&emulator, &boots) {
        assert!(ended.ending == GuestEnding::Limit && is_gone(ended.pid), "{}", ended.ending);
    }
}

/// The guest prints bits of its time-stamp counter, which under the host's clock never come twice.
#[test]
fn counted_time_repeats_itself_bit_for_bit() {
    let (emulator, guests) = or_skip!(lab());
    for machine in ["counted-1", "counted-4"] {
        let boots: Vec<_> = (0..4).map(|_| boot(&guests, "clock", machine, LIMIT)).collect();
        let pairs = boots.chunks(2).flat_map(|pair| boot_all(&emulator, pair));
        let consoles: Vec<_> = pairs.map(|ended| ended.console).collect();
        assert_eq!(consoles[0].len(), 64);
        assert!(consoles.iter().all(|console| *console == consoles[0]), "{machine}: {consoles:?}");
    }
}

#[test]
fn an_image_that_is_not_there_or_not_bootable_is_named() {
    let (emulator, guests) = or_skip!(lab());
    let machine = Machine::find("counted-1").unwrap();
    let absent = Boot::new(machine.clone(), Medium::kernel("/nowhere/kernel.elf"), LIMIT);
    let error = absent.run(&emulator, &mut |_| {}).unwrap_err();
    assert!(matches!(error, LabError::System { .. }) && error.to_string().contains("/nowhere/kernel.elf"), "{error}");
    drop(guests);
    let text = Boot::new(machine, Medium::kernel(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")), LIMIT);
    let ended = run(&emulator, &text);
    assert!(matches!(&ended.ending, GuestEnding::Emulator { reason } if reason.contains("qemu")), "{}", ended.ending);
}

#[test]
fn a_device_that_the_emulator_does_not_know_is_its_own_complaint() {
    let (emulator, guests) = or_skip!(lab());
    let mut boot = boot(&guests, "hello", "counted-1", LIMIT);
    boot.machine.devices.push("flux-capacitor".into());
    let ended = run(&emulator, &boot);
    assert!(
        matches!(&ended.ending, GuestEnding::Emulator { reason } if reason.contains("flux-capacitor")),
        "{}",
        ended.ending
    );
}

fn boot_file(boot: &Boot) -> String {
    match &boot.medium {
        Medium::Kernel { file, .. } => file.display().to_string(),
        Medium::Disc(file) => file.display().to_string(),
    }
}

/// The children of this process's threads.
fn guests_of_this_process() -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

fn runs(pid: u32, elf: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(elf))
}
