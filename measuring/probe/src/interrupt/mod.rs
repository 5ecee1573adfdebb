//! The interrupt probe: the module `irqlat` raises a line, stamps handler and task, and this reader takes the samples away.
//!
//! ```text
//! setting ─► device: prepare ─► priorities, set and read back ─► arm ─► read every tenth of a second ─► stop
//!                                    user task: wait, stamp, wait ... ─┘
//! ```
//! Regnier 2008: t1 where the line is raised, t2 in its handler, t3 in the task that waited. The reader runs under no real-time
//! policy and is never woken by the measured path: it looks by itself.

mod device;
pub mod error;
mod findings;
mod measure;
mod own_frames;
mod priority;
mod run;
mod seconds;
pub mod setting;
use prazo_sys::irqlat as sys;
mod user_task;

pub use error::InterruptError;
pub use measure::{End, InterruptOutcome, measure};
pub use run::{InterruptMeasured, run, series_of};
pub use setting::Setting;
