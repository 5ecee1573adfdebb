//! The whole question: will these tasks meet their deadlines under this policy, on processors shared in this way, on a
//! platform that costs this much?

mod method;

pub use method::{Inflate, Method, Packing};

use crate::partition::Packed;
use crate::{Finding, Refused, Task, Ticks, Verdict};
use prazo_core::overheads::Overheads;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The tasks as their author wrote them, without overheads.
    pub tasks: &'a [Task],
    /// Who ranks jobs.
    pub policy: Policy<'a>,
    /// Which processors share a ready queue.
    pub shape: Shape<'a>,
    /// What the platform adds; `None` for a platform that costs nothing.
    pub overheads: Option<Overheads<'a>>,
}

/// How jobs are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy<'a> {
    /// Earliest absolute deadline first.
    Edf,
    /// By a number that belongs to the task.
    FixedPriority(Priorities<'a>),
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
        /// How many.
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
    /// What each test said, in the order they were tried; for a global shape.
    pub findings: Vec<Finding>,
    /// What each heuristic made of it; for clusters.
    pub packings: Vec<Packed>,
    /// The tasks with overheads charged, for a global shape; what each bin's tasks became stands in its packing.
    pub inflated: Option<Vec<Task>>,
    /// Threats to what the verdict says.
    pub caveats: Vec<&'static str>,
    /// Evaluated terms.
    pub work: u64,
}

/// A bound of how late jobs of each task may be, in ticks.
pub type TardinessBounds = Vec<Ticks>;

/// Answers `question` by `method`; refuses tasks that cannot be computed with.
pub fn answer(question: &Question<'_>, method: &Method) -> Result<Answer, Refused> {
    let _ = (question, method);
    todo!("being built")
}
