//! One processor on which jobs block each other, arrive in bursts, suspend themselves, or have only a supply: parts that are not
//! preempted, critical sections, self-suspension, restricted supply.
//!
//! Everything here holds for arrivals at any real instant. A job of a less urgent task may enter a part of length q just before
//! the others arrive, as little before as one likes: so it blocks for all of q and not for one tick less, a length that is
//! approached and never reached. That limit decides: a bound that equals the deadline is met, one above it is missed by
//! some real arrivals.
//!
//! ```text
//! System (tasks + behaviours) ─► arrivals: how many jobs by when ─┐
//!                             ├► terms: how long who is blocked  ─┼► fixed_priority | edf ─► Finding
//!                             ├► service: what by when at the latest ┤
//!                             └► suspension: bounds for tasks that suspend themselves ┘
//! shared: tasks of several processors that share resources ─► one System a processor
//! ```

pub mod arrivals;
pub mod edf;
pub mod fixed_priority;
pub mod service;
pub mod shared;
pub mod suspension;
mod system;
pub mod terms;

pub use system::{System, check};
