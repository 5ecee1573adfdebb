//! What the tests of this crate share: an obvious simulator, random task sets, reference records.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod any_arrival;
pub mod random;
pub mod records;
pub mod unit_step;
