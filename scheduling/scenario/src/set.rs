//! One task set with everything that an answer depends on, in ticks, and what its author expects the answer to be.

use crate::behaviour::TaskBehaviour;
use crate::chain::Chain;
use crate::overheads::OverheadTable;
use crate::supply_words::SupplyWords;
use crate::unit::Unit;
use prazo_core::behaviour::{Locking, Supply};
use prazo_core::cpu::CpuSet;
use prazo_core::task::{Task, Ticks};

/// A task set as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// The paper, system or tool it is from.
    pub origin: Option<String>,
    /// What a reader should know of it.
    pub note: Option<String>,
    /// What a reader of a foreign format had to assume, one sentence each.
    pub remarks: Vec<String>,
    /// The length of a tick; `None` where the set states none.
    pub unit: Option<Unit>,
    /// The tasks in their author's order, which breaks ties.
    pub tasks: Vec<NamedTask>,
    /// How many processors there are, where that is said.
    pub processors: Option<u32>,
    /// How many of them each cluster has, where they are clustered.
    pub clusters: Option<Vec<u32>>,
    /// Who ranks jobs, where that is said.
    pub policy: Option<JobRanking>,
    /// The protocol of all resources, where that is said.
    pub locking: Option<Locking>,
    /// What the tasks have of one processor; `None` if all of it.
    pub supply: Option<Supply>,
    /// How the supply was stated, where that is not a budget and a period.
    pub supply_words: Option<SupplyWords>,
    /// True if the offsets and periods of all tasks hold exactly, on one clock.
    pub synchronized: bool,
    /// Chains of cause and effect through the tasks.
    pub chains: Vec<Chain>,
    /// What the platform costs, where that is said.
    pub overheads: Option<OverheadTable>,
    /// What is known of the outcome.
    pub expect: Option<Expect>,
}

/// One task with what its author said of it beside its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTask {
    /// Its name, unlike every other's in the set.
    pub name: String,
    /// Its times.
    pub task: Task,
    /// How its jobs arrive.
    pub arrival: Arrival,
    /// Its rank under fixed priorities, 0 the most urgent; equal ranks are broken by the order of tasks.
    pub priority: Option<u32>,
    /// The cluster it is assigned to, counted from 0.
    pub cluster: Option<u32>,
    /// The processors it may run on.
    pub affinity: Option<CpuSet>,
    /// How it departs from a sporadic, independent and preemptable task.
    pub behaviour: TaskBehaviour,
    /// What it does where it runs.
    pub conduct: Conduct,
}

/// How a task behaves when it runs: in the simulator and in the kernel. Analysis asks for offset and best case only of synchronized sets and chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conduct {
    /// When its first job arrives, where that is said; unless the set is synchronized, analysis holds for every first arrival.
    pub offset: Option<Ticks>,
    /// What each of its jobs takes, where that is not its cost; above the cost it overruns.
    pub execution: Option<Ticks>,
    /// What each of its jobs takes at least, where that is said; at most its cost.
    pub best_case: Option<Ticks>,
    /// What it is granted at most, whatever its jobs take.
    pub server: Option<Reservation>,
    /// The longest distance of two arrivals, where that is said; only chains depend on it.
    pub max_inter_arrival: Option<Ticks>,
}

/// A constant-bandwidth server: so much processor time in every period. Invariant: 0 < budget <= period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reservation {
    /// Q.
    pub budget: Ticks,
    /// P.
    pub period: Ticks,
}

/// How the jobs of a task arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// At exact multiples of the period, though the first one may come at any time.
    #[default]
    Periodic,
    /// Never closer than the minimum inter-arrival time.
    Sporadic,
}

/// How jobs are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobRanking {
    /// Earliest absolute deadline first.
    Edf,
    /// By a number that belongs to the task.
    FixedPriority(Priorities),
}

/// Where fixed priorities come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Priorities {
    /// Shorter period first.
    RateMonotonic,
    /// Shorter relative deadline first.
    DeadlineMonotonic,
    /// Audsley's search.
    Audsley,
    /// Every task states its own.
    Given,
}

/// What is known of the outcome, with the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// The outcome under each scheduler of which somebody knows it, in the author's order.
    pub outcomes: Vec<(Scheduler, ExpectedVerdict)>,
    /// How it is known.
    pub why: Option<String>,
}

/// Who ranks jobs, and who shares a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheduler {
    /// EDF, every task on one processor.
    PartitionedEdf,
    /// EDF, every task in one cluster.
    ClusteredEdf,
    /// EDF, all processors.
    GlobalEdf,
    /// Fixed priorities, every task on one processor.
    PartitionedFixedPriority,
    /// Fixed priorities, all processors.
    GlobalFixedPriority,
}

/// What an answer says; `Unknown` where no published sufficient test decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpectedVerdict {
    /// No job ever misses.
    Proven,
    /// Some job can miss.
    Disproven,
    /// Sufficient tests do not hold, and no miss is known.
    Unknown,
    /// No test is for such a set, which is said with the reason.
    Refused,
}

prazo_core::words!(Priorities:
    RateMonotonic => "rate-monotonic" | "rm",
    DeadlineMonotonic => "deadline-monotonic" | "dm",
    Audsley => "audsley",
    Given => "given",
);
prazo_core::words!(Scheduler:
    PartitionedEdf => "pedf",
    ClusteredEdf => "cedf",
    GlobalEdf => "gedf",
    PartitionedFixedPriority => "pfp",
    GlobalFixedPriority => "gfp",
);
prazo_core::words!(ExpectedVerdict:
    Proven => "proven",
    Disproven => "disproven",
    Unknown => "unknown",
    Refused => "refused",
);

impl Scenario {
    /// The tasks' times, in order.
    pub fn tasks(&self) -> Vec<Task> {
        self.tasks.iter().map(|named| named.task).collect()
    }

    /// What the tasks do where they run, in order.
    pub fn conduct(&self) -> Vec<Conduct> {
        self.tasks.iter().map(|named| named.conduct).collect()
    }

    /// The rank of each task, in order; `None` unless every task states one.
    pub fn ranks(&self) -> Option<Vec<u32>> {
        self.tasks.iter().map(|named| named.priority).collect()
    }
}
