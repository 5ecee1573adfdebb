//! One costed run: every source is set up before the command begins and read after the last of it has ended.

use crate::account::{self, Account, Evidence};
use crate::command::Task;
use crate::counters::Counters;
use crate::group::Group;
use crate::signals::Signals;
use crate::sys::{self, Held, Start, Waited};
use crate::taskstats::{Listener, totals};
use crate::watch::{Watch, Watched};
use prazo_platform::Root;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

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
    #[error("cannot cost '{program}': {what}: {error}")]
    World {
        /// The program as it was named.
        program: String,
        /// What was tried.
        what: &'static str,
        /// What came back.
        error: io::Error,
    },
    /// Something of the command would not end, and may still run.
    #[error("processes {pids:?} of '{program}' were killed and have not ended; they may wait for a device")]
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
            Self::World { .. } | Self::Unended { .. } => 125,
        }
    }
}

/// This process adopts orphans for as long as this value lives.
struct Adoption;

impl Adoption {
    fn begin() -> io::Result<Self> {
        sys::adopt_orphans(true).map(|()| Self)
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let _ = sys::adopt_orphans(false);
    }
}

/// Runs the command once and accounts for it and all its descendants, which have all ended when this returns.
///
/// The caller must have no other children than those that the task names as being apart: this collects whoever ends.
pub fn cost(task: &Task) -> Result<Account, CostError> {
    let world = |what| move |error| CostError::World { program: task.program(), what, error };
    let signals = Signals::hold_back().map_err(world("holding signals back"))?;
    let _adoption = Adoption::begin().map_err(world("adopting orphans"))?;
    let mut group = Group::make();
    let mut listener = Listener::begin();
    let held = hold(task, &signals, &mut group).map_err(world("forking"))?;
    let counters = Counters::open(held.pid, task.hardware_counters);
    let begun_ns = sys::monotonic_ns();
    let (pid, handle) = release(task, held)?;
    let watch = Watch { task, pid, handle, group: group.as_ref().ok(), signals: &signals, begun_ns };
    let watched = watch.until_the_end(listener.as_mut().ok());
    let unended =
        |pids: BTreeSet<u32>| CostError::Unended { program: task.program(), pids: pids.into_iter().collect() };
    let watched = watched.map_err(unended)?;
    Ok(account::account(&evidence(task, &watched, counters, listener, group)))
}

fn evidence(
    task: &Task,
    watched: &Watched,
    counters: Counters,
    listener: Result<Listener, String>,
    group: Result<Group, String>,
) -> Evidence {
    let records = listener.and_then(Listener::finish);
    Evidence {
        wall_ns: watched.wall_ns,
        ending: watched.ending,
        usage: watched.usage,
        counts: counters.read(),
        totals: records.map(|records| totals(&records, std::process::id(), &task.apart)),
        group: group.and_then(|group| group.time()),
        delays_are_kept: Root::system().read_number("/proc/sys/kernel/task_delayacct").is_ok_and(|on| on != 0),
    }
}

/// Forks the command in a group of its own if there is one; a kernel or a container that refuses that is told why.
fn hold(task: &Task, signals: &Signals, group: &mut Result<Group, String>) -> io::Result<Held> {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let plain = Start {
        words: task.words.as_slice(),
        folder: task.folder.as_deref(),
        input: task.streams.no_input.then(|| nothing.as_fd()),
        output: task.streams.output,
        nothing: nothing.as_fd(),
        group: None,
        mask: signals.before(),
    };
    let refused = match group.as_ref().map(|made| sys::hold(&Start { group: Some(made.folder()), ..plain })) {
        Ok(Ok(held)) => return Ok(held),
        Ok(Err(error)) => format!("cannot begin in a control group of its own: {error}"),
        Err(reason) => reason.clone(),
    };
    *group = Err(refused);
    sys::hold(&plain)
}

/// Lets the command begin; an error if it could not become its program.
fn release(task: &Task, held: Held) -> Result<(u32, std::os::fd::OwnedFd), CostError> {
    let program = |error| CostError::Program { program: task.program(), error };
    // A child that was killed meanwhile breaks the pipe; the watch will see its end.
    let _ = File::from(held.go).write_all(&[1]);
    let mut error = [0u8; 4];
    // The kernel closes the other end when the program begins, so that nothing comes.
    match File::from(held.failed).read_exact(&mut error) {
        Err(_) => Ok((held.pid, held.handle)),
        Ok(()) => {
            sys::wait_readable(held.handle.as_fd(), 1_000);
            while matches!(sys::wait(), Waited::Child(..)) {}
            Err(program(io::Error::from_raw_os_error(i32::from_ne_bytes(error))))
        }
    }
}
