//! What a run takes as the event: a timer of the system, an interrupt line behind the module, or a frame from outside.
//!
//! The source says where the first stamp of a latency comes from, and so what the figure includes. A plan of before there
//! were several is a timer's.

use crate::plan::Policy;
use crate::run::Quantity;
use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The probe, and what it takes as the event.
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
    /// Another thread's call wakes the thread; the call is the event.
    Wakeup(WakeupSource),
    /// Busy loops watch the clock; the times at which they did not run are the events.
    Noise(NoiseSource),
    /// Timers release many threads, and the kernel's work for them is traced.
    Overheads(OverheadsSource),
    /// A Xenomai core's own tool measures a task of the core, because a thread of prazo cannot run there.
    Xenomai(XenomaiSource),
    /// Threads of a program are watched in their own waits; the system calls with which they wait say when they were due.
    Watch(WatchSource),
}

/// The program whose threads were watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WatchSource {
    /// A process, a thread, a name, a control group or a command, as it was given.
    pub target: String,
}

/// Pairs of threads: one wakes the other at each point of a grid. The plan has one thread for each woken thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeupSource {
    /// What the waking thread calls, and what the woken one waits for.
    pub method: WakeMethod,
    /// True if the mutex has the priority-inheritance protocol; only with `mutex` and `condvar`.
    pub inherit: bool,
    /// Where the waking threads run.
    pub waker_cpu: WakerCpu,
    /// The scheduling policy of the waking threads.
    pub waker_policy: Policy,
}

/// Busy loops, one on each measured processor, that read the clock all the time. A plan has one thread for each; its period is
/// that of the duty cycle, and its phase is when the first window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseSource {
    /// Two readings of the clock that are further apart than this are a gap.
    #[serde(rename = "threshold_ns", with = "crate::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub threshold: Duration,
    /// How long a loop runs in each period; for the rest it sleeps.
    #[serde(rename = "runtime_ns", with = "crate::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub runtime: Duration,
}

/// Mechanism by which one thread wakes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WakeMethod {
    /// `futex(2)`: FUTEX_WAKE and FUTEX_WAIT.
    Futex,
    /// `pthread_mutex_unlock(3)`, and `pthread_mutex_lock(3)` of the next of two mutexes.
    Mutex,
    /// `pthread_cond_signal(3)` and `pthread_cond_wait(3)`.
    Condvar,
    /// `sem_post(3)` and `sem_wait(3)`.
    Semaphore,
    /// `semop(2)` of a System V semaphore.
    SysvSemaphore,
    /// `mq_send(3)` and `mq_receive(3)`.
    Mqueue,
    /// `write(2)` to a pipe and `read(2)` from it.
    Pipe,
    /// `write(2)` to an eventfd and `read(2)` from it.
    Eventfd,
    /// `tgkill(2)` and `sigwaitinfo(2)`.
    Signal,
}

/// Where a waking thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum WakerCpu {
    /// On the processor of the thread that it wakes.
    Same,
    /// On the next other processor that the process may use.
    Other,
    /// All of them on one given processor.
    Cpu {
        /// The processor.
        cpu: u32,
    },
}

/// A tool that measures on a Xenomai core, and what it measures; a plan has one thread, which names processor and period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XenomaiSource {
    /// The tool; `None` is the one that comes with the core.
    #[serde(default)]
    pub tool: Option<XenomaiTool>,
    /// Context of the measured code.
    pub context: XenomaiContext,
}

/// A tool that measures on a Xenomai core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XenomaiTool {
    /// Xenomai 3's own (Cobalt and Mercury).
    Latency,
    /// Xenomai 4's own (EVL).
    Latmus,
    /// Xenomai's build of cyclictest.
    Cyclictest,
}

/// Context of the code that a Xenomai tool measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XenomaiContext {
    /// A task in user space.
    User,
    /// A task in the kernel.
    Kernel,
    /// The handler of the timer.
    Handler,
}

/// Periodic tasks whose releases, scheduling and switches are traced; a plan has one thread for each task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverheadsSource {
    /// The processors on which the tasks run, all of which are traced.
    pub cpus: Vec<u32>,
    /// Which processors a task may use.
    pub shape: Shape,
    /// The traced kinds; empty: the same tasks run without tracing, to find the cost of tracing.
    pub kinds: Vec<Quantity>,
    /// The working sets, in KiB, whose cache-related delay is measured.
    pub working_sets_kib: Vec<u32>,
}

/// Which processors a task may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// All processors.
    Global,
    /// The processor that its thread's plan names.
    Partitioned,
}

/// An interrupt line, what raises it, and how its handler and its task run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptSource {
    /// What raises the interrupt.
    pub trigger: Trigger,
    /// The processor of the triggering timer; a frame triggers on the processor of its card's interrupt.
    pub trigger_cpu: u32,
    /// The card on which frames trigger; `None` for a timer.
    pub card: Option<String>,
    /// Random extension of each period, uniform from 0 to this, drawn from the plan's seed.
    #[serde(rename = "jitter_ns", with = "crate::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub jitter: Duration,
    /// The device behind the line.
    pub device: InterruptDevice,
    /// Requested place of the handler; where it ran is among the run's tunables.
    pub handler: HandlerPlace,
    /// Real-time priority of the interrupt thread, set before arming; `None` without such a thread or with the system's.
    pub thread_priority: Option<u8>,
    /// Place of the task (kernel or user space); its priority is the plan's policy.
    pub task: TaskSide,
}

/// What raises the interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A high-resolution timer, by default on the measured processor.
    Hrtimer,
    /// A timer on another processor.
    OtherCpu,
    /// An Ethernet frame on a second network card.
    Frame,
}

/// The device whose interrupt line is measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum InterruptDevice {
    /// A parallel port.
    ParallelPort {
        /// Its first I/O address.
        port: u32,
        /// Its interrupt line.
        line: u32,
        /// True for a real one whose pin 9 is wired to pin 10; false for QEMU's, which needs no wire.
        wired: bool,
    },
    /// QEMU's `edu` device.
    Edu,
    /// Two lines of a GPIO chip, wired together.
    Gpio {
        /// The chip's label.
        chip: String,
        /// Number of the output line on the chip.
        output: u32,
        /// Number of the input line on the chip.
        input: u32,
    },
}

/// Where an interrupt's handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandlerPlace {
    /// Where the kernel puts handlers: in a thread under PREEMPT_RT or `threadirqs`, else in the interrupt.
    Kernel,
    /// In the interrupt on every kernel (IRQF_NO_THREAD, the papers' IRQF_NODELAY).
    Hard,
    /// In a thread on every kernel, with an additional stamp in the interrupt that wakes the thread.
    Thread,
}

/// Place of the task that waits for the interrupt: kernel or user space.
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
    /// Kind of trigger.
    pub transport: Transport,
    /// Where the first stamp comes from.
    pub stamp: ReceiveStamp,
    /// The station that sends the triggers.
    pub station: Station,
    /// A trigger is sent up to this long after its instant on the station's grid, drawn from the plan's seed.
    #[serde(rename = "jitter_ns", with = "crate::edge::duration_ns")]
    #[schemars(with = "u64")]
    pub jitter: Duration,
    /// Number of triggers that the station offered.
    pub count: u64,
    /// Delay from noting a trigger to the task's answer; `None`: the task does not answer.
    #[serde(rename = "answer_delay_ns", with = "crate::edge::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub answer_delay: Option<Duration>,
}

/// The station whose triggers a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Station {
    /// A process of this machine, in a network namespace of its own, behind a pair of virtual interfaces.
    Veth,
    /// A process of this machine, over loopback.
    Loopback,
    /// Another machine.
    Remote,
}

impl WakeupSource {
    /// How and from where it wakes, in words.
    pub fn name(&self) -> String {
        let inherit = if self.inherit { " with priority inheritance" } else { "" };
        let place = match self.waker_cpu {
            WakerCpu::Same => "the same processor".into(),
            WakerCpu::Other => "another processor".into(),
            WakerCpu::Cpu { cpu } => format!("processor {cpu}"),
        };
        format!("{}{inherit}, woken from {place}", self.method.name())
    }
}

impl NoiseSource {
    /// Threshold and duty cycle, in words.
    pub fn name(&self) -> String {
        format!("busy loop for {}, gaps above {}", self.runtime, self.threshold)
    }
}

impl WakeMethod {
    /// True where there is a mutex, which can have the priority-inheritance protocol.
    pub const fn has_mutex(self) -> bool {
        matches!(self, Self::Mutex | Self::Condvar)
    }
}

impl ReceiveStamp {
    /// What the latency from this stamp to the task is called.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Hardware => Quantity::ResponseLatency,
            Self::Software => Quantity::ReceiveToTask,
        }
    }
}

impl Source {
    /// True where the measuring threads use the processor all the time, so that being preempted is what they measure.
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Noise(_))
    }

    /// What the latencies of a run with this source are.
    pub const fn quantity(&self) -> Quantity {
        match self {
            Self::Timer | Self::Interrupt(_) | Self::Overheads(_) => Quantity::ResponseLatency,
            Self::Event(event) => event.stamp.quantity(),
            Self::Wakeup(_) => Quantity::WakeToTask,
            Self::Noise(_) => Quantity::Noise,
            Self::Xenomai(source) => match source.context {
                XenomaiContext::User | XenomaiContext::Kernel => Quantity::ResponseLatency,
                XenomaiContext::Handler => Quantity::InterruptLatency,
            },
            Self::Watch(_) => Quantity::ResponseTime,
        }
    }
}

/// Kind of trigger from outside.
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
    /// The network card, converted to the monotonic clock: the figure is a whole response latency.
    Hardware,
    /// The kernel's receive path, after most of the interrupt latency: the figure is called receive to task.
    Software,
}

prazo_core::words!(Trigger: Hrtimer => "hrtimer", OtherCpu => "other-cpu", Frame => "frame");

prazo_core::words! {
    WakeMethod:
    Futex => "futex", Mutex => "mutex", Condvar => "condvar", Semaphore => "semaphore", SysvSemaphore => "sysv-semaphore", Mqueue => "mqueue",
    Pipe => "pipe", Eventfd => "eventfd", Signal => "signal",
}

prazo_core::words!(XenomaiTool: Latency => "latency", Latmus => "latmus", Cyclictest => "cyclictest");

prazo_core::words!(XenomaiContext: User => "user", Kernel => "kernel", Handler => "handler");

prazo_core::words!(HandlerPlace: Kernel => "kernel", Hard => "hard", Thread => "thread");

impl InterruptDevice {
    /// The parallel port as PCs and QEMU have it.
    pub const fn first_parallel_port() -> Self {
        Self::ParallelPort { port: 0x378, line: 7, wired: false }
    }
}

impl std::fmt::Display for InterruptDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ParallelPort { port, line, wired: false } => {
                write!(f, "QEMU's parallel port at {port:#x}, line {line}")
            }
            Self::ParallelPort { port, line, wired: true } => {
                write!(f, "the wired parallel port at {port:#x}, line {line}")
            }
            Self::Edu => write!(f, "QEMU's device edu"),
            Self::Gpio { chip, output, input } => write!(f, "lines {output} and {input} of gpiochip '{chip}'"),
        }
    }
}
