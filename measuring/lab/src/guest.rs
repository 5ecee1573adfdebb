//! A guest that runs: its emulator's process, and the files that its console and messages go to.
//!
//! The files have no names, so that nothing is left of a guest, however it or prazo ends. The emulator is ended by its own
//! process id on every way out: at the limit, on an error, on a panic (`Drop`), and by the kernel where prazo itself dies.

use crate::boot::BootOutcome;
use crate::ending::GuestEnding;
use crate::error::LabError;
use prazo_abi::guest::BOOTED;
use prazo_sys::child as sys;
use prazo_sys::shell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often the guest is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// A running guest. It must stay on the thread that started it: the kernel ends it with that thread.
pub(crate) struct Guest {
    process: Child,
    console: Console,
    messages: File,
    begun: Instant,
    command: String,
}

/// What a file was written so far, read as it grows.
struct Console {
    file: File,
    read: Vec<u8>,
    bytes_max: u64,
}

/// Why a guest is no longer waited for; its emulator is gone in each case.
enum Wait {
    Ended(ExitStatus),
    Limit,
    ConsoleFull,
    Stopped,
}

/// How far a guest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestLook {
    /// It has booted: its agent is at work.
    pub is_up: bool,
    /// Since its emulator was started, in wall time.
    pub elapsed: Duration,
    /// When it is ended, counted from the same.
    pub limit: Duration,
}

/// What is told and asked while a guest runs.
pub(crate) struct Watch<'a> {
    /// Gets the console as it grows.
    pub console: &'a mut dyn FnMut(&[u8]),
    /// Told at each look how far the guest is; true once it shall be ended.
    pub look: &'a mut dyn FnMut(GuestLook) -> bool,
}

impl Guest {
    /// Starts the emulator, which may write `console_max` bytes.
    pub(crate) fn start(mut command: Command, console_max: u64) -> Result<Self, LabError> {
        let nameless = || tempfile::tempfile().map_err(LabError::system("make a file for a guest's console"));
        let (console, messages) = (nameless()?, nameless()?);
        let copy = |file: &File| file.try_clone().map_err(LabError::system("open the console of a guest"));
        command.stdin(Stdio::null()).stdout(copy(&console)?).stderr(copy(&messages)?);
        sys::tie_to_starter(&mut command);
        sys::limit_file_size(&mut command, console_max);
        let words = words(&command);
        let process = command.spawn().map_err(LabError::system(format!("start {words}")))?;
        let console = Console::new(console, console_max);
        Ok(Self { process, console, messages, begun: Instant::now(), command: words })
    }

    /// Waits for the guest's end, or ends it at the limit; or when the watcher wants it.
    pub(crate) fn see_end(mut self, limit: Duration, watch: &mut Watch<'_>) -> Result<BootOutcome, LabError> {
        let ending = match self.wait(limit, watch)? {
            Wait::Ended(status) => GuestEnding::of(status, &self.messages()?),
            Wait::Limit => GuestEnding::Limit,
            Wait::ConsoleFull => GuestEnding::ConsoleTooLong,
            Wait::Stopped => GuestEnding::Stopped,
        };
        let elapsed = self.begun.elapsed();
        self.console.read_on(watch.console)?;
        let (pid, command) = (self.process.id(), std::mem::take(&mut self.command));
        Ok(BootOutcome { ending, console: std::mem::take(&mut self.console.read), elapsed, pid, command })
    }

    /// Waits until the emulator is gone, ending it where it may not go on.
    fn wait(&mut self, limit: Duration, watch: &mut Watch<'_>) -> Result<Wait, LabError> {
        let (mut is_up, mut seen) = (false, 0);
        loop {
            if let Some(status) = self.process.try_wait().map_err(LabError::system("wait for a guest"))? {
                return Ok(Wait::Ended(status));
            }
            self.console.read_on(watch.console)?;
            let length = self.console.read.len();
            if std::mem::replace(&mut seen, length) != length {
                is_up = is_up || self.console.says(BOOTED.as_bytes());
            }
            let look = GuestLook { is_up, elapsed: self.begun.elapsed(), limit };
            if let Some(reason) = self.may_not_go_on(look, watch) {
                self.end();
                return Ok(reason);
            }
            std::thread::sleep(GLANCE.min(limit.saturating_sub(look.elapsed)));
        }
    }

    fn may_not_go_on(&self, look: GuestLook, watch: &mut Watch<'_>) -> Option<Wait> {
        match () {
            () if self.console.is_full() => Some(Wait::ConsoleFull),
            () if look.elapsed >= look.limit => Some(Wait::Limit),
            () if (watch.look)(look) => Some(Wait::Stopped),
            () => None,
        }
    }

    /// An error once the emulator is gone, and the time since its start before that.
    pub(crate) fn still_runs(&mut self) -> Result<Duration, LabError> {
        match self.process.try_wait().map_err(LabError::system("wait for a guest"))? {
            None => Ok(self.begun.elapsed()),
            Some(status) => {
                let why = GuestEnding::of(status, &self.messages()?).to_string();
                Err(LabError::Replay { why: format!("the emulator ended: {why}") })
            }
        }
    }

    /// Ends the emulator and waits until it is gone; for one that is gone already it does nothing.
    fn end(&mut self) {
        // Both fail only for a process that was waited for before, and that one is gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn messages(&self) -> Result<String, LabError> {
        let mut messages = Console::new(self.messages.try_clone().map_err(cannot_read())?, u64::MAX);
        messages.read_on(&mut |_| {})?;
        Ok(String::from_utf8_lossy(&messages.read).into_owned())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.end();
    }
}

impl Console {
    fn new(file: File, bytes_max: u64) -> Self {
        Self { file, read: Vec::new(), bytes_max }
    }

    /// True if more would not fit. The emulator does not notice: the kernel's signal is blocked in its threads.
    fn is_full(&self) -> bool {
        self.read.len() as u64 >= self.bytes_max
    }

    /// True where these bytes are among the first of what was read: a console that goes on for long is not searched again.
    fn says(&self, words: &[u8]) -> bool {
        const SEARCHED: usize = 64 << 10;
        let head = &self.read[..self.read.len().min(SEARCHED)];
        head.windows(words.len()).any(|piece| piece == words)
    }

    /// Reads what was added since the last call.
    fn read_on(&mut self, watch: &mut dyn FnMut(&[u8])) -> Result<(), LabError> {
        let mut piece = [0; 16 << 10];
        loop {
            match self.file.read_at(&mut piece, self.read.len() as u64).map_err(cannot_read())? {
                0 => return Ok(()),
                count => {
                    watch(&piece[..count]);
                    self.read.extend_from_slice(&piece[..count]);
                }
            }
        }
    }
}

fn cannot_read() -> impl FnOnce(io::Error) -> LabError {
    LabError::system("read the console of a guest")
}

/// The command as a shell would take it.
fn words(command: &Command) -> String {
    let all = std::iter::once(command.get_program()).chain(command.get_args());
    let all: Vec<_> = all.map(|word| word.to_string_lossy()).collect();
    shell::line(all.iter().map(AsRef::as_ref))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_is_up_once_its_agent_has_said_so() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo Linux boots; sleep 0.3; echo 'prazo-agent: booted'; sleep 0.3"]);
        let mut looks = Vec::new();
        let mut look = |look: GuestLook| {
            looks.push(look);
            false
        };
        let mut watch = Watch { console: &mut |_| {}, look: &mut look };
        let limit = Duration::from_secs(60);
        Guest::start(command, 1 << 20).unwrap().see_end(limit, &mut watch).unwrap();
        assert!(looks.iter().all(|look| look.limit == limit) && looks.is_sorted_by_key(|look| look.elapsed));
        let first_up = looks.iter().find(|look| look.is_up).expect("it came up");
        assert!(!looks[0].is_up && first_up.elapsed >= Duration::from_millis(300), "{first_up:?}");
        assert!(looks.is_sorted_by_key(|look| look.is_up), "it stays up");
    }
}
