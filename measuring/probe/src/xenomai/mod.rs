//! Xenomai as a platform: recognises its cores on this system, runs their own tools with a plan's parameters, and makes a run of what
//! they print.
//!
//! Cobalt and EVL schedule beside Linux, so no thread of prazo's can stand for a task of theirs: their tools measure, prazo
//! watches. What they print is read by the importers, which refuse garbage; a tool may print that and still exit with 0.

mod accounts;
mod core;
mod error;
mod execute;
mod tool;

pub use self::core::{Core, recognise};
pub use accounts::{ThreadAccount, accounts};
pub use error::XenomaiError;
pub use execute::{XenomaiRequest, measure};
pub use tool::{Context, Tool};
