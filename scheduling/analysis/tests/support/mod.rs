//! What the tests of this crate share: reference records.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod records;
