//! Watching a guest from outside: the same boot again with a plugin that records what the processor executes.
//!
//! ```text
//! job ─► symbols: another boot of its kernel, once for each kernel and its modules, kept in the cache
//!     ─► clocks:  the job again, with every reading of the time-stamp counter
//!     ─► windows: the job again, with the blocks executed in windows
//!     ─► steps:   the job again, with the instants at which interrupts and preemption go off and on, and the code that ran
//! ```
//! The plugin only reads and counts, and the guest cannot notice it. The caller compares the guest's answer with the recorded run.

pub(crate) mod preempt_count;
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
use std::io::{BufReader, Seek};
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

/// A boot whose recording is still to be read.
#[derive(Debug)]
pub struct UnreadBoot {
    /// The guest's answer.
    pub answer: GuestAnswer,
    file: File,
}

impl UnreadBoot {
    /// Reads the recording and hands over each window once it is complete, so that one window at a time is in memory. What comes back
    /// has no windows.
    pub fn each_window(
        self,
        take: &mut dyn FnMut(&Recording, Window) -> Result<(), LabError>,
    ) -> Result<Recording, LabError> {
        let mut file = self.file;
        file.rewind().map_err(LabError::system(record::READ))?;
        Recording::read(BufReader::with_capacity(1 << 20, file), take)
    }

    fn read(self) -> Result<RecordedBoot, LabError> {
        let (answer, mut windows) = (self.answer.clone(), Vec::new());
        let recording = self.each_window(&mut |_, window| {
            windows.push(window);
            Ok(())
        })?;
        Ok(RecordedBoot { answer, recording: Recording { windows, ..recording } })
    }
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
        let observer = self.observer(job, "clocks=1", &[], "the clock readings of a whole boot".to_owned());
        watched(job, lab, &observer, look)?.read()
    }

    /// Runs a job and records what is executed in these windows, which are in order and do not overlap.
    pub fn windows(
        &self,
        job: &GuestJob,
        lab: &Lab,
        windows: &[WindowRequest],
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<RecordedBoot, LabError> {
        self.unread_windows(job, lab, windows, look)?.read()
    }

    /// As [`PluginRecorder::windows`], for recordings that are too large to be read at once.
    pub fn unread_windows(
        &self,
        job: &GuestJob,
        lab: &Lab,
        windows: &[WindowRequest],
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<UnreadBoot, LabError> {
        let instructions = windows.iter().map(|window| window.to - window.from).sum();
        let what = format!("{} of {}", counted(windows.len() as u64, "window"), counted(instructions, "instruction"));
        let count = self.symbols.preempt_count().map(|count| format!(",count={count:#x}")).unwrap_or_default();
        watched(job, lab, &self.observer(job, &format!("counts=1{count}"), windows, what), look)
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
                    format!("steps=1,schedule={schedule:#x},count={count:#x}")
                }
                _ => format!("steps=1,schedule={schedule:#x},timer={:#x}", address("hrtimer_interrupt")?),
            })
        };
        let words = words().map_err(|lacks: String| LabError::NoSymbols {
            platform: format!("lab:{}", job.platform.name),
            why: format!("the symbols contain no {lacks}"),
        })?;
        let what = format!(
            "the interrupt-off and preemption-off sections in a window of {}",
            counted(window.to - window.from, "instruction")
        );
        watched(job, lab, &self.observer(job, &words, &[window], what), look)?.read()
    }

    fn observer(&self, job: &GuestJob, words: &str, windows: &[WindowRequest], what: String) -> Observer {
        let words = [words, &self.addresses(job.machine.architecture)].concat();
        let windows = windows.iter().map(|window| format!("{}-{}\n", window.from, window.to)).collect();
        Observer { plugin: self.plugin.clone(), words, windows, what }
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

fn watched(
    job: &GuestJob,
    lab: &Lab,
    observer: &Observer,
    look: &mut dyn FnMut(GuestLook) -> bool,
) -> Result<UnreadBoot, LabError> {
    let (answer, file) = job.run_observed(lab, observer, look)?;
    Ok(UnreadBoot { answer, file })
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
