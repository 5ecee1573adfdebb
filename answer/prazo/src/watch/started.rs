//! A program that is started to be watched, and ends with the watch.

use crate::error::Error;
use prazo_sys::child::tie_without_interrupts;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long it has to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// The program.
pub(super) struct Started {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Started {
    /// Starts it; its output goes to standard error where standard output is a document's.
    pub(super) fn new(words: &[String], output_to_error: bool) -> Result<Self, Error> {
        let [program, arguments @ ..] = words else {
            return Err(Error::refused("no program is given")
                .with_remedy("write the program after --, as in prazo watch -- ./ctl"));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        if output_to_error {
            command.stdout(Stdio::from(std::io::stderr()));
        }
        tie_without_interrupts(&mut command);
        let attempt = || format!("{program} cannot be started");
        let child = command.spawn().map_err(|error| Error::failed(error).attempting(attempt()))?;
        Ok(Self { child, ended: None })
    }

    /// True once it has ended.
    pub(super) fn has_ended(&mut self) -> Result<bool, Error> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().map_err(Error::failed)?;
        }
        Ok(self.ended.is_some())
    }

    /// Ends it where it has not ended; its status as a shell has it. One that prazo ended has none of its own.
    pub(super) fn end(mut self) -> Result<u8, Error> {
        if self.has_ended()? {
            return Ok(self.ended.map_or(0, status));
        }
        let handle = prazo_sys::process::ProcessHandle::open(self.child.id()).map_err(Error::failed)?;
        // One that has ended meanwhile needs no signal.
        let _ = handle.signal(SIGTERM);
        let asked = Instant::now();
        while !self.has_ended()? {
            if asked.elapsed() > GRACE {
                self.child.kill().map_err(Error::failed)?;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(0)
    }
}

const SIGTERM: i32 = 15;

/// The file of a program that is to be started, as a shell finds it.
pub(super) fn file_of(words: &[String]) -> Option<PathBuf> {
    let program = words.first()?;
    if program.contains('/') {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn status(ended: ExitStatus) -> u8 {
    let killed = || ended.signal().map_or(u8::MAX, |signal| 128_u8.saturating_add(signal as u8));
    ended.code().map_or_else(killed, |code| code as u8)
}
