//! From a verdict's assignment to a running system: partitions of processors, and who runs in them with which policy.
//!
//! ```text
//! clusters, tasks ─► layout ─► plan (steps, each with its undo) ─► carried out (journalled) ─► read back, watched
//! ```
//! The plan is pure, so that it can be shown, tested and written as units without privileges. Whatever is changed stands in the
//! journal first; what fails half-way is undone at once, what is killed half-way by the next start.
#![forbid(unsafe_code)]

pub mod bandwidth;
pub mod carrier;
pub mod check;
pub mod deployment;
mod error;
pub mod partition;
pub mod plan;
mod refusal;
pub mod step;
pub mod units;

pub use carrier::Carrier;
pub use deployment::DeploymentRecord;
pub use partition::{PartitionError, Partitions};
pub use plan::Plan;
pub use step::SystemChange;
