//! Task sets as data: what a user writes, what other tools wrote, and what a seeded generator draws.
//!
//! One [`Scenario`] is one task set with everything that an answer depends on: its unit, processors, policy, the
//! platform's overheads and, where somebody knows it, the outcome. Readers refuse what they do not understand and say
//! what to write instead; a set that no platform could serve is not an error but an answer for the analysis to give.
//!
//! Texts and generators need the standard library, which is the feature `std`. The [`binary`] form does without, so that the
//! bare-metal kernel reads it by the same code.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub mod binary;

#[cfg(feature = "std")]
pub mod behaviour;
#[cfg(feature = "std")]
pub mod chain;
#[cfg(feature = "std")]
mod criterion;
#[cfg(feature = "std")]
pub mod curve;
#[cfg(feature = "std")]
pub mod error;
#[cfg(feature = "std")]
pub mod executors;
#[cfg(feature = "std")]
pub mod generate;
#[cfg(feature = "std")]
pub mod overheads;
#[cfg(feature = "std")]
pub mod read;
#[cfg(feature = "std")]
pub mod resolved_behaviours;
#[cfg(feature = "std")]
pub mod set;
#[cfg(feature = "std")]
mod shape;
#[cfg(feature = "std")]
mod supply_words;
#[cfg(feature = "std")]
pub mod unit;
#[cfg(feature = "std")]
pub mod write;

#[cfg(feature = "std")]
mod nearest;
#[cfg(feature = "std")]
mod toml_entries;

#[cfg(feature = "std")]
pub use behaviour::{Preemption, TaskBehaviour};
#[cfg(feature = "std")]
pub use chain::{Chain, Communication, Stage};
#[cfg(feature = "std")]
pub use criterion::Criterion;
#[cfg(feature = "std")]
pub use error::{Problem, ReadError};
#[cfg(feature = "std")]
pub use overheads::OverheadTable;
#[cfg(feature = "std")]
pub use resolved_behaviours::{Activation, ResolvedBehaviours, first_departing};
#[cfg(feature = "std")]
pub use set::{
    Arrival, Conduct, Expect, ExpectedVerdict, JobRanking, NamedTask, Priorities, Reservation, Scenario, Scheduler,
};
#[cfg(feature = "std")]
pub use shape::{NoShape, Shape};
#[cfg(feature = "std")]
pub use supply_words::{SupplyKind, SupplyWords};
#[cfg(feature = "std")]
pub use unit::Unit;
