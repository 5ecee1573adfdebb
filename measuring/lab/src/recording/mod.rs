//! Watching a guest from outside: the same boot again with a plugin that records what the processor executes.
//!
//! ```text
//! job ─► symbols: another boot of its kernel, once for each kernel and its modules, kept in the cache
//!     ─► clocks:  the job again, with every reading of the time-stamp counter
//!     ─► windows: the job again, with the blocks executed in windows
//!     ─► steps:   the job again, with the instants at which interrupts and preemption go off and on, and the code that ran
//! ```
//! The plugin only reads and counts, and the guest cannot notice it. The caller compares the guest's answer with the recorded run.

mod record;
mod sources;
mod symbol_file;
mod symbols;
mod symbols_boot;

pub use record::{Block, ClockReading, CodeRange, Event, Last, Recording, Step, StepKind, Window};
pub(crate) use sources::is_old as is_old_program;
pub(crate) use symbols::is_interrupt;
pub use symbols::{Function, Symbols, is_common_interrupt};
pub(crate) use symbols_boot::FILE as SYMBOLS_FILE;

use crate::architecture::Architecture;
use crate::command_line;
use crate::error::LabError;
use crate::guest::GuestLook;
use crate::guest_job::{GuestAnswer, GuestJob, Lab};
use crate::machine::Time;
use crate::observer::Observer;
use prazo_core::text::counted;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;

/// Watches guests of one kernel.
#[derive(Clone, Debug)]
pub struct PluginRecorder {
    plugin: PathBuf,
    symbols: Symbols,
}

/// A window to be recorded, in instructions since the guest's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowRequest {
    /// First instruction.
    pub from: u64,
    /// Behind the last one.
    pub to: u64,
}

/// A boot that was watched.
#[derive(Clone, Debug)]
pub struct RecordedBoot {
    /// The guest's answer.
    pub answer: GuestAnswer,
    /// What the plugin wrote.
    pub recording: Recording,
}

impl PluginRecorder {
    /// The plugin and the symbols for a job's guest: of the cache, or made now.
    pub fn find(job: &GuestJob, lab: &Lab, look: &mut dyn FnMut(GuestLook) -> bool) -> Result<Self, LabError> {
        check(job)?;
        let plugin = sources::WATCH.built(lab.cache())?;
        let symbols = symbols_boot::symbols(job, lab, look)?;
        Ok(Self { plugin, symbols })
    }

    /// The guest's symbols.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Runs a job and records every reading of the time-stamp counter.
    pub fn clocks(
        &self,
        job: &GuestJob,
        lab: &Lab,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<RecordedBoot, LabError> {
        self.watched(job, lab, "clocks=1", "the clock readings of a whole boot".to_owned(), look)
    }

    /// Runs a job and records what is executed in these windows, which are in order and do not overlap.
    pub fn windows(
        &self,
        job: &GuestJob,
        lab: &Lab,
        windows: &[WindowRequest],
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<RecordedBoot, LabError> {
        let all: Vec<_> = windows.iter().map(|window| format!("{}-{}", window.from, window.to)).collect();
        let instructions = windows.iter().map(|window| window.to - window.from).sum();
        let what = format!("{} of {}", counted(windows.len() as u64, "window"), counted(instructions, "instruction"));
        self.watched(job, lab, &format!("windows={}", all.join(":")), what, look)
    }

    /// Runs a job and records in one window when interrupts and preemption go off and on.
    pub fn steps(
        &self,
        job: &GuestJob,
        lab: &Lab,
        window: WindowRequest,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<RecordedBoot, LabError> {
        let (symbols, architecture) = (&self.symbols, job.machine.architecture);
        let address = |name| symbols.address_of(name).ok_or(format!("function {name}"));
        let words = || {
            let schedule = address("__schedule")?;
            Ok(match architecture {
                Architecture::X86_64 => {
                    let count = symbols.preempt_count().ok_or("__preempt_count or pcpu_hot".to_owned())?;
                    format!("schedule={schedule:#x},count={count:#x}")
                }
                _ => format!("schedule={schedule:#x},timer={:#x}", address("hrtimer_interrupt")?),
            })
        };
        let words = words().map_err(|lacks: String| LabError::NoSymbols {
            platform: format!("lab:{}", job.platform.name),
            why: format!("the symbols contain no {lacks}"),
        })?;
        let WindowRequest { from, to } = window;
        let words = format!("windows={from}-{to},steps=1,{words}");
        let what = format!(
            "the interrupt-off and preemption-off sections in a window of {}",
            counted(to - from, "instruction")
        );
        self.watched(job, lab, &words, what, look)
    }

    fn watched(
        &self,
        job: &GuestJob,
        lab: &Lab,
        words: &str,
        what: String,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<RecordedBoot, LabError> {
        let words = [words, &self.addresses(job.machine.architecture)].concat();
        let observer = Observer { plugin: self.plugin.clone(), words, what };
        let (answer, mut file) = job.run_observed(lab, &observer, look)?;
        let mut bytes = Vec::new();
        read(&mut file, &mut bytes).map_err(LabError::system("read the recording of a guest"))?;
        Ok(RecordedBoot { answer, recording: Recording::parse(&bytes)? })
    }

    /// The processor, and where the plugin finds threads and faults.
    fn addresses(&self, architecture: Architecture) -> String {
        let symbols = &self.symbols;
        let processor = Some(format!(",processor={architecture}"));
        let entry = symbols.entry().map(|(from, to)| format!(",entry={from:#x}-{to:#x}"));
        let switch = architecture.switches_in().and_then(|name| symbols.address_of(name));
        let switch = switch.map(|address| format!(",switch={address:#x}"));
        let idle = symbols.first_task().map(|address| format!(",idle={address:#x}"));
        let vectors = symbols.vectors().map(|address| format!(",vectors={address:#x}"));
        [processor, entry, switch, idle, vectors].into_iter().flatten().collect()
    }
}

fn read(file: &mut File, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    file.rewind()?;
    file.read_to_end(bytes).map(drop)
}

/// Refuses guests that do not repeat themselves, and those with processors that the plugin does not know.
pub fn check(job: &GuestJob) -> Result<(), LabError> {
    let machine = &job.machine;
    let why = match machine.time {
        _ if machine.architecture.switches_in().is_none() => "the guest's processor is neither x86-64 nor 64-bit Arm",
        Time::Free => "the guest runs on the host's clock, so its run cannot be repeated",
        Time::Counted { .. } if !command_line::is_recorded(machine) => "the guest has several processors",
        Time::Counted { .. } => return Ok(()),
    };
    Err(LabError::NotWatched { platform: format!("lab:{}", job.platform.name), why })
}
