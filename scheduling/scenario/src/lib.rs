//! Task sets as data: what a user writes, what other tools wrote, and what a seeded generator draws.
//!
//! One [`Scenario`] is one task set with everything that an answer depends on: its unit, processors, policy, the
//! platform's overheads and, where somebody knows it, the outcome. Readers refuse what they do not understand and say
//! what to write instead; a set that no platform could serve is not an error but an answer for the analysis to give.
#![forbid(unsafe_code)]

pub mod error;
pub mod generate;
pub mod overheads;
pub mod read;
pub mod set;
pub mod unit;
pub mod write;

mod nearest;
mod tree;

pub use error::{Problem, ReadError};
pub use overheads::OverheadTable;
pub use set::{Arrival, Conduct, Expect, NamedTask, Outcome, Policy, Priorities, Reservation, Scenario, Scheduler};
pub use unit::Unit;
