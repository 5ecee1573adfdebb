//! `cargo xtask kernel run`: one run of the kernel in the lab, and its figures.

use super::build::KernelShape;
use super::configuration::Configuration;
use super::session::Plan;
use super::table;
use super::tasks::{Reading, Tasks};
use prazo_core::text::{grouped, printable};
use prazo_core::time::Duration;
use prazo_lab::Machine;
use prazo_lab::machine::Time;
use prazo_lab::own_kernel::{Console, Event, Session};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What to run, and in what.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask kernel run scenarios/dhall-effect.toml --shape global-edf --trace events.jsonl
  cargo xtask kernel run measure --threads 125 --json           what the kernel costs
  cargo xtask kernel run together --threads 125                 all threads released at the same instants")]
pub(super) struct Args {
    /// A task set's file; or scenario: the set that the kernel carries; measure: random threads, with stamps; together:
    /// threads released at the same instants, with stamps; ping-pong: pairs that wake each other, with stamps; insertion:
    /// jobs that join a ready queue, one by one, with stamps; inversion: three threads and a mutex
    scenario: String,
    #[command(flatten)]
    shape: KernelShape,
    /// Threads of a measuring run
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    threads: u32,
    /// Processors of the cluster that insertions are measured in, up to 4; they are counted on one processor
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    heads: u32,
    /// Measure the parts of a release (release, scheduling, switch) instead of the whole
    #[arg(long)]
    parts: bool,
    /// Seeds the threads' random periods
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u32,
    #[command(flatten)]
    reading: Reading,
    /// How long the run lasts, in the kernel's time
    #[arg(long, value_name = "TIME", default_value = "1s")]
    duration: Duration,
    /// A lab machine's name or file [default: counted-1 with the shape's processors]
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// Wall time after which the run is given up
    #[arg(long, value_name = "TIME", default_value = "2m")]
    limit: Duration,
    /// Write the events to a file, one JSON object per line
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
    processors: u32,
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
    pub(super) fn run(self) -> Result<(), String> {
        let (words, table) = self.words(&self.shape.configuration()?)?;
        let plan = Plan { machine: self.machine.as_deref(), shift: 0, words, table, limit: self.limit };
        let session = plan.boot(&self.shape)?;
        if let Some(file) = &self.console {
            write(file, &session.ended.console)?;
        }
        let console = Console::read(&session.text())?;
        if let Some(file) = &self.trace {
            write(file, lines(&console.events)?.as_bytes())?;
        }
        if self.json {
            println!("{}", self.figures(&session, &console)?);
        } else {
            session
                .text()
                .lines()
                .filter(|line| !line.starts_with("event "))
                .for_each(|line| println!("{}", printable(line)));
        }
        session.passed()?;
        complete(&console, self.trace.is_some())
    }

    /// The kernel's command line, and the task table that it is handed.
    fn words(&self, configuration: &Configuration) -> Result<(String, Option<Vec<u8>>), String> {
        let duration_ms = self.duration.as_ns() / 1_000_000;
        match self.scenario.as_str() {
            kind @ ("scenario" | "inversion") => Ok((format!("{kind} duration_ms={duration_ms}"), None)),
            "insertion" => {
                let (threads, heads, seed) = (self.threads, self.heads, self.seed);
                Ok((format!("insertion threads={threads} heads={heads} seed={seed} duration_ms=1"), None))
            }
            kind @ ("measure" | "together" | "ping-pong") => {
                let (threads, seed, parts) = (self.threads, self.seed, u8::from(self.parts));
                Ok((format!("{kind} threads={threads} seed={seed} parts={parts} duration_ms={duration_ms}"), None))
            }
            file => {
                let tasks = Tasks::of_file(Path::new(file), &self.reading, configuration)?;
                tasks.remarks.iter().for_each(|remark| eprintln!("{remark}"));
                let table = table::bytes(&tasks.records(), configuration)?;
                Ok((format!("scenario duration_ms={duration_ms}"), Some(table)))
            }
        }
    }

    fn figures(&self, session: &Session, console: &Console) -> Result<String, String> {
        let Session { machine, emulator, ended } = session;
        let figures = Figures {
            scenario: &self.scenario,
            shape: &self.shape.shape,
            machine: &machine.name,
            processors: machine.processors,
            instruction_ns: instruction_ns(machine.time),
            threads: self.threads,
            seed: self.seed,
            duration_ns: self.duration.as_ns(),
            ending: ended.ending.name(),
            reason: ended.ending.to_string(),
            elapsed_ns: ended.elapsed.as_nanos() as u64,
            emulator: emulator.version(),
            pinned: emulator.is_pinned(),
            command: &ended.command,
            caveats: caveats(machine),
            console,
        };
        serde_json::to_string_pretty(&figures).map_err(|error| error.to_string())
    }
}

/// The kernel has room for so many samples of a kind, and so many events: figures of the first ones are no figures of the run.
fn complete(console: &Console, is_traced: bool) -> Result<(), String> {
    let number = |of: &Map<String, Value>, key: &str| of.get(key).and_then(Value::as_u64).unwrap_or(0);
    let of_events = console.jobs.iter().filter(|_| is_traced).map(|jobs| ("events", number(jobs, "events_lost")));
    let of_samples = console.costs.iter().map(|cost| {
        let name = cost.get("name").and_then(Value::as_str).unwrap_or("samples");
        (name, number(cost, "lost"))
    });
    let lost: Vec<String> = of_samples
        .chain(of_events)
        .filter(|(_, lost)| *lost > 0)
        .map(|(name, lost)| format!("{} of {name}", grouped(lost)))
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the kernel had no room for all samples: lost {}; the figures are of the first ones; use a shorter --duration or fewer --threads",
        lost.join(", ")
    ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_lost_samples_fails_and_says_how_many_of_which() {
        let text = |lost: u64, events: u64| {
            format!(
                "cost switch count 5 lost {lost} max 9 mean 3 median 2 max_less_8 2 max_less_1_percent 2\n\
                 jobs due 5 arrived 5 served 5 events_lost {events} processors 1\n"
            )
        };
        let read = |lost, events| Console::read(&text(lost, events)).unwrap();
        complete(&read(0, 0), true).unwrap();
        assert!(complete(&read(98_134, 0), false).unwrap_err().contains("lost 98,134 of switch;"));
        complete(&read(0, 7), false).unwrap();
        assert!(complete(&read(0, 7), true).unwrap_err().contains("lost 7 of events;"));
    }
}
