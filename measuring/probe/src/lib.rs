//! Measuring engine: real-time threads and loads; a plan and a platform make a run.

pub mod load;
pub mod timer;

pub use timer::child::child_main;
