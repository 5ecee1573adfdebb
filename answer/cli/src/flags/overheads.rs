//! The flags of what runs while overheads are traced: how many tasks, by which policy, where, how long.

use crate::exit::Failure;
use clap::ValueEnum;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::overheads::Draw;
use prazo_run::run::Quantity;
use prazo_run::source::Shape;

/// Which tasks run.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Tasks")]
pub(crate) struct TaskFlags {
    /// How the kernel schedules them
    #[arg(long, short = 'p', value_enum, default_value_t = PolicyFlag::Deadline)]
    pub policy: PolicyFlag,
    /// Numbers of tasks, ascending; one run for each
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "5,15,25,50,75,100,125")]
    pub tasks: Vec<u32>,
    /// Which processors a task may use
    #[arg(long, value_enum, default_value_t = ShapeFlag::Global)]
    pub shape: ShapeFlag,
    /// The processors on which they run [default: all that this process may use]
    #[arg(long, short, value_name = "LIST")]
    pub cpus: Option<CpuSet>,
    /// How long each of the four passes of a run measures, after its warm-up
    #[arg(long, short = 'D', value_name = "TIME", default_value = "5s")]
    pub duration: Duration,
    /// Run the tasks for this long before each pass measures (rounded up to whole seconds)
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub warm_up: Duration,
    /// Seeds periods and offsets
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What to trace
    #[arg(long, value_enum, value_name = "KINDS", value_delimiter = ',')]
    #[arg(default_value = "release,event,scheduling,switch,tick,ipi")]
    pub kinds: Vec<KindFlag>,
    /// Working sets in KiB whose cache-related delay is measured, preempted and migrated; a counted guest has no cache
    #[arg(long, value_name = "KIB", value_delimiter = ',')]
    pub working_sets: Vec<u32>,
    /// Run the tasks without tracing them, for what the tracing costs
    #[arg(long, conflicts_with = "kinds")]
    pub untraced: bool,
}

/// Policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyFlag {
    /// Earliest deadline first: SCHED_DEADLINE.
    Deadline,
    /// Fixed priorities, rate monotonic: SCHED_FIFO.
    Fifo,
}

/// Shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShapeFlag {
    /// Each of them.
    Global,
    /// One each, dealt in turn; fifo alone.
    Partitioned,
}

/// Kinds of overhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindFlag {
    /// Timer interrupt to the job made ready.
    Release,
    /// Programmed expiry to the timer interrupt.
    Event,
    /// The scheduling decision.
    Scheduling,
    /// The context switch.
    Switch,
    /// The tick.
    Tick,
    /// Interrupts between processors.
    Ipi,
}

impl From<KindFlag> for Quantity {
    fn from(flag: KindFlag) -> Self {
        match flag {
            KindFlag::Release => Self::ReleaseOverhead,
            KindFlag::Event => Self::EventLatency,
            KindFlag::Scheduling => Self::SchedulingOverhead,
            KindFlag::Switch => Self::ContextSwitchOverhead,
            KindFlag::Tick => Self::TickOverhead,
            KindFlag::Ipi => Self::IpiLatency,
        }
    }
}

impl PolicyFlag {
    /// The word for it in names of files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Fifo => "fifo",
        }
    }
}

impl TaskFlags {
    /// What is drawn for each number of tasks; `allowed` is what this process, or the guest, may use.
    pub(crate) fn draws(&self, allowed: CpuSet) -> Result<Vec<Draw>, Failure> {
        let ascends = self.tasks.is_sorted_by(|a, b| a < b) && self.tasks.first().is_some_and(|first| *first > 0);
        if !ascends || self.tasks.last().is_some_and(|last| *last > TASKS_MAX) {
            return Err(Failure::usage(format!(
                "--tasks: name numbers from 1 to {TASKS_MAX}, each larger than the one before"
            )));
        }
        if self.policy == PolicyFlag::Deadline && self.shape == ShapeFlag::Partitioned {
            return Err(Failure::usage(
                "--shape partitioned: the kernel pins no deadline task to a part of its root domain; choose --policy fifo, or --shape global",
            ));
        }
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let mut draws: Vec<Draw> = self.tasks.iter().map(|tasks| self.draw(*tasks, &cpus)).collect();
        // Not a matter of how many tasks there are: once is enough.
        draws[0].working_sets_kib.clone_from(&self.working_sets);
        Ok(draws)
    }

    fn quantities(&self) -> Vec<Quantity> {
        let asked: &[KindFlag] = if self.untraced { &[] } else { &self.kinds };
        asked.iter().map(|kind| (*kind).into()).collect()
    }

    fn draw(&self, tasks: u32, cpus: &[u32]) -> Draw {
        Draw {
            tasks,
            by_deadline: self.policy == PolicyFlag::Deadline,
            cpus: cpus.to_vec(),
            shape: if self.shape == ShapeFlag::Global { Shape::Global } else { Shape::Partitioned },
            length: self.duration,
            warm_up: self.warm_up,
            kinds: self.quantities(),
            working_sets_kib: Vec::new(),
            seed: self.seed,
        }
    }
}

/// More threads than anybody schedules by hand, and far from what a process may have.
const TASKS_MAX: u32 = 1_000;
