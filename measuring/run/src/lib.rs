//! Plans, runs and caveats, the run file that keeps them, and its importers and exporters.
//!
//! Data flows platform, probe, **run**, statistics, verdict, report. Everything right of here works offline on a [`Run`].
#![forbid(unsafe_code)]

pub mod calendar;
pub mod caveat;
pub mod defaults;
pub use prazo_platform::serde_duration;
pub mod export;
pub mod histogram;
pub mod import;
pub mod jobs;
pub mod noise;
pub mod overflow;
pub mod overheads;
pub mod plan;
pub mod run;
pub mod skipped;
pub mod source;
pub mod split;
pub mod store;
pub mod watched;
pub mod workload;

#[cfg(test)]
extern crate self as prazo_run;
#[cfg(test)]
#[path = "../tests/support/synthetic.rs"]
mod synthetic;

pub use caveat::{Caveat, Severity};
pub use histogram::Histogram;
pub use plan::Plan;
pub use run::{Run, Series};
