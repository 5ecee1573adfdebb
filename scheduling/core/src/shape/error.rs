//! Why queues and processors do not fit together.

use core::fmt;

/// The most queues a shape value can hold.
pub const QUEUES_MAX: usize = 64;

/// What is wrong with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// There is no queue, or more than a shape can hold.
    Queues(usize),
    /// The queue of this number serves no processor.
    NoHead(usize),
    /// The heads of all queues are not as many as the processors.
    Heads {
        /// Heads of all queues.
        heads: usize,
        /// Processors there are.
        processors: usize,
    },
    /// The processors do not divide into clusters of this size.
    Remainder {
        /// Processors there are.
        processors: usize,
        /// Processors of one cluster.
        size: usize,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Queues(queues) => {
                write!(f, "a shape has 1 to {QUEUES_MAX} queues, not {queues}")
            }
            Self::NoHead(queue) => write!(f, "queue {queue} serves no processor; give it at least one"),
            Self::Heads { heads, processors } => {
                write!(f, "the queues serve {heads} processors in all, but there are {processors}")
            }
            Self::Remainder { processors, size } => {
                write!(f, "{processors} processors cannot be divided into clusters of {size}; list the clusters' sizes")
            }
        }
    }
}

impl core::error::Error for ShapeError {}
