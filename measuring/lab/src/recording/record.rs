//! What the plugin wrote, read back: blocks, windows and what happened in them (the layout is `plugin/record.h`).

use crate::error::LabError;
use std::io::{ErrorKind, Read};

/// What is attempted with the file that the plugin wrote.
pub(super) const READ: &str = "read the recording of a guest";

/// Bytes of one record.
const LENGTH: usize = 32;

/// Everything that the plugin wrote in one boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Blocks of instructions; a number in an event is a place in this list.
    pub blocks: Vec<Block>,
    /// Readings of the time-stamp counter outside of windows, in order.
    pub clocks: Vec<ClockReading>,
    /// The windows, in order.
    pub windows: Vec<Window>,
    /// Instructions of the whole boot.
    pub instructions: u64,
    /// Blocks executed in the whole boot.
    pub blocks_executed: u64,
}

/// Instructions that are executed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its address.
    pub address: u64,
    /// How many instructions.
    pub instructions: u16,
    /// How many of them up to and with the first one that turns interrupts off; all where none does.
    pub to_cli: u16,
    /// How many bytes.
    pub bytes: u32,
    /// What the last of them does.
    pub last: Last,
}

/// What the last instruction of a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// It goes on behind the block.
    Other,
    /// It calls a function.
    Call,
    /// It returns from one.
    Return,
    /// It goes somewhere else.
    Jump,
    /// It may go somewhere else.
    Branch,
    /// It enters the kernel.
    SystemCall,
    /// It leaves the kernel.
    SystemReturn,
    /// It returns from an interrupt or a fault.
    InterruptReturn,
    /// It halts the processor.
    Halt,
}

/// A reading of the time-stamp counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockReading {
    /// Whether a user program read it.
    pub in_user_mode: bool,
    /// A number that tells threads apart; 0 before the first switch of threads.
    pub thread: u32,
    /// Instructions executed until then, with the one that read it.
    pub instructions: u64,
    /// What was read.
    pub counter: u64,
    /// Where the block is that read it.
    pub address: u64,
}

/// What happened in one window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Instructions executed when it opened.
    pub opened: u64,
    /// Instructions executed when it closed.
    pub closed: u64,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// When preemption went off and on; where steps were requested, also interrupts and the rest; in order.
    pub steps: Vec<Step>,
    /// The kernel's code that was executed, where steps were requested: each block at least once.
    pub executed: Vec<CodeRange>,
}

/// Code that was executed; of a block that a fault left early, also what lies behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeRange {
    /// Its first byte.
    pub from: u64,
    /// Behind its last one.
    pub to: u64,
}

/// One step: interrupts, preemption, or the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Instructions executed before it.
    pub at: u64,
    /// What happened.
    pub what: StepKind,
}

/// What happened at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Interrupts went on or off.
    Interrupts {
        /// Whether they are on from here.
        on: bool,
        /// Address of the block.
        address: u64,
    },
    /// The preempt count was written.
    Preemption {
        /// Its new value.
        count: u32,
        /// Address of the instruction.
        address: u64,
    },
    /// The kernel's entry code was entered by an interrupt or a fault, or goes on after a call of other code.
    Entered {
        /// The vector that the entry pushed; `None` where it pushes none.
        vector: Option<u32>,
        /// Address of the block; within a function where the entry code goes on.
        address: u64,
    },
    /// A return from an interrupt or a fault.
    Left,
    /// The scheduler begins.
    Scheduler,
    /// From here on another thread runs.
    Switched {
        /// Its task structure.
        task: u64,
    },
    /// The handler of the timer that threads wait for begins.
    Timer,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A block was executed.
    Run {
        /// Its place in the list of blocks.
        block: usize,
        /// Instructions executed before it.
        at: u64,
        /// How many of its instructions were executed; fewer than all where a fault left it.
        executed: u16,
        /// Whether interrupts were on when it began.
        interrupts_on: bool,
        /// The stack pointer when it began.
        stack: u64,
    },
    /// The time-stamp counter was read.
    Clock(ClockReading),
    /// From here on another thread runs.
    Thread {
        /// Its task structure.
        task: u64,
        /// Its name; empty where it could not be read.
        name: String,
    },
    /// The processor halted until the next interrupt.
    Idle {
        /// Instructions executed before it.
        at: u64,
    },
}

/// Interrupts are on while this bit of the flags is set.
const INTERRUPT_FLAG: u64 = 1 << 9;

/// One record as it lies in the file.
struct Raw {
    kind: u32,
    a: u32,
    b: u64,
    c: u64,
    d: u64,
}

impl Recording {
    /// Reads what the plugin wrote, and hands over each window once it is complete; a file that does not end as one is refused.
    pub(super) fn read(
        mut from: impl Read,
        take: &mut dyn FnMut(&Recording, Window) -> Result<(), LabError>,
    ) -> Result<Self, LabError> {
        let mut reading = Reading::default();
        let mut is_whole = false;
        while let Some(record) = record(&mut from)? {
            if is_whole {
                return Err(broken("the recording has data after its end"));
            }
            is_whole = reading.take(&Raw::of(&record))?;
            if let Some(window) = reading.closed.take() {
                take(&reading.recording, window)?;
            }
        }
        if is_whole && reading.open.is_none() {
            Ok(reading.recording)
        } else {
            Err(broken("the recording has no end; is the disk for temporary files full?"))
        }
    }
}

/// The next record; `None` behind the last one.
fn record(from: &mut impl Read) -> Result<Option<[u8; LENGTH]>, LabError> {
    let (mut record, mut length) = ([0; LENGTH], 0);
    while length < LENGTH {
        match from.read(&mut record[length..]) {
            Ok(0) if length == 0 => return Ok(None),
            Ok(0) => return Err(broken("the last record is truncated")),
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(LabError::system(READ)(error)),
        }
    }
    Ok(Some(record))
}

fn broken(why: &str) -> LabError {
    LabError::Recording { why: why.to_owned() }
}

impl Raw {
    fn of(bytes: &[u8; LENGTH]) -> Self {
        let small = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        let large = |at: usize| u64::from(small(at)) | u64::from(small(at + 4)) << 32;
        Self { kind: small(0), a: small(4), b: large(8), c: large(16), d: large(24) }
    }
}

#[derive(Default)]
struct Reading {
    recording: Recording,
    /// The window that is being read.
    open: Option<Window>,
    /// One that is complete.
    closed: Option<Window>,
}

impl Reading {
    /// Takes one record; true where it is the last one.
    fn take(&mut self, raw: &Raw) -> Result<bool, LabError> {
        match raw.kind {
            1 => self.block(raw)?,
            2 => self.run(raw)?,
            3 => self.partial(raw)?,
            4 => self.clock(raw),
            5 => self.event(Event::Thread { task: raw.b, name: name(raw) })?,
            6 => self.event(Event::Idle { at: raw.b })?,
            7 => self.open = Some(Window { opened: raw.b, ..Window::default() }),
            8 => {
                let window = self.window()?;
                window.closed = raw.b;
                // A block's steps are known when it ends, but for writes of the preempt count.
                window.steps.sort_by_key(|step| step.at);
                self.closed = self.open.take();
            }
            11..=16 | 18 => self.step(raw)?,
            17 => {
                let to = raw
                    .c
                    .checked_add(raw.a.into())
                    .ok_or_else(|| broken("the recording has a block without an end"))?;
                self.window()?.executed.push(CodeRange { from: raw.c, to });
            }
            9 => {
                (self.recording.instructions, self.recording.blocks_executed) = (raw.b, raw.c);
                return Ok(true);
            }
            _ => return Err(broken("the recording has a record of an unknown kind")),
        }
        Ok(false)
    }

    /// Blocks are numbered from 1.
    fn block(&mut self, raw: &Raw) -> Result<(), LabError> {
        if raw.a as usize != self.recording.blocks.len() + 1 {
            return Err(broken("the blocks of instructions are out of order"));
        }
        let last =
            last(raw.c >> 16 & 0xffff).ok_or_else(|| broken("the last instruction of a block has an unknown kind"))?;
        let (instructions, to_cli) = (raw.c as u16, (raw.c >> 32) as u16);
        self.recording.blocks.push(Block { address: raw.b, instructions, to_cli, bytes: raw.d as u32, last });
        Ok(())
    }

    fn run(&mut self, raw: &Raw) -> Result<(), LabError> {
        let block = (raw.a as usize).wrapping_sub(1);
        let executed = self
            .recording
            .blocks
            .get(block)
            .ok_or_else(|| broken("the recording refers to a block that is not in it"))?
            .instructions;
        let interrupts_on = raw.c & INTERRUPT_FLAG != 0;
        self.event(Event::Run { block, at: raw.b, executed, interrupts_on, stack: raw.d })
    }

    fn partial(&mut self, raw: &Raw) -> Result<(), LabError> {
        let events = &mut self.window()?.events;
        let run = events.iter_mut().rev().find_map(|event| match event {
            Event::Run { executed, .. } => Some(executed),
            _ => None,
        });
        // The block before the window's first one may be the one that was left.
        if let Some(executed) = run {
            *executed = (*executed).min(raw.a as u16);
        }
        Ok(())
    }

    fn clock(&mut self, raw: &Raw) {
        let (in_user_mode, thread) = (raw.a & 1 != 0, raw.a >> 1);
        let reading = ClockReading { in_user_mode, thread, instructions: raw.b, counter: raw.c, address: raw.d };
        match &mut self.open {
            Some(window) => window.events.push(Event::Clock(reading)),
            None => self.recording.clocks.push(reading),
        }
    }

    fn step(&mut self, raw: &Raw) -> Result<(), LabError> {
        let what = match raw.kind {
            11 => StepKind::Interrupts { on: raw.a != 0, address: raw.c },
            12 => StepKind::Preemption { count: raw.a, address: raw.c },
            13 => StepKind::Entered { vector: (raw.a != u32::MAX).then_some(raw.a), address: raw.c },
            14 => StepKind::Left,
            15 => StepKind::Scheduler,
            18 => StepKind::Timer,
            _ => StepKind::Switched { task: raw.c },
        };
        self.window()?.steps.push(Step { at: raw.b, what });
        Ok(())
    }

    fn event(&mut self, event: Event) -> Result<(), LabError> {
        self.window()?.events.push(event);
        Ok(())
    }

    fn window(&mut self) -> Result<&mut Window, LabError> {
        self.open.as_mut().ok_or_else(|| broken("the recording has a record outside of its windows"))
    }
}

/// Up to sixteen bytes, ended by a zero.
fn name(raw: &Raw) -> String {
    let bytes = [raw.c.to_le_bytes(), raw.d.to_le_bytes()].concat();
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

fn last(number: u64) -> Option<Last> {
    const ALL: [Last; 9] = [
        Last::Other,
        Last::Call,
        Last::Return,
        Last::Jump,
        Last::Branch,
        Last::SystemCall,
        Last::SystemReturn,
        Last::InterruptReturn,
        Last::Halt,
    ];
    ALL.get(usize::try_from(number).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(kind: u32, a: u32, b: u64, c: u64, d: u64) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &a.to_le_bytes(), &b.to_le_bytes(), &c.to_le_bytes(), &d.to_le_bytes()].concat()
    }

    fn parse(bytes: &[u8]) -> Result<Recording, LabError> {
        let mut windows = Vec::new();
        let recording = Recording::read(bytes, &mut |_, window| {
            windows.push(window);
            Ok(())
        })?;
        Ok(Recording { windows, ..recording })
    }

    fn recorded() -> Vec<Vec<u8>> {
        vec![
            raw(4, 7 << 1 | 1, 10, 1_000, 0x40),
            raw(7, 0, 90, 0, 0),
            raw(5, 0, 0xff, u64::from_le_bytes(*b"agent\0\0\0"), 0),
            raw(1, 1, 0x1000, 5 | 1 << 16 | 2 << 32, 17),
            raw(2, 1, 90, 1 << 9, 0x8000),
            raw(3, 3, 0, 0, 0),
            raw(4, 0, 93, 1_664, 0x1000),
            raw(6, 0, 93, 0, 0),
            raw(8, 0, 93, 0, 0),
            raw(9, 0, 200, 40, 0),
        ]
    }

    #[test]
    fn a_window_is_read_with_its_blocks_threads_clocks_and_halts() {
        let read = parse(&recorded().concat()).unwrap();
        let of_thread = ClockReading { in_user_mode: true, thread: 7, instructions: 10, counter: 1_000, address: 0x40 };
        let of_kernel = ClockReading { instructions: 93, counter: 1_664, address: 0x1000, ..ClockReading::default() };
        assert_eq!(read.clocks, [of_thread]);
        assert_eq!(read.blocks, [Block { address: 0x1000, instructions: 5, to_cli: 2, bytes: 17, last: Last::Call }]);
        assert_eq!((read.instructions, read.blocks_executed), (200, 40));
        assert_eq!((read.windows[0].opened, read.windows[0].closed), (90, 93));
        assert_eq!(
            read.windows[0].events,
            [
                Event::Thread { task: 0xff, name: "agent".into() },
                Event::Run { block: 0, at: 90, executed: 3, interrupts_on: true, stack: 0x8000 },
                Event::Clock(of_kernel),
                Event::Idle { at: 93 },
            ]
        );
    }

    #[test]
    fn steps_are_put_in_order() {
        let records = [
            raw(7, 0, 10, 0, 0),
            raw(12, 0x8000_0001, 40, 0xa1, 0),
            raw(11, 0, 30, 0xa0, 0),
            raw(13, u32::MAX, 50, 0xe0, 0),
            raw(16, 0, 60, 0x70, 0),
            raw(17, 12, 60, 0x900, 0),
            raw(8, 0, 90, 0, 0),
            raw(9, 0, 200, 40, 0),
        ];
        let read = parse(&records.concat()).unwrap();
        let steps: Vec<_> = read.windows[0].steps.iter().map(|step| (step.at, step.what)).collect();
        assert_eq!(
            steps,
            [
                (30, StepKind::Interrupts { on: false, address: 0xa0 }),
                (40, StepKind::Preemption { count: 0x8000_0001, address: 0xa1 }),
                (50, StepKind::Entered { vector: None, address: 0xe0 }),
                (60, StepKind::Switched { task: 0x70 }),
            ]
        );
        assert_eq!(read.windows[0].executed, [CodeRange { from: 0x900, to: 0x90c }]);
    }

    #[test]
    fn what_is_cut_off_anywhere_is_refused() {
        let whole = recorded().concat();
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "cut off at {length}");
        }
        let error = parse(&whole[..whole.len() - LENGTH]).unwrap_err().to_string();
        assert!(error.contains("no end") && error.contains("full"), "{error}");
        assert!(parse(&[whole.clone(), raw(6, 0, 1, 0, 0)].concat()).is_err());
    }

    #[test]
    fn a_block_that_was_not_described_and_an_event_outside_of_a_window_are_refused() {
        let end = raw(9, 0, 0, 0, 0);
        let open = raw(7, 0, 0, 0, 0);
        assert!(parse(&[open.clone(), raw(2, 1, 0, 0, 0), end.clone()].concat()).is_err());
        assert!(parse(&[raw(6, 0, 0, 0, 0), end.clone()].concat()).is_err());
        assert!(parse(&[open, raw(77, 0, 0, 0, 0), end].concat()).is_err());
    }
}
