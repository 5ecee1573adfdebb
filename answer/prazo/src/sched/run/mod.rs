//! The tasks of a scenario as threads of Linux, job by job, beside what is proven and what is simulated.

mod batch;
mod bounds;
mod document;
mod files;
mod plan;
mod ran;

pub use batch::RunLine;
pub use document::{RunSet, SimulatedBeside, TaskRow};
pub(crate) use ran::run_here;
pub use ran::{RunAnswer, RunOptions, RunRequest, Stage, run, run_batch};
