//! The whole question: will these tasks meet their deadlines under this policy, on processors shared in this way, on a
//! platform that costs this much?

mod behaved;
mod caveats;
mod clusters;
mod disprove;
mod edge;
mod global;
mod judge;
mod lateness;
mod method;
mod places;
mod searched;
mod shared;
mod split;
mod synchronized;

pub use clusters::bins_needed;
pub(crate) use edge::states;
pub use edge::{Edge, edge};
pub use lateness::{Lateness, lateness};
pub use method::{Inflate, Method, Packing};
pub use places::{TaskPlace, places};
pub use shared::LockBound;
pub use split::unsplittable;

use crate::mixed::amc_rtb::{Beyond, Bound};
use crate::overheads::Charged;
use crate::partition::Packed;
use crate::partition::split::SplitPacking;
use crate::{Finding, SetError, Task, TaskSet, Ticks, TimeModel, Verdict, blocking};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;

/// The question: a set, a scheduler and a platform.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The tasks as their author wrote them, without overheads.
    pub tasks: &'a [Task],
    /// Who ranks jobs.
    pub policy: JobRanking<'a>,
    /// Which processors share a ready queue.
    pub shape: Shape<'a>,
    /// The cluster that each task is tied to, where its author tied it; `None` if all may go anywhere.
    pub places: Option<&'a [Option<u32>]>,
    /// How the tasks depart from sporadic, independent and preemptable ones.
    pub behaviours: Behaviours<'a>,
    /// What the platform adds; `None` for a platform that costs nothing.
    pub overheads: Option<Overheads<'a>>,
    /// At which instants jobs may arrive.
    pub time: TimeModel,
}

/// How jobs are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobRanking<'a> {
    /// Earliest absolute deadline first.
    Edf,
    /// By a number that belongs to the task.
    FixedPriority(Priorities<'a>),
}

impl<'a> JobRanking<'a> {
    /// One rank for each task where those are given; else none.
    fn given_ranks(self) -> &'a [u32] {
        match self {
            Self::FixedPriority(Priorities::Given(ranks)) => ranks,
            _ => &[],
        }
    }
}

/// Where fixed priorities come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priorities<'a> {
    /// Shorter period first.
    RateMonotonic,
    /// Shorter relative deadline first.
    DeadlineMonotonic,
    /// Audsley's search, lowest priority first.
    Audsley,
    /// One rank for each task, 0 the most urgent; equal ranks are broken by task index.
    Given(&'a [u32]),
}

/// Which processors share a ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// One queue for all.
    Global {
        /// Number of processors.
        processors: u32,
    },
    /// One queue for each cluster, of so many processors each; all ones is partitioned.
    Clusters(&'a [u32]),
}

impl Shape<'_> {
    /// All processors together.
    pub fn processors(&self) -> u32 {
        match self {
            Self::Global { processors } => *processors,
            Self::Clusters(sizes) => sizes.iter().sum(),
        }
    }
}

/// The answer, with everything that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What holds for the shape asked about.
    pub verdict: Verdict,
    /// The finding that decided, if one did.
    pub decided_by: Option<Finding>,
    /// What each test said, in the order they were tried; for a global shape, and of a disproof for any.
    pub findings: Vec<Finding>,
    /// What each heuristic made of it; for clusters.
    pub packings: Vec<Packed>,
    /// What splitting made of it, where no packing is proven and the method may split tasks. The verdict is then about split tasks.
    pub split: Option<SplitPacking>,
    /// The tasks with overheads charged, for a global shape; what each bin's tasks became stands in its packing.
    pub charged: Option<Charged>,
    /// Response-time bounds under fixed priorities on one processor, most urgent first, interrupts before all; `None` where
    /// the bound passes the deadline.
    pub responses: Option<Vec<Option<Ticks>>>,
    /// With two criticalities, where AMC-rtb was asked: the bounds of each mode, most urgent first.
    pub responses_by_mode: Option<Vec<ModeResponses>>,
    /// Indices of the tasks, most urgent first, under fixed priorities.
    pub priorities: Option<Vec<usize>>,
    /// x, where EDF with virtual deadlines proves a set of two criticalities: in low mode, jobs of high criticality are ranked by arrival + x D.
    pub virtual_deadlines: Option<Ratio>,
    /// By task, how long its jobs wait for resources under a protocol for several processors, where all tasks are placed and each has a bound.
    pub locks: Option<Vec<LockBound>>,
    /// Threats to what the verdict says.
    pub caveats: Vec<Caveat>,
    /// Evaluated terms.
    pub work: u64,
}

/// Bounds on the response time of one task in each mode, of two criticalities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeResponses {
    /// In low mode; `None` where the bound passes the deadline, or was not computed because that of a more urgent task does.
    pub low: Option<Ticks>,
    /// In both modes and whenever the mode changes, for a task of high criticality; `None` as above, and for low criticality.
    pub high: Option<Ticks>,
}

impl From<Result<Bound, Beyond>> for ModeResponses {
    fn from(bound: Result<Bound, Beyond>) -> Self {
        match bound {
            Ok(Bound { low, high }) => Self { low: Some(low), high },
            Err(Beyond::High { low, .. }) => Self { low: Some(low), high: None },
            Err(Beyond::Low(_)) => Self::default(),
        }
    }
}

/// A threat to what an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caveat {
    /// An overhead was asked for beyond the last measured point.
    OverheadsExtrapolated,
    /// Audsley's search is for one processor; deadline-monotonic priorities were used instead.
    AudsleyNotGlobal,
    /// The proof holds for jobs dispatched by their own deadlines, jobs of one task in sequence; not by min(D, T).
    DispatchedByOwnDeadline,
    /// Overheads are upper bounds, so where charged costs do not fit nothing is disproven.
    OverheadsAreBounds,
    /// The proof was asked for in discrete time.
    WholeTicksOnly,
    /// The proof holds only where jobs of equal deadline are ranked as this project ranks them.
    TiesByIndex,
}

impl Caveat {
    /// A name that scripts can match.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OverheadsExtrapolated => "overheads-extrapolated",
            Self::AudsleyNotGlobal => "audsley-not-global",
            Self::DispatchedByOwnDeadline => "dispatched-by-own-deadline",
            Self::OverheadsAreBounds => "overheads-are-bounds",
            Self::WholeTicksOnly => "whole-ticks-only",
            Self::TiesByIndex => "ties-by-index",
        }
    }

    /// What it means, in a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::OverheadsExtrapolated => {
                "the overhead table covers fewer tasks, or smaller working sets, than the set has; its amounts were \
                 extrapolated"
            }
            Self::AudsleyNotGlobal => {
                "Audsley's search needs one processor; the priorities are deadline-monotonic instead"
            }
            Self::DispatchedByOwnDeadline => {
                "some deadlines are longer than their periods: the proof holds if each job is dispatched by its own deadline, and the jobs of a task run one after the other"
            }
            Self::OverheadsAreBounds => {
                "overheads are upper bounds, so a set that does not fit with them is unknown, not disproven"
            }
            Self::WholeTicksOnly => {
                "proven for arrivals at whole ticks only, since discrete time was requested; jobs that arrive between ticks may miss"
            }
            Self::TiesByIndex => {
                "the proof assumes a rule for equal deadlines: a running job continues, otherwise the first task in the file runs; under another rule, jobs may miss"
            }
        }
    }
}

/// Answers `question` by `method`; refuses tasks that cannot be computed with.
pub fn answer(question: &Question<'_>, method: &Method) -> Result<Answer, SetError> {
    question.check()?;
    let proof = match question.shape {
        _ if behaved::uncovered(question).is_some() => behaved::unanswered(question),
        _ if question.behaviours.crosses_processors() => shared::answer(question, method),
        Shape::Global { processors } => global::answer(question, processors, method),
        // Nothing is packed, so that the answer has what the test says of the whole set.
        Shape::Clusters(&[1]) if question.behaviours.is_mixed() => global::answer(question, 1, method),
        Shape::Clusters(&[processors]) => one_cluster(question, processors, method),
        Shape::Clusters(sizes) => clusters::answer(question, sizes, method),
    };
    let proof =
        if proof.verdict != Verdict::Proven && method.split { split::answer(question, method, proof) } else { proof };
    let answer = if proof.verdict == Verdict::Unknown && method.disprove {
        disprove::answer(question, method, proof)
    } else {
        proof
    };
    let answer = if answer.verdict == Verdict::Unknown { searched::answer(question, method, answer) } else { answer };
    let answer = synchronized::answer(question, method, answer);
    Ok(caveats::noted(question, answer))
}

/// A single cluster is one queue: where no packing is proven, what the tests say of the whole set decides.
fn one_cluster(question: &Question<'_>, processors: u32, method: &Method) -> Answer {
    let packed = clusters::answer(question, &[processors], method);
    if packed.verdict == Verdict::Proven {
        return packed;
    }
    let whole = global::answer(question, processors, method);
    Answer { packings: packed.packings, work: packed.work + whole.work, ..whole }
}

impl Question<'_> {
    /// Refuses what no test can compute with.
    fn check(&self) -> Result<(), SetError> {
        TaskSet::new(self.tasks)?;
        blocking::check(self.tasks, &self.behaviours)?;
        let empty = matches!(self.shape, Shape::Clusters(sizes) if sizes.contains(&0));
        if self.shape.processors() == 0 || empty {
            return Err(SetError::NoProcessor);
        }
        match self.policy {
            JobRanking::FixedPriority(Priorities::Given(ranks)) if ranks.len() != self.tasks.len() => {
                Err(SetError::Priorities { tasks: self.tasks.len(), ranks: ranks.len() })
            }
            _ => Ok(()),
        }
    }
}

impl Answer {
    /// How tasks are split, where that is proven.
    pub fn proven_split(&self) -> Option<&SplitPacking> {
        self.split.as_ref().filter(|split| split.proven)
    }

    /// An answer that says nothing yet.
    pub fn open() -> Self {
        Self {
            verdict: Verdict::Unknown,
            decided_by: None,
            findings: Vec::new(),
            packings: Vec::new(),
            split: None,
            charged: None,
            responses: None,
            responses_by_mode: None,
            priorities: None,
            virtual_deadlines: None,
            locks: None,
            caveats: Vec::new(),
            work: 0,
        }
    }

    /// The bounds of `responses` by task, as the tasks were asked about; `None` where there are none.
    pub fn responses_by_task(&self) -> Option<Vec<Option<Ticks>>> {
        let (responses, order) = (self.responses.as_ref()?, self.priorities.as_ref()?);
        // Interrupts come before all tasks.
        let of_tasks = responses.get(responses.len().checked_sub(order.len())?..)?;
        let mut by_task = vec![None; order.len()];
        order.iter().zip(of_tasks).for_each(|(task, response)| by_task[*task] = *response);
        Some(by_task)
    }
}
