//! One generic scheduler over criterion and shape: what changes comes in, a decision goes out.
//!
//! A [`Cluster`] is one ready queue with the heads it serves, complete in itself, so that a kernel holds one lock for each; a
//! [`Scheduler`] is all clusters of a shape together, for who drives them in one thread. A decision is carried out by the
//! driver: the processor it names must switch, and no other.
//!
//! House rules: by rank, then task index; a tie never preempts. A job goes to its last processor if that is idle, else to the
//! lowest-numbered idle one, else to that of the least urgent running job, the highest task index among equals. Of a task one
//! job at most is known here, so the job number breaks no tie.

mod cluster;
mod decision;
mod machine;
mod membership;
mod operations;

pub use cluster::Cluster;
pub use decision::{Decision, Switch};
pub use machine::Scheduler;
