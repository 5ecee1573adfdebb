//! What happens in the guest: the trials, each of which leaves nothing behind.

use super::{commands, refused};
use crate::support::{self, tenths};
use prazo_core::cpu::CpuSet;
use prazo_deploy::carrier::{ThreadSnapshot, Waiting};
use prazo_deploy::deployment::{self, Cluster, DeployError, Deployed, DeploymentRecord, Standing, Times};
use prazo_deploy::partition::Ground;
use prazo_deploy::plan::{Member, fifo};
use prazo_deploy::{PartitionError, Partitions, Plan, check};
use prazo_platform::Root;
use prazo_platform::tunable::Journal;
use prazo_sys::scheduling::SchedAttr;
use std::ffi::CString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set in the environment of a child that deploys until it is killed.
pub(crate) const CHILD: &str = "PRAZO_TRIAL_CHILD";

/// Set in the environment of process 1: which control groups the guest has.
pub(crate) const GROUPS_OF: &str = "PRAZO_TRIAL_GROUPS";
pub(crate) const VERSION_1: &str = "v1";
pub(crate) const VERSION_2: &str = "v2";

/// Where version 2 is mounted; version 1's cpusets are right below.
pub(crate) const GROUPS: &str = "/sys/fs/cgroup";
const CPUSETS: &str = "/sys/fs/cgroup/cpuset";
const THROTTLING: &str = "/proc/sys/kernel/sched_rt_runtime_us";

type Trial = (&'static str, fn(&Journal));

/// With either version.
const BOTH: [Trial; 9] = [
    ("clusters admit on their own", clusters_admit_on_their_own),
    ("one cluster of all", one_cluster_of_all),
    ("processes are deployed and put back", processes_are_deployed_and_put_back),
    ("what admission refuses leaves nothing", what_admission_refuses_leaves_nothing),
    ("one that forks meanwhile", one_that_forks_meanwhile),
    ("one that sleeps on", one_that_sleeps_on),
    ("threads in several clusters", threads_in_several_clusters),
    ("commands end with all that they start", commands::end_with_all_that_they_start),
    ("killed in the middle", killed_in_the_middle),
];

/// With version 2 alone.
const PARTITIONED: [Trial; 10] = [
    ("owned processors", owned_processors),
    ("a process from another group", a_process_from_another_group),
    ("admission is off without throttling", admission_is_off_without_throttling),
    ("one that ends meanwhile", one_that_ends_meanwhile),
    ("a processor that goes away", a_processor_that_goes_away),
    ("an offer that somebody relies on", commands::an_offer_that_somebody_relies_on),
    ("read-only groups", refused::read_only_groups),
    ("no groups", refused::no_groups),
    ("an invalid partition", refused::an_invalid_partition),
    ("one that is bound meanwhile", refused::one_that_is_bound_meanwhile),
];

/// Mounts, tries, powers off.
pub(crate) fn run(held: &str) {
    let places = [("devtmpfs", "/dev"), ("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"), ("tmpfs", "/tmp")];
    places.iter().for_each(|(kind, place)| mount(kind, place, 0));
    let trials = match is_version_1() {
        true => {
            mount("tmpfs", GROUPS, 0);
            std::fs::create_dir(CPUSETS).unwrap();
            mount_with("cgroup", CPUSETS, 0, c"cpuset");
            BOTH.to_vec()
        }
        false => {
            mount("cgroup2", GROUPS, 0);
            [&BOTH[..], &PARTITIONED].concat()
        }
    };
    let journal = journal();
    let before = settings();
    for (name, trial) in trials {
        trial(&journal);
        assert_eq!(journal.entries().unwrap(), [], "{name} left something to undo");
        assert_eq!(groups_left(), Vec::<String>::new(), "{name} left groups");
        assert_eq!(settings(), before, "{name} left settings");
        println!("{name}: held");
    }
    println!("{held}");
    // SAFETY: takes a number and no pointer; nothing is left to be written.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
}

fn is_version_1() -> bool {
    std::env::var(GROUPS_OF).is_ok_and(|version| version == VERSION_1)
}

/// Where clusters get their groups.
fn mount_of_groups() -> &'static str {
    if is_version_1() { CPUSETS } else { GROUPS }
}

/// What deployments change of the top group: what it offers, or whether it balances.
fn settings() -> String {
    let file = if is_version_1() { "cpuset.sched_load_balance" } else { "cgroup.subtree_control" };
    Root::system().read(&format!("{}/{file}", mount_of_groups())).unwrap()
}

fn journal() -> Journal {
    Journal::open_in(Path::new("/run/prazo"), &Root::system()).unwrap()
}

pub(crate) fn mount(kind: &str, place: &str, flags: libc::c_ulong) {
    mount_with(kind, place, flags, c"");
}

fn mount_with(kind: &str, place: &str, flags: libc::c_ulong, options: &std::ffi::CStr) {
    let (kind, place) = (CString::new(kind).unwrap(), CString::new(place).unwrap());
    // SAFETY: the strings end with a zero and live until the call returns.
    let result = unsafe { libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) };
    assert_eq!(result, 0, "{place:?}: {}", std::io::Error::last_os_error());
}

fn groups_left() -> Vec<String> {
    let root = Root::system();
    let names = [GROUPS, mount_of_groups()].into_iter().flat_map(|folder| root.list(folder).unwrap());
    names.filter(|name| name.starts_with("prazo")).collect()
}

pub(crate) fn clusters(lists: &[&str]) -> Vec<CpuSet> {
    lists.iter().map(|list| list.parse().unwrap()).collect()
}

/// One of two in a cluster of one processor, both in one of three; partitioned, each processor on its own.
fn clusters_admit_on_their_own(journal: &Journal) {
    let shapes: [(&[&str], &[usize]); 3] =
        [(&["0", "1-3"], &[1, 2]), (&["1", "2-3"], &[1, 2]), (&["0", "1", "2", "3"], &[1, 1, 1, 1])];
    for (lists, expected) in shapes {
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

/// A process that never wakes by itself.
pub(crate) fn sleeper() -> Child {
    Command::new("/bin/sleep").arg("600").spawn().unwrap()
}

/// A process that wakes every now and then, as a task does.
pub(crate) fn worker() -> Child {
    Command::new("/bin/sh").args(["-c", "while :; do sleep 0.02; done"]).spawn().unwrap()
}

pub(crate) fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

pub(crate) fn member(task: &str, cluster: usize, attr: SchedAttr, thread: u32) -> Member {
    let found = ThreadSnapshot::look(&Root::system(), task, thread).unwrap();
    Member { task: task.into(), cluster, attr, found, is_started: false }
}

/// A command that waits to be let go, and the member that it is.
pub(crate) fn started(task: &str, cluster: usize, attr: SchedAttr, command: &str) -> (Waiting, Member) {
    let waiting = Waiting::start(task, command).unwrap();
    let member = Member { is_started: true, ..member(task, cluster, attr, waiting.pid()) };
    (waiting, member)
}

fn record(plan: &Plan, members: &[Member]) -> DeploymentRecord {
    let times = Times { cost_ns: 1, deadline_ns: 1, period_ns: 1, bound_ns: None };
    DeploymentRecord {
        name: "trial".into(),
        verdict: prazo_core::verdict::Verdict::Unknown,
        decided_by: None,
        clusters: Cluster::of(plan),
        tasks: members.iter().map(|member| Deployed::of(member, times)).collect(),
    }
}

pub(crate) fn plan(lists: &[&str], members: &[Member]) -> Plan {
    Plan::of(&clusters(lists), members, &Ground::read(&Root::system()).unwrap()).unwrap()
}

/// Deploys; what differs, and the record.
pub(crate) fn deploy(
    journal: &Journal,
    lists: &[&str],
    members: &[Member],
    waiting: Vec<Waiting>,
) -> Result<DeploymentRecord, DeployError> {
    let plan = plan(lists, members);
    let standing = Standing::make(journal, &plan, waiting)?;
    let record = record(&plan, members);
    standing.keep(&record)?;
    Ok(record)
}

#[track_caller]
pub(crate) fn undeploy(journal: &Journal) {
    let undone = deployment::undo(journal).unwrap();
    assert!(undone.iter().all(|one| one.is_restored()), "{undone:?}");
    assert_eq!(deployment::current(journal).unwrap(), None);
}

pub(crate) fn state(thread: u32) -> (u32, String, String) {
    let group = Root::system().read(&format!("/proc/{thread}/cgroup")).unwrap();
    (
        prazo_sys::scheduling::attributes_of(thread).unwrap().policy,
        prazo_sys::scheduling::affinity_of(thread).unwrap().to_string(),
        group,
    )
}

fn processes_are_deployed_and_put_back(journal: &Journal) {
    let (a, b) = (worker(), worker());
    // One that is bound to less than its cluster, which the kernel would refuse a deadline.
    prazo_sys::scheduling::set_affinity_of(b.id(), &"2".parse().unwrap()).unwrap();
    let (waiting, of_c) = started("c", 1, fifo(40), "/bin/sleep 600");
    let c = waiting.pid();
    let before = [a.id(), b.id()].map(state);
    let members = [member("a", 0, tenths(6), a.id()), member("b", 1, tenths(6), b.id()), of_c];
    let record = deploy(journal, &["0", "1-3"], &members, vec![waiting]).unwrap();
    assert_eq!(deployment::current(journal).unwrap(), Some(record.clone()));
    assert_eq!(check::differences(&Root::system(), &record), []);
    assert_eq!((state(a.id()).0, state(a.id()).1.as_str()), (prazo_sys::scheduling::SCHED_DEADLINE, "0"));
    assert_eq!((state(b.id()).1.as_str(), state(c).0), ("1-3", libc::SCHED_FIFO as u32));
    let seen = check::watch(&Root::system(), &record, Duration::from_millis(50));
    assert_eq!(check::strays(&record, &seen), []);
    assert!(seen.iter().all(|task| !task.on.is_empty()));
    // What somebody changes by hand differs.
    prazo_sys::scheduling::set_attributes_of(c, &fifo(41)).unwrap();
    assert_eq!(check::differences(&Root::system(), &record)[0].of, "c");
    prazo_sys::scheduling::set_attributes_of(c, &fifo(40)).unwrap();
    undeploy(journal);
    assert_eq!([a.id(), b.id()].map(state), before);
    let is_gone = ThreadSnapshot::look(&Root::system(), "c", c).is_err()
        || Root::system().read(&format!("/proc/{c}/stat")).is_ok_and(|stat| stat.contains(") Z"));
    assert!(is_gone, "what was started is ended");
    [a, b].into_iter().for_each(end);
}

fn what_admission_refuses_leaves_nothing(journal: &Journal) {
    let (a, b) = (worker(), worker());
    let before = [a.id(), b.id()].map(state);
    let members = [member("a", 0, tenths(6), a.id()), member("b", 0, tenths(6), b.id())];
    let error = deploy(journal, &["0", "1-3"], &members, Vec::new()).unwrap_err();
    assert!(matches!(error, DeployError::Refused { by_admission: true, .. }), "{error}");
    assert!(error.to_string().contains("task 'b'"), "{error}");
    assert_eq!([a.id(), b.id()].map(state), before);
    [a, b].into_iter().for_each(end);
}

fn admission_is_off_without_throttling(journal: &Journal) {
    let root = Root::system();
    let usual = root.read(THROTTLING).unwrap();
    root.write(THROTTLING, "-1").unwrap();
    let (a, b) = (worker(), worker());
    let members = [member("a", 0, tenths(6), a.id()), member("b", 0, tenths(6), b.id())];
    let record = deploy(journal, &["0", "1-3"], &members, Vec::new()).unwrap();
    assert_eq!(check::differences(&root, &record), []);
    undeploy(journal);
    root.write(THROTTLING, &usual).unwrap();
    [a, b].into_iter().for_each(end);
}

fn one_that_ends_meanwhile(journal: &Journal) {
    let (a, b) = (worker(), worker());
    let before = state(a.id());
    let members = [member("a", 0, tenths(2), a.id()), member("b", 1, tenths(2), b.id())];
    end(b);
    let error = deploy(journal, &["0", "1-3"], &members, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("'b'") && error.contains("the thread or process has ended"), "{error}");
    assert_eq!(state(a.id()), before);
    end(a);
}

/// Its children are ordinary, run where it does, and are moved out when the group goes.
fn one_that_forks_meanwhile(journal: &Journal) {
    let forks = "while :; do sleep 0.05 & sleep 0.01; done";
    let parent = Command::new("/bin/sh").args(["-c", forks]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let members = [member("a", 0, tenths(3), parent.id())];
    let record = deploy(journal, &["0", "1-3"], &members, Vec::new()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(check::differences(&Root::system(), &record), [], "it runs on with its deadline");
    let children = Root::system().read(&format!("/proc/{0}/task/{0}/children", parent.id())).unwrap();
    let child: u32 = children.split_whitespace().last().unwrap().parse().unwrap();
    if let Ok(attr) = prazo_sys::scheduling::attributes_of(child) {
        assert_eq!(attr.policy, libc::SCHED_OTHER as u32);
    }
    undeploy(journal);
    end(parent);
}

/// The kernel counts it where it ran last; it is told apart from other refusals, and woken where that is allowed.
fn one_that_sleeps_on(journal: &Journal) {
    let a = sleeper();
    std::thread::sleep(Duration::from_millis(100));
    let on = Root::system().read(&format!("/proc/{}/stat", a.id())).unwrap();
    let on: u32 = on.rsplit(") ").next().unwrap().split(' ').nth(36).unwrap().parse().unwrap();
    let lists: &[&str] = if on == 3 { &["0", "1-3"] } else { &["3", "0-2"] };
    let members = [member("a", 0, tenths(3), a.id())];
    let error = deploy(journal, lists, &members, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("has slept for") && error.contains("--wake"), "{error}");
    let plan = plan(lists, &members).waking(true);
    let standing = Standing::make(journal, &plan, Vec::new()).unwrap();
    assert_eq!(state(a.id()).0, prazo_sys::scheduling::SCHED_DEADLINE);
    drop(standing);
    end(a);
}

/// Two threads of this process and the process's first one, in three places.
fn threads_in_several_clusters(journal: &Journal) {
    let (numbers, ended) = (std::sync::mpsc::channel(), Arc::new(AtomicBool::new(false)));
    let threads = [0, 1].map(|_| {
        let (tell, ended) = (numbers.0.clone(), ended.clone());
        std::thread::spawn(move || {
            tell.send(prazo_sys::process::thread_id() as u32).unwrap();
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
        })
    });
    let ids = [numbers.1.recv().unwrap(), numbers.1.recv().unwrap()];
    let members = [member("a", 0, tenths(3), ids[0]), member("b", 1, tenths(3), ids[1])];
    let record = deploy(journal, &["0", "1", "2-3"], &members, Vec::new()).unwrap();
    assert_eq!(check::differences(&Root::system(), &record), []);
    assert_eq!(ids.map(|id| state(id).1), ["0", "1"]);
    undeploy(journal);
    assert_eq!(ids.map(|id| state(id).0), [libc::SCHED_OTHER as u32; 2]);
    ended.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A partition can become invalid long after it was made; reading back says so.
fn a_processor_that_goes_away(journal: &Journal) {
    const ONLINE: &str = "/sys/devices/system/cpu/cpu3/online";
    let a = sleeper();
    let record = deploy(journal, &["2-3"], &[member("a", 0, fifo(10), a.id())], Vec::new()).unwrap();
    assert_eq!(check::differences(&Root::system(), &record), []);
    Root::system().write(ONLINE, "0").unwrap();
    let differs = check::differences(&Root::system(), &record);
    assert!(differs.iter().any(|one| one.of.starts_with(GROUPS)), "{differs:?}");
    println!("  {:?}", differs[0].found);
    Root::system().write(ONLINE, "1").unwrap();
    undeploy(journal);
    end(a);
}

/// A child deploys and is killed, each time half as late again, since how long a deployment takes depends on the host's load;
/// whatever it left is undone, and found by the next start.
fn killed_in_the_middle(journal: &Journal) {
    let a = worker();
    let before = state(a.id());
    let (mut found, mut lateness) = ([0, 0], Duration::from_millis(5));
    for round in 0..14 {
        let program = std::env::current_exe().unwrap();
        let name = std::thread::current().name().unwrap().to_owned();
        let words = ["--exact", &name, "--nocapture", "--test-threads", "1"];
        let mut child =
            Command::new(program).args(words).env(CHILD, a.id().to_string()).stdout(Stdio::null()).spawn().unwrap();
        let begun = Path::new("/run/begun");
        while !begun.exists() {
            assert!(child.try_wait().unwrap().is_none(), "it deploys for ever");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(lateness);
        lateness = lateness * 3 / 2;
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_file(begun).unwrap();
        let undone = journal.recover().unwrap();
        let stood = !journal.deployed().unwrap().is_empty();
        found[usize::from(stood)] += usize::from(stood || !undone.is_empty());
        assert!(undone.iter().all(|one| one.is_restored()), "{undone:?}");
        deployment::undo(journal).unwrap();
        assert_eq!(state(a.id()), before, "round {round}");
        assert_eq!((journal.entries().unwrap(), groups_left()), (Vec::new(), Vec::new()), "round {round}");
    }
    println!("  {} half-way, {} whole", found[0], found[1]);
    assert!(found[0] > 0, "no round was killed half-way");
    end(a);
}

/// The child of that trial.
pub(crate) fn deploy_for_ever() {
    let thread: u32 = std::env::var(CHILD).unwrap().parse().unwrap();
    let journal = journal();
    std::fs::write("/run/begun", "").unwrap();
    loop {
        let members = [member("a", 0, tenths(3), thread)];
        deploy(&journal, &["0", "1-3"], &members, Vec::new()).unwrap();
        undeploy(&journal);
    }
}
