//! One change of the system on the way to a deployment, with what undoes it; data, carried out through the journal.

use prazo_core::cpu::{Cpu, CpuSet};
use prazo_platform::cgroup::Cgroups;
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::tunable::{Held, Journal, Thread, ThreadSetting, Tunable, TuneError};
use prazo_sys::process::ProcessHandle;
use prazo_sys::scheduling::SchedAttr;
use std::fmt;
use std::time::{Duration, Instant};

/// The controller that gives groups processors of their own.
const CONTROLLER: &str = "cpuset";

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemChange {
    /// Let the groups below the mount have processors of their own.
    Offer {
        /// The file that lists what is offered.
        file: String,
    },
    /// Make a control group.
    Group {
        /// Its folder.
        folder: String,
    },
    /// Make a control group for a command that was started, and all that it starts.
    Command {
        /// Its folder.
        folder: String,
    },
    /// Put a command that was started into its group, where it ends.
    Enclose {
        /// The task that it carries.
        task: String,
        /// Its first thread.
        process: Thread,
        /// The group's folder.
        folder: String,
    },
    /// Write a file of a group of our own; it goes with the group.
    Write {
        /// The file.
        file: String,
        /// What is written, and has to be read back.
        value: String,
    },
    /// Write a file of the system's, which has to be put back.
    Knob {
        /// The file.
        file: String,
        /// What is written.
        value: String,
    },
    /// Give a thread another affinity, group or policy.
    Thread {
        /// The task that it carries.
        task: String,
        /// The thread.
        thread: Thread,
        /// What it gets.
        setting: ThreadSetting,
    },
    /// Wait until a thread has run in its cluster. One that sleeps is still counted where it ran last, and the kernel refuses a
    /// deadline to a thread that may not run on every processor of the root domain that it is counted in.
    Settle {
        /// The task that it carries.
        task: String,
        /// The thread.
        thread: Thread,
        /// Its process's first thread.
        process: Thread,
        /// Where it has to run.
        cpus: CpuSet,
        /// How long it is waited for.
        patience: Duration,
        /// Whether it may be stopped and continued then, which wakes it; some system calls end early for that.
        wake: bool,
    },
}

/// Why a step was not made, and which.
#[derive(Debug)]
pub struct StepError {
    /// The step.
    pub step: Box<SystemChange>,
    /// What was asked and what came back.
    pub why: TuneError,
}

impl fmt::Display for SystemChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offer { file } => write!(f, "write '+{CONTROLLER}' to {file}"),
            Self::Group { folder } | Self::Command { folder } => write!(f, "make the control group {folder}"),
            Self::Enclose { task, process, folder } => {
                write!(
                    f,
                    "{}process {}: move it and all processes that it starts into {folder}",
                    carried(task),
                    process.id
                )
            }
            Self::Write { file, value } | Self::Knob { file, value } => write!(f, "write '{value}' to {file}"),
            Self::Thread { task, thread, setting } => {
                write!(f, "{}thread {}: {setting}", carried(task), thread.id)
            }
            Self::Settle { task, thread, cpus, .. } => {
                write!(f, "{}thread {}: wait until it has run on processors {cpus}", carried(task), thread.id)
            }
        }
    }
}

fn carried(task: &str) -> String {
    if task.is_empty() { String::new() } else { format!("task '{task}', ") }
}

impl SystemChange {
    /// A step for a task's thread.
    pub fn thread(task: &str, thread: Thread, setting: ThreadSetting) -> Self {
        Self::Thread { task: task.to_owned(), thread, setting }
    }

    /// What undoes it, for people.
    pub fn undo(&self) -> String {
        match self {
            Self::Offer { .. } => {
                format!(
                    "write '-{CONTROLLER}' to the same file, unless the controller was enabled before or another \
                     program uses it by then"
                )
            }
            Self::Settle { .. } => "nothing".into(),
            Self::Command { folder } => format!("end all processes in the group and remove {folder}"),
            Self::Enclose { .. } => "nothing: the process ends with its control group".into(),
            Self::Group { folder } => format!("move the remaining threads to the parent group and remove {folder}"),
            Self::Write { .. } => "nothing: the setting ends with its control group".into(),
            Self::Knob { .. } => "restore the earlier value of the file".into(),
            Self::Thread { setting, .. } => match setting {
                ThreadSetting::Policy { .. } => "restore the thread's earlier policy".into(),
                ThreadSetting::Affinity { .. } => "restore the thread's earlier affinity".into(),
                ThreadSetting::Group { .. } => "move the thread back to the earlier group".into(),
            },
        }
    }

    /// The policy that it asks for, if it asks for one.
    pub fn policy(&self) -> Option<&SchedAttr> {
        match self {
            Self::Thread { setting: ThreadSetting::Policy { attr }, .. } => Some(attr),
            _ => None,
        }
    }

    /// Makes the change; what comes back undoes it when it is let go of.
    fn make(&self, journal: &Journal) -> Result<Option<Held>, TuneError> {
        match self {
            Self::Offer { file } => journal.hold_controller(file, CONTROLLER),
            Self::Group { folder } => journal.hold_group(folder).map(Some),
            Self::Command { folder } => journal.hold_command(folder).map(Some),
            Self::Enclose { process, folder, .. } => enclosed(journal, *process, folder).map(|()| None),
            Self::Write { file, value } => written(journal, file, value).map(|()| None),
            Self::Knob { file, value } => knob(journal, file, value).map(Some),
            Self::Thread { thread, setting, .. } => journal.hold_thread(*thread, setting).map(Some),
            Self::Settle { thread, process, cpus, patience, wake, .. } => {
                Wait { root: journal.root(), thread: *thread, cpus }.settle(*process, *patience, *wake).map(|()| None)
            }
        }
    }
}

/// How often it is looked whether a thread has settled.
const GLANCE: Duration = Duration::from_millis(2);

/// What is waited for.
struct Wait<'a> {
    root: &'a Root,
    thread: Thread,
    cpus: &'a CpuSet,
}

impl Wait<'_> {
    fn settle(&self, process: Thread, patience: Duration, wake: bool) -> Result<(), TuneError> {
        if self.settled(patience)? {
            return Ok(());
        }
        if wake && process.is_there(self.root) {
            let woken = ProcessHandle::open(process.id)
                .and_then(|handle| handle.signal(libc::SIGSTOP).and_then(|()| handle.signal(libc::SIGCONT)));
            woken.map_err(|error| self.refused(error.to_string()))?;
            if self.settled(patience)? {
                return Ok(());
            }
        }
        let last = processor(self.root, self.thread.id).map_or("unknown".into(), |cpu| cpu.to_string());
        Err(self.refused(asleep(&last, patience, wake)))
    }

    fn settled(&self, patience: Duration) -> Result<bool, TuneError> {
        let until = Instant::now() + patience;
        loop {
            // Also where it has settled already: a fork that began before its children were told apart is over by then.
            std::thread::sleep(GLANCE);
            if !self.thread.is_there(self.root) {
                let path = format!("thread {}", self.thread.id);
                return Err(refused(&path, "to run", Unavailable::Absent { path: path.clone() }));
            }
            let cpu = processor(self.root, self.thread.id).and_then(Cpu::new);
            if cpu.is_some_and(|cpu| self.cpus.contains(cpu)) {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
        }
    }

    fn refused(&self, why: String) -> TuneError {
        let path = format!("thread {}", self.thread.id);
        refused(&path, "to run in its cluster", Unavailable::Failed { path: path.clone(), why })
    }
}

/// Why a thread that sleeps has not settled; one that was woken was waited for twice.
fn asleep(last: &str, patience: Duration, wake: bool) -> String {
    let (waited, remedy) = match wake {
        true => (patience * 2, "deploy the task while it runs"),
        false => (patience, "deploy the task while it runs, or give --wake"),
    };
    format!(
        "the thread has slept for {} ms since it was moved, and the kernel still assigns it to processor {last}, where \
         it ran last; {remedy}",
        waited.as_millis()
    )
}

/// Where a thread runs, or ran last: field 39 of its state.
pub(crate) fn processor(root: &Root, thread: u32) -> Option<u32> {
    let text = root.read(&format!("/proc/{thread}/stat")).ok()?;
    let rest = text.get(text.rfind(')')? + 1..)?;
    rest.split_whitespace().nth(39 - 3)?.parse().ok()
}

/// Makes all steps, in order; where one is refused, those before it are undone, the last first.
pub fn carry_out(steps: &[SystemChange], journal: &Journal) -> Result<Vec<Held>, StepError> {
    let mut held = Vec::new();
    for step in steps {
        match step.make(journal) {
            Ok(one) => held.extend(one),
            Err(why) => {
                while held.pop().is_some() {}
                return Err(StepError { step: Box::new(step.clone()), why });
            }
        }
    }
    Ok(held)
}

fn refused(file: &str, value: &str, why: Unavailable) -> TuneError {
    TuneError::Refused { knob: file.to_owned(), requested: value.to_owned(), why }
}

/// Moves the process, and sees that it is there.
fn enclosed(journal: &Journal, process: Thread, folder: &str) -> Result<(), TuneError> {
    let (root, file) = (journal.root(), format!("{folder}/cgroup.procs"));
    let refused = |why| refused(&file, &process.id.to_string(), why);
    root.write(&file, &process.id.to_string()).map_err(refused)?;
    let groups = Cgroups::of(root, &format!("/proc/{}/cgroup", process.id)).map_err(refused)?;
    match groups.own_beside(&file) {
        Some(found) if found == folder => Ok(()),
        found => {
            let why =
                format!("the control group of the process after the move is {}", found.as_deref().unwrap_or("none"));
            Err(refused(Unavailable::Failed { path: file.clone(), why }))
        }
    }
}

/// Writes and reads back: a partition that the kernel does not like reads `root invalid (…)`.
fn written(journal: &Journal, file: &str, value: &str) -> Result<(), TuneError> {
    let root = journal.root();
    let found = root.write(file, value).and_then(|()| root.read(file)).map_err(|why| refused(file, value, why))?;
    if found.trim() == value {
        return Ok(());
    }
    let why = Unavailable::Failed { path: file.to_owned(), why: format!("the value read back is '{}'", found.trim()) };
    Err(refused(file, value, why))
}

/// A knob that does not take what it is given is put back and refused.
fn knob(journal: &Journal, file: &str, value: &str) -> Result<Held, TuneError> {
    let failed = |why: String| refused(file, value, Unavailable::Failed { path: file.to_owned(), why });
    let tunable = Tunable::file(file).ok_or_else(|| failed("the file is not a setting under /sys".into()))?;
    let held = journal.hold(&tunable, value)?;
    match held.record().took_effect() {
        true => Ok(held),
        false => {
            Err(failed(format!("the value read back is '{}'", held.record().effective.as_deref().unwrap_or("nothing"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waking_is_advised_only_where_it_was_not_tried() {
        let said = |wake| asleep("3", Duration::from_millis(100), wake);
        assert!(said(false).contains("for 100 ms") && said(false).ends_with("while it runs, or give --wake"));
        assert!(said(true).contains("for 200 ms") && said(true).ends_with("; deploy the task while it runs"));
    }
}
