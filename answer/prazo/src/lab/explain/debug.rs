//! A debugger at the due instant: an activation is found as for an explanation, and the run's boot is replayed up to that instruction.
//!
//! ```text
//! run ─► found and recorded (two boots) ─► boot with the emulator's log ─► replay, stopped where the activation is due ─► gdb
//! ```
//! Every boot must repeat the run's samples, and the replay must stop at the instruction that was recorded there.

use super::sentence::micros;
use super::subject::{LabRun, Subject, listed, shown, watch_error, worst};
use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_core::text::grouped;
use prazo_lab::debugger::{self, Due, StoppedReplay};
use prazo_lab::recording::{Event, PluginRecorder, Recording};
use prazo_lab::{Lab, LabError};
use prazo_platform::programs;
use prazo_run::run::WorstSample;
use prazo_run::{Run, store};
use prazo_sys::child;
use std::fmt;
use std::process::Command;
use std::time::Duration;

/// How often a replay without a gdb of its own is looked at.
const GLANCE: Duration = Duration::from_millis(250);

/// What is debugged.
#[derive(Clone, Debug)]
pub struct DebugRequest {
    /// The run that was measured in the lab.
    pub run: LabRun,
    /// Number of the activation; `None` for the worst one.
    pub activation: Option<u64>,
}

/// A replay that is stopped where an activation was due. Its text says so, and how gdb attaches.
pub struct DebugSession {
    replay: StoppedReplay,
    sample: WorstSample,
    instruction: u64,
    address: u64,
    function: Option<String>,
    was_idle: bool,
}

/// Stops a replay of the run's boot where an activation was due.
///
/// # Errors
/// As for an explanation; also where the run does not list the activation, or its guest has another processor than x86-64.
pub fn stop_at_due(request: &DebugRequest, progress: &mut dyn Progress) -> Result<DebugSession, Error> {
    let run = store::open(&request.run.file).map_err(Error::reading)?;
    let lab = Lab::find().map_err(lab_error)?;
    let mut subject = Subject::of(&request.run, &run, 1, &lab)?;
    debugger::check(&subject.job).map_err(refused)?;
    subject.samples = vec![chosen(&run, request.activation)?];
    let watcher = PluginRecorder::find(&subject.job, &lab, &mut subject.look(progress, "reading symbols"));
    let watcher = watcher.map_err(watch_error)?;
    let (_, found) = subject.found(&watcher, &lab, progress)?;
    let (watched, activations) = subject.recorded(&found, &watcher, &lab, progress)?;
    let (activation, found) = (&activations[0], &found[0]);
    let logged = debugger::record(&subject.job, &lab, &mut subject.look(progress, "recording a log"));
    let logged = logged.map_err(refused)?;
    subject.again.compare(&logged.answer)?;
    let symbols = watcher.symbols();
    let due = Due {
        counter: found.counter - found.latency,
        counted: activation.span.from,
        instruction_ns: activation.instruction_ns,
        was_idle: activation.span.was_idle_at_due,
    };
    let mut look = shown(progress, &subject.job, "replaying");
    let replay = StoppedReplay::start(&subject.job, &lab, &logged, &due, symbols, &mut look);
    drop(look);
    let mut replay = replay.map_err(refused)?;
    progress.measured();
    let address = replay.program_counter().map_err(refused)?;
    let instruction = replay.instructions();
    if !due.was_idle
        && let Some(block) = block_at(&watched.recording, due.counted)
        && !block.contains(&address)
    {
        let why = format!(
            "after {instruction} instructions the replay is at address {address:#x}, and the recorded boot executed {:#x} to {:#x} there",
            block.start, block.end
        );
        return Err(Error::failed(why).with_remedy("try again; report this if it happens again"));
    }
    let function = symbols.at(address).map(|function| function.name.clone());
    let (sample, was_idle) = (activation.sample, activation.span.was_idle_at_due);
    Ok(DebugSession { replay, sample, instruction, address, function, was_idle })
}

/// The code that was executed after so many instructions; `None` where the processor was halted there.
fn block_at(recording: &Recording, instruction: u64) -> Option<std::ops::Range<u64>> {
    let events = recording.windows.iter().flat_map(|window| &window.events);
    events.into_iter().find_map(|event| match event {
        Event::Run { block, at, executed, .. } if (*at..*at + u64::from(*executed)).contains(&instruction) => {
            let block = recording.blocks.get(*block)?;
            Some(block.address..block.address + u64::from(block.bytes))
        }
        _ => None,
    })
}

/// The activation of this number, which the run must list; or the worst one.
fn chosen(run: &Run, activation: Option<u64>) -> Result<WorstSample, Error> {
    let listed = listed(run);
    let Some(number) = activation else { return Ok(worst(run, 1)?[0]) };
    listed.iter().find(|sample| sample.activation == number).copied().ok_or_else(|| {
        const SHOWN: usize = 10;
        let known: Vec<_> = listed.iter().take(SHOWN).map(|sample| sample.activation.to_string()).collect();
        let more = if listed.len() > SHOWN { format!(" and {} more", listed.len() - SHOWN) } else { String::new() };
        Error::field("debug", "the run does not list this activation among its worst")
            .with_value(number)
            .with_remedy(format!("give one of {}{more}, which are ordered from the worst on", known.join(", ")))
    })
}

fn refused(error: LabError) -> Error {
    match error {
        LabError::NotDebugged { .. } => Error::refused(error),
        other => watch_error(other),
    }
}

impl DebugSession {
    /// Runs gdb in this terminal until it ends; false where there is no gdb.
    pub fn run_gdb(&mut self) -> Result<bool, Error> {
        let Some(gdb) = programs::find("gdb") else { return Ok(false) };
        let mut command = Command::new(gdb);
        command.arg("-x").arg(self.replay.commands());
        // gdb has a use for the terminal's interrupt, and prazo has none while gdb runs.
        let failed = |error: std::io::Error| Error::failed(error).attempting("cannot run gdb");
        prazo_sys::signal::outlive_interrupts().map_err(failed)?;
        child::tie_to_caller(&mut command).status().map_err(failed)?;
        Ok(true)
    }

    /// Waits until a debugger was attached and is no longer, the emulator has ended, or the caller asks to stop.
    pub fn wait(&mut self, is_stopped: &dyn Fn() -> bool) {
        let mut was_attached = false;
        while !is_stopped() {
            match self.replay.is_attached() {
                Ok(attached) if was_attached && !attached => return,
                Ok(attached) => was_attached |= attached,
                // gdb's `kill` ends the emulator.
                Err(_) => return,
            }
            std::thread::sleep(GLANCE);
        }
    }
}

impl fmt::Display for DebugSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sample, instruction, address, .. } = self;
        let latency = micros(sample.latency_ns.unsigned_abs());
        writeln!(f, "Activation {} had a latency of {latency}.", sample.activation)?;
        let function = self.function.as_deref().unwrap_or("code without a symbol");
        let stopped = grouped(*instruction);
        writeln!(
            f,
            "The replay is stopped where it was due: after {stopped} instructions, at {address:#x} in {function}."
        )?;
        if self.was_idle {
            writeln!(f, "The processor was halted there.")?;
        }
        writeln!(f, "To attach: gdb -x {}", self.replay.commands().display())?;
        write!(f, "The replay ends when gdb ends or detaches, or with Ctrl-C.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_lab::recording::{Block, Last, Window};

    #[test]
    fn the_code_at_an_instruction_is_that_of_its_block() {
        let block = Block { address: 0x1000, instructions: 4, to_cli: 4, bytes: 12, last: Last::Other };
        let run = |at, executed| Event::Run { block: 0, at, executed, interrupts_on: true, stack: 0 };
        let window = Window { events: vec![run(10, 4), Event::Idle { at: 14 }, run(14, 2)], ..Window::default() };
        let recording = Recording { blocks: vec![block], windows: vec![window], ..Recording::default() };
        assert_eq!(block_at(&recording, 13), Some(0x1000..0x100c));
        assert_eq!(block_at(&recording, 15), Some(0x1000..0x100c));
        assert_eq!(block_at(&recording, 16), None);
    }
}
