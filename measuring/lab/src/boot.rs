//! One boot: a machine, what it boots, and how long it may take; in, how it ended and what it said, out.

use crate::command_line::{InputLog, Wiring};
use crate::emulator::Emulator;
use crate::ending::GuestEnding;
use crate::error::LabError;
use crate::guest::{Guest, GuestLook, Watch};
use crate::machine::Machine;
use std::path::PathBuf;
use std::time::Duration;

/// A boot to be made.
#[derive(Clone, Debug)]
pub struct Boot {
    /// The machine.
    pub machine: Machine,
    /// What it boots.
    pub medium: Medium,
    /// How long it may take in wall time; then it is ended.
    pub limit: Duration,
    /// How many bytes its console may print; then it is ended. See [`Boot::CONSOLE_MAX`].
    pub console_max: u64,
}

/// What a machine boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// An ELF with a PVH note, or a Linux image.
    Kernel {
        /// The image.
        file: PathBuf,
        /// Its command line.
        append: Option<String>,
        /// A file that is put into memory beside it.
        initrd: Option<PathBuf>,
    },
    /// A bootable disc, as a file.
    Disc(PathBuf),
}

/// A boot that was made.
#[derive(Clone, Debug)]
pub struct BootOutcome {
    /// How.
    pub ending: GuestEnding,
    /// Everything that came out of the first serial line, byte by byte.
    pub console: Vec<u8>,
    /// From the emulator's start to its end, in wall time.
    pub elapsed: Duration,
    /// The emulator's process; it is gone.
    pub pid: u32,
    /// The command that repeats it.
    pub command: String,
}

impl Medium {
    /// A kernel that needs no words and no files.
    pub fn kernel(file: impl Into<PathBuf>) -> Self {
        Self::Kernel { file: file.into(), append: None, initrd: None }
    }

    fn files(&self) -> Vec<&PathBuf> {
        match self {
            Self::Kernel { file, initrd, .. } => std::iter::once(file).chain(initrd).collect(),
            Self::Disc(file) => vec![file],
        }
    }
}

impl Boot {
    /// What a console may print unless told otherwise: 64 MiB.
    pub const CONSOLE_MAX: u64 = 64 << 20;

    /// A boot with the usual limit on the console.
    pub fn new(machine: Machine, medium: Medium, limit: Duration) -> Self {
        Self { machine, medium, limit, console_max: Self::CONSOLE_MAX }
    }

    /// Makes the boot and waits for its end. `watch` gets what the console prints, soon after.
    pub fn run(&self, emulator: &Emulator, watch: &mut dyn FnMut(&[u8])) -> Result<BootOutcome, LabError> {
        self.run_watched(emulator, watch, &mut |_| false)
    }

    /// The same, while `look` is told how far the guest is; true once it shall be ended.
    pub fn run_watched(
        &self,
        emulator: &Emulator,
        console: &mut dyn FnMut(&[u8]),
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<BootOutcome, LabError> {
        self.start(emulator)?.see_end(self.limit, &mut Watch { console, look })
    }

    fn start(&self, emulator: &Emulator) -> Result<Guest, LabError> {
        // QEMU's own answer to a file that is not there is that of a broken emulator.
        for file in self.medium.files() {
            std::fs::File::open(file).map_err(LabError::system(format!("read {}", file.display())))?;
        }
        Guest::start(emulator.boot(&self.machine, &self.medium, &Wiring::Hub, InputLog::Discarded), self.console_max)
    }
}
