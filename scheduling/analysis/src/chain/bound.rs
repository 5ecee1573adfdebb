//! A bound on one time of a chain, and what it says of a requirement.

use crate::{Ticks, Verdict};

/// What is known of one time of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// It is never longer, or why that is not known.
    pub at_most: Result<Ticks, NoBound>,
    /// Legal arrivals and execution times come as close to this as one likes; 0 if nothing is known.
    pub at_least: Ticks,
    /// It must not be longer; `None` where nothing is required.
    pub required: Option<Ticks>,
}

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBound {
    /// The response time of the task with this index has no bound, or under LET exceeds its deadline.
    Response(usize),
    /// The tasks have two criticalities, so that jobs may be dropped.
    Dropped,
    /// The task with this index may arrive as rarely as it likes.
    Sporadic(usize),
    /// The bound exceeds 2^64 ticks.
    TooLong,
}

impl Bound {
    /// What is known of the requirement; `None` where there is none.
    pub fn verdict(&self) -> Option<Verdict> {
        let required = self.required?;
        Some(match self.at_most {
            Ok(at_most) if at_most <= required => Verdict::Proven,
            _ if self.at_least > required => Verdict::Disproven,
            _ => Verdict::Unknown,
        })
    }
}

impl NoBound {
    /// Why, with the names of the set's tasks.
    pub fn sentence(&self, name: impl Fn(usize) -> String) -> String {
        match self {
            Self::Response(task) => {
                format!("no response-time bound is known for task '{}'", name(*task))
            }
            Self::Dropped => "the tasks have two criticalities, and jobs may be dropped in high mode".to_owned(),
            Self::Sporadic(task) => {
                format!("task '{}' has no maximum inter-arrival time; state its max_inter_arrival", name(*task))
            }
            Self::TooLong => "the bound exceeds 2^64 ticks; write the set in a coarser unit".to_owned(),
        }
    }
}
