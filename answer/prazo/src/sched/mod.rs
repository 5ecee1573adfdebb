//! Schedulability: task sets proven, packed, simulated, run, deployed and watched.

mod verify;

pub use verify::{Verified, VerifyRequest, verify};
