//! Processes are killed at random times while they hold knobs, and every knob is put back.

use prazo_platform::Root;
use prazo_platform::tunable::{Journal, Tunable};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TREE: &str = "PRAZO_TEST_KILLED_TREE";
const KNOBS: [(&str, &str); 4] = [
    ("/proc/sys/kernel/timer_migration", "1"),
    ("/proc/sys/vm/stat_interval", "1"),
    ("/proc/sys/vm/swappiness", "60"),
    ("/proc/sys/kernel/numa_balancing", "0"),
];

fn journal(tree: &Path) -> Journal {
    Journal::open_in(&tree.join("state"), &Root::at(tree)).unwrap()
}

fn make_tree(tree: &Path) {
    for (path, value) in KNOBS {
        let file = tree.join(&path[1..]);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, value).unwrap();
    }
}

/// The child: takes knobs and lets them go, for ever.
fn hold_and_release(tree: &Path) -> ! {
    let journal = journal(tree);
    let mut held = Vec::new();
    loop {
        let (path, _) = KNOBS[fastrand::usize(..KNOBS.len())];
        held.push(journal.hold(&Tunable::file(path).unwrap(), &fastrand::u32(100..999).to_string()).unwrap());
        if held.len() > fastrand::usize(..6) {
            drop(held.swap_remove(fastrand::usize(..held.len())));
        }
    }
}

fn start_child(tree: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "knobs_of_killed_processes_are_put_back"])
        .env(TREE, tree)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until a child has changed something, so that a kill is never too early to show anything.
fn wait_for_change(tree: &Path, child: &mut Child) {
    let root = Root::at(tree);
    let end = Instant::now() + Duration::from_secs(30);
    while KNOBS.iter().all(|(path, value)| root.read(path).is_ok_and(|now| now == *value)) {
        assert!(child.try_wait().unwrap().is_none(), "the child must not end by itself");
        assert!(Instant::now() < end, "the child changed nothing");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Twelve, or as many as `PRAZO_TEST_KILLED_ROUNDS` says.
fn rounds() -> u32 {
    std::env::var("PRAZO_TEST_KILLED_ROUNDS").map_or(12, |rounds| rounds.parse().expect("a number of rounds"))
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn knobs_of_killed_processes_are_put_back() {
    if let Some(tree) = std::env::var_os(TREE) {
        hold_and_release(Path::new(&tree));
    }
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    fastrand::seed(seed);
    let folder = tempfile::tempdir().unwrap();
    make_tree(folder.path());
    for round in 0..rounds() {
        let (mut first, second) = (start_child(folder.path()), start_child(folder.path()));
        wait_for_change(folder.path(), &mut first);
        std::thread::sleep(Duration::from_micros(fastrand::u64(..20_000)));
        kill(first);
        // The second is still at work: recovery must serve the dead and spare the living.
        journal(folder.path()).recover().unwrap();
        std::thread::sleep(Duration::from_micros(fastrand::u64(..20_000)));
        kill(second);
        journal(folder.path()).recover().unwrap();
        for (path, before) in KNOBS {
            assert_eq!(Root::at(folder.path()).read(path).unwrap(), before, "{path}, round {round}");
        }
        assert_eq!(journal(folder.path()).entries().unwrap(), [], "round {round}");
    }
}
