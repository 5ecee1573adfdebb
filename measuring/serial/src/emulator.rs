//! A foreign kernel's image on a board that QEMU emulates, in counted time: its serial line is QEMU's output.

use crate::board::Board;
use crate::error::SerialError;
use crate::image;
use prazo_sys::child::tie_to_caller;
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// QEMU's program for all of these boards.
pub const PROGRAM: &str = "qemu-system-arm";

/// How much of what the emulator says is kept, and how many of its lines an error shows.
const SAID_MAX: usize = 64 << 10;
const LINES_SHOWN: usize = 3;
/// An emulator whose output has ended needs no longer to end itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program that emulates boards, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardEmulator {
    /// What is started.
    pub program: PathBuf,
    /// What it is told before the board's own arguments.
    pub arguments: Vec<OsString>,
    /// Variables of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Facts of the run about program and image, by name without `serial.`.
    pub facts: Vec<(&'static str, String)>,
}

/// An image, its board, and how long an instruction takes there.
#[derive(Clone, Debug)]
pub struct EmulatedGuest {
    /// The image, an ELF file.
    pub image: PathBuf,
    /// The board.
    pub board: Board,
    /// An instruction takes 2^shift nanoseconds.
    pub shift: u8,
    /// What emulates the board.
    pub emulator: BoardEmulator,
}

/// The emulator; dropped, it is ended.
pub(crate) struct Emulator {
    child: Child,
    said: Option<Receiver<String>>,
}

impl EmulatedGuest {
    pub(crate) fn start(&self) -> Result<(Emulator, ChildStdout), SerialError> {
        image::check(&self.image, self.board)?;
        let failed = |source| SerialError::System {
            what: format!("start {}", self.emulator.program.display()),
            source,
            remedy: "fetch the lab's emulator (`prazo lab fetch --architecture armv7l --without kernels`), or install \
                     the Debian package qemu-system-arm",
        };
        let mut command = Command::new(&self.emulator.program);
        command.args(&self.emulator.arguments).args(self.arguments());
        command.envs(self.emulator.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = tie_to_caller(&mut command).spawn().map_err(failed)?;
        let printed = child.stdout.take().expect("its output was piped");
        let said = child.stderr.take().map(read_of);
        Ok((Emulator { child, said }, printed))
    }

    /// What the board, its line and its time are to the emulator.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let icount = format!("shift={},sleep=off", self.shift);
        let words = ["-M", self.board.name, "-nodefaults", "-display", "none", "-serial", "stdio", "-monitor", "none"];
        let mut all: Vec<OsString> = words.into_iter().chain(["-icount", &icount, "-kernel"]).map(Into::into).collect();
        all.push(self.image.clone().into());
        all
    }
}

/// Everything is read, so that the emulator never waits for a reader; only the beginning is kept, piece by piece.
fn read_of(mut stderr: ChildStderr) -> Receiver<String> {
    let (sender, said) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut kept, mut bytes) = (0, [0; 4096]);
        // What cannot be read is missing from an error's text, and from nothing else.
        loop {
            match stderr.read(&mut bytes) {
                Ok(count @ 1..) if kept < SAID_MAX => {
                    kept += count;
                    let _ = sender.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
                }
                Ok(1..) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
            }
        }
    });
    said
}

impl Emulator {
    /// Why what came from the board is no run: what the emulator said, where it failed by itself.
    pub(crate) fn explain(&mut self, error: SerialError) -> SerialError {
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
                // It still runs: the board is silent, and that is what there is to say.
                _ => return error,
            }
        };
        if status.success() {
            return error;
        }
        let said = self.said(PATIENCE.saturating_sub(begun.elapsed()));
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES_SHOWN).collect();
        let said = if lines.is_empty() { "nothing".to_owned() } else { format!("'{}'", lines.join("; ")) };
        SerialError::Emulator { error: Box::new(error), status: status.to_string(), said }
    }

    /// What it said, as far as that comes within this time: a process that it started may keep the line open.
    fn said(&mut self, limit: Duration) -> String {
        let Some(pieces) = self.said.take() else { return String::new() };
        let (begun, mut said) = (Instant::now(), String::new());
        while let Ok(piece) = pieces.recv_timeout(limit.saturating_sub(begun.elapsed())) {
            said += &piece;
        }
        said
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
