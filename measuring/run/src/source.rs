//! What a run takes as the event: a timer of the system, an interrupt line behind the module, or a frame from outside.
//!
//! The source says where the first stamp of a latency comes from, and so what the figure includes. A plan of before there
//! were several is a timer's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which probe measures, and what it takes as the event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Source {
    /// A thread sleeps until an instant; the instant is the event.
    #[default]
    Timer,
    /// The module raises an interrupt and stamps trigger, handler and task.
    Interrupt(InterruptSource),
    /// A frame or datagram of another station is the event.
    Event(EventSource),
}

/// An interrupt line, and how its handler and its task run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptSource {
    /// What raises the interrupt.
    pub trigger: Trigger,
    /// The device behind the line.
    pub device: InterruptDevice,
    /// The line's number, where it is known before the run.
    pub line: Option<u32>,
    /// True where the handler runs in an interrupt thread: its first stamp is then the thread's.
    pub threaded: bool,
    /// Real-time priority of the interrupt thread, set before arming; `None` without such a thread or with the system's.
    pub thread_priority: Option<u8>,
    /// Where the task lives.
    pub task: TaskSide,
    /// Real-time priority of the task.
    pub task_priority: u8,
}

/// What raises the interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A high-resolution timer on the measured processor.
    Hrtimer,
    /// Another processor.
    OtherCpu,
    /// An Ethernet frame on a second network card.
    Frame,
}

/// The device whose interrupt line is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterruptDevice {
    /// A parallel port: QEMU's, or a real one with a loop-back plug.
    ParallelPort,
    /// QEMU's `edu` device.
    Edu,
    /// Two lines of a GPIO chip, wired together.
    Gpio,
}

/// Where the task that waits for the interrupt lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskSide {
    /// A kernel thread.
    Kernel,
    /// A thread of a program, armed by a handshake.
    User,
}

/// A network interface on which another station's triggers arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventSource {
    /// The interface's name.
    pub interface: String,
    /// What a trigger is.
    pub transport: Transport,
    /// Where the first stamp comes from.
    pub stamp: ReceiveStamp,
}

/// What a trigger from outside is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A UDP datagram.
    Udp,
    /// A raw Ethernet frame.
    Frame,
}

/// Where the first stamp of an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveStamp {
    /// The network card, related to the monotonic clock: the latency is a whole response.
    Hardware,
    /// The kernel's receive path, after most of the interrupt latency: the figure is called receive to task.
    Software,
}
