//! `prazo lab boot`: one machine, from its start to its end.

use super::failure;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_core::time::Duration;
use prazo_lab::{Boot, Emulator, Ended, Ending, Machine, Medium};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What to boot, in what, and for how long.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// An ELF with a PVH note, or a Linux image
    #[arg(long, value_name = "FILE", required_unless_present = "disc", conflicts_with = "disc")]
    kernel: Option<PathBuf>,
    /// The kernel's command line
    #[arg(long, value_name = "TEXT", requires = "kernel")]
    append: Option<String>,
    /// A file that the kernel finds in memory
    #[arg(long, value_name = "FILE", requires = "kernel")]
    initrd: Option<PathBuf>,
    /// A bootable disc image (.iso) instead of a kernel
    #[arg(long, value_name = "FILE")]
    disc: Option<PathBuf>,
    /// A built-in machine's name (`prazo lab list`), or a TOML file
    #[arg(long, short, value_name = "MACHINE", default_value = "counted-1")]
    machine: String,
    /// Another number of processors
    #[arg(long, value_name = "NUMBER")]
    processors: Option<u32>,
    /// Another seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u32>,
    /// Wall time after which the guest is ended
    #[arg(long, value_name = "TIME", default_value = "30s")]
    limit: Duration,
    /// Bytes after which a console is too long
    #[arg(long, value_name = "BYTES", default_value_t = Boot::CONSOLE_MAX)]
    console_max: u64,
    /// Also keep the console in a file
    #[arg(long, value_name = "FILE")]
    console: Option<PathBuf>,
    /// Print one JSON object, the console in it, instead of the console
    #[arg(long)]
    json: bool,
}

/// A boot that was made, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Booted {
    /// The machine, with what the flags changed.
    machine: Machine,
    /// How it ended: exit, off, triple_fault, limit, console_too_long, emulator.
    ending: &'static str,
    /// What the guest wrote to the exit device; null unless it ended so.
    value: Option<u8>,
    /// How it ended, as a sentence.
    reason: String,
    /// Wall time from the emulator's start to its end.
    elapsed_ns: u64,
    /// What the emulator says of its version.
    emulator: String,
    /// Whether that is the one this lab was made with.
    pinned: bool,
    /// The command that repeats it.
    command: String,
    /// What the console printed; bytes that are no UTF-8 are replaced (`--console FILE` keeps them).
    console: String,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.console.as_deref().map_or(Ok(()), crate::output::free)?;
        let boot = self.boot()?;
        let emulator = Emulator::find_for(boot.machine.architecture).map_err(failure)?;
        let ended = boot.run(&emulator, &mut |piece| self.show(piece)).map_err(failure)?;
        if let Some(file) = &self.console {
            keep(file, &ended.console)?;
        }
        if let Ending::Emulator { .. } = ended.ending {
            return Err(Failure::world(ended.ending));
        }
        let exit = exit(&ended.ending);
        if self.json {
            out::json(&Booted::of(boot.machine, &emulator, ended))?;
        } else {
            out::note(format_args!("{} after {:.1} s", ended.ending, ended.elapsed.as_secs_f64()));
        }
        Ok(exit)
    }

    fn boot(&self) -> Result<Boot, Failure> {
        let mut machine = Machine::find(&self.machine).map_err(failure)?;
        if let Some(processors) = self.processors {
            machine = machine.with_processors(processors).map_err(failure)?;
        }
        if let Some(seed) = self.seed {
            machine = machine.with_seed(seed);
        }
        let limit = std::time::Duration::from_nanos(self.limit.as_ns());
        Ok(Boot { console_max: self.console_max, ..Boot::new(machine, self.medium(), limit) })
    }

    fn medium(&self) -> Medium {
        match (&self.kernel, &self.disc) {
            (Some(file), _) => {
                Medium::Kernel { file: file.clone(), append: self.append.clone(), initrd: self.initrd.clone() }
            }
            (None, disc) => Medium::Disc(disc.clone().expect("clap requires one of the two")),
        }
    }

    /// The console as it comes. A reader that went away is no reason to end the guest.
    fn show(&self, piece: &[u8]) {
        if !self.json {
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(piece).and_then(|()| stdout.flush());
        }
    }
}

impl Booted {
    fn of(machine: Machine, emulator: &Emulator, ended: Ended) -> Self {
        Self {
            machine,
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

fn exit(ending: &Ending) -> Exit {
    match ending {
        Ending::Off | Ending::Exit { value: Ending::PASS } => Exit::Pass,
        Ending::Limit => Exit::Inconclusive,
        _ => Exit::Fail,
    }
}

fn keep(file: &Path, console: &[u8]) -> Result<(), Failure> {
    Ok(crate::output::write(file, console)?)
}
