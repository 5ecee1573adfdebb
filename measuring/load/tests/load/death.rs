//! However prazo or a keeper dies, nothing of a load is left.

use prazo_testing::{Need, skip, skipped};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use prazo_load::{self as load, Containment};

use crate::machine::{self, by_hand, options, plan};

/// A prazo of its own, with loads that fork, write, and send.
fn spawn(work: &Path, containment: Containment) -> Child {
    let mut command = Command::new(by_hand());
    command.args(["cpu=1", "scheduler=1", "scheduler-pipes=1", "scheduler-futexes=1"]);
    command.args(["udp-flood=2000", "disk-write", "proc-read"]);
    command.args(["--for", "300s", "--rhythm", "500ms", "--containment", containment.name()]).arg("--work").arg(work);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Waits for the line that says where the keepers are; without one, the containment is refused here.
fn started(prazo: &mut Child) -> bool {
    let mut line = String::new();
    BufReader::new(prazo.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line.contains("keepers")
}

fn sigkill_after(containment: Containment, delay: Duration) {
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut prazo = spawn(work.path(), containment);
    if !started(&mut prazo) {
        prazo.wait().unwrap();
        skip!(Need::Namespaces, "{}", containment.name());
    }
    std::thread::sleep(delay);
    let processes = machine::processes_of(work.path());
    assert!(processes.len() > 10, "loads, each with two halves and a generator: {processes:?}");
    let namespaces = machine::namespaces_of(&processes);
    assert_eq!(namespaces.is_empty(), !containment.has_namespaces(), "{namespaces:?}");
    prazo.kill().unwrap();
    prazo.wait().unwrap();
    machine::assert_nothing_left(work.path(), &namespaces);
}

/// Times that fall into preparing, turning on, being on and resting; the seed is printed.
fn random_delays(seed: u64) -> impl Iterator<Item = Duration> {
    eprintln!("seed {seed}");
    let mut numbers = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || Duration::from_millis(numbers.u64(100..1_200)))
}

fn seed() -> u64 {
    fastrand::u64(..)
}

#[test]
fn sigkill_of_prazo_ends_loads_in_namespaces() {
    let _turn = machine::machine_shared();
    random_delays(seed()).take(4).for_each(|delay| sigkill_after(Containment::Namespaces, delay));
}

#[test]
fn sigkill_of_prazo_ends_loads_in_user_namespaces() {
    let _turn = machine::machine_shared();
    random_delays(seed()).take(2).for_each(|delay| sigkill_after(Containment::UserNamespaces, delay));
}

#[test]
fn sigkill_of_prazo_ends_loads_in_process_groups() {
    let _turn = machine::machine_shared();
    random_delays(seed()).take(3).for_each(|delay| sigkill_after(Containment::ProcessGroup, delay));
}

#[test]
fn sigkill_of_prazo_while_it_prepares_leaves_nothing() {
    let _turn = machine::machine_shared();
    for delay_ms in [1, 5, 20, 60, 150] {
        let work = tempfile::tempdir_in("/var/tmp").unwrap();
        let mut prazo = spawn(work.path(), Containment::Namespaces);
        std::thread::sleep(Duration::from_millis(delay_ms));
        let namespaces = machine::namespaces_of(&machine::processes_of(work.path()));
        prazo.kill().unwrap();
        prazo.wait().unwrap();
        machine::assert_nothing_left(work.path(), &namespaces);
    }
}

/// A child of prazo's may hold a copy of the socket, so that its end never closes; prazo's own end must do.
#[test]
fn a_forgotten_copy_of_the_socket_does_not_keep_a_load_alive() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let mut prazo = spawn(work.path(), Containment::Namespaces);
    if !started(&mut prazo) {
        prazo.wait().unwrap();
        skip!(Need::Namespaces, "namespaces");
    }
    let copies = hold_sockets_of(prazo.id());
    let namespaces = machine::namespaces_of(&machine::processes_of(work.path()));
    prazo.kill().unwrap();
    prazo.wait().unwrap();
    machine::assert_nothing_left(work.path(), &namespaces);
    assert!(!copies.is_empty());
}

/// Copies of every socket of another process (pidfd_getfd(2)).
fn hold_sockets_of(pid: u32) -> Vec<std::os::fd::OwnedFd> {
    use std::os::fd::{FromRawFd, OwnedFd};
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let is_socket = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path()).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    let sockets = descriptors.filter(is_socket);
    // SAFETY: takes no pointer; the process is our child and not yet collected.
    let handle = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let copy = |entry: std::fs::DirEntry| {
        let number: libc::c_int = entry.file_name().to_str()?.parse().ok()?;
        // SAFETY: takes no pointer.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_getfd, handle, number, 0) };
        // SAFETY: a descriptor that is not negative was opened for us just now.
        (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
    };
    sockets.filter_map(copy).collect()
}

#[test]
fn stopping_and_dropping_leave_nothing() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let plans = [plan("cpu", Some(1.0)), plan("scheduler", Some(1.0)), plan("udp-flood", Some(2_000.0))];
    for stop in [true, false] {
        let loads = load::start(&plans, 1, &options(work.path())).unwrap();
        let namespaces = machine::namespaces_of(&machine::processes_of(work.path()));
        if stop {
            loads.stop();
        } else {
            drop(loads);
        }
        // Not eventually: both return only when all is over.
        assert_eq!(machine::processes_of(work.path()), Default::default());
        assert!(std::fs::read_dir(work.path()).unwrap().next().is_none());
        machine::assert_nothing_left(work.path(), &namespaces);
    }
}

#[test]
fn a_killed_outer_keeper_takes_its_load_along_and_is_a_caveat() {
    let _turn = machine::machine_shared();
    own_loads().for_each(|load| killed_keeper(load, |outer| outer));
}

#[test]
fn a_killed_inner_keeper_takes_its_load_along_and_is_a_caveat() {
    let _turn = machine::machine_shared();
    own_loads().for_each(|load| {
        killed_keeper(load, |outer| {
            let children = std::fs::read_to_string(format!("/proc/{outer}/task/{outer}/children")).unwrap();
            children.trim().parse().unwrap()
        });
    });
}

fn own_loads() -> impl Iterator<Item = &'static str> {
    let own = load::catalogue().filter(|kind| kind.is_own());
    own.filter(|kind| kind.real_time.is_none() || may_be_real_time(kind.name)).map(|kind| kind.name)
}

/// False, and registered as skipped, where the system refuses a load its real-time threads.
fn may_be_real_time(name: &str) -> bool {
    let work = tempfile::tempdir().unwrap();
    match load::start(&[plan(name, None)], 1, &options(work.path())) {
        Err(load::LoadError::SetUp { what, .. }) => {
            let _registered = skipped(Need::RealTime, format!("{name}: {what}"));
            false
        }
        started => started.is_ok(),
    }
}

fn killed_keeper(name: &str, victim: impl Fn(u32) -> u32) {
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut loads = load::start(&[plan(name, None)], 1, &options(work.path())).unwrap();
    machine::eventually("the generator runs", || generators_of(work.path()) > 0);
    let namespaces = machine::namespaces_of(&machine::processes_of(work.path()));
    machine::kill(victim(loads.keepers()[0].pid));
    while !matches!(loads.poll()[0].state, load::LoadState::Died(_)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    machine::eventually("every process of the load is gone", || machine::processes_of(work.path()).is_empty());
    machine::eventually("every namespace of the load is gone", || !machine::any_in(&namespaces));
    let (records, caveats) = loads.stop();
    assert_eq!(records[0].reached, None, "{records:?}");
    assert!(caveats.iter().any(|caveat| caveat.id == "load-died"), "{name}: {caveats:?}");
    assert!(std::fs::read_dir(work.path()).unwrap().next().is_none(), "{name}: its folder is left");
}

/// How many processes are one of prazo's own generators.
fn generators_of(work: &Path) -> usize {
    let command = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let is_generator = |pid: &u32| String::from_utf8_lossy(&command(*pid)).contains("__prazo-generator");
    machine::processes_of(work).iter().filter(|pid| is_generator(pid)).count()
}
