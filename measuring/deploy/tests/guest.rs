//! Partitions and deployments in a guest with four processors under counted time: this very test program is its process 1.
//!
//! Outside it packs itself into an initramfs and boots; inside it mounts what it needs, does the trials and powers off. A trial
//! that fails ends process 1, which the console tells.

#[path = "guest/commands.rs"]
mod commands;
#[path = "guest/refused.rs"]
mod refused;
#[path = "guest/trials.rs"]
mod trials;

mod support;

use prazo_lab::{Archive, Boot, Cache, Emulator, Machine, Medium, Platform, with_libraries};
use prazo_testing::{Need, OrSkipped, or_skip};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the guest says when everything held.
const HELD: &str = "every trial held";
/// Generous: the tests' host may be busy.
const LIMIT: Duration = Duration::from_secs(900);

#[test]
fn in_a_guest_with_four_processors_partitions_and_deployments_hold() {
    hold("standard-full-6.12", trials::VERSION_2);
}

/// The later kernels of the lab are built without version 1's cpusets.
#[test]
fn in_a_guest_with_version_1_exclusive_cpusets_and_deployments_hold() {
    hold("standard-full", trials::VERSION_1);
}

fn hold(platform: &str, version: &str) {
    if std::process::id() == 1 {
        return trials::run(HELD);
    }
    if std::env::var_os(trials::CHILD).is_some() {
        return trials::deploy_for_ever();
    }
    let emulator = or_skip!(Emulator::find().or_skipped(Need::Lab));
    let kernel = or_skip!(kernel(platform).ok_or("no kernel").or_skipped(Need::Lab));
    let folder = tempfile::tempdir().unwrap();
    let initrd = folder.path().join("initramfs");
    std::fs::write(&initrd, initramfs()).unwrap();
    let machine = Machine { processors: 4, ..Machine::find("linux-1").unwrap() };
    let medium = Medium::Kernel { file: kernel, append: Some(words(version)), initrd: Some(initrd) };
    let ended = Boot::new(machine, medium, LIMIT).run(&emulator, &mut |_| {}).unwrap();
    let console = String::from_utf8_lossy(&ended.console);
    // Where a trial fails, what follows is the kernel's trace of process 1's end.
    let message = console.split("Kernel panic").next().unwrap_or_default();
    println!("{} after {:.1} s:\n{message}", ended.ending, ended.elapsed.as_secs_f64());
    assert!(console.contains(HELD), "{}", ended.ending);
}

fn kernel(platform: &str) -> Option<PathBuf> {
    let image = Platform::find(platform).unwrap().bootable(&Cache::of_user().ok()?).ok()?;
    image.is_file().then_some(image)
}

/// The words for the kernel, one of which it hands on in the environment, and behind the dashes those for this program.
fn words(version: &str) -> String {
    let name = std::thread::current().name().expect("a test has its name").to_owned();
    format!(
        "preempt=full console=ttyS0 quiet loglevel=5 nokaslr tsc=reliable mitigations=off random.trust_cpu=off panic=-1 oops=panic \
         rdinit=/init {}={version} -- --exact {name} --nocapture --test-threads 1",
        trials::GROUPS_OF
    )
}

fn initramfs() -> Vec<u8> {
    let mut archive = Archive::new();
    ["dev", "proc", "run", "sys", "tmp", "usr/bin"].iter().for_each(|folder| archive.folder(folder));
    archive.device("dev/console", 5, 1);
    with_libraries(&mut archive, &std::env::current_exe().unwrap(), "init").unwrap();
    for program in ["/bin/sh", "/bin/sleep", "/usr/bin/setsid"] {
        with_libraries(&mut archive, Path::new(program), program).unwrap();
    }
    archive.bytes()
}
