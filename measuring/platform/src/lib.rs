//! The machine under test: fingerprint, readiness, topology, tunables.
//!
//! Everything that is read comes through a [`root::Root`], so that a copied `/proc` and `/sys` tree of another machine
//! can be examined as well as this one.

pub mod fingerprint;
pub mod tunable;
