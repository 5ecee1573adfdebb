//! Partitions and deployments in a guest with four processors under counted time: this very test program is its process 1.
//!
//! Outside it packs itself into an initramfs and boots; inside it mounts what it needs, does the trials and powers off. A trial
//! that fails ends process 1, which the console tells.

mod support;

use prazo_deploy::{PartitionError, Partitions};
use prazo_lab::{Archive, Boot, Cache, Emulator, Machine, Medium, Platform, with_libraries};
use prazo_platform::Root;
use prazo_platform::tunable::Journal;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose kernel it is.
const PLATFORM: &str = "standard-full-6.12";
/// What the guest says when everything held.
const HELD: &str = "every trial held";
/// Generous: the tests' host may be busy.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn in_a_guest_with_four_processors_clusters_are_made_entered_and_undone() {
    if std::process::id() == 1 {
        return inside::run();
    }
    let (Ok(emulator), Some(kernel)) = (Emulator::find(), kernel()) else {
        return eprintln!("SKIPPED: the lab is not fetched (`prazo lab fetch`), so this test showed nothing");
    };
    let folder = tempfile::tempdir().unwrap();
    let initrd = folder.path().join("initramfs");
    std::fs::write(&initrd, initramfs()).unwrap();
    let machine = Machine { processors: 4, ..Machine::find("linux-1").unwrap() };
    let medium = Medium::Kernel { file: kernel, append: Some(words()), initrd: Some(initrd) };
    let ended = Boot::new(machine, medium, LIMIT).run(&emulator, &mut |_| {}).unwrap();
    let console = String::from_utf8_lossy(&ended.console);
    println!("{} after {:.1} s:\n{console}", ended.ending, ended.elapsed.as_secs_f64());
    assert!(console.contains(HELD), "{}: {console}", ended.ending);
}

fn kernel() -> Option<PathBuf> {
    let image = Platform::find(PLATFORM).unwrap().image(&Cache::of_user().ok()?).ok()?;
    image.is_file().then_some(image)
}

/// The words for the kernel, and behind the dashes those for this program.
fn words() -> String {
    let name = std::thread::current().name().expect("a test has its name").to_owned();
    format!(
        "console=ttyS0 quiet loglevel=5 nokaslr tsc=reliable mitigations=off random.trust_cpu=off panic=-1 oops=panic \
         rdinit=/init -- --exact {name} --nocapture --test-threads 1"
    )
}

fn initramfs() -> Vec<u8> {
    let mut archive = Archive::new();
    ["dev", "proc", "run", "sys", "tmp", "usr/bin"].iter().for_each(|folder| archive.folder(folder));
    archive.device("dev/console", 5, 1);
    with_libraries(&mut archive, &std::env::current_exe().unwrap(), "init").unwrap();
    for program in ["/bin/sh", "/bin/sleep"] {
        with_libraries(&mut archive, Path::new(program), program).unwrap();
    }
    archive.bytes()
}

/// What happens in the guest.
mod inside {
    use super::*;
    use std::ffi::CString;

    /// Mounts, tries, powers off.
    pub fn run() {
        for (kind, place) in
            [("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"), ("tmpfs", "/tmp"), ("cgroup2", "/sys/fs/cgroup")]
        {
            mount(kind, place);
        }
        let journal = Journal::open_in(Path::new("/run/prazo"), &Root::system()).unwrap();
        for (name, trial) in TRIALS {
            trial(&journal);
            assert_eq!(journal.entries().unwrap(), [], "{name} left something to undo");
            assert_eq!(groups_left(), Vec::<String>::new(), "{name} left groups");
            println!("{name}: held");
        }
        println!("{HELD}");
        // SAFETY: takes a number and no pointer; nothing is left to be written.
        unsafe { libc::reboot(libc::RB_POWER_OFF) };
    }

    type Trial = (&'static str, fn(&Journal));

    const TRIALS: [Trial; 4] = [
        ("clusters admit on their own", clusters_admit_on_their_own),
        ("one cluster of all", one_cluster_of_all),
        ("owned processors", owned_processors),
        ("a process from another group", a_process_from_another_group),
    ];

    fn mount(kind: &str, place: &str) {
        let (kind, place) = (CString::new(kind).unwrap(), CString::new(place).unwrap());
        // SAFETY: the strings end with a zero and live until the call returns; no data is passed.
        let result = unsafe { libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
        assert_eq!(result, 0, "{place:?}: {}", std::io::Error::last_os_error());
    }

    fn groups_left() -> Vec<String> {
        let names = Root::system().list("/sys/fs/cgroup").unwrap();
        names.into_iter().filter(|name| name.starts_with("prazo")).collect()
    }

    fn clusters(lists: &[&str]) -> Vec<prazo_core::cpu::CpuSet> {
        lists.iter().map(|list| list.parse().unwrap()).collect()
    }

    /// One of two in a cluster of one processor, both in one of three; partitioned, each processor on its own.
    fn clusters_admit_on_their_own(journal: &Journal) {
        for (lists, expected) in
            [(&["0", "1-3"][..], &[1, 2][..]), (&["1", "2-3"], &[1, 2]), (&["0", "1", "2", "3"], &[1, 1, 1, 1])]
        {
            let partitions = Partitions::make(journal, &clusters(lists)).unwrap();
            for (cluster, expected) in expected.iter().enumerate() {
                let (cpus, answers) = support::ask_twice(&partitions, cluster);
                assert_eq!(cpus.to_string(), lists[cluster]);
                assert_eq!(support::admitted(&answers), *expected, "cluster {cluster} of {lists:?}");
            }
            assert!(partitions.release().iter().all(|record| record.restored));
        }
    }

    fn one_cluster_of_all(journal: &Journal) {
        let partitions = Partitions::make(journal, &clusters(&["0-3"])).unwrap();
        let (cpus, answers) = support::ask_twice(&partitions, 0);
        assert_eq!((cpus.to_string().as_str(), support::admitted(&answers)), ("0-3", 2));
    }

    fn owned_processors(journal: &Journal) {
        let _first = Partitions::make(journal, &clusters(&["2-3"])).unwrap();
        let error = Partitions::make(journal, &clusters(&["1", "3"])).unwrap_err();
        assert!(matches!(&error, PartitionError::Owned { cpus, .. } if cpus == "3"), "{error}");
        let error = Partitions::make(journal, &clusters(&["0-7"])).unwrap_err();
        assert!(matches!(&error, PartitionError::NotOnline { absent, .. } if absent == "4-7"), "{error}");
    }

    /// As under a service manager: the process is in a group of its own, and back there in the end.
    fn a_process_from_another_group(journal: &Journal) {
        let root = Root::system();
        let own = || root.read("/proc/self/cgroup").unwrap();
        std::fs::create_dir("/sys/fs/cgroup/service").unwrap();
        root.write("/sys/fs/cgroup/service/cgroup.procs", "1").unwrap();
        let partitions = Partitions::make(journal, &clusters(&["0", "1-3"])).unwrap();
        let (cpus, answers) = support::ask_twice(&partitions, 0);
        assert_eq!((cpus.to_string().as_str(), support::admitted(&answers)), ("0", 1));
        drop(partitions);
        assert_eq!(own(), "0::/service");
        root.write("/sys/fs/cgroup/cgroup.procs", "1").unwrap();
        std::fs::remove_dir("/sys/fs/cgroup/service").unwrap();
    }
}
