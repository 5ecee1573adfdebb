//! Random requests, and the slow, obvious simulator that the real one must agree with.
#![allow(dead_code)]

pub mod sets;
pub mod unit_step;

/// The seed of every ordinary run, or the one that `PRAZO_SEED` asks for; printed, so that a failure can be repeated.
pub fn seed(test: &str, ordinary: u64) -> u64 {
    let seed = std::env::var("PRAZO_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(ordinary);
    println!("{test}: PRAZO_SEED={seed}");
    seed
}

/// How many random sets to look at: `PRAZO_SETS`, or 10^4.
pub fn sets() -> u64 {
    std::env::var("PRAZO_SETS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000)
}
