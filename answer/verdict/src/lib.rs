//! Evidence and a requirement make a verdict with its reasons; pure.
//!
//! Data flows platform, probe, run, statistics, **verdict**, report. Nothing here measures, reads a file or a clock: the same
//! evidence gives the same verdict, on any machine.
#![forbid(unsafe_code)]

pub mod claim;
pub mod class;
pub mod evidence;
mod judge;
mod look;
pub mod requirement;
mod share;
pub mod verdict;
pub mod watched;
mod weight;
mod zero_misses;

pub use class::classify;
pub use evidence::{Evidence, ReadinessFinding};
pub use judge::judge;
pub use requirement::{Kind, Requirement, RequirementError};
pub use verdict::{Outcome, PlatformClass, Reason, Verdict};
