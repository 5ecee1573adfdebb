//! A foreign kernel's image on a board that QEMU emulates, in counted time: its serial line is QEMU's output.

use crate::error::SerialError;
use prazo_sys::containment::tie_to_caller;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A board that QEMU emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// QEMU's name of it.
    pub name: &'static str,
    /// QEMU's program.
    pub program: &'static str,
}

/// The boards that were tried.
const BOARDS: [Board; 3] = [
    Board { name: "lm3s6965evb", program: "qemu-system-arm" },
    Board { name: "mps2-an385", program: "qemu-system-arm" },
    Board { name: "mps2-an386", program: "qemu-system-arm" },
];

impl Board {
    /// The board of this name.
    pub fn find(name: &str) -> Result<Self, SerialError> {
        let known = || BOARDS.map(|board| board.name).join(", ");
        let found = BOARDS.into_iter().find(|board| board.name == name);
        found.ok_or_else(|| SerialError::Machine { name: name.to_owned(), known: known() })
    }
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
}

/// The emulator; dropped, it is ended.
pub(crate) struct Emulator(Child);

impl EmulatedGuest {
    pub(crate) fn start(&self) -> Result<(Emulator, ChildStdout), SerialError> {
        let failed = |source| SerialError::System {
            what: format!("start {}", self.board.program),
            source,
            remedy: "install the emulator (Debian package qemu-system-arm)",
        };
        let mut command = Command::new(self.board.program);
        command.args([
            "-M",
            self.board.name,
            "-nodefaults",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-monitor",
            "none",
        ]);
        command.args(["-icount", &format!("shift={},sleep=off", self.shift), "-kernel"]).arg(&self.image);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = tie_to_caller(&mut command).spawn().map_err(failed)?;
        let printed = child.stdout.take().expect("its output was piped");
        Ok((Emulator(child), printed))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
