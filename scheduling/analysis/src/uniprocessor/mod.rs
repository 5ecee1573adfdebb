//! One processor: does earliest deadline first, or a fixed order of tasks, serve every deadline, and how long can a job
//! take?
//!
//! Here the theory is exact. What a bin of a partitioned system needs is one of [`edf::test`] and [`fixed_priority::test`];
//! the others are cheaper and weaker, or answer a finer question.

pub mod edf;
pub mod fixed_priority;
pub mod priority;
