//! What carries a task: a thread that is found by its number, through its unit, or started for the purpose.
//!
//! A started command waits before its first instruction until it is let go, so that it runs deployed from the beginning; where
//! prazo dies meanwhile it ends by itself, since what it waits for is gone. It is handed none of our outputs, which it would keep
//! open; it may name its own (`>log`).

use prazo_core::cpu::CpuSet;
use prazo_platform::cgroup::Cgroups;
use prazo_platform::process;
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::tunable::Thread;
use prazo_sys::scheduling::SchedAttr;
use serde::Serialize;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

/// What the user names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// A process, or one of its threads, by number.
    Pid(u32),
    /// A command to be started: a program with its arguments, as a shell reads them.
    Command(String),
    /// A unit of systemd's; its first process.
    Unit(String),
}

/// Why a task has no carrier.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// There is no such process.
    #[error("task '{task}': process or thread {pid} does not exist")]
    NoProcess {
        /// The task.
        task: String,
        /// The number.
        pid: u32,
    },
    /// There is no such unit, or it does not run.
    #[error(
        "task '{task}': the systemd unit {unit} does not exist or has no running process (see `systemctl status \
         {unit}`)"
    )]
    NoUnit {
        /// The task.
        task: String,
        /// Its name.
        unit: String,
    },
    /// The command could not be started.
    #[error("task '{task}': cannot start '{command}': {why}")]
    NotStarted {
        /// The task.
        task: String,
        /// The command.
        command: String,
        /// The system's reason.
        why: String,
    },
    /// Its thread carries another task already.
    #[error("task '{task}': thread {thread} already belongs to another task; give each task its own thread")]
    Twice {
        /// The task.
        task: String,
        /// The thread's number.
        thread: u32,
    },
    /// It ended, or may not be looked at.
    #[error("task '{task}': {why}")]
    Unavailable {
        /// The task.
        task: String,
        /// What was asked and what came back.
        why: Unavailable,
    },
}

impl CarrierError {
    /// True where the wrong carrier was named.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoProcess { .. } | Self::NoUnit { .. } | Self::Twice { .. })
    }
}

/// A thread as it was found, as far as a plan depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSnapshot {
    /// The thread.
    pub thread: Thread,
    /// The first thread of its process.
    pub process: Thread,
    /// Its policy.
    pub attr: SchedAttr,
    /// The processors that it may run on.
    pub affinity: CpuSet,
}

impl ThreadSnapshot {
    /// Looks at the thread of this number.
    pub fn look(root: &Root, task: &str, number: u32) -> Result<Self, CarrierError> {
        let gone = || CarrierError::NoProcess { task: task.to_owned(), pid: number };
        let thread = Thread::find(root, number).map_err(|_| gone())?;
        let attr = prazo_sys::scheduling::attributes_of(number).map_err(|_| gone())?;
        let affinity = prazo_sys::scheduling::affinity_of(number).map_err(|_| gone())?;
        let process =
            process::process_of(root, number).and_then(|pid| Thread::find(root, pid).ok()).ok_or_else(gone)?;
        Ok(Self { thread, process, attr, affinity })
    }
}

/// A command that waits to be let go.
#[derive(Debug)]
pub struct Waiting {
    child: Child,
    gate: ChildStdin,
}

impl Waiting {
    /// Starts it in a process group of its own, so that a Ctrl-C for prazo is not for it.
    pub fn start(task: &str, command: &str) -> Result<Self, CarrierError> {
        let failed = |why: String| CarrierError::NotStarted { task: task.into(), command: command.into(), why };
        // The shell reads the gate byte by byte, so that nothing of it is lost to the command, which gets none of it.
        let script = format!(
            "while read -r word && [ \"$word\" != {GO} ]; do :; done; [ \"$word\" = {GO} ] || exit 125; exec </dev/null; exec {command}"
        );
        check_syntax(&script).map_err(failed)?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = shell.spawn().map_err(|error| failed(error.to_string()))?;
        let gate = child.stdin.take().ok_or_else(|| failed("the command has no pipe at its standard input".into()))?;
        Ok(Self { child, gate })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Wakes it and lets it sleep on, so that it has run where it was moved to.
    pub fn wake(&mut self) -> std::io::Result<()> {
        self.gate.write_all(b"wait\n")
    }

    /// Lets it go on.
    pub fn go(mut self) -> std::io::Result<()> {
        self.gate.write_all(format!("{GO}\n").as_bytes())
    }
}

/// Refuses a script that the shell cannot read: `exec` takes one command, and no loop.
fn check_syntax(script: &str) -> Result<(), String> {
    let checked = Command::new("/bin/sh").args(["-n", "-c", script]).stdin(Stdio::null()).output();
    let checked = checked.map_err(|error| error.to_string())?;
    if checked.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&checked.stderr);
    Err(format!(
        "the shell does not accept it as one command ({}); give a program and its arguments, or sh -c '...'",
        said.trim().lines().next().unwrap_or("it gives no reason")
    ))
}

/// The carriers of all tasks as threads, with the commands that were started.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The threads, in the order of the tasks.
    pub found: Vec<ThreadSnapshot>,
    /// The commands, which end if they are dropped.
    pub waiting: Vec<Waiting>,
}

/// Looks for each task's carrier, and starts those that are commands; no two tasks have one thread.
pub fn resolve(root: &Root, carried: &[(&str, &Carrier)]) -> Result<Resolved, CarrierError> {
    let mut resolved = Resolved::default();
    for (task, carrier) in carried {
        let number = match carrier {
            Carrier::Pid(pid) => *pid,
            Carrier::Unit(unit) => process_of_unit(root, task, unit)?,
            Carrier::Command(command) => {
                let waiting = Waiting::start(task, command)?;
                let pid = waiting.pid();
                resolved.waiting.push(waiting);
                pid
            }
        };
        let found = ThreadSnapshot::look(root, task, number)?;
        if resolved.found.iter().any(|other| other.thread == found.thread) {
            return Err(CarrierError::Twice { task: (*task).to_owned(), thread: number });
        }
        resolved.found.push(found);
    }
    Ok(resolved)
}

/// The word that lets a command go.
const GO: &str = "go";

/// The first process of a unit, by its control group: no bus is asked, so that it works as long as the kernel does.
pub fn process_of_unit(root: &Root, task: &str, unit: &str) -> Result<u32, CarrierError> {
    const SUFFIXES: [&str; 3] = [".service", ".scope", ".slice"];
    let absent = || CarrierError::NoUnit { task: task.to_owned(), unit: unit.to_owned() };
    let name = match SUFFIXES.iter().any(|suffix| unit.ends_with(suffix)) {
        true => unit.to_owned(),
        false => format!("{unit}.service"),
    };
    let groups = Cgroups::read(root).map_err(|_| absent())?;
    let mounts = [groups.mount_v2(), groups.mount_v1("name=systemd")].into_iter().flatten();
    let folder = mounts.filter_map(|mount| folder_called(root, mount, &name, UNIT_DEPTH)).next().ok_or_else(absent)?;
    let members = root.read(&format!("{folder}/cgroup.procs")).map_err(|_| absent())?;
    let members = members.lines().filter_map(|pid| process::Process::read(root, pid.parse().ok()?).ok());
    members.min_by_key(|member| (member.started_ticks, member.pid)).map(|first| first.pid).ok_or_else(absent)
}

/// How deep a unit's group lies at most: slices within slices.
const UNIT_DEPTH: u32 = 8;

fn folder_called(root: &Root, folder: &str, name: &str, depth: u32) -> Option<String> {
    let below = root.list(folder).unwrap_or_default();
    if below.iter().any(|found| found == name) {
        return Some(format!("{folder}/{name}"));
    }
    // Files end the search below them; a folder without this file is no group.
    let groups = below.iter().map(|found| format!("{folder}/{found}"));
    let mut groups = groups.filter(|path| depth > 0 && root.exists(&format!("{path}/cgroup.procs")));
    groups.find_map(|path| folder_called(root, &path, name, depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_waits_until_it_is_let_go_and_ends_where_nobody_lets_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ran");
        let command = format!("/bin/sh -c 'cat >{}'", file.display());
        let waiting = Waiting::start("a", &command).unwrap();
        assert!(Thread::find(&Root::system(), waiting.pid()).is_ok());
        let Waiting { mut child, gate } = waiting;
        drop(gate);
        assert_eq!(child.wait().unwrap().code(), Some(125));
        assert!(!file.exists());
        let Waiting { mut child, mut gate } = Waiting::start("a", &command).unwrap();
        gate.write_all(b"wait\ngo\nthis is not for it\n").unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(std::fs::read_to_string(file).unwrap(), "");
    }

    #[test]
    fn a_text_that_is_not_one_command_is_refused_before_it_starts() {
        for text in ["while :; do sleep 1; done", "sleep 'x"] {
            let error = Waiting::start("arm", text).unwrap_err().to_string();
            assert!(error.contains("'arm'") && error.contains(text) && error.contains("sh -c"), "{error}");
        }
    }

    #[test]
    fn a_process_or_unit_that_is_not_there_is_named() {
        let root = Root::system();
        let error = ThreadSnapshot::look(&root, "gyro", u32::MAX).unwrap_err().to_string();
        assert!(error.contains("'gyro'") && error.contains(&u32::MAX.to_string()), "{error}");
        let error = process_of_unit(&root, "gyro", "no-such-unit").unwrap_err().to_string();
        assert!(error.contains("'gyro'") && error.contains("no-such-unit"), "{error}");
        let found = ThreadSnapshot::look(&root, "gyro", std::process::id()).unwrap();
        assert_eq!((found.process, found.thread.id), (found.thread, std::process::id()));
    }

    #[test]
    fn a_units_first_process_is_the_one_that_started_first() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let stat = |pid: u32, ticks: u32| {
            let zeros = |count: usize| vec!["0"; count].join(" ");
            write(&format!("proc/{pid}/stat"), &format!("{pid} (x) S {} {ticks} {}", zeros(18), zeros(30)));
        };
        write("proc/self/cgroup", "0::/\n");
        write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        write("sys/fs/cgroup/system.slice/cgroup.procs", "");
        write("sys/fs/cgroup/system.slice/motor.service/cgroup.procs", "31\n30\n32\n");
        stat(30, 900);
        stat(31, 700);
        stat(32, 800);
        let root = Root::at(folder.path());
        assert_eq!(process_of_unit(&root, "a", "motor").unwrap(), 31);
        assert!(process_of_unit(&root, "a", "moto").is_err());
    }
}
