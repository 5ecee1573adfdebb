//! The kernel, booted in the lab: what it says must be what the simulator says, and what it costs must stay flat.
//!
//! Everything runs under counted time, so a failure repeats. Where the emulator can neither be found nor fetched, the tests
//! say so and show nothing.

mod agreement;
mod checker;
mod compile;
mod exclusion;
mod figures;
mod machine;
mod refusals;
mod stress;
