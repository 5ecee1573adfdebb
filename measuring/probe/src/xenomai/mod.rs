//! Xenomai as a platform: runs the tools of its cores with a plan's parameters, and makes a run of what they print.
//!
//! Cobalt and EVL schedule beside Linux, so no thread of prazo's can stand for a task of theirs: their tools measure, prazo
//! watches. What they print is read by the importers, which refuse garbage; a tool may print that and still exit with 0.

mod accounts;
mod error;
mod execute;
mod parameters;
mod running;
mod switches;
mod tool;

pub use accounts::{ThreadAccount, accounts};
pub use error::XenomaiError;
pub use execute::{ToolRun, measure};
