//! What a certificate says, read but not yet believed.

use crate::behaviour::Behaviours;
use crate::digest::Digest;
use prazo_core::behaviour::{CriticalityMode, Phase};
use prazo_core::overheads::{AmountBy, OverheadField, OverheadSet};
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};
use prazo_core::time_model::TimeModel;
use std::fmt;

/// `2, 1, 1`.
pub(crate) fn listed(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// A whole certificate.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// The arrivals that the verdict is for.
    pub time: TimeModel,
    /// How jobs are ranked.
    pub policy: JobRanking,
    /// Which processors share a ready queue.
    pub shape: Shape,
    /// The tasks as their author wrote them.
    pub tasks: Vec<Task>,
    /// What the tasks do beyond being sporadic, independent and preemptable; `None` if nothing.
    pub behaviours: Option<Behaviours>,
    /// Where all tasks are periodic on one clock, one for each; empty if they arrive whenever they may.
    pub phases: Vec<Phase>,
    /// What the platform adds; `None` if nothing is charged.
    pub overheads: Option<Table>,
    /// The digest of all that is above.
    pub digest: Digest,
    /// The verdict with its evidence.
    pub claim: Claim,
}

/// How jobs are ranked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobRanking {
    /// Earliest absolute deadline first.
    Edf,
    /// By a rank that belongs to the task.
    FixedPriority(Priorities),
}

impl fmt::Display for JobRanking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edf => f.write_str("EDF"),
            Self::FixedPriority(Priorities::RateMonotonic) => f.write_str("rate-monotonic priorities"),
            Self::FixedPriority(Priorities::DeadlineMonotonic) => f.write_str("deadline-monotonic priorities"),
            Self::FixedPriority(Priorities::AnyOrder) => f.write_str("fixed priorities in any order"),
            Self::FixedPriority(Priorities::Given(ranks)) => write!(f, "given fixed priorities {}", listed(ranks)),
        }
    }
}

/// Where fixed priorities come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Priorities {
    /// Shorter period first.
    RateMonotonic,
    /// Shorter relative deadline first.
    DeadlineMonotonic,
    /// Whatever order each bin names.
    AnyOrder,
    /// One rank for each task, 0 the most urgent.
    Given(Vec<u32>),
}

impl Priorities {
    /// `members` by urgency, ties by index; `None` where the policy leaves the order open.
    pub(crate) fn order(&self, tasks: &[Task], members: &[usize]) -> Option<Vec<usize>> {
        let mut order = members.to_vec();
        match self {
            Self::RateMonotonic => order.sort_by_key(|&task| (tasks[task].period, task)),
            Self::DeadlineMonotonic => order.sort_by_key(|&task| (tasks[task].deadline, task)),
            Self::Given(ranks) => order.sort_by_key(|&task| (ranks.get(task).copied(), task)),
            Self::AnyOrder => return None,
        }
        Some(order)
    }
}

/// Which processors share a ready queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One queue for all.
    Global(u32),
    /// One queue for each cluster, of so many processors each.
    Clusters(Vec<u32>),
}

impl Shape {
    /// Processors of each ready queue.
    pub(crate) fn sizes(&self) -> &[u32] {
        match self {
            Self::Global(processors) => std::slice::from_ref(processors),
            Self::Clusters(sizes) => sizes,
        }
    }

    /// All processors together; the reader has bounded each and their number.
    pub(crate) fn processors(&self) -> u64 {
        self.sizes().iter().copied().map(u64::from).sum()
    }
}

/// The verdict with its evidence.
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// Every deadline is met, bin by bin.
    Proven(Vec<Bin>),
    /// For some legal arrival sequence a job misses its deadline. With two criticalities, in this mode.
    Disproven(Option<CriticalityMode>, Disproof),
}

impl Claim {
    /// The mode of a disproof of tasks with two criticalities.
    pub(crate) fn mode(&self) -> Option<CriticalityMode> {
        match self {
            Self::Proven(_) => None,
            Self::Disproven(mode, _) => *mode,
        }
    }
}

/// One ready queue with its tasks and the test that decided.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    /// Processors that serve it.
    pub processors: u32,
    /// Indices of its tasks, ascending.
    pub members: Vec<usize>,
    /// Its pieces of tasks that are split over several bins.
    pub pieces: Vec<Piece>,
    /// Its tasks with overheads charged.
    pub charged: Option<Charged>,
    /// Its tasks by urgency, most urgent first; empty under EDF.
    pub order: Vec<usize>,
    /// The test; `None` for an empty bin.
    pub proof: Option<Proof>,
}

/// One part of a task on the processor of its bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Index of the task.
    pub task: usize,
    /// It runs for at most so long.
    pub cost: Ticks,
    /// Its deadline, from its own release.
    pub deadline: Ticks,
    /// It is released so long after the job.
    pub offset: Ticks,
}

/// What a bin's tasks become when overheads are charged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Charged {
    /// Pseudo-tasks that stand for interrupts, more urgent than any task; none under EDF.
    pub interrupts: Vec<Task>,
    /// The bin's tasks in the order of its members.
    pub tasks: Vec<Task>,
}

/// The test that decided a bin, with the numbers it needs.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// One processor, EDF: U <= 1, and no deadline before the period's end.
    Utilization,
    /// One processor, EDF: demand at these points.
    Qpa(Vec<Point>),
    /// One processor, fixed priorities: when each job of a busy period completes.
    ResponseTimes(Vec<Completions>),
    /// Density.
    Gfb,
    /// Baker 2003.
    Bak,
    /// Bertogna, Cirinei, Lipari 2005.
    Bcl,
    /// Bertogna, Cirinei, Lipari 2009.
    Bcli(Vec<Response>),
    /// Bertogna and Cirinei 2007.
    Rta(Vec<Response>),
    /// Baruah 2007: for each task, points A.
    Bar(Vec<PointsOfTask>),
    /// Baker and Baruah 2009.
    Load(Vec<Point>),
    /// Baruah and others 2009: the speed sigma, and points.
    FfDbf(Ratio, Vec<Point>),
    /// Global fixed priorities: Guan and others 2009.
    Guan(Vec<Response>),
    /// Several processors: sets of states that are never left.
    States(Ties, Vec<States>),
    /// Non-preemptive tasks on one clock: the states of a schedule graph.
    Graph(Ties, Vec<GraphState>),
    /// One processor, EDF, with blocking: demand at these points.
    BlockedDemand(Vec<Point>),
    /// One processor, fixed priorities, with blocking: when the last part of each job of a busy interval starts.
    BlockedResponses(Vec<Starts>),
    /// One processor, fixed priorities, with self-suspension: Chen, Nelissen, Huang 2016.
    SuspendedResponses(Vec<SuspendedResponse>),
    /// One processor, fixed priorities, two criticalities: Baruah, Burns, Davis 2011.
    AmcRtb(Vec<ModeResponses>),
    /// One processor, EDF, two criticalities: the factor of the virtual deadlines; Baruah and others 2012.
    EdfVd(Ratio),
}

/// Which of two jobs of equal deadline goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// Either.
    Any,
    /// A running one, else the one of the lower task index.
    ByIndex,
}

/// A set of states in which the same jobs are pending.
#[derive(Clone, Debug)]
pub(crate) struct States {
    /// Tasks whose jobs are pending, most urgent first.
    pub pending: Vec<usize>,
    /// Normals n of half-spaces n x >= 0.
    pub facets: Vec<Vec<i64>>,
    /// Normals n of planes n x = 0.
    pub equal: Vec<Vec<i64>>,
}

/// A state of a schedule graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphState {
    /// How many jobs of each task of the bin have started.
    pub started: Vec<u64>,
    /// The first and the last cell in which the first, second, ... processor becomes free, one behind the other.
    pub free: Vec<i64>,
}

impl Proof {
    /// True if the proof holds only where of equal deadlines the lower index goes first.
    pub(crate) fn needs_ties_by_index(&self) -> bool {
        matches!(self, Self::States(Ties::ByIndex, _) | Self::Graph(Ties::ByIndex, _))
    }

    /// True if the test is for two criticalities.
    pub(crate) fn knows_criticality(&self) -> bool {
        matches!(self, Self::AmcRtb(_) | Self::EdfVd(_))
    }

    /// True if the test tells suspensions from execution. Any other must see tasks that execute for as long as they may suspend themselves.
    pub(crate) fn knows_suspension(&self) -> bool {
        matches!(self, Self::SuspendedResponses(_))
    }
}

/// A demand at an instant or in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// Where.
    pub at: Ticks,
    /// How much.
    pub demand: Ratio,
}

/// The points looked at for one task.
#[derive(Clone, Debug)]
pub(crate) struct PointsOfTask {
    /// Index of the task.
    pub task: usize,
    /// Its points, descending.
    pub points: Vec<Point>,
}

/// A bound on one task's response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// Index of the task.
    pub task: usize,
    /// From arrival to completion at most this.
    pub bound: Ticks,
}

/// A bound on one task's response time where tasks suspend themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SuspendedResponse {
    /// Index of the task.
    pub task: usize,
    /// From arrival to completion at most this.
    pub bound: Ticks,
    /// Indices of more urgent tasks whose suspensions bring releases closer; the others' jobs may run as late as they are in time.
    pub counted: Vec<usize>,
}

/// Bounds on one task's response time in each mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModeResponses {
    /// Index of the task.
    pub task: usize,
    /// From arrival to completion at most this in low mode.
    pub low: Ticks,
    /// In any mode, of a task of high criticality.
    pub high: Option<Ticks>,
}

/// When the jobs of one task complete in a busy period that starts at 0.
#[derive(Clone, Debug)]
pub(crate) struct Completions {
    /// Index of the task.
    pub task: usize,
    /// Completion of its jobs 0, 1, ...; the last one ends the busy period.
    pub at: Vec<Ticks>,
}

/// When the jobs of one task start their last part, in a busy interval that begins at 0.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    /// Index of the task.
    pub task: usize,
    /// The end of the busy interval.
    pub until: Ticks,
    /// Starts of the last parts of its jobs 0, 1, ...
    pub at: Vec<Ticks>,
}

/// Why no schedule, or not this policy's, can meet all deadlines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Disproof {
    /// A job of this task cannot fit by itself.
    ImpossibleTask(usize),
    /// U > m.
    Utilization,
    /// Jobs that lie wholly in a window need more than the processors give.
    Window(Point),
    /// The same, with the part that later jobs must have received by the window's end.
    ForcedWindow(Point),
    /// More work in the long run than one processor can do: b C every W.
    Rates,
    /// One processor, EDF: what is due within a window, with what blocks, exceeds it.
    BlockedWindow(Point),
    /// One processor, fixed priorities: this job of a busy interval is late where it is blocked for as long as it can be.
    Late {
        /// Index of its task.
        task: usize,
        /// Which of its jobs, from 0.
        job: u64,
    },
    /// A job that misses when jobs arrive at these instants, all in parts of a tick.
    MissedIn {
        /// How many parts a tick has.
        parts: u64,
        /// The task of each arrival and its instant, in the order of time.
        arrivals: Vec<(usize, Ticks)>,
        /// Index of the late job's task.
        task: usize,
        /// Which of its jobs, from 0.
        job: u64,
    },
    /// A job of a periodic, non-preemptive set on one clock that is late in this execution, all in parts of a tick.
    Executed {
        /// How many parts a tick has.
        parts: u64,
        /// The task of each job, its release, and what it needs; those of a task in the order of their arrival.
        jobs: Vec<(usize, Ticks, Ticks)>,
        /// Index of the late job's task.
        task: usize,
        /// Which of its jobs, from 0.
        job: u64,
    },
    /// A job that misses when all tasks arrive at 0 and then as often as they may.
    Missed {
        /// Index of its task.
        task: usize,
        /// Which of its jobs, from 0.
        job: u64,
        /// When it arrives.
        arrival: Ticks,
        /// Its absolute deadline.
        deadline: Ticks,
    },
}

/// An overhead table that owns its points.
pub(crate) type Table = OverheadSet<Amounts>;

/// How an amount depends on a count, with points of its own.
pub(crate) type Amounts = AmountBy<Vec<(u64, Ratio)>>;

/// The word of an overhead in a certificate.
pub(crate) fn overhead_word(field: OverheadField) -> String {
    field.name().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format does not follow renamed keys of a scenario: docs/certificates.md names these.
    #[test]
    fn the_words_of_the_overheads_and_their_order_are_those_of_the_format() {
        let words: Vec<_> = OverheadField::VALUES.iter().map(|field| overhead_word(*field)).collect();
        assert_eq!(
            words,
            [
                "release",
                "scheduling",
                "context-switch",
                "tick",
                "ipi-latency",
                "event-latency",
                "cache-delay",
                "initial-cache-load"
            ]
        );
    }
}
