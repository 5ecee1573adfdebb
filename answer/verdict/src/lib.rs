//! Evidence and a requirement make a verdict with its reasons; pure.
#![forbid(unsafe_code)]

pub mod requirement;
pub mod verdict;

pub use requirement::{Kind, Requirement};
pub use verdict::{Outcome, PlatformClass, Reason, Verdict};
