//! From samples to summaries: quantiles, maxima with counts, intervals, comparisons.
//!
//! No number leaves here without its count, unit and method. Samples are dependent, so intervals come from blocks of
//! consecutive time, never from independent draws (research: rank autocorrelation 0.2 at lag 100).
#![forbid(unsafe_code)]

pub mod compare;
pub mod misses;
pub mod summary;

pub use compare::Comparison;
pub use misses::MissRate;
pub use summary::{Per, Quantile, RunSummary, Summary};
