//! What a run takes as the event: a timer, an interrupt line behind the module, a frame from outside, a wake by another
//! thread, a gap in a busy loop, the kernel's work for periodic threads, a co-kernel's timer, or a watched program's.
//!
//! The source says where the first stamp of a latency comes from, and so what the figure includes. A plan of before there
//! were several is a timer's.

use crate::plan::Policy;
use crate::run::Quantity;
use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The probe and the event that it measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Source {
    /// Timer: a thread sleeps until an instant, and that instant is the event.
    #[default]
    Timer,
    /// Interrupt: prazo's kernel module raises an interrupt and stamps trigger, handler and task.
    Interrupt(InterruptSource),
    /// Network: the arrival of a frame or datagram from another station is the event.
    Event(EventSource),
    /// Wake-up: another thread wakes the measuring thread with a system call, and that call is the event.
    Wakeup(WakeupSource),
    /// Noise: busy loops read the clock, and the gaps in which they did not run are the events.
    Noise(NoiseSource),
    /// Overheads: timers release periodic threads, and the kernel's work for them is traced.
    Overheads(OverheadsSource),
    /// Xenomai: a tool of the Xenomai core measures a task of that core, because a thread of prazo cannot run there.
    Xenomai(XenomaiSource),
    /// Watch: prazo observes the system calls with which threads of a program wait; these calls show when each
    /// activation was due.
    Watch(WatchSource),
}

/// The program whose threads were watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WatchSource {
    /// The watched program, as the user gave it: a process, a thread, a name, a control group or a command.
    pub target: String,
}

/// Pairs of threads, in which one thread periodically wakes the other. Each thread of the plan is a woken thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeupSource {
    /// Calls with which the waking thread wakes the other, and with which the woken thread waits.
    pub method: WakeMethod,
    /// True if the mutex has the priority-inheritance protocol; possible only with the methods `mutex` and `condvar`.
    pub inherit: bool,
    /// Processors on which the waking threads run.
    pub waker_cpu: WakerCpu,
    /// Scheduling policy of the waking threads.
    pub waker_policy: Policy,
}

/// Busy loops, one on each measured processor, that read the clock continuously. Each thread of the plan is one loop:
/// its period is the period of the duty cycle, and its phase is the start of the first window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseSource {
    /// Threshold of a gap: two consecutive clock readings that are further apart than this count as a gap.
    #[serde(rename = "threshold_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub threshold: Duration,
    /// Time for which a loop runs in each period; for the rest of the period it sleeps.
    #[serde(rename = "runtime_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub runtime: Duration,
}

/// Mechanism by which one thread wakes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WakeMethod {
    /// `futex(2)`: FUTEX_WAKE and FUTEX_WAIT.
    Futex,
    /// `pthread_mutex_unlock(3)` and `pthread_mutex_lock(3)`; the threads use two mutexes in turn.
    Mutex,
    /// `pthread_cond_signal(3)` and `pthread_cond_wait(3)`.
    Condvar,
    /// `sem_post(3)` and `sem_wait(3)`.
    Semaphore,
    /// `semop(2)` on a System V semaphore, by both threads.
    SysvSemaphore,
    /// `mq_send(3)` and `mq_receive(3)`.
    Mqueue,
    /// `write(2)` to a pipe and `read(2)` from it.
    Pipe,
    /// `write(2)` to an eventfd and `read(2)` from it.
    Eventfd,
    /// `tgkill(2)` and `sigwaitinfo(2)`.
    Signal,
    /// `sched_setaffinity(2)`: the woken thread moves itself to another processor; the sample is the time that the move
    /// takes.
    Migrate,
    /// The scheduler's push: the more urgent waking thread takes the processor of the woken thread, and the kernel moves
    /// the woken thread to another processor; the sample is the time for which the woken thread does not run.
    Push,
}

/// Processor on which a waking thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum WakerCpu {
    /// The waking thread runs on the processor of the thread that it wakes.
    Same,
    /// The waking thread runs on the next usable processor after the processor of the woken thread.
    Other,
    /// All waking threads run on one given processor.
    Cpu {
        /// Number of the processor.
        cpu: u32,
    },
}

/// The tool that measures on a Xenomai core, and what it measures. The plan has exactly one thread, with the
/// processor and the period of the measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XenomaiSource {
    /// Name of the tool; null: the tool that comes with the core.
    #[serde(default)]
    pub tool: Option<XenomaiTool>,
    /// Context of the measured code.
    pub context: XenomaiContext,
}

/// A tool that measures on a Xenomai core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XenomaiTool {
    /// `latency` of Xenomai 3, for the cores Cobalt and Mercury.
    Latency,
    /// `latmus` of Xenomai 4, for the core EVL.
    Latmus,
    /// cyclictest, built for Xenomai.
    Cyclictest,
}

/// Context of the code that a Xenomai tool measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XenomaiContext {
    /// The measured code is a task in user space.
    User,
    /// The measured code is a task in the kernel.
    Kernel,
    /// The measured code is the handler of the timer interrupt.
    Handler,
}

/// Periodic tasks whose releases, scheduling and context switches are traced. Each thread of the plan is one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverheadsSource {
    /// Processors on which the tasks run; prazo traces all of them.
    pub cpus: Vec<u32>,
    /// Processors that a task may use: all of them, or one.
    pub shape: TaskAffinity,
    /// Kinds of overhead to trace. Empty: the tasks run without tracing, to find the cost of tracing.
    pub kinds: Vec<Quantity>,
    /// Sizes in KiB of the working sets whose cache-related delay is measured.
    pub working_sets_kib: Vec<u32>,
}

/// Processors that a task may use: all of them, or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskAffinity {
    /// Global: each task may use all processors.
    Global,
    /// Partitioned: each task may use only the processor of its thread in the plan.
    Partitioned,
}

/// A measured interrupt: its line, what raises it, and how its handler and its task run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptSource {
    /// Trigger that raises the interrupt.
    pub trigger: Trigger,
    /// Processor of the timer that triggers; a frame triggers on the processor that handles its card's interrupt.
    pub trigger_cpu: u32,
    /// Network card that receives the triggering frames; null where a timer triggers.
    pub card: Option<String>,
    /// Longest random extension of a period; each extension is uniform from 0 to this value, drawn with the plan's
    /// seed.
    #[serde(rename = "jitter_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub jitter: Duration,
    /// Device whose interrupt line is measured.
    pub device: InterruptDevice,
    /// Requested place of the handler: thread, interrupt, or the kernel's choice. The effective place is among the run's
    /// tunables.
    pub handler: HandlerPlace,
    /// Real-time priority that prazo gives to the interrupt thread; null where there is no such thread, or where the
    /// thread keeps the system's priority.
    pub thread_priority: Option<u8>,
    /// Place of the task: kernel or user space. The plan's policy gives the task's priority.
    pub task: TaskSide,
}

/// Trigger that raises a measured interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A high-resolution timer of the kernel, by default on the measured processor.
    Hrtimer,
    /// A high-resolution timer on another processor.
    OtherCpu,
    /// An Ethernet frame on a second network card.
    Frame,
}

/// The device whose interrupt line is measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum InterruptDevice {
    /// A parallel port, real or emulated by QEMU.
    ParallelPort {
        /// First I/O address of the parallel port.
        port: u32,
        /// Interrupt line of the parallel port.
        line: u32,
        /// True for a real parallel port whose pin 9 is wired to pin 10; false for QEMU's port, which needs no wire.
        wired: bool,
    },
    /// QEMU's PCI device `edu`.
    Edu,
    /// Two lines of a GPIO chip that are wired together: an output that triggers, and an input that interrupts.
    Gpio {
        /// Label of the GPIO chip.
        chip: String,
        /// Number of the output line on the GPIO chip.
        output: u32,
        /// Number of the input line on the GPIO chip.
        input: u32,
    },
}

/// Place in which an interrupt handler runs: in the interrupt or in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandlerPlace {
    /// The place that the kernel chooses: a thread under PREEMPT_RT or with `threadirqs`, otherwise the interrupt.
    Kernel,
    /// The handler runs in the interrupt on every kernel (IRQF_NO_THREAD; IRQF_NODELAY in the papers).
    Hard,
    /// The handler runs in a thread on every kernel; an additional stamp is taken in the interrupt that wakes the
    /// thread.
    Thread,
}

/// Place of the task that waits for the interrupt: kernel or user space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskSide {
    /// The task is a kernel thread.
    Kernel,
    /// The task is a thread of prazo in user space.
    User,
}

/// A network interface on which triggers from another station arrive: frames or datagrams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventSource {
    /// Name of the network interface; `any` where triggers may arrive on every interface.
    pub interface: String,
    /// Kind of the triggers: datagram or frame.
    pub transport: Transport,
    /// Source of the first stamp of a received trigger: the network card or the kernel.
    pub stamp: ReceiveStamp,
    /// Station that sends the triggers.
    pub station: Station,
    /// Longest random delay of a trigger after its instant on the station's periodic grid; each delay is drawn with
    /// the plan's seed.
    #[serde(rename = "jitter_ns", with = "crate::serde_duration::duration_ns")]
    #[schemars(with = "u64")]
    pub jitter: Duration,
    /// Planned number of triggers from the station.
    pub count: u64,
    /// Delay from the task's detection of a trigger to its answer; null: the task does not answer.
    #[serde(rename = "answer_delay_ns", with = "crate::serde_duration::option_duration_ns")]
    #[schemars(with = "Option<u64>")]
    pub answer_delay: Option<Duration>,
}

/// Station that sends the triggers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Station {
    /// The station is a process on this machine, in a separate network namespace, behind a pair of virtual interfaces
    /// (veth).
    Veth,
    /// The station is a process on this machine, which sends over the loopback interface.
    Loopback,
    /// The station is another machine.
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

    /// What its samples are.
    pub const fn quantity(&self) -> Quantity {
        if self.method.moves() { Quantity::MigrationLatency } else { Quantity::WakeToTask }
    }
}

impl NoiseSource {
    /// Duty cycle and threshold, in words; `period` is that of the duty cycle, where it is known.
    pub fn name(&self, period: Option<Duration>) -> String {
        let period = period.map_or_else(String::new, |period| format!(" of each {period}"));
        format!("busy loop for {}{period}; gaps longer than {} are counted", self.runtime, self.threshold)
    }
}

impl WakeMethod {
    /// True where there is a mutex, which can have the priority-inheritance protocol.
    pub const fn has_mutex(self) -> bool {
        matches!(self, Self::Mutex | Self::Condvar)
    }

    /// True where the woken thread moves to another processor in each activation, which is what is measured.
    pub const fn moves(self) -> bool {
        matches!(self, Self::Migrate | Self::Push)
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

    /// True where the measuring threads change their own affinity.
    pub fn moves_its_threads(&self) -> bool {
        matches!(self, Self::Wakeup(source) if source.method.moves())
    }

    /// What the latencies of a run with this source are.
    pub const fn quantity(&self) -> Quantity {
        match self {
            Self::Timer | Self::Interrupt(_) | Self::Overheads(_) => Quantity::ResponseLatency,
            Self::Event(event) => event.stamp.quantity(),
            Self::Wakeup(source) => source.quantity(),
            Self::Noise(_) => Quantity::Noise,
            Self::Xenomai(source) => match source.context {
                XenomaiContext::User | XenomaiContext::Kernel => Quantity::ResponseLatency,
                XenomaiContext::Handler => Quantity::InterruptLatency,
            },
            Self::Watch(_) => Quantity::ResponseTime,
        }
    }
}

/// Kind of the triggers that a station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Each trigger is a UDP datagram.
    Udp,
    /// Each trigger is a raw Ethernet frame.
    Frame,
}

/// Source of the first stamp of a received trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveStamp {
    /// The network card stamps the arrival, and prazo converts the stamp to CLOCK_MONOTONIC; the measured quantity is
    /// the whole response latency.
    Hardware,
    /// The kernel's receive path takes the stamp, after most of the interrupt latency; the measured quantity is
    /// receive-to-task.
    Software,
}

prazo_core::words!(Trigger: Hrtimer => "hrtimer", OtherCpu => "other-cpu", Frame => "frame");

prazo_core::words! {
    WakeMethod:
    Futex => "futex", Mutex => "mutex", Condvar => "condvar", Semaphore => "semaphore", SysvSemaphore => "sysv-semaphore", Mqueue => "mqueue",
    Pipe => "pipe", Eventfd => "eventfd", Signal => "signal", Migrate => "migrate", Push => "push",
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
