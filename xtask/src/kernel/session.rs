//! One boot of the kernel in the lab: built, booted with its words, and how that ended.

use super::build::Shape;
use prazo_core::time::Duration;
use prazo_lab::{Boot, Cache, Emulator, Ended, Fetch, LabError, Machine, Medium, Progress};
use std::borrow::Cow;

/// A boot that was made.
pub struct Session {
    /// In what.
    pub machine: Machine,
    /// By what.
    pub emulator: Emulator,
    /// How it ended.
    pub ended: Ended,
}

impl Session {
    /// Builds the kernel and boots it; without a machine's name, in one with counted time and the shape's processors.
    pub fn make(shape: &Shape, machine: Option<&str>, words: String, limit: Duration) -> Result<Self, String> {
        let kernel = shape.build()?;
        let processors = shape.configuration()?.processors();
        let usual = || Machine::find("counted-1")?.with_processors(processors);
        let machine = machine.map_or_else(usual, Machine::find).map_err(|error| error.to_string())?;
        let emulator = emulator().map_err(|error| error.to_string())?;
        let medium = Medium::Kernel { file: kernel, append: Some(words), initrd: None };
        let boot = Boot::new(machine, medium, std::time::Duration::from_nanos(limit.as_ns()));
        let ended = boot.run(&emulator, &mut |_| {}).map_err(|error| error.to_string())?;
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
        Err(format!("{} after {last:?}; the command was: {}", self.ended.ending, self.ended.command))
    }
}

/// The emulator, fetched where it is missing.
pub fn emulator() -> Result<Emulator, LabError> {
    match Emulator::find() {
        Err(LabError::NotFetched { .. }) => Fetch { cache: Cache::of_user()?, mirror: None }.emulator(&mut announce),
        found => found,
    }
}

/// The steps of fetching.
pub fn announce(progress: Progress<'_>) {
    if let Progress::Step(number, of, what) = progress {
        eprintln!("{number}/{of} {what}");
    }
}
