//! Random requests, and the slow, obvious simulator that the real one must agree with.
#![allow(dead_code)]

pub mod sets;
pub mod unit_step;

/// How many random sets to look at: `PRAZO_SETS`, or 10^4.
pub fn sets() -> u64 {
    std::env::var("PRAZO_SETS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000)
}
