//! The flags of what runs while overheads are traced: how many tasks, by which policy, where, how long.

use super::{Word, words};
use prazo::guest::GuestOptions;
use prazo::measure::OverheadsRequest;
use prazo::measure::overheads::TracedPolicy;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::run::Quantity;
use prazo_run::source::Shape;
use std::path::PathBuf;

/// Which tasks run.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Tasks")]
pub(crate) struct TaskFlags {
    /// How the kernel schedules them
    #[arg(long, short = 'p', default_value = "deadline", value_parser = words(POLICIES))]
    pub(crate) policy: TracedPolicy,
    /// Numbers of tasks, ascending; one run for each
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "5,15,25,50,75,100,125")]
    pub(crate) tasks: Vec<u32>,
    /// Which processors a task may use
    #[arg(long, default_value = "global", value_parser = words(SHAPES))]
    pub(crate) shape: Shape,
    /// The processors on which they run [default: all that this process may use]
    #[arg(long, short, value_name = "LIST")]
    pub(crate) cpus: Option<CpuSet>,
    /// How long each of the four passes of a run measures, after its warm-up
    #[arg(long, short = 'D', value_name = "TIME", default_value = "5s")]
    pub(crate) duration: Duration,
    /// Run the tasks for this long before each pass measures (rounded up to whole seconds)
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub(crate) warm_up: Duration,
    /// Seeds periods and offsets
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What to trace
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = words(KINDS))]
    #[arg(default_value = "release,event,scheduling,switch,tick,ipi")]
    pub(crate) kinds: Vec<Quantity>,
    /// Working sets in KiB whose cache-related delay is measured, preempted and migrated; a counted guest has no cache
    #[arg(long, value_name = "KIB", value_delimiter = ',')]
    pub(crate) working_sets: Vec<u32>,
    /// Run the tasks without tracing them, for what the tracing costs
    #[arg(long, conflicts_with = "kinds")]
    pub(crate) untraced: bool,
}

const POLICIES: &[Word<TracedPolicy>] = &[
    ("deadline", "Earliest deadline first: SCHED_DEADLINE", TracedPolicy::Deadline),
    ("fifo", "Fixed priorities, rate monotonic: SCHED_FIFO", TracedPolicy::Fifo),
];

const SHAPES: &[Word<Shape>] = &[
    ("global", "Each of them", Shape::Global),
    ("partitioned", "One each, dealt in turn; fifo alone", Shape::Partitioned),
];

const KINDS: &[Word<Quantity>] = &[
    ("release", "Timer interrupt to the job made ready", Quantity::ReleaseOverhead),
    ("event", "Programmed expiry to the timer interrupt", Quantity::EventLatency),
    ("scheduling", "The scheduling decision", Quantity::SchedulingOverhead),
    ("switch", "The context switch", Quantity::ContextSwitchOverhead),
    ("tick", "The tick", Quantity::TickOverhead),
    ("ipi", "Interrupts between processors", Quantity::IpiLatency),
];

impl TaskFlags {
    /// As the library takes it.
    pub(crate) fn request(self, guest: GuestOptions, folder: Option<PathBuf>, command: String) -> OverheadsRequest {
        OverheadsRequest {
            policy: self.policy,
            tasks: self.tasks,
            shape: self.shape,
            cpus: self.cpus,
            length: self.duration,
            warm_up: self.warm_up,
            seed: self.seed,
            kinds: if self.untraced { Vec::new() } else { self.kinds },
            working_sets_kib: self.working_sets,
            guest,
            folder,
            command,
        }
    }
}
