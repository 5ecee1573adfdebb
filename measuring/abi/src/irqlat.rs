//! What the module irqlat and its reader say to each other: the twin of `include/irqlat.h`, which explains the fields.

use crate::{Record, record};

/// The version of everything in this file.
pub const ABI: u32 = 1;

/// `trigger`: a timer's interrupt.
pub const TRIGGER_HRTIMER: u32 = 1;
/// `trigger`: a timer's interrupt on another processor than the measured one.
pub const TRIGGER_PROCESSOR: u32 = 2;
/// `trigger`: a frame of type [`ETHERTYPE`].
pub const TRIGGER_ETHERNET: u32 = 3;

/// `source`: QEMU's parallel port.
pub const SOURCE_PARPORT: u32 = 1;
/// `source`: a parallel port with pin 9 wired to pin 10.
pub const SOURCE_LOOPBACK: u32 = 2;
/// `source`: QEMU's PCI device `edu`.
pub const SOURCE_EDU: u32 = 3;
/// `source`: two wired lines of a gpiochip.
pub const SOURCE_GPIO: u32 = 4;

/// `handler`: as the kernel does it.
pub const HANDLER_KERNEL: u32 = 1;
/// `handler`: in the interrupt.
pub const HANDLER_HARD: u32 = 2;
/// `handler`: in a thread.
pub const HANDLER_THREAD: u32 = 3;

/// `context`: the handler ran in the interrupt.
pub const CONTEXT_HARD: u32 = 1;
/// `context`: the handler ran in a thread.
pub const CONTEXT_THREAD: u32 = 2;

/// `task`: a thread of the kernel takes t3.
pub const TASK_KERNEL: u32 = 1;
/// `task`: a thread of the reader's takes t3.
pub const TASK_USER: u32 = 2;

/// `step`: all went well.
pub const STEP_DONE: u32 = 0;
/// `step`: a field of the plan cannot be.
pub const STEP_PLAN: u32 = 1;
/// `step`: no memory.
pub const STEP_MEMORY: u32 = 2;
/// `step`: the source's device is not there, or not free.
pub const STEP_SOURCE: u32 = 3;
/// `step`: its interrupt line cannot be had.
pub const STEP_LINE: u32 = 4;
/// `step`: the line cannot be moved to the measured processor.
pub const STEP_AFFINE: u32 = 5;
/// `step`: the line was raised and nothing came.
pub const STEP_SILENT: u32 = 6;
/// `step`: the trigger's device or processor is not there.
pub const STEP_TRIGGER: u32 = 7;
/// `step`: no task came to wait.
pub const STEP_TASK: u32 = 8;

/// The EtherType of prazo's raw frames, which can also trigger: the first of the two that IEEE 802 keeps for local
/// experiments.
pub const ETHERTYPE: u16 = 0x88B5;
/// The room for a device's name, its closing zero included.
pub const NAME_MAX: usize = 32;

record! {
    /// What shall be measured.
    pub struct Plan {
        /// [`ABI`].
        pub abi: u32,
        /// Who raises the line.
        pub trigger: u32,
        /// Which line.
        pub source: u32,
        /// Where the handler runs, as asked.
        pub handler: u32,
        /// Who takes t3.
        pub task: u32,
        /// The timer's processor.
        pub trigger_cpu: u32,
        /// The line's and the kernel task's processor, or -1.
        pub measured_cpu: i32,
        /// Room for so many samples, a power of two.
        pub ring_records: u32,
        /// How many triggers end it.
        pub triggers: u64,
        /// Between two triggers.
        pub period_ns: u64,
        /// Up to this long more.
        pub jitter_ns: u64,
        /// What the jitter is drawn from.
        pub seed: u64,
        /// When a raised line is given up.
        pub lost_after_ns: u64,
        /// The parallel port's address.
        pub port: u32,
        /// Its interrupt line.
        pub irq: u32,
        /// The output line's number in its chip.
        pub gpio_out: u32,
        /// The input line's number in its chip.
        pub gpio_in: u32,
        /// The card, or the gpiochip's label, closed by a zero.
        pub device: [u8; NAME_MAX],
    }
}

record! {
    /// What was found before the first trigger.
    pub struct Ready {
        /// Where it failed.
        pub step: u32,
        /// The line.
        pub irq: u32,
        /// Where the handler ran.
        pub context: u32,
        /// The thread that handles the line, or 0.
        pub irq_thread_pid: i32,
        /// The kernel task, or 0.
        pub task_pid: i32,
        /// How often the line was tried.
        pub line_probes: u32,
        /// The clock's smallest step.
        pub clock_step_min_ns: u64,
        /// So many stamps ...
        pub stamp_reads: u64,
        /// ... took so long.
        pub stamp_total_ns: u64,
        /// Raising the line with one stamp: the shortest ...
        pub raise_min_ns: u64,
        /// ... and the longest.
        pub raise_max_ns: u64,
    }
}

record! {
    /// What a user task brings to its next wait.
    pub struct Wait {
        /// When it ran.
        pub t3_ns: u64,
        /// Where.
        pub cpu: u32,
        /// Zero.
        pub reserved: u32,
    }
}

record! {
    /// What became of the triggers: sent = recorded + dropped + overruns + lost + outstanding.
    pub struct Counts {
        /// Triggers.
        pub sent: u64,
        /// Samples handed on.
        pub recorded: u64,
        /// Samples that found no room.
        pub dropped: u64,
        /// Triggers while a sample was outstanding.
        pub overruns: u64,
        /// Lines raised in vain.
        pub lost: u64,
        /// Under way, at most one.
        pub outstanding: u64,
        /// Handlers that ran for nothing.
        pub spurious: u64,
        /// Frames that never came.
        pub frames_missing: u64,
    }
}

record! {
    /// One sample.
    pub struct Sample {
        /// The trigger's number, from 0.
        pub sequence: u64,
        /// When the trigger was due, or 0.
        pub due_ns: u64,
        /// Before the line was raised.
        pub t1_ns: u64,
        /// In the interrupt, or 0.
        pub hard_ns: u64,
        /// In the handler.
        pub t2_ns: u64,
        /// In the task.
        pub t3_ns: u64,
        /// The trigger's processor.
        pub trigger_cpu: u32,
        /// The handler's processor.
        pub handler_cpu: u32,
        /// The task's processor.
        pub task_cpu: u32,
        /// Zero.
        pub reserved: u32,
    }
}

/// The size of what [`PREPARE`] takes and fills: a [`Plan`], then a [`Ready`].
pub const PREPARE_SIZE: usize = Plan::SIZE + Ready::SIZE;

/// ioctl: a plan in, what was found out.
pub const PREPARE: u32 = command(READ | WRITE, 1, PREPARE_SIZE);
/// ioctl: the triggers begin.
pub const ARM: u32 = command(0, 2, 0);
/// ioctl: a user task waits for its next activation.
pub const WAIT: u32 = command(WRITE, 3, Wait::SIZE);
/// ioctl: the counts so far.
pub const COUNTS: u32 = command(READ, 4, Counts::SIZE);
/// ioctl: the end.
pub const STOP: u32 = command(0, 5, 0);

const WRITE: u32 = 1;
const READ: u32 = 2;

/// A command's number as most architectures build it: direction, size, letter, number.
const fn command(direction: u32, number: u32, size: usize) -> u32 {
    direction << 30 | (size as u32) << 16 | (b'q' as u32) << 8 | number
}

impl Plan {
    /// A device's name with zeros behind it; `None` where it is too long.
    pub fn device_named(name: &str) -> Option<[u8; NAME_MAX]> {
        let mut room = [0; NAME_MAX];
        let part = room.get_mut(..name.len()).filter(|part| part.len() < NAME_MAX)?;
        part.copy_from_slice(name.as_bytes());
        Some(room)
    }
}
