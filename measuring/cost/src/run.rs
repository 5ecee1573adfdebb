//! One costed run: every source is set up before the command begins and read after the last of it has ended.

use crate::account::{self, Account, CostReadings};
use crate::apart::Apart;
use crate::command::Task;
use crate::counters::Counters;
use crate::ending::Exit;
use crate::group::Group;
use crate::signals::Signals;
use crate::taskstats::{Listener, Record, totals};
use crate::watch::Watch;
use prazo_platform::{Root, programs};
use prazo_sys::accounting::{self as sys, Born, Held, Start};
use prazo_sys::process::ProcessHandle;
use std::collections::BTreeSet;
use std::ffi::{CString, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

/// Why a command could not be costed.
#[derive(Debug, thiserror::Error)]
pub enum CostError {
    /// There is no such program, or it may not be executed.
    #[error("cannot execute '{program}': {error}")]
    Program {
        /// The program as it was named.
        program: String,
        /// What execvp(3) answered.
        error: io::Error,
    },
    /// The world did not let us.
    #[error("cannot measure the cost of '{program}': could not {what}: {error}")]
    World {
        /// The program as it was named.
        program: String,
        /// What was tried.
        what: &'static str,
        /// What came back.
        error: io::Error,
    },
    /// Something that was to run beside the command, as a workload's server, ended before it did.
    #[error("process {pid}, which runs next to '{program}', ended during the measurement ({how})", how = exit.in_words())]
    Apart {
        /// The program as it was named.
        program: String,
        /// The process that ended.
        pid: u32,
        /// How.
        exit: Exit,
    },
    /// Something of the command would not end, and may still run.
    #[error(
        "'{program}' started processes that do not end ({}): each waits for a device, or this user may not end it (see \
         `ps -o stat,user -p PID`)",
        pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    )]
    Unended {
        /// The program as it was named.
        program: String,
        /// Their ids.
        pids: Vec<u32>,
    },
}

impl CostError {
    /// The status that env(1) ends with: 127 not found, 126 found and not executable, 125 anything else.
    pub fn status(&self) -> u8 {
        match self {
            Self::Program { error, .. } if error.kind() == io::ErrorKind::NotFound => 127,
            Self::Program { .. } => 126,
            Self::World { .. } | Self::Apart { .. } | Self::Unended { .. } => 125,
        }
    }
}

/// This process adopts orphans for as long as this value lives.
struct Adoption;

impl Adoption {
    fn begin() -> io::Result<Self> {
        prazo_sys::process::adopt_orphans(true).map(|()| Self)
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let _ = prazo_sys::process::adopt_orphans(false);
    }
}

/// Runs the command once and accounts for it and all its descendants, which have all ended when this returns.
///
/// The caller must have no other children than those that the task names as being apart: this collects whoever ends.
pub fn cost(task: &Task) -> Result<Account, CostError> {
    let world = |what| move |error| CostError::World { program: task.program(), what, error };
    let signals = Signals::hold_back().map_err(world("block signals"))?;
    let _adoption = Adoption::begin().map_err(world("become the parent of orphaned processes"))?;
    let mut group = Group::make();
    let mut listener = Listener::begin();
    // Before the command begins: without a handle nothing of it could be ended.
    drop(ProcessHandle::open(std::process::id()).map_err(world("open a pidfd of this process"))?);
    let held = hold(task, &signals, group.as_ref().ok()).map_err(world("fork"))?;
    let holder = held.holder;
    let counters = Counters::open(holder, task.counting);
    let apart = Apart::begin(&task.apart);
    let command = release(task, held)?;
    if let Some(error) = command.refused {
        group = Err(format!("cannot start the command in a separate control group: {error}"));
    }
    let Command { pid, handle, begun_ns, .. } = command;
    let watch = Watch { task, pid, handle, group: group.as_ref().ok(), signals: &signals, begun_ns };
    let watched = watch.until_the_end(listener.as_mut().ok());
    let unended =
        |pids: BTreeSet<u32>| CostError::Unended { program: task.program(), pids: pids.into_iter().collect() };
    let watched = watched.map_err(unended)?;
    if let Some((pid, exit)) = watched.apart_ended {
        return Err(CostError::Apart { program: task.program(), pid, exit });
    }
    let records = listener.and_then(Listener::finish).map(|records| without_holder(records, holder));
    Ok(account::account(&CostReadings {
        wall_ns: watched.wall_ns,
        ending: watched.ending,
        usage: watched.usage,
        counts: counters.read(),
        totals: records.map(|records| totals(&records, std::process::id(), &task.apart)),
        group: group.and_then(|group| group.time()),
        apart: apart.finish(),
        delays_are_kept: Root::system().read_number("/proc/sys/kernel/task_delayacct").is_ok_and(|on| on != 0),
    }))
}

/// The records without the holder's: the first with its number, since that cannot be given out again before we collect it.
fn without_holder(mut records: Vec<Record>, holder: u32) -> Vec<Record> {
    let own = std::process::id();
    if let Some(at) = records.iter().position(|record| record.process == holder && record.parent == own) {
        records.remove(at);
    }
    records
}

/// Forks what will become the command, in a group of its own if there is one.
fn hold(task: &Task, signals: &Signals, group: Option<&Group>) -> io::Result<Held> {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let words = task.words.as_slice();
    let environment = task.file.as_ref().map(|_| environment());
    sys::hold(&Start {
        words,
        program: task.file.as_deref().unwrap_or(&words[0]),
        environment: environment.as_deref(),
        folder: task.folder.as_deref(),
        input: task.streams.no_input.then(|| nothing.as_fd()),
        output: task.streams.output,
        nothing: nothing.as_fd(),
        group: group.map(Group::folder),
        mask: signals.before(),
    })
}

/// Our environment with the search path for programs of the system.
fn environment() -> Vec<CString> {
    let others = std::env::vars_os().filter(|(name, _)| name != "PATH");
    let path = ("PATH".into(), programs::search_path().into());
    let word = |(name, value): (OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
    others.chain([path]).filter_map(|variable| CString::new(word(variable)).ok()).collect()
}

/// A command that has begun.
struct Command {
    pid: u32,
    handle: ProcessHandle,
    begun_ns: u64,
    /// Why it is not in its group.
    refused: Option<io::Error>,
}

/// Lets the command begin; an error if it could not become its program.
fn release(task: &Task, held: Held) -> Result<Command, CostError> {
    let world = |what| move |error| CostError::World { program: task.program(), what, error };
    // A holder that was killed meanwhile breaks the pipe, and says nothing.
    let _ = File::from(held.go).write_all(&[1]);
    let mut record = [0u8; Born::BYTES];
    let record = File::from(held.born).read_exact(&mut record).map(|()| Born::read(record));
    sys::collect(held.holder);
    let born = record.map_err(world("fork"))?;
    let pid = born.pid.map_err(io::Error::from_raw_os_error).map_err(world("fork"))?;
    // The number means this child until we collect it.
    let handle = ProcessHandle::open(pid).map_err(world("open a pidfd of the command"))?;
    let mut error = [0u8; 4];
    // The kernel closes the other end when the program begins, so that nothing comes.
    if File::from(held.failed).read_exact(&mut error).is_ok() {
        sys::collect(pid);
        let error = io::Error::from_raw_os_error(i32::from_ne_bytes(error));
        return Err(CostError::Program { program: task.program(), error });
    }
    let refused = born.refused.map(io::Error::from_raw_os_error);
    Ok(Command { pid, handle, begun_ns: born.begun_ns, refused })
}
