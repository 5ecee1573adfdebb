//! Schedulability experiments: how many of many random task sets each scheduler is proven to serve, as data and as curves.
//!
//! ```text
//! TOML ─► Experiment ─► curves x points ─► chunks of sets ─► tallies (written as won) ─► shares with intervals ─► claims
//! ```
//! A curve is a family of task sets, a method, a scheduler and a platform; all curves of a family judge the same sets. A set
//! depends on the experiment's seed, its family, its utilization and its number alone, so that any chunk can be made anywhere,
//! in any order, on any number of threads, and is the same. Results do not hold task sets: memory does not grow with them.
//! The form of the study is that of Vitor 2013 section IV-C and of Brandenburg 2011 chapter 4.
#![forbid(unsafe_code)]

pub mod builtin;
pub mod chunk;
pub mod claim;
pub mod curve;
pub mod decimal;
pub mod error;
pub mod experiment;
pub mod export;
pub mod family;
pub mod folder;
pub mod method;
pub mod overhead_figures;
pub mod overheads;
pub mod points;
pub mod result;
pub mod runner;
pub mod scheduler;
pub mod specification;
pub mod tally;
mod text;

pub use curve::Curve;
pub use error::ExperimentError;
pub use experiment::Experiment;
pub use result::ExperimentResult;
pub use runner::{Progress, Runner};
pub use specification::{Specification, SpecificationError};
