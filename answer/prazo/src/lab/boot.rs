//! One machine, from its start to its end.

use crate::error::Error;
use crate::guest::lab_error;
use crate::output;
use crate::progress::{GuestProgress, Progress};
use prazo_core::time::Duration;
use prazo_lab::{Boot, BootOutcome, Emulator, GuestEnding, GuestLook, Machine, Medium};
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// What is booted, in what, and for how long.
#[derive(Clone, Debug)]
pub struct BootRequest {
    /// A kernel, or a disc image.
    pub medium: Medium,
    /// A built-in machine's name, or a TOML file.
    pub machine: String,
    /// Another number of processors than the machine's.
    pub processors: Option<u32>,
    /// Another seed than the machine's.
    pub seed: Option<u32>,
    /// Elapsed time after which the guest is terminated.
    pub timeout: Duration,
    /// Bytes after which a console is too long.
    pub console_max: u64,
    /// Where the console is also kept.
    pub console: Option<PathBuf>,
}

/// Result of a boot, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Booted {
    /// The emulated machine, with the changes that flags made.
    pub machine: Machine,
    /// Pass if the guest powered off or reported success, inconclusive if it reached the time limit, otherwise fail.
    #[serde(skip)]
    pub outcome: Outcome,
    /// How the boot ended: exit, off, triple_fault, limit, console_too_long.
    pub ending: &'static str,
    /// Value that the guest wrote to the exit device; null if the boot ended in another way.
    pub value: Option<u8>,
    /// How the boot ended, as a sentence.
    pub reason: String,
    /// Elapsed time from the emulator's start to its end.
    pub elapsed_ns: u64,
    /// Version that the emulator prints.
    pub emulator: String,
    /// Whether the emulator is from the packages that the lab pins.
    pub pinned: bool,
    /// Command that repeats the boot.
    pub command: String,
    /// Console output of the guest; bytes that are not UTF-8 are replaced (`--console FILE` keeps them).
    pub console: String,
}

/// Boots the machine and waits for its end; `heard` gets the console as it comes, `progress` how far it is.
///
/// # Errors
/// There is no such machine, the console's file is there already, or the emulator failed.
pub fn boot(request: &BootRequest, heard: &mut dyn FnMut(&[u8]), progress: &mut dyn Progress) -> Result<Booted, Error> {
    request.console.as_deref().map_or(Ok(()), output::free)?;
    let boot = request.boot()?;
    let emulator = Emulator::find_for(boot.machine.architecture).map_err(lab_error)?;
    let mut look = |look: GuestLook| {
        progress.guest(&GuestProgress {
            name: request.machine.clone(),
            does: "running",
            elapsed: Duration::from(look.elapsed),
            limit: request.timeout,
        });
        false
    };
    let ended = boot.run_watched(&emulator, &mut |piece| heard(piece), &mut look);
    progress.measured();
    let ended = ended.map_err(lab_error)?;
    if let Some(file) = &request.console {
        output::write(file, &ended.console)?;
    }
    match ended.ending {
        GuestEnding::Emulator { .. } => Err(Error::failed(ended.ending.to_string())),
        _ => Ok(Booted::of(boot.machine, &emulator, ended)),
    }
}

impl BootRequest {
    fn boot(&self) -> Result<Boot, Error> {
        let mut machine = Machine::find(&self.machine).map_err(lab_error)?;
        if let Some(processors) = self.processors {
            machine = machine.with_processors(processors).map_err(lab_error)?;
        }
        if let Some(seed) = self.seed {
            machine = machine.with_seed(seed);
        }
        let limit = std::time::Duration::from_nanos(self.timeout.as_ns());
        Ok(Boot { console_max: self.console_max, ..Boot::new(machine, self.medium.clone(), limit) })
    }
}

impl Booted {
    fn of(machine: Machine, emulator: &Emulator, ended: BootOutcome) -> Self {
        Self {
            machine,
            outcome: outcome(&ended.ending),
            ending: ended.ending.name(),
            value: ended.ending.value(),
            reason: ended.ending.to_string(),
            elapsed_ns: ended.elapsed.as_nanos() as u64,
            emulator: emulator.version().to_owned(),
            pinned: emulator.is_pinned(),
            command: ended.command,
            console: String::from_utf8_lossy(&ended.console).into_owned(),
        }
    }
}

fn outcome(ending: &GuestEnding) -> Outcome {
    match ending {
        GuestEnding::Off | GuestEnding::Exit { value: GuestEnding::PASS } => Outcome::Pass,
        GuestEnding::Limit => Outcome::Inconclusive,
        _ => Outcome::Fail,
    }
}
