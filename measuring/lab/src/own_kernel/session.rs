//! One boot of prazo's own kernel: its image with its words, and how that ended.

use crate::boot::{Boot, BootOutcome, Medium};
use crate::emulator::Emulator;
use crate::error::LabError;
use crate::machine::{Machine, Time};
use std::borrow::Cow;
use std::time::Duration;

/// A boot that was made.
pub struct Session {
    /// In what.
    pub machine: Machine,
    /// By what.
    pub emulator: Emulator,
    /// How it ended.
    pub ended: BootOutcome,
}

/// A machine with counted time for it, of which an instruction takes 2^`shift` ns.
pub fn machine(processors: u32, shift: u8) -> Result<Machine, LabError> {
    let machine = Machine::find("counted-1")?.with_processors(processors)?;
    Ok(Machine { time: Time::Counted { shift }, ..machine })
}

impl Session {
    /// Boots `medium` in `machine`, for as much wall time as `limit`.
    pub fn make(emulator: Emulator, machine: Machine, medium: Medium, limit: Duration) -> Result<Self, LabError> {
        let boot = Boot::new(machine, medium, limit);
        let ended = boot.run(&emulator, &mut |_| {})?;
        Ok(Self { machine: boot.machine, emulator, ended })
    }

    /// What the console printed.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.ended.console)
    }

    /// An error unless the kernel said that all went well, with what it said last.
    pub fn passed(&self) -> Result<(), String> {
        if self.ended.ending.is_pass() {
            return Ok(());
        }
        let text = self.text();
        let last = text.rfind("prazo: ").map_or(&*text, |at| &text[at..]).trim().replace('\n', " ");
        let (ending, command) = (&self.ended.ending, &self.ended.command);
        Err(format!("{ending}; the kernel's last output was {last:?}; the command was: {command}"))
    }
}
