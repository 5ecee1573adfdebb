//! Marsal 2013's priority inversion on Linux, on prazo's kernel and in the simulator, with and without inheritance.
//!
//! Three tasks and a lock on one processor: the least urgent holds for 20 ms what the most urgent wants from 10 ms on; one between
//! them executes meanwhile, for as long as is asked. Three nested tasks and two locks show what inheritance costs in switches.

mod chart;
mod claims;
mod document;
mod inverted;
mod own_kernel;
mod sets;

pub use claims::Claim;
pub use document::{Inverted, Row, Seen, System};
pub use inverted::{InversionRequest, inversion};
