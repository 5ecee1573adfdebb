//! Discrete-event simulator: scenario and seed go in, a schedule with its figures comes out.
//!
//! The simulator has a virtual clock and no opinion: the scheduler core decides who runs, this crate makes jobs arrive,
//! lets them consume time, charges what the platform costs, and counts. Same scenario, same seed, same bytes.
#![forbid(unsafe_code)]

pub mod arrival;
pub mod chains;
pub mod charges;
pub mod criticality;
pub mod execution;
pub mod figures;
pub mod inversion;
pub mod locks;
pub mod model;
pub mod parts;
pub mod random;
pub mod repetition;
pub mod sink;
pub mod supply;
pub mod suspension;

mod held;
mod ready;
mod shared;
mod simulation;
mod state;
mod text;
mod timers;

pub use figures::{Figures, Miss, TaskFigures};
pub use model::{Model, Policy, Request, SimulationError, Variation};
pub use repetition::Repeats;
pub use simulation::{Limits, SimulationResult, simulate};
pub use text::UnknownVariation;
