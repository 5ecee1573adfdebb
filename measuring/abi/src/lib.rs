//! Record layouts that Rust shares with C: each a header in `include/` and its twin here, compared by a test. Crates
//! that have C code of their own declare twins with [`record!`].
//!
//! A record is read and written by bytes, field by field and in the machine's own order, so that neither side trusts the other's
//! compiler and no unsafe code is needed.
#![no_std]
#![forbid(unsafe_code)]

pub mod irqlat;
mod record;

pub use record::{Field, Record};
