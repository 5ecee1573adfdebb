//! A command that prazo has started, ended together with everything that it started in turn.
//!
//! A control group of its own keeps them together, however they fork or become daemons. Where none can be made, it is the process
//! group that the command leads, which a process can leave. All are asked first (SIGTERM), and killed where they stay.
//!
//! Nobody is taken for one of them by its number alone: a handle is opened, and the number has to be among them still.

use super::TunableRecord;
use super::entry::JournaledChange;
use super::group::{self, GLANCE, PATIENCE};
use super::held::Held;
use super::journal::{Journal, JournalError, TuneError};
use super::known::is_knob;
use super::owner::Owner;
use super::state::State;
use super::thread::Thread;
use super::undo::Undone;
use crate::process::{self, Process};
use crate::root::Root;
use prazo_sys::process::ProcessHandle;
use std::collections::BTreeSet;
use std::time::Instant;

/// What a command's group is called before its number.
const PREFIX: &str = "prazo-command-";

/// How the names of groups begin that are commands', deployed or costed, so that no journal has other groups ended.
const OURS: [&str; 2] = [PREFIX, "prazo-cost-"];

impl Journal {
    /// Writes down a command that leads a process group; both are ended when it is let go of.
    pub fn hold_process(&self, process: Thread) -> Result<Held, JournalError> {
        let owner = Owner::this_process()?;
        let found = Process::read(self.root(), process.id)?;
        let mut state = State::lock(self.folder())?;
        let path = format!("process {}", process.id);
        let step = JournaledChange::Process { path: path.clone(), process, session: found.session };
        let id = self.write_down(&mut state, owner, step)?;
        Ok(Held::new(self.clone(), Some(id), TunableRecord::of_new(path, "started")))
    }

    /// Makes a control group for a command ([`command_group`], or one whose name begins with `prazo-cost-`); when it is let go
    /// of, everything in it is ended.
    pub fn hold_command(&self, group: &str) -> Result<Held, TuneError> {
        self.hold_made(JournaledChange::Command { path: group.to_owned() }, "the control group of a command")
    }
}

/// The group of a command below another.
pub fn command_group(above: &str, command: u32) -> String {
    format!("{above}/{PREFIX}{command}")
}

/// True for a group that is a command's.
pub(super) fn is_ours(path: &str) -> bool {
    is_knob(path) && path.rsplit('/').next().is_some_and(|name| OURS.iter().any(|prefix| name.starts_with(prefix)))
}

/// Ends everything in the group, and removes it.
pub(super) fn remove(root: &Root, path: &str) -> Undone {
    let path = path.to_owned();
    let members = || in_group(root, &path);
    if members().contains(&std::process::id()) {
        let why =
            "this process runs in the control group of the command; run `prazo tune undo` outside of that group".into();
        return Undone::Failed { path, why };
    }
    // Version 2 kills a whole group at once, but not a threaded one.
    let kill_whole = || root.write(&format!("{path}/cgroup.kill"), "1").is_ok();
    if !end_all(&members, &kill_whole) {
        return stays(path);
    }
    group::once_empty(&path, || groups(root, &path).iter().try_for_each(|below| group::remove_folder(root, below)))
}

/// Ends the process and its process group.
pub(super) fn end(root: &Root, process: Thread, session: u32, path: &str) -> Undone {
    let members = || in_process_group(root, process, session);
    match end_all(&members, &|| false) {
        true => Undone::Restored { path: path.to_owned() },
        false => stays(path.to_owned()),
    }
}

fn stays(path: String) -> Undone {
    Undone::Failed { path, why: "some processes of the command do not end even after SIGKILL".into() }
}

/// Asks all members to end and then kills them, each time with as much patience, until there are none; false where some stay.
fn end_all(members: &dyn Fn() -> BTreeSet<u32>, kill_whole: &dyn Fn() -> bool) -> bool {
    signal(members, libc::SIGTERM);
    if are_gone(members, &|| ()) {
        return true;
    }
    // Again and again: one may fork before it is killed itself.
    are_gone(members, &|| {
        if !kill_whole() {
            signal(members, libc::SIGKILL);
        }
    })
}

fn are_gone(members: &dyn Fn() -> BTreeSet<u32>, meanwhile: &dyn Fn()) -> bool {
    let until = Instant::now() + PATIENCE;
    loop {
        meanwhile();
        if members().is_empty() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(GLANCE);
    }
}

/// Signals those that were members before and after their handles were opened: a number that went to somebody else meanwhile is
/// not among them, or its handle is of one that has ended.
fn signal(members: &dyn Fn() -> BTreeSet<u32>, signal: libc::c_int) {
    let open = |pid: u32| Some((pid, ProcessHandle::open(pid).ok()?));
    let handles: Vec<(u32, ProcessHandle)> = members().into_iter().filter_map(open).collect();
    let still = members();
    for (_, handle) in handles.iter().filter(|(pid, _)| still.contains(pid)) {
        // One that is stopped is continued, so that it can take the signal. It may end meanwhile.
        let _ = handle.signal(signal).and_then(|()| handle.signal(libc::SIGCONT));
    }
}

/// The processes in a control group and in those that they have made below it. A threaded group of version 2 tells its threads alone.
fn in_group(root: &Root, path: &str) -> BTreeSet<u32> {
    let read = |group: &str, file: &str| root.read(&format!("{group}/{file}"));
    let listed = |group: String| read(&group, "cgroup.procs").or_else(|_| read(&group, "cgroup.threads")).ok();
    let listed: String = groups(root, path).into_iter().filter_map(listed).collect::<Vec<_>>().join("\n");
    let numbers = listed.lines().filter_map(|number| number.parse().ok());
    numbers.filter_map(|number| process::process_of(root, number)).filter(|pid| runs(root, *pid)).collect()
}

/// A control group and those below it, the deepest first.
fn groups(root: &Root, path: &str) -> Vec<String> {
    let names = root.list(path).unwrap_or_default();
    let inside = names.iter().map(|name| format!("{path}/{name}"));
    let below = inside.filter(|inside| root.exists(&format!("{inside}/cgroup.procs")));
    below.flat_map(|group| groups(root, &group)).chain([path.to_owned()]).collect()
}

/// True unless all its threads have ended and wait to be collected.
fn runs(root: &Root, pid: u32) -> bool {
    process::threads(root, pid).iter().any(|thread| !thread.has_ended())
}

/// The process and those of the process group that it leads, in its session. The kernel gives its number to nobody else while
/// somebody is in that group.
fn in_process_group(root: &Root, leader: Thread, session: u32) -> BTreeSet<u32> {
    // Where nobody can be told, the leader counts as there: then the undoing fails and is tried again.
    let Ok(all) = process::all(root) else { return BTreeSet::from([leader.id]) };
    if all.iter().any(|one| one.pid == leader.id && one.started_ticks != leader.started_ticks) {
        return BTreeSet::new();
    }
    let is_member = |one: &&Process| {
        let is_in_group = one.process_group == leader.id && one.session == session;
        (one.pid == leader.id || is_in_group) && one.started_ticks >= leader.started_ticks && runs(root, one.pid)
    };
    all.iter().filter(is_member).map(|one| one.pid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::Cgroups;
    use crate::tree_of_files::tree;
    use crate::tunable::scratch::journal;
    use prazo_testing::{Need, skip};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// A shell that leads a process group.
    fn shell(script: &str) -> Child {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{script}\nwait")]).process_group(0).stdin(Stdio::null()).spawn().unwrap()
    }

    fn wait_for(is_so: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < until);
            std::thread::sleep(GLANCE);
        }
    }

    #[test]
    fn a_command_is_ended_with_its_process_group_also_where_it_is_stopped_and_nobody_else_is() {
        let (_state, journal) = journal();
        let mut bystander = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
        let mut child = shell("sleep 600 & (sleep 600 & sleep 600) &");
        let thread = Thread::find(&Root::system(), child.id()).unwrap();
        let session = Process::read(&Root::system(), child.id()).unwrap().session;
        wait_for(|| in_process_group(&Root::system(), thread, session).len() >= 4);
        ProcessHandle::open(child.id()).unwrap().signal(libc::SIGSTOP).unwrap();
        let held = journal.hold_process(thread).unwrap();
        assert!(held.release().restored);
        assert!(!child.wait().unwrap().success());
        assert_eq!(in_process_group(&Root::system(), thread, session), BTreeSet::new());
        assert!(bystander.try_wait().unwrap().is_none(), "it leads another group");
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    }

    #[test]
    fn a_process_group_is_told_from_a_later_one_of_the_same_number() {
        let of = |pid: u32, group: u32, session: u32, started: u64| {
            let stat = format!("{pid} (x) S 1 {group} {session} 0 -1 {}{started} {}", "0 ".repeat(13), "0 ".repeat(30));
            [(format!("proc/{pid}/stat"), stat.clone()), (format!("proc/{pid}/task/{pid}/stat"), stat)]
        };
        let members = |files: &[[(String, String); 2]]| {
            let files = files.concat();
            let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
            let (_folder, root) = tree(&files);
            in_process_group(&root, Thread { id: 30, started_ticks: 900 }, 7)
        };
        let (child, stranger, earlier) = (of(31, 30, 7, 901), of(32, 30, 8, 950), of(33, 30, 7, 899));
        let group = [of(30, 30, 7, 900), child.clone(), stranger.clone(), earlier.clone()];
        assert_eq!(members(&group), BTreeSet::from([30, 31]));
        assert_eq!(members(&[child.clone(), stranger, earlier]), BTreeSet::from([31]), "its leader has ended");
        assert_eq!(members(&[of(30, 30, 7, 1_200), child]), BTreeSet::new(), "its number is another's");
    }

    /// A group of our own in version 2, and what runs in it.
    fn group(journal: &Journal, number: u32) -> Result<(Held, String), String> {
        let groups = Cgroups::read(&Root::system()).map_err(|error| error.to_string())?;
        let own = groups.own_v2().ok_or("no control groups of version 2 are mounted")?;
        let group = command_group(&own, number);
        let held = journal.hold_command(&group).map_err(|error| error.to_string())?;
        Ok((held, group))
    }

    #[test]
    fn as_root_a_commands_group_ends_with_those_that_became_daemons_or_ignore_sigterm() {
        let (_state, journal) = journal();
        let (held, path) = match group(&journal, std::process::id()) {
            Ok(group) => group,
            Err(why) => skip!(Need::ControlGroups, "{why}"),
        };
        let enter = format!("echo $$ >{path}/cgroup.procs || exit 1");
        let daemon = "(setsid sh -c 'trap \"\" TERM; sleep 600 & wait; sleep 600' &)";
        let below =
            format!("(mkdir {path}/below && exec sh -c 'echo $$ >{path}/below/cgroup.procs; exec sleep 600') &");
        let mut child = shell(&format!("{enter}; {daemon}; {below} sleep 600 &"));
        wait_for(|| in_group(&Root::system(), &path).len() >= 5);
        wait_for(|| !in_group(&Root::system(), &format!("{path}/below")).is_empty());
        let inside = in_group(&Root::system(), &path);
        assert!(held.release().restored);
        assert!(!Root::system().exists(&path));
        assert!(inside.iter().all(|pid| !runs(&Root::system(), *pid)), "{inside:?}");
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn nobody_ends_himself_and_no_other_group_is_a_commands() {
        let own = std::process::id();
        let stat = format!("{own} (x) R {}", "0 ".repeat(49));
        let (folder, root) = tree(&[
            ("sys/fs/cgroup/prazo-command-7/cgroup.procs", &own.to_string()),
            (&format!("proc/{own}/status"), &format!("Name:\tx\nTgid:\t{own}\n")),
            (&format!("proc/{own}/task/{own}/stat"), &stat),
        ]);
        let undone = remove(&root, "/sys/fs/cgroup/prazo-command-7");
        assert!(
            matches!(&undone, Undone::Failed { why, .. } if why.contains("this process runs in the control group")),
            "{undone}"
        );
        drop(folder);
        assert!(is_ours("/sys/fs/cgroup/prazo-7-cluster-0/prazo-command-31"));
        for path in ["/sys/fs/cgroup", "/sys/fs/cgroup/user.slice", "/tmp/prazo-command-3", "/sys/../prazo-command-3"] {
            assert!(!is_ours(path), "{path}");
        }
    }
}
