//! A debugger at the due instant: an activation is found as for an explanation, and the run's boot is replayed up to that instruction.
//!
//! ```text
//! run ─► found and recorded (two boots) ─► boot with the emulator's log ─► replay, stopped where the activation is due ─► gdb
//! ```
//! Every boot must repeat the run's samples, and the replay must stop at the instruction that was recorded there.

use super::chosen::Chosen;
use super::sentence::micros;
use super::subject::{LabRun, Subject, watch_error};
use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_core::text::grouped;
use prazo_lab::calls::is_kernel;
use prazo_lab::debugger::{self, Due, StoppedReplay};
use prazo_lab::recording::{Block, Event, Recording};
use prazo_lab::{Lab, LabError};
use prazo_platform::programs;
use prazo_run::run::WorstSample;
use prazo_run::store;
use prazo_sys::child;
use std::collections::BTreeSet;
use std::fmt;
use std::process::Command;
use std::time::Duration;

/// Instructions before the due instant, at which the replay of a busy processor stops first.
const EARLY: u64 = 500;
/// Largest error of the stop that the guest's clock shows, in instructions.
const SLACK: u64 = 64;

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

/// A replay that is stopped where an activation was due. Its text says so.
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
    debugger::check(&subject.job).map_err(debug_error)?;
    if let Some(number) = request.activation {
        subject.chosen = Chosen::numbered(&run, number)?;
    }
    let watcher = subject.watcher(&lab, progress)?;
    let (_, found) = subject.found(&watcher, &lab, progress)?;
    let (watched, activations) = subject.recorded(&found, &watcher, &lab, progress)?;
    let (activation, found) = (&activations[0], &found[0]);
    let logged = debugger::record(&subject.job, &lab, &mut subject.look(progress, "recording a log"));
    let logged = logged.map_err(debug_error)?;
    subject.again.compare(&logged.answer)?;
    let symbols = watcher.symbols();
    let (was_idle, instruction_ns) = (activation.span.was_idle_at_due, activation.instruction_ns);
    // A busy processor is stopped a little earlier and goes on to the instruction that was recorded there.
    let early = if was_idle { 0 } else { EARLY };
    let counted = activation.span.from;
    let instant = found.counter.checked_sub(found.latency + early * instruction_ns);
    let (Some(counter), Some(first)) = (instant, counted.checked_sub(early)) else {
        return Err(other_instructions());
    };
    let due = Due { counter, counted: first, instruction_ns, was_idle };
    let mut look = subject.look(progress, "replaying");
    let replay = StoppedReplay::start(&subject.job, &lab, &logged, &due, symbols, &mut look);
    drop(look);
    let mut replay = replay.map_err(debug_error)?;
    progress.measured();
    if !was_idle {
        go_on_to(counted, &mut replay, &watched.recording)?;
    }
    let address = replay.program_counter().map_err(debug_error)?;
    // The replay stops before or behind the instruction that halts.
    let is_there =
        |block: &Block| place_in(block, address).is_some() || address == block.address + u64::from(block.bytes);
    if was_idle && !halted_by(&watched.recording, counted).is_some_and(is_there) {
        return Err(other_instructions());
    }
    let instruction = replay.instructions();
    let function = symbols.at(address).map(|function| function.name.clone());
    let sample = activation.sample;
    Ok(DebugSession { replay, sample, instruction, address, function, was_idle })
}

/// Goes on to the instruction that the plugin counted as this one. The emulator counts it as another one: where blocks begin shows by how
/// much they differ, which the guest's clock showed to a few instructions.
fn go_on_to(counted: u64, replay: &mut StoppedReplay, recording: &Recording) -> Result<(), Error> {
    let by_clock = replay.instructions() as i64 - (counted - EARLY) as i64;
    let mut offset = CountOffset { by_clock, possible: BTreeSet::new() };
    // The due instant is at least so many instructions away.
    for _ in 0..EARLY - SLACK {
        let (at, address) = (replay.instructions(), replay.program_counter().map_err(debug_error)?);
        offset.see(at, address, recording);
        replay.run_to(at + 1).map_err(debug_error)?;
    }
    if let (Some(offset), Some((begin, block))) = (offset.nearest(), block_at(recording, counted)) {
        let is_begin = begin.saturating_add_signed(offset) < replay.instructions()
            || is_in(block, begin.saturating_add_signed(offset), replay)? == Some(0);
        if is_begin && is_in(block, counted.saturating_add_signed(offset), replay)?.is_some() {
            return Ok(());
        }
    }
    Err(other_instructions())
}

/// Goes on to an instruction of the emulator's count, and returns where in a block it is.
fn is_in(block: &Block, at: u64, replay: &mut StoppedReplay) -> Result<Option<u64>, Error> {
    replay.run_to(at).map_err(debug_error)?;
    Ok(place_in(block, replay.program_counter().map_err(debug_error)?))
}

fn other_instructions() -> Error {
    Error::failed("the replay executes other instructions than the recorded boot where the activation is due")
        .with_remedy("choose another activation with --debug ACTIVATION; report this")
}

/// By how much the emulator's count of instructions may exceed the plugin's.
struct CountOffset {
    /// By the guest's clock, within [`SLACK`].
    by_clock: i64,
    /// Offsets that are consistent with the last blocks that began. Empty before the first one.
    possible: BTreeSet<i64>,
}

impl CountOffset {
    /// The replay is at an address after so many instructions. If recorded blocks begin there, only their offsets remain possible. Where
    /// none remains, the counts have moved against each other in between, and the search starts again.
    fn see(&mut self, at: u64, address: u64, recording: &Recording) {
        let events = recording.windows.iter().flat_map(|window| &window.events);
        let begin = events.filter_map(|event| match event {
            Event::Run { block, at, .. } if place_in(recording.blocks.get(*block)?, address) == Some(0) => Some(*at),
            _ => None,
        });
        let offsets = begin.map(|begin| at as i64 - begin as i64);
        let offsets: BTreeSet<i64> = offsets.filter(|offset| offset.abs_diff(self.by_clock) <= SLACK).collect();
        if offsets.is_empty() {
            return;
        }
        let left: BTreeSet<i64> = self.possible.intersection(&offsets).copied().collect();
        self.possible = if left.is_empty() { offsets } else { left };
    }

    /// The possible offset that is nearest to the clock's; several remain in a loop.
    fn nearest(&self) -> Option<i64> {
        self.possible.iter().copied().min_by_key(|offset| offset.abs_diff(self.by_clock))
    }
}

/// The block that was executed after so many instructions, and where it began; `None` where the processor was halted there.
fn block_at(recording: &Recording, instruction: u64) -> Option<(u64, &Block)> {
    let events = recording.windows.iter().flat_map(|window| &window.events);
    events.into_iter().find_map(|event| match event {
        Event::Run { block, at, executed, .. } if (*at..*at + u64::from(*executed)).contains(&instruction) => {
            Some((*at, recording.blocks.get(*block)?))
        }
        _ => None,
    })
}

/// The block that halted the processor after so many instructions.
fn halted_by(recording: &Recording, instruction: u64) -> Option<&Block> {
    let mut last = None;
    for event in recording.windows.iter().flat_map(|window| &window.events) {
        match event {
            Event::Run { block, .. } => last = recording.blocks.get(*block),
            Event::Idle { at } if *at == instruction => return last,
            _ => {}
        }
    }
    None
}

/// Where in a block an address is. The kernel lays out user programs at random, in the replay elsewhere than in the recorded boot: only
/// their places within pages are the same.
fn place_in(block: &Block, address: u64) -> Option<u64> {
    const PAGE: u64 = 4_096;
    let offset = match (is_kernel(block.address), is_kernel(address)) {
        (true, true) => address.checked_sub(block.address)?,
        (false, false) => address.wrapping_sub(block.address) % PAGE,
        _ => return None,
    };
    (offset < u64::from(block.bytes)).then_some(offset)
}

fn debug_error(error: LabError) -> Error {
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
        // The terminal's interrupt is for gdb.
        let failed = |error: std::io::Error| Error::failed(error).attempting("cannot run gdb");
        prazo_sys::signal::outlive_terminal_interrupts().map_err(failed)?;
        child::tie_to_caller(&mut command).status().map_err(failed)?;
        Ok(true)
    }

    /// How gdb attaches, where prazo does not start it.
    pub fn how_to_attach(&self) -> String {
        format!(
            "To attach: gdb -x {}\nThe replay ends when gdb ends or detaches, or with Ctrl-C.",
            self.replay.commands().display()
        )
    }

    /// Waits until a debugger was attached and is no longer, the emulator has ended, or the caller asks to stop.
    pub fn wait(&mut self, is_stopped: &dyn Fn() -> bool) {
        let mut was_attached = false;
        while !is_stopped() {
            match self.replay.is_attached(is_stopped) {
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_lab::recording::{Last, Window};

    /// The emulator counts 100 instructions less. Two blocks follow each other again and again, then comes a third one.
    #[test]
    fn the_offset_of_the_counts_is_the_one_that_all_blocks_agree_on_or_the_nearest_to_the_clock() {
        let block = |address| Block { address, instructions: 4, to_cli: 4, bytes: 12, last: Last::Other };
        let addresses = [1, 2, 3].map(|place| 0xffff_ffff_8100_0000 + 0x1000 * place);
        let order: Vec<usize> = (0..40).map(|number| number % 2).chain([2, 0]).collect();
        let run = |(number, block): (usize, &usize)| {
            let at = 1_000 + 4 * number as u64;
            Event::Run { block: *block, at, executed: 4, interrupts_on: true, stack: 0 }
        };
        let window = Window { events: order.iter().enumerate().map(run).collect(), ..Window::default() };
        let recording =
            Recording { blocks: addresses.map(block).to_vec(), windows: vec![window], ..Recording::default() };
        let mut offset = CountOffset { by_clock: -97, possible: BTreeSet::new() };
        let at = |place: usize| 1_000 + 4 * place as u64 - 100;
        for place in 20..24 {
            offset.see(at(place), addresses[order[place]], &recording);
            offset.see(at(place) + 1, addresses[order[place]] + 3, &recording);
        }
        assert!(offset.possible.len() > 5, "{:?}", offset.possible);
        assert_eq!(offset.nearest(), Some(-100));
        offset.see(at(40), addresses[2], &recording);
        assert_eq!((offset.possible.len(), offset.nearest()), (1, Some(-100)));
        // A block that a device access ends early moves the counts against each other.
        offset.see(at(40) - 3, addresses[2], &recording);
        assert_eq!((offset.possible.len(), offset.nearest()), (1, Some(-103)));
    }

    #[test]
    fn the_code_at_an_instruction_is_that_of_its_block() {
        let block = Block { address: 0x1000, instructions: 4, to_cli: 4, bytes: 12, last: Last::Other };
        let run = |at, executed| Event::Run { block: 0, at, executed, interrupts_on: true, stack: 0 };
        let window = Window { events: vec![run(10, 4), Event::Idle { at: 14 }, run(14, 2)], ..Window::default() };
        let recording = Recording { blocks: vec![block], windows: vec![window], ..Recording::default() };
        assert_eq!([13, 15].map(|at| block_at(&recording, at)), [Some((10, &block)), Some((14, &block))]);
        assert_eq!((halted_by(&recording, 14), halted_by(&recording, 13)), (Some(&block), None));
        assert_eq!(
            [0x1000, 0x100b, 0x100c, 0x7ffc_a003].map(|address| place_in(&block, address)),
            [Some(0), Some(11), None, Some(3)]
        );
        let kernel = Block { address: u64::MAX << 32, ..block };
        assert_eq!(
            [kernel.address + 3, kernel.address + 0x1003, 3].map(|at| place_in(&kernel, at)),
            [Some(3), None, None]
        );
        assert_eq!(block_at(&recording, 16), None);
    }
}
