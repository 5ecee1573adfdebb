//! One boot of the kernel in the lab: built, booted with its words, and how that ended.

use super::build::Shape;
use super::table;
use prazo_core::time::Duration;
use prazo_lab::machine::Time;
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

/// What a boot is made of beside the kernel.
pub struct Plan<'a> {
    /// A lab machine's name or file; else one with counted time and the shape's processors.
    pub machine: Option<&'a str>,
    /// An instruction of that usual machine is 2^shift ns.
    pub shift: u8,
    /// The kernel's command line.
    pub words: String,
    /// A task table, which the kernel is handed as a file.
    pub table: Option<Vec<u8>>,
    /// Wall time after which the boot is given up.
    pub limit: Duration,
}

impl Session {
    /// Builds the kernel and boots it.
    pub fn make(shape: &Shape, plan: &Plan<'_>) -> Result<Self, String> {
        let kernel = shape.build()?;
        let machine = plan.machine(shape.configuration()?.processors()).map_err(|error| error.to_string())?;
        let emulator = emulator().map_err(|error| error.to_string())?;
        let initrd = plan.table.as_ref().map(|table| table::keep(&kernel, table)).transpose()?;
        let medium = Medium::Kernel { file: kernel, append: Some(plan.words.clone()), initrd };
        let boot = Boot::new(machine, medium, std::time::Duration::from_nanos(plan.limit.as_ns()));
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

impl Plan<'_> {
    fn machine(&self, processors: u32) -> Result<Machine, LabError> {
        if let Some(name) = self.machine {
            return Machine::find(name);
        }
        let machine = Machine::find("counted-1")?.with_processors(processors)?;
        Ok(Machine { time: Time::Counted { shift: self.shift }, ..machine })
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
