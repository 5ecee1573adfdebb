//! `cargo xtask kernel run`: one boot of the kernel in the lab, and its figures.

use super::build::Shape;
use super::console::{Console, Event};
use prazo_core::time::Duration;
use prazo_lab::emulator::{Cache, Fetch, Progress};
use prazo_lab::machine::Time;
use prazo_lab::{Boot, Emulator, Ended, LabError, Machine, Medium};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What to run, and in what.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask kernel run scenario --shape global-edf            the built-in task set and its events
  cargo xtask kernel run measure --threads 125 --json           what the kernel costs
  cargo xtask kernel run together --threads 125                 all threads released at the same instants")]
pub struct Args {
    /// scenario: the task set that the kernel carries; measure: random threads, with stamps; together: threads that are
    /// released at the same instants, with stamps
    #[arg(value_parser = ["scenario", "measure", "together"])]
    scenario: String,
    #[command(flatten)]
    shape: Shape,
    /// Threads of a measuring run
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    threads: u32,
    /// Seeds the threads' random periods
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u32,
    /// How long the run lasts, in the kernel's time
    #[arg(long, value_name = "TIME", default_value = "1s")]
    duration: Duration,
    /// A lab machine's name or file [default: counted-1 or counted-4, as the shape has processors]
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// Wall time after which the run is given up
    #[arg(long, value_name = "TIME", default_value = "2m")]
    limit: Duration,
    /// Write the events to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Keep the whole console in a file
    #[arg(long, value_name = "FILE")]
    console: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A run's figures, as `--json` prints them.
#[derive(Serialize)]
struct Figures<'a> {
    scenario: &'a str,
    shape: &'a str,
    machine: &'a str,
    /// What an instruction takes, in ns; null under the host's clock.
    instruction_ns: Option<u64>,
    threads: u32,
    seed: u32,
    duration_ns: u64,
    ending: &'a str,
    reason: String,
    elapsed_ns: u64,
    emulator: &'a str,
    pinned: bool,
    command: &'a str,
    /// What these figures may not be taken for.
    caveats: Vec<&'static str>,
    #[serde(flatten)]
    console: &'a Console,
}

impl Args {
    /// Builds, boots, reads, tells; an error unless the kernel said that all went well.
    pub fn run(self) -> Result<(), String> {
        let kernel = self.shape.build()?;
        let emulator = emulator().map_err(|error| error.to_string())?;
        let boot = self.boot(kernel).map_err(|error| error.to_string())?;
        let ended = boot.run(&emulator, &mut |_| {}).map_err(|error| error.to_string())?;
        if let Some(file) = &self.console {
            write(file, &ended.console)?;
        }
        let text = String::from_utf8_lossy(&ended.console);
        let console = Console::read(&text)?;
        if let Some(file) = &self.trace {
            write(file, lines(&console.events)?.as_bytes())?;
        }
        if self.json {
            println!("{}", self.figures(&boot.machine, &emulator, &ended, &console)?);
        } else {
            text.lines().filter(|line| !line.starts_with("event ")).for_each(|line| println!("{line}"));
        }
        if ended.ending.is_pass() { Ok(()) } else { Err(failed(&ended, &console)) }
    }

    fn boot(&self, kernel: PathBuf) -> Result<Boot, LabError> {
        let usual = format!("counted-{}", self.shape.processors());
        let machine = Machine::find(self.machine.as_deref().unwrap_or(&usual))?;
        let words = format!(
            "{} threads={} seed={} duration_ms={}",
            self.scenario,
            self.threads,
            self.seed,
            self.duration.as_ns() / 1_000_000
        );
        let medium = Medium::Kernel { file: kernel, append: Some(words), initrd: None };
        Ok(Boot::new(machine, medium, std::time::Duration::from_nanos(self.limit.as_ns())))
    }

    fn figures(&self, machine: &Machine, lab: &Emulator, ended: &Ended, console: &Console) -> Result<String, String> {
        let figures = Figures {
            scenario: &self.scenario,
            shape: &self.shape.shape,
            machine: &machine.name,
            instruction_ns: instruction_ns(machine.time),
            threads: self.threads,
            seed: self.seed,
            duration_ns: self.duration.as_ns(),
            ending: ended.ending.name(),
            reason: ended.ending.to_string(),
            elapsed_ns: ended.elapsed.as_nanos() as u64,
            emulator: lab.version(),
            pinned: lab.is_pinned(),
            command: &ended.command,
            caveats: caveats(machine),
            console,
        };
        serde_json::to_string_pretty(&figures).map_err(|error| error.to_string())
    }
}

/// The emulator, fetched where it is missing.
fn emulator() -> Result<Emulator, LabError> {
    match Emulator::find() {
        Err(LabError::NotFetched { .. }) => Fetch { cache: Cache::of_user()?, mirror: None }.run(&mut announce),
        found => found,
    }
}

fn announce(progress: Progress<'_>) {
    if let Progress::Step(number, of, what) = progress {
        eprintln!("{number}/{of} {what}");
    }
}

fn instruction_ns(time: Time) -> Option<u64> {
    if let Time::Counted { shift } = time { Some(1 << shift) } else { None }
}

fn caveats(machine: &Machine) -> Vec<&'static str> {
    let is_counted = instruction_ns(machine.time).is_some();
    let of_time = if is_counted {
        "counted time: figures are instructions, not a hardware's nanoseconds"
    } else {
        "the host's clock on an emulated processor: figures move with the host's load"
    };
    let turns = "processors take turns: what passes between two of them is the emulator's turn";
    std::iter::once(of_time).chain((is_counted && machine.processors > 1).then_some(turns)).collect()
}

/// Why the run is none: the ending, and the kernel's last word.
fn failed(ended: &Ended, console: &Console) -> String {
    let last = console.says.last().map(|says| format!("; its last words: {says}"));
    format!("{}{}; the command was: {}", ended.ending, last.unwrap_or_default(), ended.command)
}

fn lines(events: &[Event]) -> Result<String, String> {
    events
        .iter()
        .map(|event| serde_json::to_string(event).map(|line| line + "\n"))
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())
}

fn write(file: &Path, content: &[u8]) -> Result<(), String> {
    std::fs::write(file, content).map_err(|error| format!("cannot write {}: {error}", file.display()))
}
