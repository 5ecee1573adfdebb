//! Task sets as data: what a user writes, what other tools wrote, and what a seeded generator draws.
#![forbid(unsafe_code)]

pub mod generate;
