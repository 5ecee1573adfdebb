//! The flags of the tasks that run while overheads are traced: their numbers, policy, processors and duration.

use super::{Word, words};
use prazo::guest::GuestOptions;
use prazo::measure::OverheadsRequest;
use prazo::measure::overheads::TracedPolicy;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::run::Quantity;
use prazo_run::source::TaskAffinity;

/// Which tasks run.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Tasks")]
pub(crate) struct TaskFlags {
    /// Scheduling policy of the tasks
    #[arg(long, short = 'p', value_name = "POLICY", default_value = "deadline", value_parser = words(POLICIES))]
    pub(crate) policy: TracedPolicy,
    /// Numbers of tasks, ascending; one run for each number
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "5,15,25,50,75,100,125")]
    pub(crate) tasks: Vec<u32>,
    /// Processors that each task may use
    #[arg(long, short, value_name = "SHAPE", default_value = "global", value_parser = words(SHAPES))]
    pub(crate) shape: TaskAffinity,
    /// Processors for the tasks, for example 0-3,5 [default: all that this process may use]
    #[arg(long, short, value_name = "LIST")]
    pub(crate) cpus: Option<CpuSet>,
    /// Duration of each pass of a run, after the warm-up; a run has up to four passes
    #[arg(long, short = 'D', value_name = "TIME", default_value = "5s")]
    pub(crate) duration: Duration,
    /// Run the tasks for this long before each pass (rounded up to whole seconds)
    #[arg(long, value_name = "TIME", default_value = "0s", hide_short_help = true)]
    pub(crate) warm_up: Duration,
    /// Seed of the tasks' random periods and offsets
    #[arg(long, value_name = "NUMBER", default_value_t = 1, hide_short_help = true)]
    pub(crate) seed: u64,
    /// Overheads to trace
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = words(KINDS), hide_short_help = true)]
    #[arg(default_value = "release,event,scheduling,switch,tick,ipi")]
    pub(crate) kinds: Vec<Quantity>,
    /// Measure the cache-related delay of these working sets, in KiB
    #[arg(long, value_name = "KIB", value_delimiter = ',')]
    pub(crate) working_sets: Vec<u32>,
    /// Run the tasks without tracing, to find the cost of tracing
    #[arg(long, conflicts_with = "kinds", hide_short_help = true)]
    pub(crate) untraced: bool,
}

const POLICIES: &[Word<TracedPolicy>] = &[
    ("deadline", "Earliest deadline first: SCHED_DEADLINE", TracedPolicy::Deadline),
    ("fifo", "Fixed priorities, rate monotonic: SCHED_FIFO", TracedPolicy::Fifo),
];

const SHAPES: &[Word<TaskAffinity>] = &[
    ("global", "Each task may use all processors", TaskAffinity::Global),
    ("partitioned", "Each task may use one processor, assigned in turn; only under fifo", TaskAffinity::Partitioned),
];

const KINDS: &[Word<Quantity>] = &[
    ("release", "From the timer interrupt until the job is in the ready queue", Quantity::ReleaseOverhead),
    ("event", "From the programmed expiry to the timer interrupt", Quantity::EventLatency),
    ("scheduling", "Choice of the next job", Quantity::SchedulingOverhead),
    ("switch", "Switch from one job to the next", Quantity::ContextSwitchOverhead),
    ("tick", "Handler of the periodic timer tick", Quantity::TickOverhead),
    ("ipi", "From the request of an inter-processor interrupt (IPI) to its handler", Quantity::IpiLatency),
];

impl TaskFlags {
    /// As the library takes it; the outlet says where it goes.
    pub(crate) fn request(self, guest: GuestOptions) -> OverheadsRequest {
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
            folder: None,
            command: String::new(),
        }
    }
}
